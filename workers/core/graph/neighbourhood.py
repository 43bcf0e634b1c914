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
    """A fact with the key elements it connects."""

    id: str
    text: str
    elements: tuple[NearElement, ...]


class Piece(NamedTuple):
    """A chunk's text with its offset in the document."""

    start: int
    text: str


class NeighbourGraph(Protocol):
    """Port for browsing the graph; every method takes one round trip."""

    def neighbourhood(
        self, collection: str, element_id: str, *, document: str | None = None, limit: int
    ) -> Neighbourhood | None:
        """Return the live facts of a key element, each with its places and elements; None if it has none.

        Facts grounded in a sentence come first, then those with the most places, then the best matches, then
        by id. For a hub, only a few hundred facts are considered. A redirect stands for its target.

        Args:
            collection: collection of the facts.
            element_id: id of the key element.
            document: return only facts from this document, and only their places in it.
            limit: maximum number of facts.
        """

    def relations_among(self, collection: str, element_ids: Sequence[str], limit: int) -> list[NearRelation]:
        """Return the typed relations between the given key elements, those stated by the most facts first.

        Args:
            collection: collection of the elements.
            element_ids: ids that both ends of a relation must be among.
            limit: maximum number of relations.
        """

    def facts_sampled(self, collection: str, limit: int) -> list[NamedFact]:
        """Return a sample of live facts grounded in a sentence, with their elements, ordered by id.

        Args:
            collection: collection of the facts.
            limit: number of facts examined; hidden ones and those without a sentence are left out.
        """

    def passage(self, document_id: str, start: int, end: int) -> Passage | None:
        """Return the live text from start to end, or to its end; None if there is no such document."""


def cut_passage(document: Document, pieces: Sequence[Piece], length: int, start: int, end: int) -> Passage:
    """Return a document's text from start to end, or to the end of the text.

    Args:
        document: the document.
        pieces: its chunks, at least those in the range, in the order of the text.
        length: length of the whole text.
        start: offset of the start.
        end: offset of the end, not before start.
    """
    first, last = min(start, length), min(end, length)
    text = join_pieces(pieces, first, last)
    return Passage(document=document, start=first, end=last, length=length, text=text)


def join_pieces(pieces: Sequence[Piece], start: int, end: int) -> str:
    """Return the text from start to end, joined from overlapping chunks in the order of the text.

    Chunks omit only white space and front matter: a gap between two is filled with a space, or with line
    breaks if it is wider, so that all offsets stay right.
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
