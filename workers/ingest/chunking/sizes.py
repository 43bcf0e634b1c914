"""Chooses a document's chunk sizes: those requested, else those of the settings."""

from __future__ import annotations

from workers.core.jobs.params import UNSIZED, ChunkSizes
from workers.core.ports import Limits


def sized(limits: Limits, asked: ChunkSizes) -> Limits:
    """Return the limits with the requested chunk sizes.

    An overlap that was not asked for is that of the settings, at most half of the chunk.
    """
    if asked.chunk_tokens is None:
        return limits
    overlap = asked.chunk_overlap
    if overlap is None:
        overlap = min(limits.chunk_overlap, asked.chunk_tokens // 2)
    return limits.model_copy(update={"chunk_tokens": asked.chunk_tokens, "chunk_overlap": overlap})


def own_sizes(limits: Limits, asked: ChunkSizes) -> ChunkSizes:
    """Return the sizes if they differ from the settings, else None."""
    found = sized(limits, asked)
    if found == limits:
        return UNSIZED
    return ChunkSizes(chunk_tokens=found.chunk_tokens, chunk_overlap=found.chunk_overlap)
