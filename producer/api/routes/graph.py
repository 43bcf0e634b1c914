"""Routes for browsing the graph: the facts around a name, and the text of a document."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from hopline.errors import NotFound
from hopline.models.collections import CollectionName
from hopline.models.graph import Neighbourhood, Passage
from producer.api.access import Caller, Reader, seen_document
from producer.api.context import Api, ApiContext
from producer.api.problems import documented
from producer.service.documents import LAST_OFFSET, Then, read_moment
from producer.service.graph import LONGEST_NAME, USUAL_FACTS
from workers.core.graph.neighbourhood import MOST_FACTS

router = APIRouter(tags=["graph"])

_Id = Annotated[str, Query(min_length=1, max_length=100)]
_Offset = Annotated[int, Query(ge=0, le=LAST_OFFSET)]


@router.get("/v1/graph/neighbourhood", responses=documented())
def neighbourhood(
    api: ApiContext,
    caller: Reader,
    name: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=LONGEST_NAME,
            description="A key element's full name, an alias, or words of it.",
            examples=["Thomas Telford"],
        ),
    ] = None,
    element: Annotated[_Id | None, Query(description="A key element's id, instead of its name.")] = None,
    collection: CollectionName = "default",
    document: Annotated[_Id | None, Query(description="Only facts of this document.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_FACTS, description="Facts at most.")] = USUAL_FACTS,
) -> Neighbourhood:
    """Return the facts around a key element, best first, with their places and elements, and typed relations.

    Facts that a sentence was found for come first, then those that most places carry, then those whose
    sentence says most of their words. `centre` is null where the collection knows nothing of that name.
    """
    where = caller.collection(collection)
    return api.service.graph.neighbourhood(where, name=name, element=element, document=document, limit=limit)


def _text_then(
    api: Api, caller: Caller, document_id: str, place: tuple[int, int | None], known_at: str
) -> Passage:
    moment = read_moment(known_at)
    if caller.principals is None:
        home = api.service.documents.home(document_id)
    else:
        home = seen_document(api, caller, document_id).collection
    if home is None or not caller.sees(home):
        raise NotFound(f"no document {document_id}")
    return api.service.documents.text(document_id, *place, Then(moment, home, caller.principals))


@router.get("/v1/documents/{document_id}/text", responses=documented(404), tags=["documents"])
def document_text(
    api: ApiContext,
    caller: Reader,
    document_id: str,
    start: _Offset = 0,
    end: Annotated[_Offset | None, Query(description="After the last character.")] = None,
    known_at: Annotated[
        str | None,
        Query(max_length=40, description="The version that was live at that time, where it is kept."),
    ] = None,
) -> Passage:
    """Return an excerpt of a document's stored text, at most 20,000 characters from `start`.

    Offsets are those of facts and citations. White space between two chunks comes back as blanks and line
    breaks of the same width. With `known_at`, the text is also there of a document that was deleted since,
    unless the request is for some principals only.
    """
    if known_at is not None:
        return _text_then(api, caller, document_id, (start, end), known_at)
    seen_document(api, caller, document_id)
    passage = api.service.documents.text(document_id, start, end)
    if caller.principals is not None:  # it may have become another text, for others
        return passage.model_copy(update={"document": seen_document(api, caller, document_id)})
    return passage
