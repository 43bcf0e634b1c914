"""A collection's graph as clients see it."""

from __future__ import annotations

from hopline.models.base import Frozen, VisibleText
from hopline.models.documents import Document, KeyElement

MOST_FACTS = 200  # around one key element
LONGEST_NAME = 500  # characters
USUAL_FACTS = 40


class NearElement(Frozen):
    """A key element, and the number of facts that mention it."""

    id: str
    name: str
    aliases: tuple[str, ...] = ()  # spellings seen
    degree: int  # facts that hold it, counted from the graph


class FactPlace(Frozen):
    """A place in a document that states a fact."""

    document_id: str
    title: VisibleText
    uri: str
    chunk_id: str
    start: int  # offsets in the document's text
    end: int
    quote: VisibleText  # the document's text from start to end


class NearFact(Frozen):
    """A fact with the key elements that it connects, and its places."""

    id: str
    text: VisibleText
    elements: tuple[str, ...]  # ids
    sources: tuple[FactPlace, ...]  # best first: where it is grounded and says most of the fact's words


class NearRelation(Frozen):
    """A relation of a profile between two key elements."""

    source: str  # id of a key element
    type: str  # a relationship type of the profile: FRIEND_OF
    target: str
    facts: tuple[str, ...]  # ids of those that state it


class Neighbourhood(Frozen):
    """The facts around a key element; every id that they name is among the elements."""

    collection: str
    centre: str | None = None  # id of the key element; None where the collection knows none of the name
    elements: tuple[NearElement, ...] = ()  # the centre first, then as the facts name them
    facts: tuple[NearFact, ...] = ()  # best first
    relations: tuple[NearRelation, ...] = ()  # between these elements, those that most facts state first
    more: bool = False  # there are more facts than these
    candidates: tuple[KeyElement, ...] = ()  # others that the name may mean, the likeliest first


class Passage(Frozen):
    """A stretch of a document's stored text."""

    document: Document
    start: int  # offsets in the document's text
    end: int
    length: int  # of the whole text, up to the last chunk's end
    text: str
