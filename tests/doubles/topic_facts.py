"""Facts as topics are made of them, and a store of topics in memory."""

import os
import random
import signal
from collections.abc import Iterator, Sequence
from typing import Any

from hopline.models.topics import TopicEpoch
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.core.graph.topics import BuiltTopic, TopicFact
from workers.core.ids import element_id, fact_id
from workers.topics.build import build_topics

Said = tuple[str, str, Sequence[str]]  # document, fact, names


def as_facts(collection: str, statements: Sequence[Said]) -> list[TopicFact]:
    """Return what documents say, each fact once."""
    facts: dict[str, TopicFact] = {}
    for document, text, names in statements:
        name = fact_id(collection, text)
        elements = [(element_id(collection, element), element) for element in names]
        before = facts[name].documents if name in facts else []
        facts[name] = TopicFact(name, text, elements, [*before, document])
    return list(facts.values())


def themes(count: int, documents: int, seed: int = 0) -> list[Said]:
    """Return documents of some themes each: their facts name two of six things of the theme."""
    rng = random.Random(seed)
    statements = []
    for number in range(documents):
        theme = number % count
        for nth in range(4):
            names = [f"thing {theme}.{thing}" for thing in rng.sample(range(6), 2)]
            statements.append(
                (f"d{number}", f"{names[0]} meets {names[1]} ({number}.{nth}).", [*names, f"title {number}"])
            )
    return statements


class MemoryTopicStore:
    """What `build_topics` needs of a store; `facts` is what is live."""

    def __init__(self, facts: Sequence[TopicFact] = ()) -> None:
        self.facts = list(facts)
        self.epochs: dict[str, list[BuiltTopic]] = {}
        self.published: list[TopicEpoch] = []

    def live_facts(self, _collection: str) -> Iterator[list[TopicFact]]:
        for first in range(0, len(self.facts), 7):
            yield self.facts[first : first + 7]

    def stored_topics(self, _collection: str, epoch: str) -> Iterator[list[BuiltTopic]]:
        yield self.epochs[epoch]

    def epoch(self, _collection: str) -> TopicEpoch | None:
        return self.published[-1] if self.published else None

    def begin_epoch(self, _collection: str, _job: str) -> str:
        name = f"b{len(self.epochs)}"
        self.epochs[name] = []
        return name

    def add_topics(self, epoch: str, topics: Sequence[BuiltTopic]) -> None:
        self.epochs[epoch] += topics

    def publish_epoch(self, _collection: str, epoch: TopicEpoch) -> TopicEpoch:
        self.published.append(epoch)
        return epoch

    @property
    def newest(self) -> list[BuiltTopic]:
        """The topics that readers see."""
        return self.epochs[self.published[-1].id]


def build_until(url: str, user: str, password: str, collection: str, last: str) -> None:
    """Build topics as a process that kills itself when a query of a name was run."""
    graph = Neo4jGraph(url, user, password)
    run = graph.connection.run

    def run_until(query: str, /, **values: Any) -> list[dict[str, Any]]:
        rows = run(query, **values)
        if query == last:
            os.kill(os.getpid(), signal.SIGKILL)
        return rows

    vars(graph.connection)["run"] = run_until
    build_topics(graph.topics, collection, job="j")
