"""Full-text search within one collection: plain words become Lucene queries."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workers.adapters.neo4j.rows import scope
from workers.core.language.text import words

# Hidden hits come up too: how many are looked through for live ones, of a text. With more of them, and better
# ones, live ones may be covered; a document is long before it is.
MOST_FETCHED = 2000

# Words that the indexes leave out (Lucene's for English): a query of nothing else would find everything.
_LEFT_OUT = frozenset(
    """a an and are as at be but by for if in into is it no not of on or such that the their then there these
    they this to was will with""".split()  # noqa: SIM905 - a list of words reads best
)
_PIECE = re.compile(r"[^\W_]+")
_MAX_PIECES = 10  # of a name
_LOOSE_FROM = 5  # letters; shorter words with a letter changed are other words
# Distinct ones of a query; Lucene allows 1,024 clauses. The last ones, as in `search.mentions`: what is told
# before it is asked comes first.
_MAX_WORDS = 64


def any_word(collection: str, fields: Iterable[str], text: str) -> str:
    """Return a query for what has some of the text's words in one of the fields; "" if none is indexed.

    The scope clause restricts and does not score. Words are letters and digits, so none is an operator, but
    for inner points, hyphens and apostrophes, which the quotes take care of.
    """
    wanted = list(dict.fromkeys(reversed(words(text))))[:_MAX_WORDS]
    if _LEFT_OUT.issuperset(wanted):
        return ""
    alternatives = " ".join(f'"{word}"' for word in reversed(wanted))
    return _within(collection, " ".join(f"{field}:({alternatives})" for field in fields))


def all_words(collection: str, field: str, text: str) -> str:
    """Return a query for what has the text's words one after another in the field; "" without words."""
    wanted = words(text)[:_MAX_WORDS]
    return _within(collection, f'{field}:"{" ".join(wanted)}"') if wanted else ""


def resembling(collection: str, name: str) -> str:
    """Return a query for names with the words of this one but for a letter in each, or a gap between two."""
    wanted = _PIECE.findall(name)[:_MAX_PIECES]
    if not wanted:
        return ""
    joined = [[*wanted[:at], wanted[at] + wanted[at + 1], *wanted[at + 2 :]] for at in range(len(wanted) - 1)]
    clauses = [" ".join(f"+{_loosely(word)}" for word in wanted)]
    clauses += [" ".join(f"+{word}" for word in each) for each in joined]
    return _within(collection, "name:(" + " ".join(f"({clause})" for clause in clauses) + ")")


def ending(collection: str, first: str, last: str) -> str:
    """Return a query for names with a word that begins like the first, and with the last."""
    begin, end = (_PIECE.findall(part) for part in (first, last))
    if not begin or not end:
        return ""
    return _within(collection, f'+name:{begin[0]}* +name:"{" ".join(end)}"')


def _loosely(word: str) -> str:
    return f"{word}~1" if len(word) >= _LOOSE_FROM and word.isalpha() else word


def _within(collection: str, clause: str) -> str:
    return f"+scope:{scope(collection)}^0 +({clause})"
