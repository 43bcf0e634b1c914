"""Route that searches collections without a job."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from hopline.models.collections import CollectionName
from hopline.models.jobs import Json
from hopline.models.search import Found
from producer.api.access import Reader
from producer.api.context import ApiContext
from producer.api.problems import documented
from workers.core.jobs.params import MOST_COLLECTIONS, MOST_TRANSLATIONS
from workers.core.scope import MOST_DOCUMENTS, DocumentId

router = APIRouter(tags=["questions"])


def _scope(
    where: Annotated[
        str | None, Query(description="Only documents whose metadata this filter matches.")
    ] = None,
    documents: Annotated[
        tuple[DocumentId, ...] | None, Query(max_length=MOST_DOCUMENTS, description="Only these; ids.")
    ] = None,
    as_of: Annotated[
        str | None,
        Query(
            max_length=40,
            description="Only documents dated until then.",
            json_schema_extra={"format": "date"},
        ),
    ] = None,
    known_at: Annotated[
        str | None,
        Query(max_length=40, description="The versions that were live at that time, where they are kept."),
    ] = None,
) -> Json:
    """Return what a search is about."""
    scope = {"where": where, "documents": documents, "as_of": as_of, "known_at": known_at}
    return {name: value for name, value in scope.items() if value is not None}


@router.get("/v1/search", responses=documented())
def search(
    api: ApiContext,
    caller: Reader,
    question: Annotated[str, Query(min_length=1, max_length=4000, examples=["Who built the lighthouse?"])],
    scope: Annotated[Json, Depends(_scope)],
    collection: Annotated[
        tuple[CollectionName, ...],
        Query(
            min_length=1,
            max_length=MOST_COLLECTIONS,
            description="Whose documents; given several times, those of several collections.",
        ),
    ] = ("default",),
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    translations: Annotated[
        tuple[str, ...],
        Query(
            max_length=MOST_TRANSLATIONS,
            description="The question, or its names and words, in other languages; one text for each.",
        ),
    ] = (),
) -> Found:
    """Search for a question: ranked chunks with reasons, without a job or a language model."""
    collections = [caller.collection(name) for name in collection]
    fields = scope | {"translations": translations}
    return api.service.questions.search(question, collections, limit, fields, caller.principals)
