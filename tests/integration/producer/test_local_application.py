"""The application in this process: clients use it without a socket and without an API key."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from doubles.audited import noted

from hopline import AccessDenied, AsyncHopline, Hopline
from hopline.models.jobs import JobState
from hopline.models.weights import Weight
from infra.local.process import free_port
from producer.service.keys import ApiKeys
from workers.core.jobs.work import Item, Job, Phase
from workers.services import Services
from workers.settings import Settings


@pytest.fixture
def services(empty_redis: str) -> Iterator[Services]:
    made = Services(Settings(_env_file=None, redis_url=empty_redis, api_stream=0.3))
    yield made
    made.close()


@pytest.fixture
def client(services: Services) -> Iterator[Hopline]:
    with Hopline.local(services.settings) as client:
        yield client


def test_who_runs_the_process_needs_no_key_where_others_do(client: Hopline, services: Services) -> None:
    ApiKeys(services.redis).create("anna", frozenset(("read",)))
    weight = Weight(kind="collection", name="notes", weight=2.0)
    assert client.weights.set("collection", "notes", 2.0).weights == (weight,)
    [event] = noted(services)
    assert (event.act, event.via, event.key) == ("set", "client", "")


def test_a_program_with_a_client_prints_only_what_it_prints_itself(services: Services) -> None:
    program = "from hopline import Hopline\nprint(type(Hopline.local().weights.list()).__name__)"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "HOPLINE_REDIS_URL": services.settings.redis_url.get_secret_value()},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (ran.stdout, ran.stderr) == ("WeightList\n", "")


def test_a_program_learns_from_the_error_alone_why_a_server_is_away(services: Services) -> None:
    program = (
        "from hopline import Hopline\n"
        "from hopline.errors import DependencyAway\n"
        "try:\n"
        "    Hopline.local().with_options(retries=0).collections.list()\n"
        "except DependencyAway as error:\n"
        "    print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env={
            **os.environ,
            "HOPLINE_REDIS_URL": services.settings.redis_url.get_secret_value(),
            "HOPLINE_NEO4J_URL": f"bolt://127.0.0.1:{free_port()}",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Neo4j cannot be reached" in ran.stdout
    assert ran.stderr == ""


def test_a_closed_client_starts_the_application_anew(client: Hopline) -> None:
    client.weights.set("collection", "notes", 2.0)
    client.close()
    assert len(client.weights.list().weights) == 1


def test_a_key_that_is_shown_is_not_looked_at_and_principals_are(client: Hopline) -> None:
    with pytest.raises(AccessDenied, match="reads all documents"):
        client.with_options(act_as="user:ann").weights.list()


def test_events_come_as_they_are_made(client: Hopline, services: Services) -> None:
    job = Job(id="j1", kind="batch", collection="notes", root="j1")
    services.ledger.submit(job, Phase(items=(Item(id="0:a.txt", step="ingest.document"),)))
    followed = client.jobs.events("j1")
    assert next(followed).name == "job.submitted"
    services.ledger.end("j1", None, JobState.DONE, None)
    assert [event.name for event in followed][-1] == "job.ended"


def test_many_calls_of_one_event_loop_share_the_application(services: Services) -> None:
    async def ask() -> list[int]:
        async with AsyncHopline.local(services.settings) as client:
            await client.weights.set("collection", "notes", 2.0)
            lists = await asyncio.gather(*(client.weights.list() for _ in range(20)))
            return [len(each.weights) for each in lists]

    assert asyncio.run(ask()) == [1] * 20


def test_a_stream_that_is_left_ends_in_the_application(services: Services) -> None:
    services.ledger.submit(
        Job(id="j2", kind="batch", collection="notes", root="j2"),
        Phase(items=(Item(id="0:a.txt", step="ingest.document"),)),
    )

    async def leave() -> str:
        async with AsyncHopline.local(services.settings) as client:
            async for event in client.jobs.events("j2"):
                return event.name
        return ""

    assert asyncio.run(leave()) == "job.submitted"
