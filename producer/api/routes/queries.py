"""Route that submits a question."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from hopline.models.jobs import Job
from producer.api.access import Submitter, require_seen
from producer.api.admission import was_submitted
from producer.api.context import ApiContext
from producer.api.problems import documented
from producer.api.schemas import QueryRequest
from producer.api.submission import Key, Wait, respond_with_job, terms_of
from producer.service.questions import CheckedQuestion
from workers.core.jobs.params import check_collections
from workers.core.scope import Scope

router = APIRouter(tags=["questions"])


@router.post(
    "/v1/queries",
    status_code=202,
    responses={200: {"model": Job, "description": "It has ended."}, **documented(404, 409, 413, 429)},
)
async def submit_query(
    api: ApiContext,
    caller: Submitter,
    request: Request,
    response: Response,
    query: QueryRequest,
    key: Key = None,
    wait: Wait = 0,
) -> Job:
    """Submit a question; its answer is the job's outcome. A collection without documents is a 404."""
    names = [caller.collection(name) for name in check_collections(query.collection)]
    key = caller.own_key(key)
    own = {"strategy", "session", *Scope.model_fields}
    params = query.parameters.model_dump() | query.model_dump(include=own, exclude_defaults=True)
    terms = terms_of(request, caller, priority=query.priority, webhook=query.webhook, tags=query.tags)
    checked = api.service.questions.check(query.question, names, params, terms)

    def require_documents() -> None:
        if key is None or not was_submitted(api, caller, key):
            require_seen(api, caller, names, query.strategy)
            api.service.questions.check_embedders(names)  # last: it names what the caller may not see

    def require_in_scope() -> None:
        if key is None or not was_submitted(api, caller, key):
            api.service.questions.require_in_scope(names, params, caller.principals)

    if caller.principals is None and len(names) == 1:
        await api.questions.require_documents(names[0], require_documents)
    else:  # what others may see says nothing of what these may
        await run_in_threadpool(require_documents)
    if not query.is_everything:  # what another question's scope holds says nothing of this one's
        await run_in_threadpool(require_in_scope)
    record = await api.questions.submit(CheckedQuestion(names[0], key, checked, terms))
    return await respond_with_job(api, request, response, record, wait)
