"""Stores the search result of a question once, for all visits of its job."""

from __future__ import annotations

from functools import lru_cache

import structlog

from hopline.errors import Permanent
from hopline.models.base import Frozen
from hopline.models.search import Found
from workers.core.ports import Blobs
from workers.search.fusion import damped

_LOG = structlog.get_logger()
_KEPT = 64  # guides that a process keeps at hand


class Guide(Frozen):
    """How much the nodes around a question relate to it: scores 0..1 by id; unlisted nodes have none."""

    elements: dict[str, float] = {}
    facts: dict[str, float] = {}  # best first
    chunks: tuple[str, ...] = ()  # best first


def guide_from(search_result: Found) -> Guide:
    """Return the scores that visits need from a search."""
    return Guide(
        elements={
            name: round(score, 3)
            for name, score in damped(
                {element.id: element.score for element in search_result.elements}
            ).items()
        },
        facts={fact.id: round(fact.score, 3) for fact in search_result.facts if fact.score > 0},
        chunks=tuple(passage.chunk.id for passage in search_result.chunks),
    )


def put_guide(blobs: Blobs, guide: Guide) -> str:
    """Store a guide; return its reference."""
    return blobs.put(guide.model_dump_json().encode(), ".json")


def get_guide(blobs: Blobs, reference: str) -> Guide:
    """Return a guide; if it is lost, only the order of reading suffers, not the walk."""
    try:
        return _read(blobs, reference) if reference else Guide()  # type: ignore[arg-type]  # hashed by identity
    except Permanent as error:
        _LOG.warning("guide.lost", error=str(error))
        return Guide()


@lru_cache(maxsize=_KEPT)
def _read(blobs: Blobs, reference: str) -> Guide:
    return Guide.read_stored(blobs.get(reference))
