"""Describes a collection with every field that the qdrant-client requires."""

from __future__ import annotations

from infra.local.vectors.engine import Shard
from infra.local.vectors.refusals import Json

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


def describe_collection(shard: Shard) -> Json:
    """Return what `GET /collections/{c}` answers."""
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
