"""Picks the sentences to quote from each chunk found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workers.core.answers.lexical_rank import overlap, terms
from workers.core.language.text import normalise, sentences
from workers.core.places import place_of

if TYPE_CHECKING:
    from hopline.models.search import Found, FoundChunk

_FACTS = 3  # of a chunk, the best
_FACT_WEIGHT = 0.5  # a chunk that ranks by the walk alone may share no word with the question


def quoted(found: Found, most: int) -> Found:
    """Return the result, each chunk with up to `most` of its best sentences and the place of the best."""
    chunks = tuple(_quoted(found.question, hit, most) for hit in found.chunks)
    return found.model_copy(update={"chunks": chunks})


def _quoted(question: str, hit: FoundChunk, most: int) -> FoundChunk:
    best = best_sentences(question, hit, max(most, 1))
    told = {
        "chunk": hit.chunk.model_copy(update={"places": ""}),
        "sentences": tuple(" ".join(hit.chunk.text[start:end].split()) for start, end in sorted(best[:most])),
        "place": place_of(hit.chunk.places, *best[0]) if best else None,
    }
    return hit.model_copy(update=told)


def best_sentences(question: str, hit: FoundChunk, most: int) -> list[tuple[int, int]]:
    """Return start and end of the sentences most related to the question and to the chunk's best facts.

    The best come first; if none is related to either, the first one that is not the title.
    """
    text, title = hit.chunk.text, normalise(hit.document.title)
    spans = list(sentences(text))
    candidates = [(start, end) for start, end in spans if normalise(text[start:end]) != title] or spans
    question_terms = terms(question)
    facts = [(fact.score, terms(fact.text)) for fact in hit.facts[:_FACTS]]

    def worth(sentence: str) -> float:
        by_facts = max((score * overlap(wanted, sentence) for score, wanted in facts), default=0.0)
        return overlap(question_terms, sentence) + _FACT_WEIGHT * by_facts

    values = {(start, end): worth(text[start:end]) for start, end in candidates}
    best = sorted(candidates, key=lambda span: (-values[span], span))
    return [span for span in best[:most] if values[span] > 0] or best[:1]
