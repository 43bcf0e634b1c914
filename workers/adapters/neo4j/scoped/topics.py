"""Topics within a scope, computed in memory from its documents alone."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from hopline.models.topics import LEVELS, Topic, TopicEpoch
from workers.adapters.neo4j.rows import ELEMENTS_SCANNED
from workers.adapters.neo4j.scoped.view import View
from workers.core.graph.topics import BuiltTopic, LiveFacts, TopicFact
from workers.topics.build import find_topics
from workers.topics.projection import project

_EPOCH = "scope"  # all that a view knows; its topics change with it
_FINEST = LEVELS - 1


class _Kept(NamedTuple):
    """The topics of a view."""

    epoch: TopicEpoch
    topics: dict[str, BuiltTopic]  # by id, coarsest first
    homes: dict[str, str]  # fact → finest topic


class ScopedTopics:
    """`core.graph.topics.TopicReads` within a scope; the view keeps the topics, which take seconds to find.

    There is one epoch at a time, always with the same id: if documents change during a question, its later
    steps read the topics of the new contents.
    """

    def __init__(self, view: View) -> None:
        self._view = view

    def live_size(self, collection: str) -> LiveFacts:  # noqa: ARG002 - the view is of one
        """Count the documents with facts, and their facts."""
        counts = [row["facts"] for row in self._view.contents.documents if row["facts"]]
        return LiveFacts(documents=len(counts), facts=sum(counts))

    def epoch(self, collection: str) -> TopicEpoch:  # noqa: ARG002 - the view is of one
        """Return the epoch of the scope's topics."""
        return self._kept.epoch

    def finest_topics(self, collection: str, epoch: str, facts: Sequence[str]) -> dict[str, str]:  # noqa: ARG002 - as epoch
        """Return fact id → id of its topic at the finest level."""
        homes = self._kept.homes if epoch == _EPOCH else {}
        return {name: homes[name] for name in facts if name in homes}

    def topics(self, collection: str, epoch: str, ids: Sequence[str]) -> list[Topic]:  # noqa: ARG002 - as epoch
        """Return the given topics and all their ancestors, each once, coarsest first."""
        known = self._kept.topics if epoch == _EPOCH else {}
        topics: dict[str, BuiltTopic] = {}
        for name in ids:
            while name and (topic := known.get(name)):
                topics[topic.id] = topic
                name = topic.parent or ""  # noqa: PLW2901 - up to the coarsest
        return sorted(map(self._topic, topics.values()), key=lambda topic: (topic.level, *_rank(topic)))

    def topic_page(
        self,
        collection: str,  # noqa: ARG002 - as epoch
        epoch: str,
        level: int,
        *,
        parent: str | None = None,
        limit: int = 100,
    ) -> list[Topic]:
        """Return the largest topics of a level, or of a parent, ordered by documents, facts and id."""
        known = self._kept.topics.values() if epoch == _EPOCH else ()
        topics = [topic for topic in known if topic.level == level and parent in (None, topic.parent)]
        topics.sort(key=lambda topic: (-topic.documents, -len(topic.facts), topic.id))
        return [self._topic(topic) for topic in topics[:limit]]

    def central_facts(
        self,
        collection: str,  # noqa: ARG002 - as epoch
        epoch: str,
        topics: Sequence[str],
        limit: int,
    ) -> dict[str, list[str]]:
        """Return the ids of each topic's facts, most central first, up to a limit."""
        known = self._kept.topics if epoch == _EPOCH else {}
        return {name: list(known[name].facts[:limit]) for name in topics if name in known}

    @cached_property
    def _kept(self) -> _Kept:
        kept: _Kept = self._view.kept("topics", self._find)
        return kept

    def _find(self) -> _Kept:
        view = self._view
        collection = view.contents.documents[0]["collection"] if view.contents.documents else ""
        hierarchy = find_topics(collection, project([_facts(view)]))
        topics = {topic.id: topic for topic in hierarchy.all()}
        homes = {
            fact: topic.id for topic in topics.values() if topic.level == _FINEST for fact in topic.facts
        }
        return _Kept(hierarchy.epoch(_EPOCH, time.time()), topics, homes)

    def _topic(self, topic: BuiltTopic) -> Topic:
        contents = self._view.contents
        return Topic(
            id=topic.id,
            level=topic.level,
            parent=topic.parent,
            label=self._view.text_of(contents.fact_at[topic.facts[0]]),
            label_fact=topic.facts[0],
            elements=tuple(self._view.shown_name(contents.element_at[name]) for name in topic.elements),
            facts=len(topic.facts),
            documents=topic.documents,
        )


def _rank(topic: Topic) -> tuple[int, int, str]:
    return -topic.documents, -topic.facts, topic.id


def _facts(view: View) -> list[TopicFact]:
    """Return the input of topics, as `topic_facts` reads it for a whole collection."""
    contents = view.contents

    def elements(at: int) -> list[tuple[str, str]]:
        named = [
            (contents.elements[element], contents.names[element]) for element, _titled in view.elements_of(at)
        ]
        return sorted(named, key=lambda element: element[1])[:ELEMENTS_SCANNED]

    return [
        TopicFact(
            name,
            view.text_of(at),
            elements(at),
            [view.document_of(int(contents.place_chunk[place])).id for place in view.places_of(at)],
        )
        for at, name in enumerate(contents.facts)
    ]
