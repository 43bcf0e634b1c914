"""Compiles a metadata filter to a Cypher expression over the Document `d`; all values are parameters."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, get_args

from hopline.models.metadata import DOUBTS, LANGUAGES, READ_BY, Kind, kind_of
from workers.adapters.neo4j.connection import Connection, Row, query_with
from workers.adapters.neo4j.metadata.properties import property_of
from workers.core.metadata.filter import Both, Comparison, Either, Filter, Not

PLACE = "$given.where"  # what stands in a query for the expression
EVERYTHING = "true"

# What a document tells without being metadata; a field of the same name goes before it.
_TOLD = frozenset({("list", LANGUAGES), ("list", DOUBTS), ("text", READ_BY)})


class CompiledFilter:
    """The expression of a filter, and its parameters: names of properties, and values.

    A missing property, or an operand of another type, makes it false, never null.

    Args:
        tree: the filter.
        ids: ids of the only documents that may match, which limits the search to these; None for all.
    """

    def __init__(self, tree: Filter | None, ids: Sequence[str] = ()) -> None:
        self.parameters: dict[str, Any] = {}
        self.expression = EVERYTHING if tree is None else self._expression(tree)
        if ids:
            self.parameters["ids"] = list(ids)
            self.expression = f"d.id IN $given.ids AND {self.expression}"

    def run(self, connection: Connection, query: str, /, **parameters: Any) -> list[Row]:
        """Run a named query with the expression inserted, and with both sets of values in one map."""
        values = parameters | self.parameters
        text = query_with(query, values | {"where": self.expression}).replace(PLACE, self.expression)
        return connection.run_text(query, text, given=values)

    def _expression(self, tree: Filter) -> str:
        match tree:
            case Both():
                return self._joined(" AND ", tree.parts)
            case Either():
                return self._joined(" OR ", tree.parts)
            case Not():
                return f"(NOT {self._expression(tree.part)})"
        return self._comparison(tree)

    def _joined(self, operator: str, parts: Sequence[Filter]) -> str:
        return f"({operator.join(self._expression(part) for part in parts)})"

    def _comparison(self, tree: Comparison) -> str:
        if tree.op == "exists":
            kinds: tuple[Kind, ...] = get_args(Kind)
            there = (f"{self._property(kind, tree.field)} IS NOT NULL" for kind in kinds)
            return f"({' OR '.join(there)})"
        if tree.op == "has":
            return f"coalesce({self._value(tree.value)} IN {self._property('list', tree.field)}, false)"
        if tree.op == "in" and isinstance(tree.value, tuple):
            return self._membership(tree.field, tree.value)
        operator = "=" if tree.op == "!=" else tree.op
        if tree.value is None or isinstance(tree.value, tuple):
            return "false"  # no comparison of the language
        held = self._property(kind_of(tree.value), tree.field)
        truth = f"coalesce({held} {operator} {self._value(tree.value)}, false)"
        return f"(NOT {truth})" if tree.op == "!=" else truth

    def _membership(self, field: str, values: Sequence[Any]) -> str:
        by_kind: dict[Kind, list[Any]] = {}
        for value in values:
            by_kind.setdefault(kind_of(value), []).append(_stored(value))
        parts = (
            f"coalesce({self._property(kind, field)} IN {self._value(held)}, false)"
            for kind, held in by_kind.items()
        )
        return f"({' OR '.join(parts)})"

    def _property(self, kind: Kind, field: str) -> str:
        own = f"d[{self._value(property_of(kind, field))}]"
        return f"coalesce({own}, d.{field})" if (kind, field) in _TOLD else own

    def _value(self, value: Any) -> str:
        name = f"where_{len(self.parameters)}"
        self.parameters[name] = _stored(value)
        return f"$given.{name}"


def _stored(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value
