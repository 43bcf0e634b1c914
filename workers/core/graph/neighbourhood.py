"""Models for browsing the graph: the facts around one key element, and excerpts of a document's text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from hopline.models.base import Frozen
from hopline.models.documents import Document
from hopline.models.graph import NearElement, NearRelation, Neighbourhood, Passage

MOST_CHARACTERS = 20_000  # of a document's text at a time
MOST_RELATIONS = 200  # between those that its facts name


class NamedFact(Frozen):
    """A fact with the key elements that it joins."""

    id: str
    text: str
    elements: tuple[NearElement, ...]


class Piece(NamedTuple):
    """A chunk's text with its offset in the document."""

    start: int
    text: str


class NeighbourGraph(Protocol):
    """Port for browsing the graph; every method is one round trip."""

    def neighbourhood(
        self, collection: str, element_id: str, *, document: str | None = None, limit: int
    ) -> Neighbourhood | None:
        """Return the live facts of a key element, each with its places and elements; None if it has none.

        Facts that a sentence was found for come first, then those that most places carry, then the best
        matches, then by id. Of a hub only some hundred facts are looked at. A redirect stands for its target.

        Args:
            collection: whose facts.
            element_id: of the key element.
            document: only facts that this document says, and only where it does.
            limit: facts at most.
        """

    def relations_among(self, collection: str, element_ids: Sequence[str], limit: int) -> list[NearRelation]:
        """Return the typed relations between some key elements, those that most facts state first.

        Args:
            collection: of the elements.
            element_ids: both ends of a relation are among them.
            limit: relations at most.
        """

    def facts_sampled(self, collection: str, limit: int) -> list[NamedFact]:
        """Return some live facts that a sentence was found for, with their elements, ordered by id.

        Args:
            collection: whose facts.
            limit: facts that are looked at; those that are hidden or have no sentence are left out.
        """

    def passage(self, document_id: str, start: int, end: int) -> Passage | None:
        """Return the live text from start to end, or to where it ends; None if there is no document."""


def cut_passage(document: Document, pieces: Sequence[Piece], length: int, start: int, end: int) -> Passage:
    """Return a document's text from start to end, or to where it ends.

    Args:
        document: whose text.
        pieces: its chunks, those at least that lie between, in the order of the text.
        length: of the whole text.
        start: an offset in it.
        end: one that is not before.
    """
    first, last = min(start, length), min(end, length)
    text = join_pieces(pieces, first, last)
    return Passage(document=document, start=first, end=last, length=length, text=text)


def join_pieces(pieces: Sequence[Piece], start: int, end: int) -> str:
    """Return the text from start to end out of chunks that overlap, in the order of the text.

    Chunks leave out nothing but white space and front matter: what lies between two comes back as a blank, or
    as line breaks where it is wider, so that all offsets stay right.
    """
    joined: list[str] = []
    at = start
    for piece in pieces:
        first, last = max(at, piece.start), min(end, piece.start + len(piece.text))
        if first < last:
            joined += [_gap(first - at), piece.text[first - piece.start : last - piece.start]]
            at = last
    return "".join([*joined, _gap(end - at)])


def _gap(width: int) -> str:
    return " " if width == 1 else "\n" * width
