# ruff: noqa: ARG002 - doubles take what the ports take
"""Tools without servers: a schema that stands, and a reader whose rows a test gives."""

from collections.abc import Mapping, Sequence
from typing import Any

from hopline.models.graph_schema import GraphSchema, Join, NodeKind, Property, RelationshipKind
from workers.core.graph.cypher import CypherRows, ReadLimits
from workers.core.graph.schema import CollectionSchema
from workers.tools.tool import ToolPorts

NAME = Property(name="name", types=("STRING",))
SCHEMA = GraphSchema(
    nodes=(NodeKind(label="Character", properties=(NAME,)), NodeKind(label="Place", properties=(NAME,))),
    relationships=(RelationshipKind(type="FRIEND_OF", joins=(Join("Character", "Character"),)),),
)


class StandingSchema:
    """`SchemaSource`; counts how often it was to be read again."""

    def __init__(self, schema: GraphSchema = SCHEMA, typed: GraphSchema | None = None) -> None:
        self.whole = schema
        self.typed = typed or GraphSchema()  # of any collection
        self.refreshed = 0

    def schema(self, *, internal: bool = False, refresh: bool = False) -> GraphSchema:
        self.refreshed += refresh
        return self.whole if internal else self.whole.without_internal()

    def of_collection(self, collection: str) -> CollectionSchema:
        return CollectionSchema(**dict(self.typed))


class GivenRows:
    """`CypherReader`: the first given rows whose mark stands in the statement, none where no mark does."""

    def __init__(self, **rows: Sequence[Mapping[str, Any]] | Exception) -> None:
        self.rows = rows
        self.asked: list[tuple[str, Mapping[str, Any]]] = []

    def ping(self) -> None:
        return None

    def read(self, text: str, parameters: Mapping[str, Any], limits: ReadLimits) -> CypherRows:
        self.asked.append((text, parameters))
        reply = next((rows for mark, rows in self.rows.items() if mark in text), ())
        if isinstance(reply, Exception):
            raise reply
        columns = tuple(reply[0]) if reply else ()
        return CypherRows(columns=columns, rows=tuple(tuple(row[name] for name in columns) for row in reply))


def node(name: str, *labels: str, aliases: Sequence[str] = (), score: float = 0.5) -> dict[str, Any]:
    """Return a row of a search for names."""
    kinds = labels or ("Character",)
    return {
        "id": f"id of {name} {kinds}", "labels": list(kinds), "score": score, "name": name, "title": None,
        "aliases": list(aliases), "alias": None, "key": None,
    }  # fmt: skip


def ports_over(reader: GivenRows, schema: StandingSchema | None = None) -> ToolPorts:
    nothing: Any = None
    return ToolPorts("demo", schema or StandingSchema(), reader, nothing, nothing, nothing)
