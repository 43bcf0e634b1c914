"""Client calls for browsing the graph: the facts around a name, the text of a document, topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.models.topics import TopicEpoch
from producer.client.part import Part, Pending
from producer.reports.outcomes import ended_well

if TYPE_CHECKING:
    from datetime import datetime

    from hopline.models.graph import Neighbourhood, Passage
    from hopline.models.topics import TopicList
    from workers.ledger.records import JobRecord


class Graph(Part):
    """What a client shows of the graph."""

    def neighbourhood(
        self,
        name: str | None = None,
        collection: str = "default",
        *,
        element: str | None = None,
        document: str | None = None,
        limit: int = 40,
    ) -> Neighbourhood:
        """Return the facts around a key element, each with its places and its other elements.

        Facts that a sentence was found for come first, then those that most places carry. The name is looked
        for as it is and among aliases, then by its words; what else it may mean comes as candidates.

        Args:
            name: of the key element; this or its id.
            collection: whose facts.
            element: the key element's id.
            document: id of a document: only facts that it says, and only where it does.
            limit: facts at most, 1 to 200.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """
        return self._link.graph.neighbourhood(
            collection, name=name, element=element, document=document, limit=limit
        )

    def document_text(
        self,
        document_id: str,
        start: int | None = None,
        end: int | None = None,
        *,
        known_at: datetime | str | None = None,
    ) -> Passage:
        """Return a stretch of a document's stored text, at most 20,000 characters.

        It is put together from the version's chunks; white space between two of them comes back as blanks
        and line breaks of the same width, all else as it is stored.

        Args:
            document_id: as `documents` tells it.
            start: offset in the text; its beginning unless given.
            end: offset after the last character; as far as is allowed unless given.
            known_at: of the version that was live at that time, where it is kept; of a document that was
                deleted since too. What is live now unless given.

        Raises:
            NotFound: there is no such document, or none was live then.
            InvalidInput: an offset is below 0, the end before the start, or it is not known what was live
                then; names the field, what was given and what is allowed.
        """
        if known_at is None:
            return self._link.documents.text(document_id, start, end)
        return self._link.documents.text_at(document_id, start, end, known_at)

    def topics(
        self, collection: str = "default", level: int = 0, *, parent: str | None = None, limit: int = 100
    ) -> TopicList:
        """Return the largest topics of a collection: by documents, then facts.

        A topic is a group of facts that share key elements; its label is a fact that says what its
        documents share.

        Args:
            collection: whose topics.
            level: 0 to 2, the coarsest first; without meaning where a parent is given.
            parent: id of a topic: only those that lie within it.
            limit: topics at most, 1 to 1000.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            NotFound: the topics were never built, or there is no such parent.
        """
        return self._link.graph.topics(collection, level, parent=parent, limit=limit)

    def build_topics(
        self, collection: str = "default", *, anew: bool = False, timeout: float | None = None
    ) -> Pending[TopicEpoch]:
        """Build the topics of a collection; return their epoch: facts, documents, topics by level.

        Args:
            collection: whose topics.
            anew: from nothing, not from the topics before, of which what nothing touched stays as it was.
            timeout: seconds to wait; the job goes on after it.

        Raises:
            Permanent: it could not be done.
        """
        return self.topics_outcome(self.submit_topics(collection, anew=anew), timeout=timeout)

    def topics_outcome(self, job_id: str, *, timeout: float | None = None) -> Pending[TopicEpoch]:
        """Wait for a building of topics; return what `build_topics` returns.

        Raises:
            Permanent: it could not be done.
        """
        return Pending.job(job_id, _built, timeout)

    def submit_topics(self, collection: str = "default", *, anew: bool = False) -> str:
        """Submit the building of topics; return its job's id at once. Arguments as of `build_topics`."""
        return self._link.graph.submit_topics(collection, anew=anew).job.id


def _built(record: JobRecord) -> TopicEpoch:
    return TopicEpoch.read_stored((ended_well(record).outcome or {})["epoch"])
