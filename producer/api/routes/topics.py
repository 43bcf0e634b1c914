"""Routes for topics of a collection."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from starlette.concurrency import run_in_threadpool

from hopline.aio.topics import AsyncTopics
from hopline.models.results import Job
from hopline.models.topics import TopicDetail, TopicList
from producer.api.access import Caller
from producer.api.context import Api
from producer.api.routes.collections import naming_seen
from producer.api.serving import serves
from producer.api.submission import ENDED, respond_with_job, submit_kind

router = APIRouter()


@serves(router, AsyncTopics.list, 404)
def list_topics(
    api: Api, caller: Caller, name: str, level: int, parent: str | None, cursor: str, limit: int
) -> TopicList:
    """Return topics of a level, or within a topic."""
    with naming_seen(caller, name):
        return api.service.graph.topics(
            caller.collection(name), level, parent=parent, after=cursor, limit=limit
        )


@serves(router, AsyncTopics.get, 404)
def show_topic(api: Api, caller: Caller, name: str, topic: str, facts: int) -> TopicDetail:
    """Return a topic."""
    with naming_seen(caller, name):
        return api.service.graph.topic(caller.collection(name), topic, facts=facts)


@serves(router, AsyncTopics.build, 404, 409, 429, status=202, responses=ENDED)
async def build_topics(
    api: Api,
    caller: Caller,
    request: Request,
    response: Response,
    name: str,
    key: str | None,
    wait: float,
    *,
    anew: bool,
) -> Job:
    """Submit the job that builds topics."""
    with naming_seen(caller, name):
        await run_in_threadpool(api.service.graph.require_facts, caller.collection(name))
    record = await run_in_threadpool(submit_kind, api, request, caller, "topics", name, {"anew": anew}, key)
    return await respond_with_job(api, request, response, record, wait)
