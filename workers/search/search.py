"""Ranked search over the graph for the chunks, facts and key elements of a question.

Three searches run side by side: a walk over the graph from the key elements that the question names, the
full-text index, and the vectors. Their scores of the same chunks are fused. Where the question names nothing,
the walk begins after the others, at what they found. No language model is asked; the embedder is, once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from workers.core.graph.surroundings import CollectionSize, WalkSource
from workers.core.graph.vectors import Vectors
from workers.core.ports import Graph
from workers.search.fusion import damped, fused, ranked, weighted
from workers.search.mentions import without
from workers.search.models import Found, Part
from workers.search.near import Embedding, NearVectors, Scores, Texts, by_words
from workers.search.region import Live, Surroundings, named_in, rare_enough, starts_of
from workers.search.result import Ranked, Teller
from workers.search.walk import Region, Walked

_EVEN: Mapping[Part, float] = {"words": 1.0, "vector": 1.0}  # the usual hybrid
_ALONE = 50  # length of the rankings that one way of searching gives alone


Result = TypeVar("Result")
_CHUNKS = 3  # the best ones
_FACTS = 2  # of each, the best ones


class Searchable(Protocol):
    """What a search needs; a step's ports and a process's services both have it."""

    @property
    def graph(self) -> Graph:
        """The graph."""

    @property
    def vectors(self) -> Vectors:
        """The vector store."""

    @property
    def model(self) -> Embedding:
        """Its embedder."""


def search(
    question: str,
    collection: str,
    ports: Searchable,
    *,
    limit: int = 10,
    elements: int = 50,
    degrade: bool = False,
) -> Found:
    """Return the chunks that a question leads to, best first, without asking a language model.

    It ranks with less where there is less: by the walk and words without vectors, by vectors and words where
    the question names no key element.

    Args:
        question: as asked; up to 4,000 characters.
        collection: where to look; one without documents gives nothing.
        ports: graph, vectors, and the model's embedder (one call).
        limit: chunks at most.
        elements: key elements at most.
        degrade: do without vectors where their server or the embedder is away, instead of raising Transient.

    Raises:
        EmbedderMismatch: the collection's vectors were made by another embedder: reindex it.
        Transient: a server is away for the moment (DependencyAway: cannot be reached).
    """
    clock = _Clock()
    source, size = _source(collection, ports.graph)
    named = clock.timed("names", lambda: named_in(question, collection, source))
    texts = Texts(question, without(question, named) if named else "")
    near = NearVectors(collection, ports.vectors)
    around = Surroundings(source, Region(facts=size.facts))
    start = starts_of(named, size.chunks)
    with ThreadPoolExecutor(2, "search") as pool:
        worded = clock.begun(pool, "words", lambda: by_words(texts, collection, ports.graph))
        walking = clock.begun(pool, "walk", lambda: around.walk_from(start))
        # In this thread, which has the connection to the vectors and the context of logs.
        clock.timed("vectors", lambda: near.search(texts, ports.model, degrade=degrade))
        words, walked = worded.result(), walking.result()
        teller = Teller(question, named, collection, ports.graph, source)
        likely = _ranked(walked, words, near)
        reading = pool.submit(copy_context().run, teller.read_ahead, likely, limit, elements)
        alone = _alone(words, near)
        best = clock.timed("compare", lambda: _compared(likely, words, near))
        reading.result()
    if not start and (start := starts_among(best, teller, around, size.chunks)):
        walked = clock.timed("walk", lambda: around.walk_from(start))
        best = _compared(_ranked(walked, words, near), words, near)
    found = clock.timed("tell", lambda: teller.told(best, limit, elements))
    return found.model_copy(
        update={
            "rankings": alone,
            "seconds": clock.stop(),
            "failed": {"vectors": near.failed} if near.failed else {},
        }
    )


def texts_of(question: str, collection: str, graph: Graph) -> Texts:
    """Return the texts that a search for a question embeds; two round trips at most."""
    named = named_in(question, collection, _source(collection, graph)[0])
    return Texts(question, without(question, named) if named else "")


def _source(collection: str, graph: Graph) -> tuple[WalkSource, CollectionSize]:
    """Return where the walk reads, memory where the collection is held there, and how large that is."""
    if snapshot := graph.around.snapshot(collection):
        return snapshot, snapshot.size
    return Live(collection, graph), graph.around.size(collection)


@dataclass
class _Clock:
    """How long the parts of one search take, in seconds; those side by side overlap."""

    seconds: dict[str, float] = field(default_factory=dict)
    _begun: float = field(default_factory=time.perf_counter)

    def begun(self, pool: Executor, part: str, work: Callable[[], Result]) -> Future[Result]:
        """Do a part of the work in another thread, which is of the same trace."""
        return pool.submit(copy_context().run, self.timed, part, work)

    def timed(self, part: str, work: Callable[[], Result]) -> Result:
        """Run a function and record its time."""
        begun = time.perf_counter()
        result = work()
        self.seconds[part] = time.perf_counter() - begun
        return result

    def stop(self) -> dict[str, float]:
        """Return the parts' times, and the time in all."""
        return self.seconds | {"all": time.perf_counter() - self._begun}


def _ranked(walked: Walked, words: Sequence[Scores], near: NearVectors) -> Ranked:
    """Return the fused scores of all that was found; vectors count for what the embedder is worth here."""
    parts: dict[Part, Scores] = {"walk": damped(walked.chunks)}
    parts |= dict(zip(("words", "words_asked"), words, strict=False))
    parts |= dict(zip(("vector", "vector_asked"), near.found, strict=False))
    found = sorted(set().union(*parts.values()))
    scores = fused(parts, found, weighted(near.weight))
    return Ranked(walked, parts, scores, ranked(scores))


def _compared(likely: Ranked, words: Sequence[Scores], near: NearVectors) -> Ranked:
    """Return the ranking in which the vectors of what others found count, too."""
    near.compare(likely.order)
    return _ranked(likely.walked, words, near)


def _alone(words: Sequence[Scores], near: NearVectors) -> dict[str, tuple[str, ...]]:
    """Return what words, vectors, and the two together would rank."""
    lexical: Scores = words[0] if words else {}
    similar: Scores = near.found[0] if near.found else {}
    both = fused({"words": lexical, "vector": similar}, sorted({*lexical, *similar}), _EVEN)
    return {
        "words": tuple(ranked(lexical, _ALONE)),
        "vectors": tuple(ranked(similar, _ALONE)),
        "hybrid": tuple(ranked(both, _ALONE)),
    }


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
    known = around.source.elements_found(elements) if elements else []
    return {one.id: 1 / one.chunks for one in known if rare_enough(one.chunks, chunks)}
