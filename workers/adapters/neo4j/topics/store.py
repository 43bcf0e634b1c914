"""Topics in Neo4j: written under an epoch that readers see only when it is complete, and read from one epoch.

A topic's node contains ids but no texts: its label is taken from a live fact at reading time, so that deleted
texts are never shown. The first facts of a topic are in its own node, the others in pieces; further pieces
map facts to topics, by the first digits of the fact's id.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence

from hopline.errors import Transient
from hopline.models.times import STORED
from hopline.models.topics import LEVELS, Topic, TopicEpoch
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.rows import ELEMENTS_SCANNED
from workers.core.graph.elements import spelled
from workers.core.graph.topics import BuiltTopic, LiveFacts, TopicFact
from workers.core.ids import topic_epoch_id

_LOOKED_AT = 20  # facts of a topic, for the first that is live


class TopicReader:
    """`core.graph.topics.TopicReads` over a real Neo4j."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def live_size(self, collection: str) -> LiveFacts:
        """Count the documents that state facts now, and their facts."""
        [row] = self._connection.run("topic_live", collection=collection)
        return LiveFacts(**row)

    def epoch(self, collection: str) -> TopicEpoch | None:
        """Return the collection's newest epoch; None if its topics were never built."""
        rows = self._connection.run("topic_epoch", collection=collection)
        return TopicEpoch(**rows[0]) if rows else None

    def finest_topics(self, collection: str, epoch: str, facts: Sequence[str]) -> dict[str, str]:
        """Return fact id → id of its topic at the finest level; facts added since then have none."""
        unique_facts = list(dict.fromkeys(facts))
        rows = self._connection.run("topic_homes", collection=collection, epoch=epoch, facts=unique_facts)
        return dict(row["home"].split(" ") for row in rows)

    def topics(self, collection: str, epoch: str, ids: Sequence[str]) -> list[Topic]:
        """Return the given topics and all their ancestors, each once, coarsest first."""
        unique_ids = list(dict.fromkeys(ids))
        rows = self._connection.run(
            "topics", collection=collection, epoch=epoch, ids=unique_ids, looked_at=_LOOKED_AT
        )
        return [_topic(row) for row in rows]

    def topic_page(
        self, collection: str, epoch: str, level: int, *, parent: str | None = None, limit: int = 100
    ) -> list[Topic]:
        """Return the largest topics of a level, or of a parent, ordered by documents, facts and id."""
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
        """Return the ids of each topic's live facts, most central first, up to a limit."""
        unique_topics = list(dict.fromkeys(topics))
        rows = self._connection.run(
            "topic_central", collection=collection, epoch=epoch, topics=unique_topics, limit=limit
        )
        return {row["name"]: [fact for _piece, _nth, fact in sorted(row["facts"])] for row in rows}


def _topic(row: Row) -> Topic:
    """Return a topic; one without live central facts is named by its elements."""
    names = tuple(spelled(name, aliases or ()) for name, aliases in row["elements"])
    fact, text = row["label"][0] if row["label"] else ("", ", ".join(names))
    return Topic(**row["topic"], label=text, label_fact=fact, elements=names)


_PAGE = 2000  # facts, or topics, that are read at a time
_PIECE = 500  # facts in a piece
_REMOVED = 5000  # nodes at a time
_KEPT = 2  # epochs: the newest, and the one before, which somebody may be reading
_REST = 15 * 60 * 1000  # ms without a write after which an epoch is no longer being written
_FINEST = LEVELS - 1


class TopicGraph(TopicReader):
    """`core.graph.topics.TopicStore` over a real Neo4j."""

    def live_facts(self, collection: str) -> Iterator[list[TopicFact]]:
        """Yield all live facts in pages, each fact once."""
        after = ""
        while rows := self._connection.run(
            "topic_facts",
            collection=collection,
            after=after,
            limit=_PAGE,
            elements_scanned=ELEMENTS_SCANNED,
        ):
            after = rows[-1]["id"]
            yield [
                TopicFact(row["id"], row["text"], row["elements"], row["documents"])
                for row in rows
                if row["documents"]
            ]

    def stored_topics(self, collection: str, epoch: str) -> Iterator[list[BuiltTopic]]:  # noqa: ARG002 - an epoch is of one
        """Yield all topics of an epoch in pages, in any order."""
        after, end = f"{epoch}/", f"{epoch}0"  # 0 follows the slash
        while rows := self._connection.run("topic_stored", after=after, end=end, limit=_PAGE):
            after = rows[-1]["key"]
            yield [_built(row) for row in rows]

    def begin_epoch(self, collection: str, job: str) -> str:
        """Return the id of a new epoch, which readers do not see yet."""
        name = topic_epoch_id()
        self._connection.run("topic_begin", id=name, collection=collection, job=job)
        self._clear(collection, name, job)
        return name

    def add_topics(self, epoch: str, topics: Sequence[BuiltTopic]) -> None:
        """Add topics to an epoch that readers do not see yet.

        Raises:
            Transient: it was removed meanwhile.
        """
        rows = [_row(epoch, topic) for topic in topics]
        pieces = [
            {"key": f"{epoch}/{topic.id}/{nth}", "facts": topic.facts[nth * _PIECE : (nth + 1) * _PIECE]}
            for topic in topics
            for nth in range(1, _pieces(len(topic.facts)))
        ]
        self._put("topic_put", epoch, topics=rows, pieces=pieces)

    def publish_epoch(self, collection: str, epoch: TopicEpoch) -> TopicEpoch:
        """Make an epoch the newest one, by one small write, and remove all others except the previous one.

        Raises:
            Transient: it was removed meanwhile, or another one, perhaps with newer facts, was published since
                it was begun.
        """
        self._put_homes(collection, epoch)
        record = epoch.model_dump(exclude={"id"}, context=STORED)
        if not self._connection.run("topic_publish", id=epoch.id, collection=collection, record=record):
            raise Transient(f"epoch {epoch.id} of the topics was removed, or another was published meanwhile")
        self._clear(collection, epoch.id, "")
        return epoch

    def _put_homes(self, collection: str, epoch: TopicEpoch) -> None:
        """Write the finest topic of each fact."""
        digits = max(0, math.ceil(math.log(max(1, epoch.facts) / _PIECE, 16)))
        some: dict[str, list[str]] = defaultdict(list)
        held = 0
        for page in self.stored_topics(collection, epoch.id):
            for topic in page:
                if topic.level != _FINEST:
                    continue
                for fact in topic.facts:
                    some[fact[1 : 1 + digits]].append(f"{fact} {topic.id}")
                held += len(topic.facts)
            if held >= _PAGE:
                self._write_homes(epoch.id, digits, some)
                some, held = defaultdict(list), 0
        self._write_homes(epoch.id, digits, some)

    def _write_homes(self, epoch: str, digits: int, homes: dict[str, list[str]]) -> None:
        pieces = [{"key": f"{epoch}/homes/{part}", "homes": some} for part, some in sorted(homes.items())]
        self._put("topic_put_homes", epoch, digits=digits, pieces=pieces)

    def _put(self, query: str, epoch: str, /, **parameters: object) -> None:
        if not self._connection.run(query, epoch=epoch, **parameters):
            raise _removed(epoch)

    def _clear(self, collection: str, but: str, job: str) -> None:
        """Remove epochs that are no longer read or written.

        Args:
            collection: whose.
            but: the epoch to keep.
            job: job whose unfinished epochs are removed at once.
        """
        self._remove_epochs(collection, but=but, job=job, kept=_KEPT, rest=_REST)

    def forget(self, collection: str) -> None:
        """Remove all topics of a collection, including those being written."""
        self._remove_epochs(collection, but="", job="", kept=0, rest=-1)

    def _remove_epochs(self, collection: str, **which: str | int) -> None:
        for row in self._connection.run("topic_epochs_to_remove", collection=collection, **which):
            self._connection.run("topic_retire", id=row["id"])
            while self._connection.run("topic_remove", prefix=f"{row['id']}/", limit=_REMOVED)[0]["removed"]:
                pass
            self._connection.run("topic_remove_epoch", id=row["id"])


def _row(epoch: str, topic: BuiltTopic) -> Row:
    fields = {
        **topic._asdict(),
        "facts": len(topic.facts),
        "head": topic.facts[:_PIECE],
        "pieces": _pieces(len(topic.facts)) - 1,
    }
    return {"key": f"{epoch}/{topic.id}", "fields": fields}


def _pieces(facts: int) -> int:
    return max(1, math.ceil(facts / _PIECE))


def _built(row: Row) -> BuiltTopic:
    facts = (*row["head"], *(fact for piece in row["pieces"] for fact in piece))
    return BuiltTopic(**{**row["topic"], "elements": tuple(row["topic"]["elements"]), "facts": facts})


def _removed(epoch: str) -> Transient:
    return Transient(f"epoch {epoch} of the topics was removed while it was written")
