"""Ranked search over the graph for the chunks, facts and key elements of a question.

Three searches run concurrently: a walk over the graph from the key elements that the question names, the
full-text index, and the vectors. Their scores of the same chunks are fused; then chunks rise whose document
is about something that the question or a highly ranked chunk names. If the question names nothing, the walk
starts after the others, from their results. No language model is called; the embedder is called once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from contextvars import copy_context
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from typing import Protocol, TypeVar

from hopline.models.search import Found, Part
from workers.core.graph.surroundings import CollectionSize, GraphSnapshot, SnapshotOutdated, WalkSource
from workers.core.graph.vectors import Vectors
from workers.core.ports import Graph
from workers.search.fusion import fused, raised, ranked, weighted
from workers.search.mentions import without
from workers.search.near import Embedding, NearVectors, Scores, Texts, by_words
from workers.search.region import Live, Surroundings, named_in, rare_enough, starts_of
from workers.search.result import Ranked, Teller
from workers.search.threads import process_threads, until_done
from workers.search.titles import COMPARED, by_titles
from workers.search.walk import Region, Walked

_EVEN: Mapping[Part, float] = {"words": 1.0, "vector": 1.0}  # the usual hybrid
_ALONE = 50  # length of the rankings that one way of searching gives alone
# Two for each search under way; as many as there are connections to the graph.
_threads = process_threads(64, "search")
Result = TypeVar("Result")
_CHUNKS = 3  # the best ones
_FACTS = 2  # of each, the best ones


class Searchable(Protocol):
    """Dependencies of a search; both a step's ports and a process's services provide them."""

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
    translations: Sequence[str] = (),
) -> Found:
    """Return the chunks related to a question, best first, without calling a language model.

    It ranks with whatever is available: by walk and words if there are no vectors, by vectors and words if
    the question names no key element.

    Args:
        question: question as asked; up to 4,000 characters.
        collection: collection to search; one without documents gives an empty result.
        ports: graph, vectors, and the model's embedder (one call).
        limit: maximum number of chunks.
        elements: maximum number of key elements.
        degrade: search without vectors if their server or the embedder is unavailable, instead of raising
            Transient.
        translations: the question's names and words in other languages, one text per language.

    Raises:
        EmbedderMismatch: the collection's vectors were made by another embedder: reindex it.
        Transient: a server is temporarily unavailable (DependencyAway: cannot be reached).
    """
    query = _Search(
        question, collection, ports, limit, elements, degrade=degrade, translations=tuple(translations)
    )
    around = ports.graph.around
    if snapshot := around.snapshot(collection):
        with suppress(SnapshotOutdated):
            return query.over(snapshot, snapshot.size, snapshot)
    return query.over(Live(collection, ports.graph), around.size(collection))


def texts_of(question: str, collection: str, graph: Graph, translations: tuple[str, ...] = ()) -> Texts:
    """Return the texts that a search for a question embeds; at most two round trips."""
    whole = _joined(question, translations)
    named = named_in(whole, collection, graph.around.snapshot(collection) or Live(collection, graph))
    return Texts(question, without(whole, named) if named else "", translations)


def _joined(question: str, translations: Sequence[str]) -> str:
    """Return a question after its translations: of a long text only the end is looked at."""
    return " ".join((*translations, question))


@dataclass
class _Clock:
    """Durations of the parts of one search, in seconds; those side by side overlap."""

    seconds: dict[str, float] = field(default_factory=dict)
    _begun: float = field(default_factory=time.perf_counter)

    def begun(self, part: str, work: Callable[[], Result]) -> Future[Result]:
        """Run a part of the work in another thread, within the same trace."""
        return _threads().submit(copy_context().run, self.timed, part, work)

    def timed(self, part: str, work: Callable[[], Result]) -> Result:
        """Run a function and record its time."""
        begun = time.perf_counter()
        result = work()
        self.seconds[part] = time.perf_counter() - begun
        return result

    def stop(self) -> dict[str, float]:
        """Return the parts' times, and the total time."""
        return self.seconds | {"all": time.perf_counter() - self._begun}


@dataclass
class _Search:
    """One search; tried in memory and then in the graph, it embeds its texts once.

    Args:
        question: as `search` has it, and so are the others.
    """

    question: str
    collection: str
    ports: Searchable
    limit: int
    elements: int
    _: KW_ONLY
    degrade: bool
    translations: tuple[str, ...]
    clock: _Clock = field(default_factory=_Clock)
    near: NearVectors = field(init=False)

    def __post_init__(self) -> None:
        self.near = NearVectors(self.collection, self.ports.vectors)

    def over(self, source: WalkSource, size: CollectionSize, snapshot: GraphSnapshot | None = None) -> Found:
        """Search.

        Args:
            source: source that the walk reads.
            size: size of the collection.
            snapshot: the source, if it is in memory.

        Raises:
            SnapshotOutdated: the graph has changed since the snapshot was taken.
        """
        clock, graph = self.clock, self.ports.graph
        whole = _joined(self.question, self.translations)
        named = clock.timed("names", lambda: named_in(whole, self.collection, source))
        texts = Texts(self.question, without(whole, named) if named else "", self.translations)
        around = Surroundings(source, Region(facts=size.facts))
        start = starts_of(named, size.chunks)
        worded = clock.begun("words", lambda: by_words(texts, self.collection, graph, snapshot))
        walking = clock.begun("walk", lambda: around.walk_from(start))
        with until_done(worded, walking):
            # In this thread, which has the connection to the vectors and the context of logs.
            clock.timed("vectors", lambda: self.near.search(texts, self.ports.model, degrade=self.degrade))
        words, walked = worded.result(), walking.result()
        teller = Teller(whole, named, self.collection, graph, source, snapshot)
        reading = clock.begun("read", partial(self._read_ahead, teller, walked, words, self.near.found))
        with until_done(reading):
            best = clock.timed("compare", lambda: self._compared(walked, words))
        if not start and (start := starts_among(best, teller, around, size.chunks)):
            best = self._compared(clock.timed("walk", lambda: around.walk_from(start)), words)
        best = clock.timed("titles", partial(self._titled, best, teller))
        result = clock.timed("tell", lambda: teller.build_result(best, self.limit, self.elements))
        failed = {"vectors": self.near.failed} if self.near.failed else {}
        update = {
            "question": self.question,
            "rankings": reading.result(),
            "seconds": clock.stop(),
            "failed": failed,
        }
        return result.model_copy(update=update)

    def _compared(self, walked: Walked, words: Sequence[Scores]) -> Ranked:
        """Return the joint ranking of all results, with vector scores also for results of other searches."""
        parts = _parts(walked, words, self.near.found)
        self.near.compare(sorted(set().union(*parts.values())))
        return self._ranked(walked, _parts(walked, words, self.near.found))

    def _ranked(self, walked: Walked, parts: Mapping[Part, Scores]) -> Ranked:
        """Fuse the scores; vectors are weighted by how good the embedder is on this collection."""
        scores = fused(parts, sorted(set().union(*parts.values())), weighted(self.near.weight))
        return Ranked(walked, parts, scores, ranked(scores))

    def _titled(self, best: Ranked, teller: Teller) -> Ranked:
        """Return the ranking in which chunks rise if other chunks name their document's subject."""
        passages = teller.likely(best.order[:COMPARED])
        shares = by_titles(
            passages, [best.scores[passage.chunk.id] for passage in passages], teller.named_ids
        )
        whole = sum(weighted(self.near.weight).values())
        scores = raised(best.scores, "titled", shares, whole)
        return Ranked(best.walked, {**best.parts, "titled": shares}, scores, ranked(scores))

    def _read_ahead(
        self, teller: Teller, walked: Walked, words: Sequence[Scores], near: Sequence[Scores]
    ) -> dict[str, tuple[str, ...]]:
        """Read the likely best chunks; return the rankings by words, by vectors, and by both."""
        likely = self._ranked(walked, _parts(walked, words, near))
        teller.read_ahead(likely, self.limit, self.elements)
        return _alone(words, near)


def _parts(walked: Walked, words: Sequence[Scores], near: Sequence[Scores]) -> dict[Part, Scores]:
    parts: dict[Part, Scores] = {"walk": walked.chunk_scores}
    parts |= dict(zip(("words", "words_asked"), words, strict=False))
    parts |= dict(zip(("vector", "vector_asked"), near, strict=False))
    return parts


def _alone(words: Sequence[Scores], near: Sequence[Scores]) -> dict[str, tuple[str, ...]]:
    """Return what words, vectors, and the two together would rank."""
    lexical: Scores = words[0] if words else {}
    similar: Scores = near[0] if near else {}
    both = fused({"words": lexical, "vector": similar}, sorted({*lexical, *similar}), _EVEN)
    return {
        "words": tuple(ranked(lexical, _ALONE)),
        "vectors": tuple(ranked(similar, _ALONE)),
        "hybrid": tuple(ranked(both, _ALONE)),
    }


def starts_among(best: Ranked, teller: Teller, around: Surroundings, chunks: int) -> dict[str, float]:
    """Return element → weight, higher for rarer ones; {} if the best chunks contain no rare one.

    This was also tried for questions that do name something, with three tenths of the weight: as many of
    MuSiQue's passages are then among the first five, and 5 in 100 fewer among the first two.

    Args:
        best: the ranking by words and vectors.
        teller: reads chunks, each once.
        around: used to look up the elements.
        chunks: number of chunks in the collection.
    """
    facts = [fact for passage in teller.chunks(best, best.order[:_CHUNKS]) for fact in passage.facts[:_FACTS]]
    elements = sorted({element for fact in facts for element in fact.elements})
    known = around.source.elements_found(elements) if elements else []
    return {element.id: 1 / element.chunks for element in known if rare_enough(element.chunks, chunks)}
