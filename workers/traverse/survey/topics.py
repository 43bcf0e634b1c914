"""Second step of the survey strategy: finds topics that searches lead to, and facts to examine."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from hopline.events.questions import TopicsFound
from hopline.models.search import Found, FoundFact
from hopline.models.topics import LEVELS, Topic, TopicEpoch
from workers.core.answers.evidence import best_sources, fitting
from workers.core.graph.topics import LiveFacts
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.records import FactSource
from workers.core.scope import reads_less
from workers.search.several import search_each
from workers.traverse.survey.records import (
    SurveyedQuestion,
    SurveyFact,
    SurveyTopic,
    TopicsResult,
    Totals,
)

NEW = ""  # the topic of facts that came after the topics were built
# Chunks of all searches together; of each at least, and at most: a question not taken apart finds more.
_CHUNKS, _LEAST_CHUNKS, _MOST_CHUNKS = 200, 50, 100
_NEAREST = 2  # facts of each search that are looked at in any case, each of another document
_FACTS = 20  # of each chunk, the best ones
_CENTRAL = 0.02  # weight of a topic's most central facts, where no search found them
_ROOTS, _FINEST = 20, 40  # topics whose central facts are read
_CENTRAL_FACTS = 10  # of each
_LARGEST_FACTS = 5  # of each of the largest topics, wherever searches led
_SPARE = 3  # times the facts that may be scored are read
_SPARED = 3  # one in so many of these is there for the largest topics
_MOST_FACTS = 600
_TOPICS = 200  # that the result has, besides those of its facts
_DOCUMENTS = 200  # of a fact; a claim cites no more
_FACT_BYTES = 192 * 1024  # of JSON, all facts together
_TEXT, _QUOTE = 600, 400  # characters of a fact and of its place
_ELEMENTS = 3  # in a topic's name
_LABEL = 100  # characters of a topic's label, where it has no elements
_NAMED = 8  # topics that the event names
_UNKNOWN = 0.3  # share of what was found, or of the documents, that topics do not know: from it they are old
# Facts of a collection whose topics are built while a question waits. Those of a larger one would outlast it.
_BUILT_AT_ONCE = 30_000


def choose_topics(plan: SurveyedQuestion, ports: Ports) -> Outcome:
    """Find the topics that searches lead to, and those of their facts that may be examined.

    The question and its parts are searched for; each result adds weight to the topics that contain it. If a
    collection has no topics yet, or many documents were added after they were built, they are built first,
    unless the collection is so large that the question would time out. Facts without a topic form a topic of
    their own.

    Args:
        plan: plan of the question.
        ports: graph, vectors and the embedder, which is called once.

    Raises:
        EmbedderMismatch: the operator must reindex: searching without vectors would only hide it.
    """
    collection = ports.job.collection
    questions = (plan.question, *plan.sub_questions)
    chunks = min(_MOST_CHUNKS, max(_LEAST_CHUNKS, _CHUNKS // len(questions)))
    search_results = search_each(questions, collection, ports, limit=chunks, translations=plan.translations)
    result = _result(_charted(_weights(search_results), ports), _nearest(search_results), ports)
    failed = list(
        dict.fromkeys(why for search_result in search_results for why in search_result.failed.values())
    )
    if failed:
        result = result.model_copy(update={"failed": "; ".join(failed)})
    names = tuple(topic.name for topic in result.topics if topic.level == 0)[:_NAMED]
    event = TopicsFound(topics=names, facts=len(result.facts), of_topics=result.totals.topics)
    return Outcome(result=result, events=(event,))


def _charted(weights: Mapping[str, float], ports: Ports) -> _Chart:
    """Read the topics of the found facts; build topics first if they are missing or out of date.

    Within a scope they are built for the question, so they are never out of date.
    """
    store, collection = ports.graph.topics, ports.job.collection
    live = store.live_size(collection)
    chart = _Chart(ports, store.epoch(collection), live, dict(weights))
    chart.read()
    if (
        chart.is_old
        and live.facts <= _BUILT_AT_ONCE
        and not reads_less(ports.job.params, ports.job.principals)
    ):
        from workers.topics.build import build_topics  # noqa: PLC0415 - numpy, and what finds communities

        epoch = build_topics(store, collection, job=ports.job.id)
        chart = _Chart(ports, epoch, live, dict(weights))
        chart.read()
    return chart


def _weights(search_results: Iterable[Found]) -> dict[str, float]:
    """Return how near each fact was found, added up over all searches."""
    weights: dict[str, float] = {}
    for search_result in search_results:
        best: dict[str, float] = {}
        for chunk in search_result.chunks:
            for fact in chunk.facts[:_FACTS]:
                best[fact.id] = max(best.get(fact.id, 0.0), (fact.score + chunk.score) / 2)
        for name, weight in best.items():
            weights[name] = round(weights.get(name, 0.0) + weight, 4)
    return weights


def _nearest(search_results: Iterable[Found]) -> list[str]:
    """Return the facts that each search found nearest, one of a document, the best of all searches first."""
    ranked: list[list[str]] = []
    for search_result in search_results:
        by_document: dict[str, FoundFact] = {}
        for chunk in search_result.chunks:
            for fact in chunk.facts[:_FACTS]:
                best = by_document.get(chunk.document.id)
                if best is None or fact.score > best.score:
                    by_document[chunk.document.id] = fact
        ranked.append([fact.id for fact in list(by_document.values())[:_NEAREST]])
    return list(dict.fromkeys(name for row in zip_longest(*ranked) for name in row if name))


@dataclass
class _Chart:
    """The facts with their weights, and the topics that they lie in."""

    ports: Ports
    epoch: TopicEpoch | None  # None where topics were never built
    live: LiveFacts
    weights: dict[str, float]
    topic_of: dict[str, str] = field(default_factory=dict)  # the finest, by fact
    known: dict[str, Topic] = field(default_factory=dict)
    broad: list[str] = field(
        default_factory=list
    )  # central facts of the largest topics, of each one at a time

    @property
    def since(self) -> int:
        """Minimum number of documents added after the topics were built."""
        return max(0, self.live.documents - self.epoch.documents) if self.epoch else 0

    @property
    def is_old(self) -> bool:
        """Whether topics are missing, or cover too little of the collection."""
        if self.epoch is None:
            return self.live.facts > 0
        unknown = len(self.weights.keys() - self.topic_of.keys())
        return self.since > _UNKNOWN * self.live.documents or unknown > _UNKNOWN * len(self.weights)

    def read(self) -> None:
        """Read the topics of the facts, and central facts of the best topics and of the largest."""
        if self.epoch is None:
            return
        self._place(self.epoch, list(self.weights))
        best = self.ranked()
        roots = [name for name in best if self.known[name].level == 0][:_ROOTS]
        finest = [name for name in best if self.known[name].level == LEVELS - 1][:_FINEST]
        reads, collection = self.ports.graph.topics, self.ports.job.collection
        largest = [topic.id for topic in reads.topic_page(collection, self.epoch.id, 0, limit=_ROOTS)]
        topics = list(dict.fromkeys([*roots, *finest, *largest]))
        by_topic = reads.central_facts(collection, self.epoch.id, topics, _CENTRAL_FACTS)
        central = dict.fromkeys(fact for name in topics for fact in by_topic.get(name, ()))
        self.weights |= dict.fromkeys((fact for fact in central if fact not in self.weights), _CENTRAL)
        self._place(self.epoch, [fact for fact in central if fact not in self.topic_of])
        self.broad = [
            fact
            for nth in range(_LARGEST_FACTS)
            for name in largest
            for fact in by_topic.get(name, ())[nth : nth + 1]
        ]

    def _place(self, epoch: TopicEpoch, facts: Sequence[str]) -> None:
        if not facts:
            return
        reads, collection = self.ports.graph.topics, self.ports.job.collection
        placed = reads.finest_topics(collection, epoch.id, facts)
        self.topic_of |= placed
        if missing := sorted(set(placed.values()) - self.known.keys()):
            self.known |= {topic.id: topic for topic in reads.topics(collection, epoch.id, missing)}

    def path(self, fact: str) -> list[str]:
        """Return the topics that contain a fact, the finest first."""
        topics: list[str] = []
        name: str | None = self.topic_of.get(fact)
        while name in self.known and name not in topics:
            topics.append(name)
            name = self.known[name].parent
        return topics

    def best_facts(self, most: int) -> list[str]:
        """Return the facts, best first; at most a third of them only because their topics are large."""
        ordered = sorted(self.weights, key=lambda name: (-self.weights[name], name))
        spared = set(self.broad[: most // _SPARED])
        kept = spared | set([name for name in ordered if name not in spared][: most - len(spared)])
        return [name for name in ordered if name in kept]

    def masses(self) -> dict[str, float]:
        """Return the sum of weights by topic."""
        mass: dict[str, float] = {}
        for fact, weight in self.weights.items():
            for name in self.path(fact):
                mass[name] = mass.get(name, 0.0) + weight
        return mass

    def ranked(self) -> list[str]:
        """Return the topics, best first."""
        mass = self.masses()
        return sorted(mass, key=lambda name: (-mass[name], name))


def _result(chart: _Chart, nearest: Sequence[str], ports: Ports) -> TopicsResult:
    params = QueryParams.read_stored(ports.job.params)
    most = min(_SPARE * params.max_facts, _MOST_FACTS)
    best = list(dict.fromkeys([*nearest, *chart.best_facts(most)]))[:most]
    carried = ports.graph.nodes.fact_sources(ports.job.collection, best) if best else []
    numbers: dict[str, int] = {}
    every = _facts(best, chart, carried, numbers, set(nearest))
    facts = sorted(fitting(every, _FACT_BYTES), key=lambda fact: (-fact.weight, fact.text))
    return TopicsResult(
        totals=_totals(chart),
        topics=tuple(_topics(chart, facts)),
        facts=tuple(facts),
        documents=tuple(numbers),
    )


def _totals(chart: _Chart) -> Totals:
    epoch, live = chart.epoch, chart.live
    same = epoch is not None and epoch.documents == live.documents
    return Totals(
        facts=epoch.facts if epoch and same else live.facts,
        documents=live.documents,
        topics=next(iter(epoch.topics), 0) if epoch else 0,
        since=chart.since,
    )


def _facts(
    ids: Iterable[str],
    chart: _Chart,
    carried: Sequence[FactSource],
    numbers: dict[str, int],
    nearest: Collection[str],
) -> list[SurveyFact]:
    """Return the facts that can be cited, in order; numbers takes in their documents."""
    sources = best_sources(carried)
    documents: dict[str, dict[str, None]] = {}
    for source in carried:
        documents.setdefault(source.fact_id, {})[source.document_id] = None
    return [
        SurveyFact(
            id=name,
            text=sources[name].fact[:_TEXT],
            title=sources[name].title,
            quote=sources[name].quote[:_QUOTE],
            chunk=sources[name].chunk_id,
            topic=next(iter(chart.path(name)), NEW),
            weight=chart.weights[name],
            is_nearest=name in nearest,
            documents=tuple(
                numbers.setdefault(document, len(numbers))
                for document in sorted(documents[name])[:_DOCUMENTS]
            ),
        )
        for name in ids
        if name in sources
    ]


def _topics(chart: _Chart, facts: Sequence[SurveyFact]) -> list[SurveyTopic]:
    """Return the best topics and those of the facts, best first."""
    mass = chart.masses()
    needed = {name for fact in facts for name in chart.path(fact.id)}
    best = chart.ranked()
    kept = [name for nth, name in enumerate(best) if name in needed or nth < _TOPICS]
    return [_topic(chart.known[name], mass) for name in kept]


def _topic(topic: Topic, mass: Mapping[str, float]) -> SurveyTopic:
    return SurveyTopic(
        id=topic.id,
        level=topic.level,
        parent=topic.parent,
        name=", ".join(topic.elements[:_ELEMENTS]) or topic.label[:_LABEL],
        facts=topic.facts,
        documents=topic.documents,
        mass=round(mass[topic.id], 4),
    )
