"""Routes for concept maps: read one, submit a job that makes one, list versions."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from hopline.models.collections import CollectionName
from hopline.models.concepts import ConceptGraph, ConceptOutcome, ConceptVersions
from hopline.models.jobs import Job, JobState, JobTags, Priority
from hopline.models.params import ConceptBounds
from hopline.models.webhooks import WebhookUrl
from producer.api.access import Reader, Submitter
from producer.api.admission import admitted
from producer.api.context import ApiContext
from producer.api.problems import Problem, documented
from producer.api.schemas import Body
from producer.api.submission import Key, respond_with_job, terms_of
from producer.reports.concept import concept_outcome_of
from producer.service.concepts import LAST_VERSION, MOST_VERSIONS
from workers.ledger.records import JobRecord

router = APIRouter(tags=["concepts"])

_WAIT = 30.0  # seconds: people wait for a map, programs may ask for its job alone
_SAID = "One line with a letter or digit in it, in English or Chinese."
_Name = Annotated[str, Field(min_length=1, max_length=200, description=_SAID, examples=["entropy", "熵"])]
_ACCEPTED: dict[int | str, dict[str, Any]] = {
    202: {"model": Job, "description": "It has not ended within the wait."}
}


class ConceptRequest(Body):
    """A concept."""

    concept: _Name
    collection: CollectionName = "default"


class GenerateRequest(ConceptRequest):
    """A concept to make a map for."""

    refresh: bool = Field(default=False, description="Look for new relations even if there are enough.")
    parameters: ConceptBounds = ConceptBounds()
    priority: Priority = "normal"
    webhook: WebhookUrl | None = None
    tags: JobTags = {}


@router.post("/api/kg/query-db", responses=documented())
def read_concept(api: ApiContext, caller: Reader, body: ConceptRequest) -> ConceptGraph:
    """Return a concept's stored map, strongest relations first, without a model.

    Version 0 and no nodes mean that there is none.
    """
    return api.service.concepts.map(body.concept, caller.collection(body.collection))


@router.post("/api/kg/generate", responses={**_ACCEPTED, **documented(409, 413, 429)})
async def generate_concept(
    api: ApiContext,
    caller: Submitter,
    request: Request,
    response: Response,
    body: GenerateRequest,
    key: Key = None,
    wait: Annotated[
        float, Query(ge=0, description="Seconds to wait for the map; 0 returns the job at once.")
    ] = _WAIT,
) -> ConceptOutcome:
    """Make a concept's map: check stored relations, add new ones to other disciplines, save it.

    An invalid concept is a problem (422) whose detail is the reason.
    """
    collection = caller.collection(body.collection)
    params = body.parameters.model_dump() | {"refresh": body.refresh}
    terms = terms_of(request, caller, priority=body.priority, webhook=body.webhook, tags=body.tags)

    def submit() -> JobRecord:
        with admitted(api, caller, key) as named:
            return api.service.concepts.submit(body.concept, collection, named, params, terms)

    record = await run_in_threadpool(submit)
    view = await respond_with_job(api, request, response, record, wait)
    if view.ended is None or wait == 0:
        headers = {"Location": response.headers["Location"]}
        return JSONResponse(view.model_dump(mode="json"), 202, headers=headers)  # type: ignore[return-value]
    outcome = concept_outcome_of(await run_in_threadpool(api.service.jobs.get, view.id))
    if outcome.state is JobState.ABSTAINED:
        raise Problem(422, f"{outcome.concept}: {outcome.reason}")
    return outcome


@router.get("/api/kg/versions", responses=documented())
def list_versions(
    api: ApiContext,
    caller: Reader,
    concept: Annotated[str, Query(min_length=1, max_length=200, description=_SAID, examples=["entropy"])],
    collection: CollectionName = "default",
    limit: Annotated[int, Query(ge=1, le=MOST_VERSIONS)] = 50,
    before: Annotated[
        int | None,
        Query(ge=1, le=LAST_VERSION, description="Only older versions: the `next` of a page."),
    ] = None,
) -> ConceptVersions:
    """Return the versions of a concept's map with everything that changed in each, newest first."""
    where = caller.collection(collection)
    versions = api.service.concepts.versions(concept, where, limit, before)
    # Versions are counted from 1, and none is ever removed.
    more = versions[-1].version if versions and versions[-1].version > 1 else None
    return ConceptVersions(concept=concept, versions=tuple(versions), next=more)
