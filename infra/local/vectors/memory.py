"""Partitions of a collection in memory, and the queries that they can answer."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import qdrant_edge as edge

from infra.local.vectors.refusals import Json
from infra.local.vectors.rows import FULL_SCAN, Conditions, PointId, Rows, Scored, bytes_of, point_key
from infra.local.vectors.translate import DEFAULT_LIMIT

_OFTEN = 3  # queries of a partition, after which it is taken into memory
_IDLE_SECONDS = 600.0  # without a query, after which it goes
_COUNTED = 1000  # partitions whose queries are counted
_ANSWERED = {"query", "filter", "limit", "params", "with_payload"}  # fields of a query that can be answered
_KEY = re.compile(r"\w+")  # not a path into the payload


@dataclass
class _Partition:
    rows: Rows
    is_whole: bool = False  # all of its points are in the rows
    last_query: float = 0.0  # time.monotonic() of the last query


class Memory:
    """The partitions of a collection in memory. Callers must hold the collection's turn.

    Args:
        dimension: dimension of the vectors.
        distance: the collection's distance; only cosine and dot product can be computed here.
        full_scan: largest partition in points that is compared completely.
    """

    def __init__(self, dimension: int, distance: str, full_scan: int = FULL_SCAN) -> None:
        self._dimension = dimension
        self._full_scan = full_scan
        self._unit = distance == "Cosine"
        self._comparable = distance in ("Cosine", "Dot")
        self._query_counts: Counter[Conditions] = Counter()
        self._partitions: dict[Conditions, _Partition] = {}

    @property
    def size(self) -> int:
        """Size in bytes."""
        return sum(partition.rows.size for partition in self._partitions.values())

    def answer(self, bodies: Sequence[Any]) -> list[list[Json] | None]:
        """Return the hits of each query in REST form; None if only the engine can answer.

        Args:
            bodies: unchecked bodies of the queries; anything doubtful is left for the engine to refuse.
        """
        answers: list[list[Json] | None] = []
        for _common, alike in groupby(bodies, _but_its_vector):
            answers += self._answer_alike(list(alike))
        return answers

    def _answer_alike(self, bodies: Sequence[Any]) -> Sequence[list[Json] | None]:
        """Answer queries that differ only in their vectors."""
        common, unknown = bodies[0], [None] * len(bodies)
        if not self._comparable or not all(map(_is_plain, bodies)):
            return unknown
        queries = [body["query"] for body in bodies]
        vectors = [query["nearest"] if isinstance(query, dict) else query for query in queries]
        if any(len(vector) != self._dimension for vector in vectors):
            return unknown
        exact = bool((common.get("params") or {}).get("exact"))
        results = self._find_nearest(
            vectors, common.get("filter"), common.get("limit") or DEFAULT_LIMIT, exact=exact
        )
        if results is None:
            return unknown
        return [[_show(hit, common.get("with_payload")) for hit in hits] for hits in results]

    def _find_nearest(
        self, vectors: Sequence[Sequence[float]], chosen: Any, limit: int, *, exact: bool
    ) -> list[Scored] | None:
        if (ids := _ids_of(chosen)) is not None:
            holds = (
                partition
                for partition in self._partitions.values()
                if partition.is_whole and ids[0] in partition.rows
            )
            partition = next(holds, None)
            if partition is None or not all(point_id in partition.rows for point_id in ids):
                return None
            return partition.rows.nearest_among(vectors, ids, limit)
        if (conditions := _conditions_of(chosen)) is None:
            return None
        partition = self._partitions.get(conditions)
        if partition is None or not partition.is_whole:
            self._count(conditions, len(vectors))
            return None
        partition.last_query = time.monotonic()
        return partition.rows.nearest(vectors, limit, exact=exact)

    def _count(self, conditions: Conditions, queries: int) -> None:
        if len(self._query_counts) >= _COUNTED:
            self._query_counts.clear()
        self._query_counts[conditions] += queries

    def wanted(self) -> list[Conditions]:
        """Return the frequently queried partitions that are not in memory, and reset the counts."""
        often = [conditions for conditions, times in self._query_counts.items() if times >= _OFTEN]
        for conditions in often:
            del self._query_counts[conditions]
        return [conditions for conditions in often if conditions not in self._partitions]

    def begin(self, conditions: Conditions, points: int, most: int) -> Rows | None:
        """Make room for a partition, which then sees every write; None if it is too large."""
        if bytes_of(points, self._dimension) > most:
            return None
        rows = Rows(conditions, self._dimension, points, unit=self._unit, full_scan=self._full_scan)
        self._partitions[conditions] = _Partition(rows, last_query=time.monotonic())
        return rows

    def has(self, rows: Rows) -> bool:
        """Return whether these rows are still needed."""
        return any(partition.rows is rows for partition in self._partitions.values())

    def finish(self, conditions: Conditions) -> None:
        """Start answering queries from a partition whose points are all loaded."""
        partition = self._partitions[conditions]
        partition.rows.index()
        partition.is_whole = True

    def refresh(self, shard: edge.EdgeShard, ids: Collection[Any]) -> None:
        """Update points after a write, including removed ones."""
        if not self._partitions or not ids:
            return
        records = shard.retrieve(list(ids), with_payload=True, with_vector=True)
        gone = {point_key(point_id) for point_id in ids} - {point_key(record.id) for record in records}
        for partition in self._partitions.values():
            partition.rows.remove(gone)
            partition.rows.put(records)

    def clear(self) -> None:
        """Drop all points, because it is unknown which of them a write changed."""
        self._partitions.clear()

    def forget_idle(self, now: float) -> None:
        """Drop partitions that were not queried recently.

        Args:
            now: current value of time.monotonic().
        """
        self._partitions = {
            conditions: partition
            for conditions, partition in self._partitions.items()
            if now - partition.last_query < _IDLE_SECONDS
        }


def filter_of(conditions: Conditions) -> edge.Filter:
    """Return the engine's filter of a partition."""
    return edge.Filter(
        must=[edge.FieldCondition(key=key, match=edge.MatchValue(value)) for key, value in conditions]
    )


def _but_its_vector(body: Any) -> Any:
    return {name: has for name, has in body.items() if name != "query"} if isinstance(body, dict) else body


def _is_plain(body: Any) -> bool:
    """Return whether a query is well-formed and can be answered from memory."""
    if not isinstance(body, dict) or not {name for name, has in body.items() if has is not None} <= _ANSWERED:
        return False
    vector, limit, chosen = body.get("query"), body.get("limit"), body.get("with_payload")
    if isinstance(vector, dict) and set(vector) == {"nearest"}:
        vector = vector["nearest"]
    params = body.get("params") or {}
    return (
        isinstance(vector, list)
        and all(type(number) in (float, int) for number in vector)
        and (limit is None or (type(limit) is int and limit >= 0))
        and (isinstance(params, dict) and set(params) <= {"exact", "hnsw_ef"})
        and (chosen is None or isinstance(chosen, bool) or _are_keys(chosen))
    )


def _are_keys(chosen: Any) -> bool:
    return isinstance(chosen, list) and all(isinstance(key, str) and _KEY.fullmatch(key) for key in chosen)


def _conditions_of(filter_body: Any) -> Conditions | None:
    """Return the conditions of a filter that only compares values of some keys."""
    pairs = []
    for condition in _only_must(filter_body):
        if (
            set(condition) != {"key", "match"}
            or not isinstance(condition["match"], dict)
            or set(condition["match"]) != {"value"}
        ):
            return None
        pairs.append((condition["key"], condition["match"]["value"]))
    plain = all(_are_keys([key]) and isinstance(value, str) for key, value in pairs)
    return tuple(sorted(pairs)) if pairs and plain else None


def _ids_of(filter_body: Any) -> list[PointId] | None:
    """Return the ids of a filter that only selects some points."""
    must = _only_must(filter_body)
    if len(must) != 1 or set(must[0]) != {"has_id"} or not isinstance(must[0]["has_id"], list):
        return None
    ids = must[0]["has_id"]
    plain = all(type(point_id) in (int, str) for point_id in ids)
    return list(dict.fromkeys(ids)) if ids and plain else None


def _only_must(filter_body: Any) -> list[Json]:
    """Return the conditions of a filter with only `must` conditions; else none."""
    if not isinstance(filter_body, dict) or any(
        has is not None for name, has in filter_body.items() if name != "must"
    ):
        return []
    must = filter_body.get("must")
    return must if isinstance(must, list) and all(isinstance(condition, dict) for condition in must) else []


def _show(hit: tuple[PointId, float, Json], with_payload: Any) -> Json:
    point_id, score, payload = hit
    shown: Json = {"id": point_id, "version": 0, "score": score}
    if isinstance(with_payload, list):
        payload = {key: payload[key] for key in with_payload if key in payload}
    return shown | {"payload": payload} if with_payload else shown
