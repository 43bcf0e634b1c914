"""Flow of each strategy, by its name in `hopline/models/strategies.py`; `auto` chooses among them."""

from __future__ import annotations

from workers.traverse.graph.flow import QUERY
from workers.traverse.reader.flow import READER
from workers.traverse.survey.flow import SURVEY
from workers.traverse.tools.flow import TOOLS

FLOW_OF = {"graph": QUERY, "reader": READER, "survey": SURVEY, "tools": TOOLS}
