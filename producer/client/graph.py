"""Client calls for browsing the graph: the facts around a name, the text of a document."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.client.part import Part

if TYPE_CHECKING:
    from workers.core.graph.neighbourhood import Neighbourhood, Passage


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

    def document_text(self, document_id: str, start: int | None = None, end: int | None = None) -> Passage:
        """Return a stretch of a document's stored text, at most 20,000 characters.

        It is put together from the live version's chunks; white space between two of them comes back as
        blanks and line breaks of the same width, all else as it is stored.

        Args:
            document_id: as `documents` tells it.
            start: offset in the text; its beginning unless given.
            end: offset after the last character; as far as is allowed unless given.

        Raises:
            NotFound: there is no such document.
            InvalidInput: an offset is below 0, or the end before the start.
        """
        return self._link.documents.text(document_id, start, end)
