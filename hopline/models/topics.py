"""Topics of a collection."""

from __future__ import annotations

from pydantic import Field

from hopline.models.base import Frozen, Page, VisibleText
from hopline.models.graph import NearFact
from hopline.models.times import Timestamp

MOST_TOPICS = 1000  # that are listed at once
LEVELS = 3  # 0 is the coarsest; each topic but those of level 0 lies within one of the level above


class Topic(Frozen):
    """A group of live facts; each fact is in one topic of every level."""

    id: str
    level: int = Field(ge=0, lt=LEVELS)
    parent: str | None  # id; None at level 0
    label: VisibleText  # the text of the fact that says most of what its documents share
    label_fact: str  # id of that fact
    elements: tuple[VisibleText, ...]  # names of the key elements that its documents share, best first
    facts: int = Field(ge=0)  # when it was built
    documents: int = Field(ge=0)  # that state these facts


class TopicEpoch(Frozen):
    """One build of a collection's topics; a reader stays with one, and the previous one remains readable."""

    id: str
    built_at: Timestamp
    facts: int = Field(ge=0)  # live facts that were in topics
    documents: int = Field(ge=0)
    topics: tuple[int, ...]  # by level


class TopicList(Page):
    """A list of topics."""

    collection: str
    epoch: TopicEpoch
    level: int  # of these topics
    parent: str | None  # id of the one that they lie within, where only its are listed
    topics: tuple[Topic, ...]  # the largest first


class TopicDetail(Frozen):
    """One topic with its parents and its central facts."""

    collection: str
    epoch: TopicEpoch
    within: tuple[Topic, ...]  # that it lies within, coarsest first
    topic: Topic
    facts: tuple[NearFact, ...]  # the most central first, each with its places
