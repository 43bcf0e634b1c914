"""Service for browsing the graph: facts around a name, a document's text, example questions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.service.example_questions import FACTS_READ, questions_from
from workers.core.errors import Gone, InvalidInput, NoDocuments
from workers.core.graph.neighbourhood import (
    MOST_CHARACTERS,
    MOST_FACTS,
    MOST_RELATIONS,
    NearElement,
    Neighbourhood,
)
from workers.core.jobs.params import check_collection

if TYPE_CHECKING:
    from workers.core.graph.neighbourhood import Passage
    from workers.core.model import KeyElement
    from workers.services import Services

LONGEST_NAME = 500  # characters
LAST_OFFSET = 2**53 - 1  # as far as readers of JSON count
USUAL_FACTS = 40
_CANDIDATES = 8


def look_around(
    services: Services,
    collection: str,
    *,
    name: str | None = None,
    element: str | None = None,
    document: str | None = None,
    limit: int = USUAL_FACTS,
) -> Neighbourhood:
    """Return the facts around a key element, given its name or id; see `Hopline.neighbourhood`.

    Raises:
        InvalidInput: names the field, what was given and what is allowed.
    """
    where = check_collection(collection)
    _check(name, element, limit)
    known = services.graph.elements(where, [element]) if element else _meant(services, where, name or "")
    if not known:
        return Neighbourhood(collection=where)
    found = services.graph.neighbourhood(where, known[0].id, document=document, limit=limit)
    found = found or _alone(services, where, known[0])
    shown = [one.id for one in found.elements]
    relations = services.graph.relations_among(where, shown, MOST_RELATIONS)
    return found.model_copy(update={"candidates": tuple(known[1:]), "relations": tuple(relations)})


def example_questions(services: Services, collection: str, limit: int) -> list[str]:
    """Return questions that facts of a collection answer, formed without a model.

    Raises:
        InvalidInput: the collection's name is not valid.
        NoDocuments: it has no live document.
    """
    where = check_collection(collection)
    if not services.graph.has_documents(where):
        raise NoDocuments(where, services.graph.collections())
    return questions_from(services.graph.facts_sampled(where, FACTS_READ), limit)


def read_text(services: Services, document_id: str, start: int | None, end: int | None) -> Passage:
    """Return a stretch of a document's text; see `Hopline.document_text`.

    Raises:
        Gone: there is no such document.
        InvalidInput: an offset is below 0, or the end before the start.
    """
    first = start or 0
    last = first + MOST_CHARACTERS if end is None else end
    for field, value, least in (("start", first, 0), ("end", last, first)):
        if not least <= value <= LAST_OFFSET:
            raise InvalidInput(field, value, f"an offset from {least} to {LAST_OFFSET}")
    passage = services.graph.passage(document_id, first, min(last, first + MOST_CHARACTERS))
    if passage is None:
        raise Gone(f"no document {document_id}: `hopline documents` lists them")
    return passage


def _meant(services: Services, collection: str, name: str) -> list[KeyElement]:
    """Return the key elements that a name may mean, the likeliest first."""
    graph = services.graph
    if known := graph.elements_named(collection, [name])[name]:
        return known[: 1 + _CANDIDATES]
    hits = graph.elements_like(collection, name, 1 + _CANDIDATES)
    return graph.elements(collection, [hit.id for hit in hits]) if hits else []


def _alone(services: Services, collection: str, element: KeyElement) -> Neighbourhood:
    """Return the empty neighbourhood of an element that the requested document does not mention."""
    found = services.graph.elements_found(collection, [element.id])
    degree = found[0].degree if found else 0
    near = NearElement(id=element.id, name=element.name, aliases=element.aliases, degree=degree)
    return Neighbourhood(collection=collection, centre=element.id, elements=(near,))


def _check(name: str | None, element: str | None, limit: int) -> None:
    given = name if element is None else element
    if given is None or not given.strip() or len(given) > LONGEST_NAME:
        raise InvalidInput(
            "name", given, f"a key element's name of 1 to {LONGEST_NAME} characters, or its id"
        )
    if not 1 <= limit <= MOST_FACTS:
        raise InvalidInput("limit", limit, f"1 to {MOST_FACTS}")
