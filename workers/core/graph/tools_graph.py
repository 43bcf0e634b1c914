"""A part of the tools' own database, for drawing: nodes with their names, and relationships."""

from __future__ import annotations

MOST_RELATIONSHIPS = 200  # around one node
USUAL_RELATIONSHIPS = 60
