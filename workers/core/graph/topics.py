"""Topics of a collection: groups of facts that share key elements, and the protocol of what reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from hopline.models.topics import Topic, TopicEpoch


class TopicFact(NamedTuple):
    """A live fact, as topics are made of it."""

    id: str
    text: str
    elements: Sequence[tuple[str, str]]  # id and name of what it mentions; of a merged one its target's
    documents: Sequence[str]  # ids of those that state it


class BuiltTopic(NamedTuple):
    """A topic as stored: without texts, so that what is deleted leaves none behind."""

    id: str
    level: int
    parent: str | None
    elements: tuple[str, ...]  # ids of those that its documents share, best first
    facts: tuple[str, ...]  # ids of all: the one that it is called by, then the most central first
    documents: int


class LiveFacts(NamedTuple):
    """The facts that are live at present, whenever topics were built."""

    documents: int  # that state facts
    facts: int  # one of two documents counts twice


class TopicReads(Protocol):
    """Reads topics of one epoch. Every method is one round trip; an epoch that is gone has no topics."""

    def live_size(self, collection: str) -> LiveFacts:
        """Count the documents that state facts now, and these facts."""

    def epoch(self, collection: str) -> TopicEpoch | None:
        """Return the collection's newest epoch; None where its topics were never built."""

    def finest_topics(self, collection: str, epoch: str, facts: Sequence[str]) -> dict[str, str]:
        """Return fact id → id of its topic at the finest level; facts that came since have none."""

    def topics(self, collection: str, epoch: str, ids: Sequence[str]) -> list[Topic]:
        """Return some topics and all that they lie within, each once, coarsest first."""

    def topic_page(
        self, collection: str, epoch: str, level: int, *, parent: str | None = None, limit: int = 100
    ) -> list[Topic]:
        """Return a level's largest topics, by documents, then facts, then id; of one parent if given."""

    def central_facts(
        self, collection: str, epoch: str, topics: Sequence[str], limit: int
    ) -> dict[str, list[str]]:
        """Return topic id → ids of facts that are live now, the most central first, at most so many each.

        Topics may be of any level.
        """


class TopicStore(TopicReads, Protocol):
    """Reads what topics are made of, and stores them."""

    def live_facts(self, collection: str) -> Iterator[list[TopicFact]]:
        """Yield all live facts in pages, each fact once."""

    def stored_topics(self, collection: str, epoch: str) -> Iterator[list[BuiltTopic]]:
        """Yield all topics of an epoch in pages, in any order."""

    def begin_epoch(self, collection: str, job: str) -> str:
        """Return the id of a new epoch, which readers do not see yet.

        What another try of the same job left half-written is removed, and what nobody wrote to for long.

        Args:
            collection: whose.
            job: that builds it, or whatever else is unique to who does.
        """

    def add_topics(self, epoch: str, topics: Sequence[BuiltTopic]) -> None:
        """Add topics to an epoch that readers do not see yet.

        Raises:
            Transient: it was removed meanwhile.
        """

    def publish_epoch(self, collection: str, epoch: TopicEpoch) -> TopicEpoch:
        """Make an epoch the newest one, by one small write, and remove all but it and the one before.

        Raises:
            Transient: it was removed meanwhile.
        """
