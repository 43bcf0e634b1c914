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
from producer.api.access import Caller, require_seen
from producer.api.admission import was_submitted
from producer.api.context import Api
from producer.api.serving import serves
from producer.api.submission import respond_with_job, terms_of
from producer.service.questions import CheckedQuestion
from workers.core.jobs.params import check_collections
from workers.core.scope import Scope
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
    key = caller.own_key(key)
    params = parameters.model_dump() | {"strategy": strategy, "session": session, **scope}
    terms = terms_of(request, caller, priority=priority, webhook=webhook, tags=tags)
    checked = api.service.questions.check(question, names, params, terms)

    def require_documents() -> None:
        if key is None or not was_submitted(api, caller, key):
            require_seen(api, caller, names, strategy)
            api.service.questions.check_embedders(names)  # last: it names what the caller may not see

    def require_in_scope() -> None:
        if key is None or not was_submitted(api, caller, key):
            api.service.questions.require_in_scope(names, params, caller.principals)

    if caller.principals is None and len(names) == 1:
        await api.questions.require_documents(names[0], require_documents)
    else:  # what others may see says nothing of what these may
        await run_in_threadpool(require_documents)
    if Scope.of(checked):  # what another question's scope holds says nothing of this one's
        await run_in_threadpool(require_in_scope)
    is_known = caller.submitted.get(key) if key is not None else None
    record, is_replay = await api.questions.submit(CheckedQuestion(names[0], key, checked, terms, is_known))
    if key is not None:
        caller.submitted[key] = is_replay
    return await respond_with_job(api, request, response, record, wait)


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
    questions, principals = api.service.questions, caller.principals
    params = parameters.model_dump() | {"strategy": strategy, "session": session, **scope}
    checked = questions.check(question, names, params, terms_of(request, caller))
    require_seen(api, caller, names, strategy)
    questions.check_embedders(names)
    questions.require_in_scope(names, params, principals)
    return QuestionCheck(remembered=questions.remembered(names, checked, principals, caller.id))


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
