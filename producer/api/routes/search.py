"""Route that searches collections without a job."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from producer.api.access import Reader
from producer.api.context import ApiContext
from producer.api.problems import documented
from producer.api.schemas import CollectionName
from workers.core.jobs.params import MOST_COLLECTIONS, parse_params
from workers.core.scope import MOST_DOCUMENTS, DocumentId, Scope
from workers.search.models import Found

router = APIRouter(tags=["questions"])


def _refuse_known_at(known_at: Annotated[str | None, Query(include_in_schema=False)] = None) -> None:
    """Refuse a parameter that would be overlooked otherwise."""
    parse_params(Scope, {} if known_at is None else {"known_at": known_at})


@router.get("/v1/search", responses=documented(), dependencies=[Depends(_refuse_known_at)])
def search(
    api: ApiContext,
    caller: Reader,
    question: Annotated[str, Query(min_length=1, max_length=4000, examples=["Who built the lighthouse?"])],
    collection: Annotated[
        tuple[CollectionName, ...],
        Query(
            min_length=1,
            max_length=MOST_COLLECTIONS,
            description="Whose documents; given several times, those of several collections.",
        ),
    ] = ("default",),
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    where: Annotated[
        str | None, Query(description="Only documents whose metadata this filter matches.")
    ] = None,
    documents: Annotated[
        tuple[DocumentId, ...] | None, Query(max_length=MOST_DOCUMENTS, description="Only these; ids.")
    ] = None,
    as_of: Annotated[date | None, Query(description="Only documents dated until then.")] = None,
) -> Found:
    """Search for a question: ranked chunks with reasons, without a job or a language model."""
    scope = {"where": where, "documents": documents, "as_of": as_of}
    named = {name: value for name, value in scope.items() if value is not None}
    collections = [caller.collection(name) for name in collection]
    return api.service.questions.search(question, collections, limit, named, caller.principals)
