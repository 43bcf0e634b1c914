"""Tells which values of a row come from the graph rather than from the model's own statement."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from workers.core.errors import CypherRefused
from workers.core.graph.cypher import Value
from workers.text2cypher.lexer import lex, significant
from workers.tools.tables import cell, is_entity

_AMOUNTS = frozenset(("LIMIT", "SKIP", "OFFSET"))  # how many rows: it reaches no cell
_SHORTEST = 3  # characters of a text that can say something


class Literals:
    """The texts and numbers that stand in a statement.

    Args:
        cypher: as it ran; one that cannot be read here has none.
    """

    def __init__(self, cypher: str) -> None:
        self.texts: list[str] = []
        self.numbers: set[float] = set()
        self.forges = False  # it makes maps that look like nodes
        try:
            tokens = significant(lex(cypher))
        except CypherRefused:
            return
        for before, token in zip([None, *tokens], tokens, strict=False):
            if token.kind == "string":
                self.texts.append(token.text[1:-1])
            elif token.kind in {"word", "quoted"} and token.name in {"properties", "path"}:
                self.forges = True
            elif token.kind == "number" and (before is None or before.key not in _AMOUNTS):
                self._count(token.text)

    def _count(self, text: str) -> None:
        try:
            self.numbers.add(float(text.replace("_", "")))
        except ValueError:
            return  # hexadecimal, octal

    def without(self, value: Any) -> str:
        """Return a scalar or an entity in words, without what the statement brought."""
        if value is None or isinstance(value, Mapping):
            return cell(value) if value else ""
        if isinstance(value, int | float) and not isinstance(value, bool):
            return "" if float(value) in self.numbers else cell(value)
        remainder = str(cell(value))
        for text in sorted(self.texts, key=len, reverse=True):
            if len(text) >= _SHORTEST:
                remainder = re.sub(re.escape(text), " ", remainder, flags=re.IGNORECASE)
        return remainder.strip()

    @property
    def words(self) -> str:
        """All of them in one text: a sentence may rest on those that the user said, too."""
        return " ".join([*self.texts, *(f"{number:g}" for number in sorted(self.numbers))])


@lru_cache(maxsize=64)
def _literals(cypher: str) -> Literals:
    """Return a statement's literals; all rows of a result ask for the same."""
    return Literals(cypher)


def grounds(values: Sequence[Value], cypher: str) -> str:
    """Return what of a row's values a sentence may rest on.

    Nodes, relationships and paths are the graph's own. Of other values go the texts and numbers that the
    statement itself brings, and keys of maps: `RETURN 'anything' AS answer` finds nothing.
    """
    literals = _literals(cypher)
    texts = (literals.without(value) for value in _leaves(list(values), forged=literals.forges))
    return " · ".join(filter(None, texts))


def _leaves(value: Any, *, forged: bool) -> Iterator[Any]:
    """Yield scalars and whole entities; of other maps their values."""
    if isinstance(value, list):
        for member in value:
            yield from _leaves(member, forged=forged)
    elif isinstance(value, Mapping) and (forged or not is_entity(value)):
        for member in value.values():
            yield from _leaves(member, forged=forged)
    else:
        yield value
