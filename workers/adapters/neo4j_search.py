"""Full-text search: Lucene queries made of plain words, within one collection."""

from __future__ import annotations

from collections.abc import Iterable

from workers.adapters.neo4j_rows import scope
from workers.core.text import words

_MAX_WORDS = 64  # distinct ones of a query; Lucene allows 1,024 clauses


def any_word(collection: str, fields: Iterable[str], text: str) -> str:
    """Return a query for what has some of the text's words in one of the fields; "" where it has no words.

    The scope clause restricts and does not score. Words are letters and digits, so none is an operator, but
    for inner points, hyphens and apostrophes, which the quotes take care of.
    """
    wanted = list(dict.fromkeys(words(text)))[:_MAX_WORDS]
    if not wanted:
        return ""
    alternatives = " ".join(f'"{word}"' for word in wanted)
    return _within(collection, " ".join(f"{field}:({alternatives})" for field in fields))


def all_words(collection: str, field: str, text: str) -> str:
    """Return a query for what has the text's words one after another in the field; "" without words."""
    wanted = words(text)[:_MAX_WORDS]
    return _within(collection, f'{field}:"{" ".join(wanted)}"') if wanted else ""


def _within(collection: str, clause: str) -> str:
    return f"+scope:{scope(collection)}^0 +({clause})"
