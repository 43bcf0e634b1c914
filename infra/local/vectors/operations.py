"""The endpoint's operations, as functions of the store, the collection and the request's body."""

from __future__ import annotations

import re
from typing import Any

import qdrant_edge as edge

from infra.local.vectors.engine import DISTANCES, Store
from infra.local.vectors.refusals import Json, bad_request, refuse_unknown, require_list, require_object
from infra.local.vectors.translate import (
    read_delete,
    read_filter,
    read_flag,
    read_scroll,
    read_selection,
    read_upsert,
    show_record,
)

_NAME = re.compile(r"[\w.-]{1,255}")
_MAX_DIMENSION = 65_536  # as the Qdrant server has it
_COMPLETED = {"operation_id": 0, "status": "completed"}
# The engine's own defaults. The HNSW graph is never built here: no other thread would run meanwhile (ADR 92).
_HNSW = {
    "m": 16,
    "ef_construct": 100,
    "full_scan_threshold": 10_000,
    "max_indexing_threads": 0,
    "on_disk": False,
}
_OPTIMIZER = {
    "deleted_threshold": 0.2,
    "vacuum_min_vector_number": 1000,
    "default_segment_number": 0,
    "max_segment_size": None,
    "memmap_threshold": None,
    "indexing_threshold": 10_000,
    "flush_interval_sec": 5,
    "max_optimization_threads": None,
}


def list_collections(store: Store, _name: str, _body: Json) -> Json:
    """GET /collections."""
    return {"collections": [{"name": name} for name in store.names()]}


def get_collection(store: Store, name: str, _body: Json) -> Json:
    """GET /collections/{c}, with every field that the qdrant-client requires."""
    shard = store.shard(name)
    with shard.opened() as opened:
        info = opened.info()
    indexes = {
        key: {"data_type": str(index.data_type).rpartition(".")[2].lower(), "points": index.points}
        for key, index in info.payload_schema.items()
    }
    return {
        "status": "green",
        "optimizer_status": "ok",
        "points_count": info.points_count,
        "indexed_vectors_count": info.indexed_vectors_count,
        "segments_count": info.segments_count,
        "payload_schema": indexes,
        "config": {
            "params": {
                "vectors": {"size": shard.dimension, "distance": shard.distance},
                "shard_number": 1,
                "replication_factor": 1,
                "write_consistency_factor": 1,
                "on_disk_payload": True,
            },
            "hnsw_config": _HNSW,
            "optimizer_config": _OPTIMIZER,
            "wal_config": {"wal_capacity_mb": 32, "wal_segments_ahead": 0},
            "quantization_config": None,
        },
    }


def create_collection(store: Store, name: str, body: Json) -> bool:
    """PUT /collections/{c}."""
    if not _NAME.fullmatch(name):
        raise bad_request(
            "a collection's name must consist of letters, digits, _, - and ., at most 255 characters"
        )
    refuse_unknown(body, ("vectors",), "collection")
    vectors = require_object(body.get("vectors"), "vectors")
    refuse_unknown(vectors, ("size", "distance"), "vectors")
    size, distance = vectors.get("size"), vectors.get("distance")
    if not isinstance(size, int) or not 1 <= size <= _MAX_DIMENSION:
        raise bad_request(f"vectors.size must be a number from 1 to {_MAX_DIMENSION}")
    if distance not in DISTANCES:
        raise bad_request(f"vectors.distance must be one of {', '.join(DISTANCES)}")
    store.create(name, size, distance)
    return True


def delete_collection(store: Store, name: str, _body: Json) -> bool:
    """DELETE /collections/{c}."""
    return store.delete(name)


def collection_exists(store: Store, name: str, _body: Json) -> Json:
    """GET /collections/{c}/exists."""
    return {"exists": name in store}


def create_index(store: Store, name: str, body: Json) -> Json:
    """PUT /collections/{c}/index, of keywords."""
    refuse_unknown(body, ("field_name", "field_schema"), "index")
    schema = body.get("field_schema")
    params = {"type": schema} if isinstance(schema, str) else require_object(schema, "field_schema")
    refuse_unknown(params, ("type", "is_tenant"), "field_schema")
    if params.get("type") != "keyword":
        raise bad_request("only keyword indexes are supported by this local endpoint")
    field = body.get("field_name")
    if not isinstance(field, str) or not field:
        raise bad_request("field_name must be a string")
    kind = edge.KeywordIndexParams(is_tenant=bool(params.get("is_tenant")))
    store.shard(name).update(edge.UpdateOperation.create_field_index(field, kind))
    return _COMPLETED


def upsert_points(store: Store, name: str, body: Json) -> Json:
    """PUT /collections/{c}/points."""
    shard = store.shard(name)
    shard.update(*read_upsert(body, shard.dimension))
    return _COMPLETED


def delete_points(store: Store, name: str, body: Json) -> Json:
    """POST /collections/{c}/points/delete."""
    store.shard(name).update(*read_delete(body))
    return _COMPLETED


def retrieve_points(store: Store, name: str, body: Json) -> list[Json]:
    """POST /collections/{c}/points."""
    refuse_unknown(body, ("ids", "with_payload", "with_vector"), "retrieve")
    ids = require_list(body.get("ids"), "ids")
    with_payload = read_selection(body.get("with_payload"), default=True)
    with store.shard(name).opened() as shard:
        # The engine wants both flags, or it returns nothing of either.
        records = shard.retrieve(
            ids, with_payload=with_payload, with_vector=read_flag(body.get("with_vector"))
        )
    return [show_record(record) for record in records]


def query_points(store: Store, name: str, body: Json) -> Json:
    """POST /collections/{c}/points/query."""
    return _query(store, name, [body])[0]


def query_batch(store: Store, name: str, body: Json) -> list[Json]:
    """POST /collections/{c}/points/query/batch."""
    refuse_unknown(body, ("searches",), "query batch")
    return _query(store, name, require_list(body.get("searches"), "searches"))


def _query(store: Store, name: str, queries: list[Any]) -> list[Json]:
    return [{"points": hits} for hits in store.shard(name).query(queries)]


def count_points(store: Store, name: str, body: Json) -> Json:
    """POST /collections/{c}/points/count; always exact."""
    refuse_unknown(body, ("filter", "exact"), "count")
    request = edge.CountRequest(exact=True, filter=read_filter(body.get("filter")))
    with store.shard(name).opened() as shard:
        return {"count": shard.count(request)}


def scroll_points(store: Store, name: str, body: Json) -> Json:
    """POST /collections/{c}/points/scroll."""
    request = read_scroll(body)
    with store.shard(name).opened() as shard:
        records, following = shard.scroll(request)
    return {"points": [show_record(record) for record in records], "next_page_offset": following}
