"""Routes for questions: submit one, and search without a job."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from hopline.aio.queries import AsyncQueries
from hopline.models.jobs import Json, Priority
from hopline.models.params import QueryBounds
from hopline.models.questions import QuestionCheck
from hopline.models.results import Job
from hopline.models.search import Found
from producer.api.access import Caller, require_answerable
from producer.api.admission import admitted, was_submitted
from producer.api.context import Api
from producer.api.serving import serves
from producer.api.submission import respond_with_job, terms_of
from producer.reports.outcomes import QUERY_KIND
from workers.core.jobs.params import check_collections
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Terms
from workers.search.quotes import quoted

router = APIRouter()

_ENDED: dict[int | str, Json] = {200: {"model": Job, "description": "It has ended."}}


@serves(router, AsyncQueries.submit, 404, 409, 413, 429, status=202, responses=_ENDED)
async def submit_query(
    api: Api,
    caller: Caller,
    request: Request,
    response: Response,
    question: str,
    collection: tuple[str, ...],
    strategy: str,
    session: str | None,
    conversation: str | None,
    parameters: QueryBounds,
    priority: Priority,
    webhook: str | None,
    tags: dict[str, str],
    key: str | None,
    wait: float,
    scope: Json,
) -> Job:
    """Submit a question."""
    names = [caller.collection(name) for name in check_collections(collection)]
    params = parameters.model_dump() | {"strategy": strategy, "session": session, **scope}
    params["conversation"] = conversation
    terms = terms_of(request, caller, priority=priority, webhook=webhook, tags=tags)
    own = caller.own_key(key)
    record = await run_in_threadpool(submit_question, api, caller, question, names, params, terms, own)
    return await respond_with_job(api, request, response, record, wait)


def submit_question(
    api: Api,
    caller: Caller,
    question: str,
    collections: list[str],
    params: Json,
    terms: Terms,
    key: str | None,
) -> JobRecord:
    """Submit a question, unless an earlier request with the same idempotency key did.

    Raises:
        InvalidInput: a parameter is wrong.
        NoDocuments, EmbedderMismatch: no documents can answer it.
        NotFound: its conversation is somebody else's.
        Problem: too much work is waiting.
    """
    checked = api.service.questions.check(question, collections, params, terms)
    if key is None or not was_submitted(api, caller, key):
        require_answerable(api, caller, collections, checked, terms.principals)
    with admitted(api, caller, key) as named:
        if checked.conversation:
            api.service.conversations.begin(checked.conversation, caller.owner)
        record = api.service.submit(QUERY_KIND, collections[0], checked, key=named, terms=terms)
    if checked.conversation:
        api.service.conversations.ask(checked.conversation, record)
    return record


@serves(router, AsyncQueries.check, 404, 413)
def check_query(
    api: Api,
    caller: Caller,
    request: Request,
    question: str,
    collection: tuple[str, ...],
    strategy: str,
    session: str | None,
    parameters: QueryBounds,
    scope: Json,
) -> QuestionCheck:
    """Check a question."""
    names = [caller.collection(name) for name in check_collections(collection)]
    questions = api.service.questions
    params = parameters.model_dump() | {"strategy": strategy, "session": session, **scope}
    checked = questions.check(question, names, params, terms_of(request, caller))
    require_answerable(api, caller, names, checked, caller.principals)
    return QuestionCheck(remembered=questions.remembered(names[0], checked, caller.principals, caller.id))


@serves(router, AsyncQueries.search)
def search(
    api: Api,
    caller: Caller,
    question: str,
    collection: tuple[str, ...],
    limit: int,
    translations: tuple[str, ...],
    sentences: int,
    scope: Json,
) -> Found:
    """Search for a question."""
    collections = [caller.collection(name) for name in collection]
    fields = scope | {"translations": translations}
    found = api.service.questions.search(question, collections, limit, fields, caller.principals)
    return quoted(found, sentences)
