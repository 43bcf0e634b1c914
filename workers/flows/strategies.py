"""Flow of each strategy, by its name in `hopline/models/strategies.py`; `auto` chooses among them."""

from __future__ import annotations

from workers.flows.graph import QUERY
from workers.flows.reader import READER
from workers.flows.survey.flow import SURVEY
from workers.flows.tools import TOOLS

FLOW_OF = {"graph": QUERY, "reader": READER, "survey": SURVEY, "tools": TOOLS}
