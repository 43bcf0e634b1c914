# ruff: noqa: ARG002 - doubles take what the ports take
"""Topics of a library's facts, each level named by who tests."""

from collections.abc import Callable, Mapping, Sequence

from doubles.library import Library
from hopline.models.topics import Topic, TopicEpoch
from workers.core.graph.topics import LiveFacts


class MemoryTopics:
    """Topics of one epoch.

    Args:
        library: whose facts they group.
        paths: the topics of a fact's text, the coarsest first; a fact without any came since.

    """

    def __init__(self, library: Library, paths: Callable[[str], Sequence[str]]) -> None:
        self.library, self.paths = library, paths

    def _facts(self) -> Mapping[str, Sequence[str]]:
        held = {source.fact_id: self.paths(source.fact) for source, _elements in self.library.held.values()}
        return {name: path for name, path in held.items() if path}

    def _documents(self, facts: Sequence[str]) -> int:
        return len(
            {
                source.document_id
                for source, _elements in self.library.held.values()
                if source.fact_id in facts
            }
        )

    def live_size(self, collection: str) -> LiveFacts:
        held = [source for source, _elements in self.library.held.values()]
        return LiveFacts(documents=len({source.document_id for source in held}), facts=len(held))

    def epoch(self, collection: str) -> TopicEpoch:
        facts = self._facts()
        return TopicEpoch(
            id="e1",
            built_at=1.0,
            facts=len(facts),
            documents=self._documents(list(facts)),
            topics=tuple(
                len({path[: level + 1] for path in map(tuple, facts.values())}) for level in range(3)
            ),
        )

    def finest_topics(self, collection: str, epoch: str, facts: Sequence[str]) -> dict[str, str]:
        held = self._facts()
        return {name: "/".join(held[name]) for name in facts if name in held}

    def topics(self, collection: str, epoch: str, ids: Sequence[str]) -> list[Topic]:
        wanted = {name for topic_id in ids for name in _up(topic_id)}
        return sorted((self._topic(name) for name in wanted), key=lambda topic: (topic.level, topic.id))

    def topic_page(
        self, collection: str, epoch: str, level: int, *, parent: str | None = None, limit: int = 100
    ) -> list[Topic]:
        names = {"/".join(path[: level + 1]) for path in self._facts().values()}
        topics = [self._topic(name) for name in names]
        return sorted(topics, key=lambda topic: (-topic.documents, -topic.facts, topic.id))[:limit]

    def central_facts(
        self, collection: str, epoch: str, topics: Sequence[str], limit: int
    ) -> dict[str, list[str]]:
        return {name: sorted(self._held(name))[:limit] for name in topics}

    def _held(self, name: str) -> list[str]:
        return [fact for fact, path in self._facts().items() if name in _up("/".join(path))]

    def _topic(self, name: str) -> Topic:
        facts = self._held(name)
        above, _, last = name.rpartition("/")
        return Topic(
            id=name,
            level=name.count("/"),
            parent=above or None,
            label=last,
            label_fact=facts[0],
            elements=(last,),
            facts=len(facts),
            documents=self._documents(facts),
        )


def _up(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[: n + 1]) for n in range(len(parts))]
