"""Routes for collections: list, count, describe, delete; example questions, metadata schema, vectors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from operator import itemgetter

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from hopline.aio.collections import AsyncCollections
from hopline.errors import NoDocuments
from hopline.models.census import GraphCensus
from hopline.models.collections import Collection, CollectionList, ExampleQuestions, SchemaSet
from hopline.models.results import Job
from hopline.models.schemas import MetadataSchema
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.etags import etag_of, unchanged
from producer.api.paging import page_of
from producer.api.serving import serves
from producer.api.submission import ENDED, respond_with_job, submit_kind, submitted
from workers.core.jobs.params import DeletionParams
from workers.core.jobs.records import JobRecord
from workers.core.metadata.schema import NO_SCHEMA

router = APIRouter()


@serves(router, AsyncCollections.list)
def list_collections(api: Api, caller: Caller, cursor: str, limit: int) -> CollectionList:
    """Return the collections that the caller sees."""
    sizes = sorted(api.service.graph.collections(caller.principals).items())
    seen = [(name, size) for name, size in sizes if caller.sees(name)]
    some, following = page_of(seen, itemgetter(0), cursor, limit)
    titles = api.service.collections.titles()
    shown = [Collection(name=name, documents=size, **dict(titles.get(name, ()))) for name, size in some]
    return CollectionList(collections=shown, next=following)


@serves(router, AsyncCollections.census, 404)
def count_collection(api: Api, caller: Caller, name: str, *, lengths: bool) -> GraphCensus:
    """Return a collection's graph in numbers."""
    with naming_seen(caller, name):
        return api.service.graph.census(caller.collection(name), lengths=lengths)


@serves(router, AsyncCollections.update, 404)
def update_collection(
    api: Api, caller: Caller, name: str, title: str | None, description: str | None
) -> Collection:
    """Set a collection's title and description."""
    api.service.collections.require(caller.collection(name), caller.sees)
    told = api.service.collections.update(name, title=title, description=description)
    return Collection(name=name, documents=api.service.graph.collections().get(name, 0), **dict(told))


@serves(router, AsyncCollections.delete, 404, 409, 429, status=202, responses=ENDED)
async def delete_collection(
    api: Api, caller: Caller, request: Request, response: Response, name: str, key: str | None, wait: float
) -> Job:
    """Submit the job that deletes a collection."""
    params = DeletionParams().model_dump(mode="json")

    def submit() -> JobRecord:
        done = submitted(api, caller, "delete_collection", name, params, key)
        if done is not None:
            return done
        api.service.collections.require(caller.collection(name), caller.sees)
        api.service.collections.check_deletion(name)
        return submit_kind(api, request, caller, "delete_collection", name, params, key)

    return await respond_with_job(api, request, response, await run_in_threadpool(submit), wait)


@serves(router, AsyncCollections.questions, 404)
def example_questions(api: Api, caller: Caller, name: str, limit: int) -> ExampleQuestions:
    """Return example questions."""
    with naming_seen(caller, name):
        questions = api.service.graph.example_questions(caller.collection(name), limit)
    return ExampleQuestions(collection=name, questions=questions)


@contextmanager
def naming_seen(caller: Caller, name: str) -> Iterator[None]:
    """Hide collections that the caller may not see from the error about an empty one."""
    try:
        yield
    except NoDocuments as error:
        raise NoDocuments(name, filter(caller.sees, error.known)) from None


@serves(router, AsyncCollections.get_schema, tagged=True)
def show_metadata_schema(api: Api, caller: Caller, response: Response, name: str) -> MetadataSchema:
    """Return a collection's schema."""
    schema = api.service.schemas.get(caller.collection(name))
    response.headers["ETag"] = etag_of(schema)
    return schema


@serves(router, AsyncCollections.set_schema, tagged=True)
def set_metadata_schema(
    api: Api,
    caller: Caller,
    response: Response,
    name: str,
    schema: MetadataSchema,
    if_match: str | None,
    *,
    anyway: bool,
) -> SchemaSet:
    """Set a collection's schema."""
    check = unchanged(if_match, f"the schema of collection {name}")
    misfits = api.service.schemas.put(caller.collection(name), schema, anyway=anyway, check=check)
    response.headers["ETag"] = etag_of(schema)
    return SchemaSet(misfits=misfits)


@serves(router, AsyncCollections.clear_schema)
def clear_metadata_schema(api: Api, caller: Caller, name: str, if_match: str | None) -> MetadataSchema:
    """Remove a collection's schema."""
    check = unchanged(if_match, f"the schema of collection {name}")
    api.service.schemas.clear(caller.collection(name), check=check)
    return NO_SCHEMA


@serves(router, AsyncCollections.reindex, 409, 429, status=202, responses=ENDED)
async def reindex_collection(
    api: Api, caller: Caller, request: Request, response: Response, name: str, key: str | None, wait: float
) -> Job:
    """Submit the job that rebuilds vectors."""
    record = await run_in_threadpool(submit_kind, api, request, caller, "reindex", name, {}, key)
    return await respond_with_job(api, request, response, record, wait)
