"""Routes for concept maps: read one, submit a job that makes one, list versions."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from hopline.aio.concepts import AsyncConcepts
from hopline.errors import InvalidInput
from hopline.models.concepts import ConceptGraph, ConceptOutcome, ConceptVersions
from hopline.models.jobs import JobState, Priority
from hopline.models.params import ConceptBounds
from hopline.models.results import Job
from producer.api.access import Caller
from producer.api.admission import admitted
from producer.api.context import Api
from producer.api.problems import Problem
from producer.api.serving import serves
from producer.api.submission import respond_with_job, terms_of
from workers.core.jobs.records import JobRecord

router = APIRouter()


@serves(router, AsyncConcepts.read)
def read_concept(api: Api, caller: Caller, concept: str, collection: str) -> ConceptGraph:
    """Return a concept's stored map."""
    return api.service.concepts.map(concept, caller.collection(collection))


@serves(
    router,
    AsyncConcepts.generate,
    409,
    413,
    429,
    returned=ConceptOutcome,
    responses={202: {"model": Job, "description": "It has not ended within the wait."}},
)
async def generate_concept(
    api: Api,
    caller: Caller,
    request: Request,
    response: Response,
    concept: str,
    collection: str,
    parameters: ConceptBounds,
    priority: Priority,
    webhook: str | None,
    tags: dict[str, str],
    key: str | None,
    wait: float,
    *,
    refresh: bool,
) -> ConceptOutcome:
    """Submit the job that makes a map, and wait for it."""
    where = caller.collection(collection)
    params = parameters.model_dump() | {"refresh": refresh}
    terms = terms_of(request, caller, priority=priority, webhook=webhook, tags=tags)

    def submit() -> JobRecord:
        with admitted(api, caller, key) as named:
            return api.service.concepts.submit(concept, where, named, params, terms)

    record = await run_in_threadpool(submit)
    view = await respond_with_job(api, request, response, record, wait)
    if view.ended is None or wait == 0:
        headers = {"Location": response.headers["Location"]}
        return JSONResponse(view.model_dump(mode="json"), 202, headers=headers)  # type: ignore[return-value]
    outcome = ConceptOutcome.of(view)
    if outcome.state is JobState.ABSTAINED:
        raise Problem(422, f"{outcome.concept}: {outcome.reason}")
    return outcome


@serves(router, AsyncConcepts.versions)
def list_versions(
    api: Api, caller: Caller, concept: str, collection: str, cursor: str, limit: int
) -> ConceptVersions:
    """Return a page of versions."""
    where = caller.collection(collection)
    if cursor and not cursor.isdecimal():
        raise InvalidInput("cursor", cursor, "the `next` of a page of versions")
    versions = api.service.concepts.versions(concept, where, limit, int(cursor) if cursor else None)
    # Versions are counted from 1, and none is ever removed.
    more = str(versions[-1].version) if versions and versions[-1].version > 1 else None
    return ConceptVersions(concept=concept, versions=tuple(versions), next=more)
