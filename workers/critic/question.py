"""What a question may lend to a sentence of its answer: what it takes for granted, no alternatives."""

from __future__ import annotations

import re

from workers.core.language.figures.figures import figures

_OR = re.compile(r"\b(?:or|oder|ou|o(?!['’]))\b|还是|或", re.IGNORECASE)


def lent_names(question: str) -> str:
    """Return the question unless it asks which of several it is."""
    return "" if _OR.search(question) else question


def lent_date(question: str) -> str:
    """Return the question if it holds a single number or date, and asks for no other."""
    return lent_names(question) if sum(not figure.loose for figure in figures(question)) == 1 else ""
