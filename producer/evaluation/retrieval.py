"""Evaluates search against its simpler parts: words, vectors, and their hybrid."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from hopline.models.base import Frozen
from producer.evaluation.measures import Bootstrap, Interval, all_found, percentile, recall
from workers.core import ids
from workers.search.search import search
from workers.services import Services

if TYPE_CHECKING:
    from hopline.models.search import Found
    from producer.evaluation.dataset import Dataset, EvalQuestion
    from workers.settings import Settings

SEARCH, HYBRID = "search", "hybrid"
SYSTEMS = (SEARCH, "words", "vectors", HYBRID)
ALL = "all"
CHUNKS = 10  # asked of a search
PASSAGES = 10  # kept of a ranking
WARM_UP = 10  # questions asked before the clock runs


class RankedRow(Frozen):
    """One question with the passages that each way of searching ranks first."""

    id: str
    question: str
    type: str
    gold: tuple[str, ...]
    rankings: dict[str, tuple[str, ...]]  # of SYSTEMS, ids of passages, best first
    seconds: float  # of the whole search, as its caller waits for it
    parts: dict[str, float]  # seconds, as the search says
    failed: dict[str, str]  # parts that could not be had, with the reason


class Measured(Frozen):
    """Ranks of the gold passages of a question."""

    recall_2: Interval
    recall_5: Interval
    all_gold_5: Interval


class RankedGroup(Frozen):
    """The questions of one type, or all of them."""

    questions: int
    systems: dict[str, Measured]
    over_hybrid: Measured | None = None  # search minus hybrid, question by question


class Latency(Frozen):
    """Milliseconds per question, one question after another."""

    p50: float
    p95: float
    max: float
    parts_p50: dict[str, float]  # as the search takes its own time
    warm_up: int  # questions asked before these


class Retrieval(Frozen):
    """Retrieval results of a run over all questions."""

    groups: dict[str, RankedGroup]  # "all", then the types
    milliseconds: Latency
    failed: dict[str, int]  # parts that could not be had, with for how many questions


@contextmanager
def retrieving(settings: Settings, collection: str, dataset: Dataset) -> Iterator[Retriever]:
    """Yield a retriever with its own services, since the API shows neither its results nor its time."""
    with closing(Services(settings)) as services:
        yield Retriever(services, collection, dataset)


class Retriever:
    """Searches for one question after another.

    Args:
        services: graph, vectors and the embedder.
        collection: where the passages are.
        dataset: whose passages they are.
    """

    def __init__(self, services: Services, collection: str, dataset: Dataset) -> None:
        self._services = services
        self._collection = collection
        self._passages = {ids.document_id(collection, passage.id): passage.id for passage in dataset.passages}
        self._holders: dict[str, str] = {}  # chunk id -> passage id, as far as they were met

    def warm_up(self, questions: Sequence[EvalQuestion]) -> int:
        """Warm up connections and caches; return how many questions were asked."""
        first = questions[:WARM_UP]
        for question in first:
            search(question.question, self._collection, self._services, limit=CHUNKS)
        return len(first)

    def rows(self, questions: Iterable[EvalQuestion]) -> Iterator[RankedRow]:
        """Yield each question with its rankings."""
        for question in questions:
            begun = time.perf_counter()
            result = search(question.question, self._collection, self._services, limit=CHUNKS)
            seconds = time.perf_counter() - begun
            yield RankedRow(
                id=question.id,
                question=question.question,
                type=question.type,
                gold=question.gold,
                rankings=self._passage_rankings(result),
                seconds=seconds,
                parts=result.seconds,
                failed=result.failed,
            )

    def _passage_rankings(self, result: Found) -> dict[str, tuple[str, ...]]:
        for hit in result.chunks:
            self._holders[hit.chunk.id] = self._passage(hit.document.id)
        chunks = {SEARCH: tuple(hit.chunk.id for hit in result.chunks)}
        chunks |= {name: result.rankings[name] for name in SYSTEMS if name in result.rankings}
        self._meet([chunk for ranking in chunks.values() for chunk in ranking])
        return {name: self._first_passages(ranking) for name, ranking in chunks.items()}

    def _meet(self, chunk_ids: Sequence[str]) -> None:
        new = sorted({chunk_id for chunk_id in chunk_ids if chunk_id not in self._holders})
        if new:
            for chunk, document in self._services.graph.nodes.chunks(self._collection, new):
                self._holders[chunk.id] = self._passage(document.id)

    def _passage(self, document_id: str) -> str:
        """Return the passage's id; a document that is not in the file keeps its own id."""
        return self._passages.get(document_id, document_id)

    def _first_passages(self, chunk_ids: Sequence[str]) -> tuple[str, ...]:
        """Return passages in the order of their best chunks."""
        held = (self._holders[chunk_id] for chunk_id in chunk_ids if chunk_id in self._holders)
        return tuple(dict.fromkeys(held))[:PASSAGES]


def measure_retrieval(rows: Sequence[RankedRow], *, warm_up: int, seed: int) -> Retrieval:
    """Return the measures of the rows, over all questions and per type."""
    types = sorted({row.type for row in rows})
    groups = {ALL: _group(rows, seed)}
    if len(types) > 1:
        groups |= {name: _group([row for row in rows if row.type == name], seed) for name in types}
    failed = [part for row in rows for part in row.failed]
    return Retrieval(
        groups=groups,
        milliseconds=_latency(rows, warm_up),
        failed={part: failed.count(part) for part in sorted(set(failed))},
    )


def _group(rows: Sequence[RankedRow], seed: int) -> RankedGroup:
    drawn = Bootstrap(len(rows), seed=seed)
    values = {name: _values(rows, name) for name in SYSTEMS if any(name in row.rankings for row in rows)}
    over = None
    if HYBRID in values:
        over = [
            [a - b for a, b in zip(*pair, strict=True)]
            for pair in zip(values[SEARCH], values[HYBRID], strict=True)
        ]
    return RankedGroup(
        questions=len(rows),
        systems={name: _measured(drawn, measures) for name, measures in values.items()},
        over_hybrid=_measured(drawn, over) if over else None,
    )


def _values(rows: Sequence[RankedRow], system: str) -> list[list[float]]:
    """Return R@2, R@5 and all-gold@5 of each question; no ranking means that nothing was found."""
    pairs = [(row.rankings.get(system, ()), frozenset(row.gold)) for row in rows]
    return [
        [recall(ranking, gold, 2) for ranking, gold in pairs],
        [recall(ranking, gold, 5) for ranking, gold in pairs],
        [all_found(ranking, gold, 5) for ranking, gold in pairs],
    ]


def _measured(drawn: Bootstrap, measures: Sequence[Sequence[float]]) -> Measured:
    first, second, third = (drawn.interval(values) for values in measures)
    return Measured(recall_2=first, recall_5=second, all_gold_5=third)


def _latency(rows: Sequence[RankedRow], warm_up: int) -> Latency:
    whole = sorted(1000 * row.seconds for row in rows)
    parts: dict[str, list[float]] = {}
    for row in rows:
        for name, seconds in row.parts.items():
            parts.setdefault(name, []).append(1000 * seconds)
    return Latency(
        p50=percentile(whole, 0.5),
        p95=percentile(whole, 0.95),
        max=whole[-1] if whole else 0.0,
        parts_p50={name: percentile(sorted(values), 0.5) for name, values in parts.items()},
        warm_up=warm_up,
    )
