"""Port for reading a graph with Cypher from outside hopline: from a tool's file or from a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from hopline.models.base import Frozen

Value = Any  # None, bool, int, float, str, lists and maps of these, as JSON has them; see CypherRows


@dataclass(frozen=True)
class ReadLimits:
    """The limits of one statement, which is aborted if it exceeds them."""

    rows: int = 200
    bytes: int = 200_000  # of all values, as JSON
    seconds: float = 10.0  # of the client's clock, EXPLAIN and streaming included


class CypherRows(Frozen):
    """The rows that a statement returned.

    A node is {"node": element id, "labels": […], "properties": {…}}, a relationship {"relationship": its id,
    "type": …, "start": element id, "end": element id, "properties": {…}}, a path {"path": [node,
    relationship, node, …]}; dates, times and durations are ISO 8601 texts, points {"point": [x, y, …],
    "srid": …}.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    cut: str | None = None  # why there may be more: "rows", "bytes"
    seconds: float = 0.0


class CypherReader(Protocol):
    """Runs statements that may only read: one unmanaged transaction each, never repeated."""

    def read(self, text: str, parameters: Mapping[str, Value], limits: ReadLimits) -> CypherRows:
        """Return the rows of a statement, as many as the limits allow.

        Raises:
            CypherRefused: the server reports that it does more than read, or cannot plan it.
            CypherTooLong: planning or running it took too long.
            CypherLost: the connection was lost after it was sent.
            DependencyAway: the server cannot be reached, so nothing was sent.
        """

    def ping(self) -> None:
        """Check that the server is reachable, before doing work that would be lost without it.

        Raises:
            DependencyAway: it cannot be reached.
        """
