"""Merges search results from several collections into one ranking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hopline.models.search import Found, FoundChunk, Part
from workers.search.fusion import fused


def united(results: Sequence[Found], limit: int, elements: int = 50) -> Found:
    """Return the best of several results, as if their chunks had been ranked together.

    Similarities and shares of words are compared directly, so the same embedder must have made all vectors.
    The walk's score measures the distance of a chunk from the question's names in its own collection.

    Args:
        results: results for one question, each from another collection.
        limit: maximum number of chunks.
        elements: maximum number of key elements.
    """
    chunks = {passage.chunk.id: passage for result in results for passage in result.chunks}
    scores = fused(_parts(chunks.values()), sorted(chunks))
    best = sorted(scores, key=lambda name: (-scores[name], name))[:limit]
    shown = set(best)
    facts = (fact for result in results for fact in result.facts if fact.chunk_id in shown)
    named = (element for result in results for element in result.elements)
    return Found(
        question=results[0].question,
        chunks=tuple(chunks[name].model_copy(update={"score": round(scores[name], 4)}) for name in best),
        facts=tuple(sorted(facts, key=lambda fact: (-fact.score, fact.id))),
        elements=tuple(
            sorted(named, key=lambda element: (not element.asked, -element.score, element.id))[:elements]
        ),
        seconds=_summed(result.seconds for result in results),
        failed={part: why for result in results for part, why in result.failed.items()},
    )


def _parts(chunks: Iterable[FoundChunk]) -> dict[Part, dict[str, float]]:
    parts: dict[Part, dict[str, float]] = {}
    for passage in chunks:
        for part, score in passage.parts.items():
            parts.setdefault(part, {})[passage.chunk.id] = score
    return parts


def _summed(times: Iterable[dict[str, float]]) -> dict[str, float]:
    """Return the seconds of all searches, which come one after another."""
    seconds: dict[str, float] = {}
    for some in times:
        for part, spent in some.items():
            seconds[part] = seconds.get(part, 0.0) + spent
    return seconds
