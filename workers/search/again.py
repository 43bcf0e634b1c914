"""Chooses start elements for a question that names none, from the best facts of the best chunks."""

from __future__ import annotations

from workers.search.region import Surroundings, rare_enough
from workers.search.result import Ranked, Teller

_CHUNKS = 3  # the best ones
_FACTS = 2  # of each, the best ones


def starts_among(best: Ranked, teller: Teller, around: Surroundings, chunks: int) -> dict[str, float]:
    """Return element → weight, the rarer the more; {} if the best chunks hold no rare one.

    Also where the question names something this was tried, with three tenths of the weight: of MuSiQue's
    passages as many are then among the first five, and 5 in 100 fewer among the first two.

    Args:
        best: the ranking by words and vectors.
        teller: reads chunks, each once.
        around: where the elements are looked up.
        chunks: in the collection.
    """
    facts = [fact for one in teller.chunks(best, best.order[:_CHUNKS]) for fact in one.facts[:_FACTS]]
    elements = sorted({element for fact in facts for element in fact.elements})
    known = around.graph.elements_found(around.collection, elements) if elements else []
    return {one.id: 1 / one.chunks for one in known if rare_enough(one.chunks, chunks)}
