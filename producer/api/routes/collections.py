"""Routes for collections: list, count, example questions, vectors, topics, merges of key elements."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from hopline.errors import NoDocuments
from hopline.models.census import GraphCensus
from hopline.models.collections import (
    CollectionName,
    Collections,
    CollectionSize,
    ExampleQuestions,
    SchemaSet,
)
from hopline.models.jobs import Job
from hopline.models.merges import MergePage, NameCandidatesPage
from hopline.models.schemas import MetadataSchema
from hopline.models.topics import LEVELS, TopicDetail, TopicList
from producer.api.access import Caller, Reader, Submitter
from producer.api.context import ApiContext
from producer.api.problems import documented
from producer.api.schemas import MergeRequest, TopicsRequest
from producer.api.submission import Key, Wait, respond_with_job, submit_kind
from workers.core.graph.neighbourhood import MOST_FACTS
from workers.core.graph.topics import MOST_TOPICS
from workers.core.metadata.schema import NO_SCHEMA

router = APIRouter(tags=["collections"])

Name = Annotated[CollectionName, Path()]
_ENDED = {200: {"model": Job, "description": "It has ended."}, **documented(409, 429)}


@router.get("/v1/collections", responses=documented())
def list_collections(api: ApiContext, caller: Reader) -> Collections:
    """List the collections with their numbers of documents."""
    sizes = sorted(api.service.graph.collections(caller.principals).items())
    shown = [(name, size) for name, size in sizes if caller.sees(name)]
    return Collections(collections=[CollectionSize(name=name, documents=size) for name, size in shown])


@router.get("/v1/collections/{name}", responses=documented(404))
def count_collection(
    api: ApiContext,
    caller: Reader,
    name: Name,
    lengths: Annotated[bool, Query(description="Return lengths of facts; reads every text.")] = False,  # noqa: FBT002
) -> GraphCensus:
    """Return a collection's graph in numbers; takes some seconds if it is large."""
    with _naming_seen(caller, name):
        return api.service.graph.census(caller.collection(name), lengths=lengths)


@router.get("/v1/collections/{name}/questions", responses=documented(404))
def example_questions(
    api: ApiContext, caller: Reader, name: Name, limit: Annotated[int, Query(ge=1, le=20)] = 3
) -> ExampleQuestions:
    """Return example questions, formed from the collection's facts without a model.

    There may be none: facts that name nothing lead to no question.
    """
    with _naming_seen(caller, name):
        questions = api.service.graph.example_questions(caller.collection(name), limit)
    return ExampleQuestions(collection=name, questions=questions)


@contextmanager
def _naming_seen(caller: Caller, name: str) -> Iterator[None]:
    """Hide collections that the caller may not see from the error about an empty one."""
    try:
        yield
    except NoDocuments as error:
        raise NoDocuments(name, filter(caller.sees, error.known)) from None


@router.get("/v1/collections/{name}/schema", responses=documented())
def show_metadata_schema(api: ApiContext, caller: Reader, name: Name) -> MetadataSchema:
    """Show what the metadata of a collection's documents must fit; without fields where nothing is ruled."""
    return api.service.schemas.get(caller.collection(name))


@router.put("/v1/collections/{name}/schema", responses=documented())
def set_metadata_schema(
    api: ApiContext,
    caller: Submitter,
    name: Name,
    schema: MetadataSchema,
    anyway: Annotated[bool, Query(description="Set it also where documents do not fit.")] = False,  # noqa: FBT002
) -> SchemaSet:
    """Set what the metadata of a collection's documents must fit; refused where documents do not fit."""
    return SchemaSet(misfits=api.service.schemas.put(caller.collection(name), schema, anyway=anyway))


@router.delete("/v1/collections/{name}/schema", responses=documented())
def clear_metadata_schema(api: ApiContext, caller: Submitter, name: Name) -> MetadataSchema:
    """Let the metadata of a collection's documents be anything again; return the empty schema."""
    api.service.schemas.clear(caller.collection(name))
    return NO_SCHEMA


@router.post("/v1/collections/{name}/reindex", status_code=202, responses=_ENDED)
async def reindex_collection(
    api: ApiContext,
    caller: Submitter,
    request: Request,
    response: Response,
    name: Name,
    key: Key = None,
    wait: Wait = 0,
) -> Job:
    """Rebuild a collection's vectors, and which names lead where, from the graph."""
    record = await run_in_threadpool(submit_kind, api, request, caller, "reindex", name, {}, key)
    return await respond_with_job(api, request, response, record, wait)


@router.get("/v1/collections/{name}/topics", responses=documented(404))
def list_topics(
    api: ApiContext,
    caller: Reader,
    name: Name,
    level: Annotated[int, Query(ge=0, lt=LEVELS, description="0 is the coarsest.")] = 0,
    parent: Annotated[str | None, Query(max_length=100, description="Only topics within this one.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_TOPICS)] = 100,
) -> TopicList:
    """List the largest topics of a level, or within a topic: by documents, then facts."""
    with _naming_seen(caller, name):
        return api.service.graph.topics(caller.collection(name), level, parent=parent, limit=limit)


@router.get("/v1/collections/{name}/topics/{topic}", responses=documented(404))
def show_topic(
    api: ApiContext,
    caller: Reader,
    name: Name,
    topic: Annotated[str, Path(pattern=r"^[A-Za-z0-9]{1,64}$", description="As listed.")],
    facts: Annotated[int, Query(ge=0, le=MOST_FACTS, description="The most central ones.")] = 20,
) -> TopicDetail:
    """Show a topic: what it lies within, and its most central facts with the places that state them."""
    with _naming_seen(caller, name):
        return api.service.graph.topic(caller.collection(name), topic, facts=facts)


@router.post("/v1/collections/{name}/topics", status_code=202, responses=_ENDED | documented(404))
async def build_topics(
    api: ApiContext,
    caller: Submitter,
    request: Request,
    response: Response,
    name: Name,
    build: TopicsRequest,
    key: Key = None,
    wait: Wait = 0,
) -> Job:
    """Build a collection's topics: groups of facts that share key elements, without a model."""
    with _naming_seen(caller, name):
        await run_in_threadpool(api.service.graph.require_facts, caller.collection(name))
    params = {"anew": build.anew}
    record = await run_in_threadpool(submit_kind, api, request, caller, "topics", name, params, key)
    return await respond_with_job(api, request, response, record, wait)


@router.post("/v1/collections/{name}/merge", status_code=202, responses=_ENDED)
async def merge_elements(
    api: ApiContext,
    caller: Submitter,
    request: Request,
    response: Response,
    name: Name,
    merge: MergeRequest,
    key: Key = None,
    wait: Wait = 0,
) -> Job:
    """Merge the key elements of a collection that name the same thing."""
    params = merge.model_dump()
    record = await run_in_threadpool(submit_kind, api, request, caller, "merge", name, params, key)
    return await respond_with_job(api, request, response, record, wait)


@router.get("/v1/collections/{name}/merges", responses=documented())
def list_merges(
    api: ApiContext,
    caller: Reader,
    name: Name,
    cursor: Annotated[str, Query(max_length=100)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> MergePage:
    """List the merges of a collection, undone ones included, ordered by id."""
    merges = api.service.graph.merges_after(cursor, limit, caller.collection(name))
    return MergePage(merges=merges, next=merges[-1].id if len(merges) == limit else None)


@router.get("/v1/collections/{name}/name-candidates", responses=documented())
def list_name_candidates(
    api: ApiContext,
    caller: Reader,
    name: Name,
    cursor: Annotated[str, Query(max_length=100)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 100,
) -> NameCandidatesPage:
    """List the names that lead to nobody, for they may mean several, with whom they may mean."""
    names = api.service.graph.name_candidates_after(cursor, limit, caller.collection(name))
    return NameCandidatesPage(names=names, next=names[-1].element.id if len(names) == limit else None)
