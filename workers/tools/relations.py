"""Reads the relations of a node for the tools."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.graph_schema import PROVENANCE
from hopline.models.jobs import Json
from hopline.models.tools import Candidate
from workers.tools.lines import (
    CHAPTER,
    DATE,
    EVIDENCE,
    STATED_AT,
    TASK,
    came_from,
    first_of,
    name_of,
    natural,
)
from workers.tools.queries import SCANNED, Ran, Row, run_query
from workers.tools.tool import ToolPorts

_NAMED = 30  # relations of the schema that an error lists


class Relation(Frozen):
    """A relation of one node, as seen from it."""

    id: str
    type: str
    outgoing: bool
    other: Json  # {id, labels, name, …}
    properties: Json

    @property
    def chapter(self) -> Any:
        """In which chapter it is so, as the graph says it."""
        return first_of(CHAPTER, self.properties, self.other)

    @property
    def task(self) -> Any:
        """Where within the chapter."""
        return first_of(TASK, self.properties, self.other)

    @property
    def readable_task(self) -> Any:
        """The same, if it means something to people, unlike the number of a chunk."""
        return None if self.properties.keys() >= PROVENANCE else self.task

    @property
    def date(self) -> Any:
        """When."""
        return first_of(DATE, self.properties, self.other)

    @property
    def evidence(self) -> Any:
        """The ground on which it is known."""
        return first_of(EVIDENCE, self.properties)

    @property
    def place_in_time(self) -> tuple[Any, ...]:
        """A key that sorts by chapter and task, or by date."""
        when = (natural(self.chapter), natural(self.task), natural(self.date))
        return (*when, natural(self.properties.get(STATED_AT)), self.type, name_of(self.other), self.id)


def relations_of(
    node: Candidate,
    ports: ToolPorts,
    relation: str | None = None,
    target: str | None = None,
    scanned: int = SCANNED + 1,
) -> tuple[list[Relation], Ran]:
    """Return a node's relations in both directions, `scanned` at most, and the query that found them.

    Chunks overlap, so two of a chapter may state one fact: then its relations are there once, the first ones.
    """
    ran = run_query("relations", ports, node=node.id, relation=relation, target=target, scanned=scanned)
    return _once(map(_relation, ran.rows)), ran


def known_relation(name: str, ports: ToolPorts) -> str:
    """Return a relationship type as the graph writes it: friend of, FRIEND_OF.

    Raises:
        InvalidInput: the graph has no such type, also after its schema was read again.
    """
    wanted = "_".join(name.strip("`: ").replace("-", " ").replace("_", " ").casefold().split())
    types: frozenset[str] = frozenset()
    for refresh in (False, True):
        types = ports.schema_source.schema(refresh=refresh).types
        kinds = {kind.casefold().replace(" ", "_"): kind for kind in sorted(types)}
        if name in types:
            return name
        if wanted in kinds:
            return kinds[wanted]
    close = get_close_matches(wanted.upper(), sorted(types), _NAMED, cutoff=0.0)
    more = ", …" if len(types) > len(close) else ""
    raise InvalidInput(
        "relation", name, f"one of: {', '.join(close)}{more}" if close else "none: there are no relations"
    )


def _once(relations: Iterable[Relation]) -> list[Relation]:
    kept: dict[object, Relation] = {}
    for relation in sorted(relations, key=lambda relation: relation.place_in_time):
        fact = came_from(relation.properties)["fact_id"]
        same = (
            (fact, relation.chapter, relation.type, relation.outgoing, name_of(relation.other))
            if fact
            else relation.id
        )
        kept.setdefault(same, relation)
    return list(kept.values())


def _relation(row: Row) -> Relation:
    return Relation(
        id=row["relationship"],
        type=row["relation"],
        outgoing=row["outgoing"],
        other=row["other"],
        properties=row["told"],
    )
