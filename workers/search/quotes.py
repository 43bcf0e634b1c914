"""Picks the sentences by which a chunk that was found is quoted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.core.answers.lexical_rank import overlap, terms
from workers.core.language.text import normalise, sentences

if TYPE_CHECKING:
    from hopline.models.search import Found, FoundChunk

_FACTS = 3  # of a chunk, the best
_FACT_WEIGHT = 0.5  # a chunk that ranks by the walk alone may share no word with the question


def quoted(found: Found, most: int) -> Found:
    """Return what was found, each chunk with so many of its best sentences."""
    if not most:
        return found
    chunks = (
        chunk.model_copy(update={"sentences": best_sentences(found.question, chunk, most)})
        for chunk in found.chunks
    )
    return found.model_copy(update={"chunks": tuple(chunks)})


def best_sentences(question: str, hit: FoundChunk, most: int) -> tuple[str, ...]:
    """Return the sentences of a chunk that speak most of the question and of the chunk's best facts.

    They come in the order of the text; where none speaks of either, the first that is not the title.
    """
    text, title = hit.chunk.text, normalise(hit.document.title)
    texts = [" ".join(text[start:end].split()) for start, end in sentences(text)]
    candidates = [sentence for sentence in texts if normalise(sentence) != title] or texts
    question_terms = terms(question)
    facts = [(fact.score, terms(fact.text)) for fact in hit.facts[:_FACTS]]

    def worth(sentence: str) -> float:
        by_facts = max((score * overlap(wanted, sentence) for score, wanted in facts), default=0.0)
        return overlap(question_terms, sentence) + _FACT_WEIGHT * by_facts

    values = list(map(worth, candidates))
    best = sorted(range(len(candidates)), key=lambda nth: (-values[nth], nth))[:most]
    kept = [nth for nth in best if values[nth] > 0] or best[:1]
    return tuple(candidates[nth] for nth in sorted(kept))
