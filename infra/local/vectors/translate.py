"""Translates REST bodies to objects of the engine, and the engine's results to REST."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import qdrant_edge as edge

from infra.local.vectors.refusals import Json, bad_request, refuse_unknown, require_list, require_object

_UPDATE_MODES = {
    "upsert": edge.UpdateMode.Upsert,
    "insert_only": edge.UpdateMode.InsertOnly,
    "update_only": edge.UpdateMode.UpdateOnly,
}
_QUERY_FIELDS = (
    "query",
    "filter",
    "params",
    "score_threshold",
    "limit",
    "offset",
    "with_payload",
    "with_vector",
)
DEFAULT_LIMIT = 10  # as the Qdrant server has it


def read_filter(filter_body: object) -> edge.Filter | None:
    """Translate a filter of must, should and must_not."""
    if filter_body is None:
        return None
    body = require_object(filter_body, "filter")
    refuse_unknown(body, ("must", "should", "must_not"), "filter")
    return edge.Filter(
        must=_conditions(body.get("must")),
        should=_conditions(body.get("should")),
        must_not=_conditions(body.get("must_not")),
    )


def _conditions(conditions: object) -> list[Any] | None:
    if conditions is None:
        return None
    return [
        _condition(condition) for condition in (conditions if isinstance(conditions, list) else [conditions])
    ]


def _condition(condition: object) -> Any:
    body = require_object(condition, "condition")
    if "has_id" in body:
        refuse_unknown(body, ("has_id",), "condition")
        return edge.HasIdCondition(point_ids=set(require_list(body["has_id"], "has_id")))
    if "key" not in body:
        return read_filter(body)
    refuse_unknown(body, ("key", "match"), "condition")
    match = require_object(body.get("match"), "match")
    refuse_unknown(match, ("value", "any"), "match")
    if "any" in match:
        return edge.FieldCondition(key=body["key"], match=edge.MatchAny(require_list(match["any"], "any")))
    if "value" in match:
        return edge.FieldCondition(key=body["key"], match=edge.MatchValue(match["value"]))
    raise bad_request("match needs value or any")


def read_upsert(body: Json, dimension: int) -> tuple[edge.UpdateOperation, list[Any]]:
    """Translate an upsert of `points` or of a `batch` of columns; return it with the points' ids."""
    refuse_unknown(body, ("points", "batch", "update_mode"), "upsert")
    mode = body.get("update_mode") or "upsert"
    if mode not in _UPDATE_MODES:
        raise bad_request(f"update_mode must be one of {', '.join(_UPDATE_MODES)}")
    rows = _batch_rows(body["batch"]) if body.get("batch") else _point_rows(body.get("points"))
    points = [edge.Point(point_id, _vector(vector, dimension), payload) for point_id, vector, payload in rows]
    operation = edge.UpdateOperation.upsert_points(points, update_mode=_UPDATE_MODES[mode])
    return operation, [point_id for point_id, _vector, _payload in rows]


def _batch_rows(columns: object) -> Sequence[tuple[Any, Any, Any]]:
    batch = require_object(columns, "batch")
    refuse_unknown(batch, ("ids", "vectors", "payloads"), "batch")
    ids, vectors = require_list(batch.get("ids"), "ids"), require_list(batch.get("vectors"), "vectors")
    payloads = require_list(batch.get("payloads") or [None] * len(ids), "payloads")
    if not len(ids) == len(vectors) == len(payloads):
        raise bad_request("ids, vectors and payloads of a batch must be of one length")
    return list(zip(ids, vectors, payloads, strict=True))


def _point_rows(points: object) -> Sequence[tuple[Any, Any, Any]]:
    rows = []
    for value in require_list(points, "points"):
        point = require_object(value, "point")
        refuse_unknown(point, ("id", "vector", "payload"), "point")
        rows.append((point.get("id"), point.get("vector"), point.get("payload")))
    return rows


def _vector(vector: object, dimension: int) -> list[float]:
    # Before the engine logs the write: it would log it first and find the mistake after.
    if not isinstance(vector, list):
        raise bad_request(
            "a vector must be a list of numbers; named, sparse and multi vectors are not supported"
        )
    if len(vector) != dimension:
        raise bad_request(f"Vector dimension error: expected dim: {dimension}, got {len(vector)}")
    return vector


def read_delete(body: Json) -> tuple[edge.UpdateOperation, list[Any] | None]:
    """Translate a delete by ids or by filter; return it with the ids, or None if they are unknown."""
    refuse_unknown(body, ("points", "filter"), "delete")
    if body.get("points") is not None:
        ids = require_list(body["points"], "points")
        return edge.UpdateOperation.delete_points(ids), ids
    chosen = read_filter(body.get("filter"))
    if chosen is None:
        raise bad_request("delete needs points or filter")
    return edge.UpdateOperation.delete_points_by_filter(chosen), None


def read_queries(bodies: Sequence[object], dimension: int) -> list[edge.QueryRequest]:
    """Translate queries by vector; consecutive queries share an equal filter."""
    requests, filter_body, chosen = [], None, None
    for query in bodies:
        body = require_object(query, "query")
        if body.get("filter") != filter_body:
            filter_body = body.get("filter")
            chosen = read_filter(filter_body)
        requests.append(_read_query(body, dimension, chosen))
    return requests


def _read_query(body: Json, dimension: int, chosen: edge.Filter | None) -> edge.QueryRequest:
    """Translate a query without its filter; the search is always exact."""
    refuse_unknown(body, _QUERY_FIELDS, "query")
    refuse_unknown(require_object(body.get("params") or {}, "params"), ("exact", "hnsw_ef"), "params")
    vector = body.get("query")
    if isinstance(vector, dict):
        refuse_unknown(vector, ("nearest",), "query")
        vector = vector.get("nearest")
    return edge.QueryRequest(
        limit=body.get("limit") or DEFAULT_LIMIT,
        offset=body.get("offset"),
        query=edge.Query.Nearest(_vector(vector, dimension)),
        filter=chosen,
        score_threshold=body.get("score_threshold"),
        with_payload=read_selection(body.get("with_payload")),
        with_vector=read_flag(body.get("with_vector")),
        params=edge.SearchParams(exact=True),
    )


def read_scroll(body: Json) -> edge.ScrollRequest:
    """Translate a scroll, which is ordered by id."""
    refuse_unknown(body, ("offset", "limit", "filter", "with_payload", "with_vector"), "scroll")
    return edge.ScrollRequest(
        offset=body.get("offset"),
        limit=body.get("limit") or DEFAULT_LIMIT,
        filter=read_filter(body.get("filter")),
        with_payload=read_selection(body.get("with_payload"), default=True),
        with_vector=read_flag(body.get("with_vector")),
    )


def read_selection(selection: object, *, default: bool = False) -> Any:
    """Translate with_payload: a flag, a list of keys, or include / exclude."""
    if selection is None or isinstance(selection, bool):
        return default if selection is None else selection
    if isinstance(selection, list):
        return edge.PayloadSelector.Include(selection)
    body = require_object(selection, "with_payload")
    refuse_unknown(body, ("include", "exclude"), "with_payload")
    if body.get("include") is not None:
        return edge.PayloadSelector.Include(require_list(body["include"], "include"))
    return edge.PayloadSelector.Exclude(require_list(body.get("exclude"), "exclude"))


def read_flag(flag: object) -> bool:
    """Translate with_vector; each point has only one vector."""
    if flag not in (None, True, False):
        raise bad_request("with_vector must be true or false; named vectors are not supported")
    return bool(flag)


def show_hit(hit: edge.ScoredPoint) -> Json:
    """Return a search result in REST form."""
    shown: Json = {"id": hit.id, "version": hit.version, "score": hit.score}
    return _with_contents(shown, hit)


def show_record(record: edge.Record) -> Json:
    """Return a stored point in REST form."""
    return _with_contents({"id": record.id}, record)


def _with_contents(shown: Json, point: edge.ScoredPoint | edge.Record) -> Json:
    if point.payload is not None:
        shown["payload"] = point.payload
    if point.vector is not None:
        shown["vector"] = point.vector
    return shown
