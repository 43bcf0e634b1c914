"""Reads the topics of one epoch from Neo4j."""

from __future__ import annotations

from collections.abc import Sequence

from hopline.models.topics import Topic, TopicEpoch
from workers.adapters.neo4j.connection import Connection, Row
from workers.core.graph.elements import spelled
from workers.core.graph.topics import LiveFacts

_LOOKED_AT = 20  # facts of a topic, for the first that is live


class TopicReader:
    """`core.graph.topics.TopicReads` over a real Neo4j."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def live_size(self, collection: str) -> LiveFacts:
        """Count the documents that state facts now, and these facts."""
        [row] = self._connection.run("topic_live", collection=collection)
        return LiveFacts(**row)

    def epoch(self, collection: str) -> TopicEpoch | None:
        """Return the collection's newest epoch; None where its topics were never built."""
        rows = self._connection.run("topic_epoch", collection=collection)
        return TopicEpoch(**rows[0]) if rows else None

    def finest_topics(self, collection: str, epoch: str, facts: Sequence[str]) -> dict[str, str]:
        """Return fact id → id of its topic at the finest level; facts that came since have none."""
        unique_facts = list(dict.fromkeys(facts))
        rows = self._connection.run("topic_homes", collection=collection, epoch=epoch, facts=unique_facts)
        return dict(row["home"].split(" ") for row in rows)

    def topics(self, collection: str, epoch: str, ids: Sequence[str]) -> list[Topic]:
        """Return some topics and all that they lie within, each once, coarsest first."""
        unique_ids = list(dict.fromkeys(ids))
        rows = self._connection.run(
            "topics", collection=collection, epoch=epoch, ids=unique_ids, looked_at=_LOOKED_AT
        )
        return [_topic(row) for row in rows]

    def topic_page(
        self, collection: str, epoch: str, level: int, *, parent: str | None = None, limit: int = 100
    ) -> list[Topic]:
        """Return a level's largest topics, by documents, then facts, then id; of one parent if given."""
        rows = self._connection.run(
            "topic_page",
            collection=collection,
            epoch=epoch,
            level=level,
            parent=parent,
            limit=limit,
            looked_at=_LOOKED_AT,
        )
        return [_topic(row) for row in rows]

    def central_facts(
        self, collection: str, epoch: str, topics: Sequence[str], limit: int
    ) -> dict[str, list[str]]:
        """Return topic id → ids of facts that are live now, the most central first, at most so many each."""
        unique_topics = list(dict.fromkeys(topics))
        rows = self._connection.run(
            "topic_central", collection=collection, epoch=epoch, topics=unique_topics, limit=limit
        )
        return {row["name"]: [fact for _piece, _nth, fact in sorted(row["facts"])] for row in rows}


def _topic(row: Row) -> Topic:
    """Return a topic; one without live central facts is called by its elements."""
    names = tuple(spelled(name, aliases or ()) for name, aliases in row["elements"])
    fact, text = row["label"][0] if row["label"] else ("", ", ".join(names))
    return Topic(**row["topic"], label=text, label_fact=fact, elements=names)
