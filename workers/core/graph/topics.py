"""Topics of a collection: groups of facts that share key elements, and the port for reading them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from hopline.models.topics import Topic, TopicEpoch


class TopicFact(NamedTuple):
    """A live fact, in the form from which topics are built."""

    id: str
    text: str
    elements: Sequence[tuple[str, str]]  # id and name of what it mentions; of a merged one its target's
    documents: Sequence[str]  # ids of those that state it


class BuiltTopic(NamedTuple):
    """A topic as stored: without texts, so that no text of deleted documents remains in it."""

    id: str
    level: int
    parent: str | None
    elements: tuple[str, ...]  # ids of those that its documents share, best first
    facts: tuple[str, ...]  # ids of all: the one that it is called by, then the most central first
    documents: int


class LiveFacts(NamedTuple):
    """The facts that are live now, regardless of when topics were built."""

    documents: int  # that state facts
    facts: int  # one of two documents counts twice


class TopicReads(Protocol):
    """Reads topics of one epoch, one round trip per method; an epoch that is gone has no topics."""

    def live_size(self, collection: str) -> LiveFacts:
        """Count the documents that state facts now, and their facts."""

    def epoch(self, collection: str) -> TopicEpoch | None:
        """Return the collection's newest epoch; None if its topics were never built."""

    def finest_topics(self, collection: str, epoch: str, facts: Sequence[str]) -> dict[str, str]:
        """Return fact id → id of its topic at the finest level; facts added since then have none."""

    def topics(self, collection: str, epoch: str, ids: Sequence[str]) -> list[Topic]:
        """Return the given topics and all their ancestors, each once, coarsest first."""

    def topic_page(
        self, collection: str, epoch: str, level: int, *, parent: str | None = None, limit: int = 100
    ) -> list[Topic]:
        """Return the largest topics of a level, or of a parent, ordered by documents, facts and id."""

    def central_facts(
        self, collection: str, epoch: str, topics: Sequence[str], limit: int
    ) -> dict[str, list[str]]:
        """Return topic id → ids of its facts that are live now, the most central first, at most `limit` each.

        Topics may be of any level.
        """


class TopicStore(TopicReads, Protocol):
    """Reads the facts from which topics are built, and stores topics."""

    def live_facts(self, collection: str) -> Iterator[list[TopicFact]]:
        """Yield all live facts in pages, each fact once."""

    def stored_topics(self, collection: str, epoch: str) -> Iterator[list[BuiltTopic]]:
        """Yield all topics of an epoch in pages, in any order."""

    def begin_epoch(self, collection: str, job: str) -> str:
        """Return the id of a new epoch, which readers do not see yet.

        Removes what earlier attempts of the same job left half-written, and epochs that have not been written
        to for long.

        Args:
            collection: collection of the topics.
            job: id of the job that builds it, or another unique name of the builder.
        """

    def add_topics(self, epoch: str, topics: Sequence[BuiltTopic]) -> None:
        """Add topics to an epoch that readers do not see yet.

        Raises:
            Transient: the epoch was removed in the meantime.
        """

    def publish_epoch(self, collection: str, epoch: TopicEpoch) -> TopicEpoch:
        """Make an epoch the newest one, by one small write, and remove all others except the previous one.

        Raises:
            Transient: the epoch was removed in the meantime.
        """
