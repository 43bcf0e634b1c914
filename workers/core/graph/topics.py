"""Topics of a collection: groups of facts that share key elements, and the protocol of what reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pydantic import Field

from workers.core.records import Frozen, VisibleText

LEVELS = 3  # 0 is the coarsest; each topic but those of level 0 lies within one of the level above


class Topic(Frozen):
    """A group of live facts; each fact is in one topic of every level."""

    id: str
    level: int = Field(ge=0, lt=LEVELS)
    parent: str | None  # id; None at level 0
    label: VisibleText  # the text of its most central fact
    label_fact: str  # id of that fact
    elements: tuple[VisibleText, ...]  # names of its most central key elements, best first
    facts: int = Field(ge=0)  # when it was built
    documents: int = Field(ge=0)  # that state these facts


class TopicEpoch(Frozen):
    """One building of a collection's topics; a reader keeps to one, and the one before stays readable."""

    id: str
    built_at: float  # seconds since 1970
    facts: int = Field(ge=0)  # live facts that were in topics
    documents: int = Field(ge=0)
    topics: tuple[int, ...]  # by level


class TopicReads(Protocol):
    """Reads topics of one epoch. Every method is one round trip; an epoch that is gone has no topics."""

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
