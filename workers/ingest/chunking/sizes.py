"""Chooses a document's chunk sizes: the requested ones, or those of the settings."""

from __future__ import annotations

from hopline.models.params import ChunkSizes
from workers.core.jobs.params import UNSIZED
from workers.core.ports import Limits


def sized(limits: Limits, sizes: ChunkSizes) -> Limits:
    """Return the limits with the requested chunk sizes.

    If no overlap is requested, that of the settings applies, up to half a chunk.
    """
    if sizes.chunk_tokens is None:
        return limits
    overlap = sizes.chunk_overlap
    if overlap is None:
        overlap = min(limits.chunk_overlap, sizes.chunk_tokens // 2)
    return limits.model_copy(update={"chunk_tokens": sizes.chunk_tokens, "chunk_overlap": overlap})


def own_sizes(limits: Limits, sizes: ChunkSizes) -> ChunkSizes:
    """Return the sizes if they differ from the settings, else None."""
    own_limits = sized(limits, sizes)
    if own_limits == limits:
        return UNSIZED
    return ChunkSizes(chunk_tokens=own_limits.chunk_tokens, chunk_overlap=own_limits.chunk_overlap)
