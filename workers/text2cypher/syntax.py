"""The syntax tree of a Cypher statement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from workers.text2cypher.lexer import Token

Sort = Literal[
    "query",  # its clauses; of a UNION, those of all its branches
    "clause",  # named by its keyword: MATCH, OPTIONAL MATCH, WITH, …
    "item",  # of WITH, RETURN, UNWIND and YIELD: an expression, its name where it has one
    "order",  # what is sorted by, skipped and limited to
    "where",
    "star",
    "pattern",  # node, relationship, node, …, named SHORTEST where only shortest paths are looked for
    "node",
    "relationship",
    "length",  # of a path, named by its upper bound: "" where there is none
    "label",  # the name of a label or of a type, in a node, a relationship or a condition
    "denied",  # beside labels: the one before is one that it does not have
    "choice",  # beside labels: any one of them
    "binding",  # a variable where it is made
    "variable",
    "property",  # of what its one part is
    "parameter",
    "literal",  # a text, number, true, false, null
    "call",  # of a function or a procedure, named as written
    "list",
    "index",
    "slice",
    "map",
    "entry",  # of a map, named by its key
    "projection",  # of a variable's properties to a map
    "each",  # a list comprehension ([), or ALL, ANY, NONE, SINGLE: binding, source, condition, what is kept
    "along",  # a pattern comprehension: pattern, condition, what is kept
    "case",  # conditions and values, in turn; an ELSE is a value alone
    "value",  # of a CASE
    "subquery",  # named EXISTS, COUNT, COLLECT or CALL
    "operation",  # named by its operator
]


def words(text: str) -> frozenset[str]:
    """Return the words of a list that is written as a text."""
    return frozenset(text.split())


@dataclass(frozen=True)
class Part:
    """A part of a statement and the parts that it consists of."""

    sort: Sort
    token: Token  # where it begins
    name: str = ""
    parts: tuple[Part, ...] = ()
    # Offset behind it, of patterns and conditions; of a relationship behind its bracket, or its first dash.
    end: int = -1

    def walk(self) -> Iterator[Part]:
        """Yield it and all parts below, in the order of the text."""
        yield self
        for part in self.parts:
            yield from part.walk()

    def every(self, *sorts: Sort) -> Iterator[Part]:
        """Yield it and the parts below that are of these sorts."""
        return (part for part in self.walk() if part.sort in sorts)

    def own(self, *sorts: Sort) -> list[Part]:
        """Return its own parts that are of these sorts."""
        return [part for part in self.parts if part.sort in sorts]
