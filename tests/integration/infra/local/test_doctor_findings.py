"""What the doctor finds over real servers, and which processes are missed where they are needed."""

import os
from pathlib import Path

import pytest
import redis
from doubles.broker import Broker
from fleet.api import served_api
from fleet.crew import settings_of, wait_until
from fleet.forks import run_fork
from pydantic import SecretStr

from hopline.models.params import SyncParams
from hopline.models.schedules import Schedule
from infra.local.doctor import examine_embedders
from infra.local.probes import NotThereError, beat_at_work, embedder_in_use, embedders_of, queue_idle
from infra.local.process import free_port
from producer.service.keys import ApiKeys
from workers.core.graph.vectors import Embedder
from workers.core.redis_keys import BEAT_LOCK
from workers.ledger.schedules import ScheduleBook
from workers.services import Services
from workers.telemetry.presence import leave, stay, workers_by_queue
from workers.telemetry.queues import SUBMISSIONS
from workers.telemetry.reporter import Reporter


def examined(environment: dict[str, str]) -> str:
    """Return what it says, in a process of its own; spaces and line breaks are alike."""
    process = run_fork(["doctor"], os.environ | environment, 180)
    assert process.stderr == ""
    return " ".join(process.stdout.split())


def test_it_finds_what_answers_uselessly(stack_env: dict[str, str], empty_redis: str, tmp_path: Path) -> None:
    own = {"HOPLINE_VAR": str(tmp_path), "HOPLINE_REDIS_URL": empty_redis}
    tools = f"bolt://127.0.0.1:{free_port()}"
    services = Services(settings_of(stack_env | own))
    services.graph.migrate()
    other = services.settings.model_copy(update={"tool_packs": "movies"})
    worker_settings = {"alike": services.settings, "other": other}
    workers = [
        Reporter(services.redis, "bulk", name, digests=settings.digests())
        for name, settings in worker_settings.items()
    ]
    for worker in workers:
        worker.start()
    keys = ApiKeys(services.redis)
    with served_api(services, Broker(), loopback=True) as api:
        environment = stack_env | own | {"HOPLINE_API_URL": api.url}
        key, _text = keys.create("only", frozenset({"read"}))
        findings = examined(environment | {"HOPLINE_TOOLS_NEO4J_URL": tools})
        keys.revoke(key.id)
        locked = examined(environment)
    for worker in workers:
        worker.stop()
    services.close()
    assert f"tools {tools}" in findings
    assert f"tools {tools} does not answer" in findings
    assert "HOPLINE_TOOLS_NEO4J_PASSWORD" in findings
    assert "lets nobody in" not in findings
    assert f"the API at {api.url} lets nobody in" in locked
    assert "hopline keys open" in locked
    assert "tools" not in locked.partition("Looked at:")[2].partition("error:")[0]
    assert "worker other runs with other settings than this shell: HOPLINE_TOOL_PACKS" in locked
    assert "worker alike runs" not in locked
    for text in (findings, locked):
        assert "hopline doctor" not in text
        looked = text.partition("Looked at:")[2]
        for part in ("redis redis://", "neo4j bolt://", "vectors http://", "model http://", "worker bulk"):
            assert part in looked


def test_a_collection_of_another_embedder_is_found(stack_env: dict[str, str], collection: str) -> None:
    services = Services(settings_of(stack_env))
    other = Embedder(name="another", dimension=7)
    services.vectors.prepare(collection, other)
    try:
        assert embedders_of(services.settings, [collection, "of-nobody"]) == {collection: other}
        assert embedder_in_use(services.settings) == services.model.embedder
        (finding,) = examine_embedders(services.settings, {collection: 1})
        assert "'another' of 7 dimensions" in finding.problem
        assert f"hopline collections reindex {collection}" in finding.advice
    finally:
        services.vectors.drop(collection)
        services.close()
    refused = services.settings.model_copy(update={"qdrant_api_key": SecretStr("wrong")})
    (finding,) = examine_embedders(refused, {collection: 1})
    assert finding.problem.startswith("vectors: ")


def test_beat_and_submissions_are_needed_where_something_waits_for_them(client: redis.Redis) -> None:
    assert "no schedule" in beat_at_work(client)
    book = ScheduleBook(client)
    schedule = Schedule(name="n", collection="c", sync=SyncParams(sources=("/n",)), every="0 2 * * *")
    book.save(schedule.model_copy(update={"paused": True}))
    assert "no schedule" in beat_at_work(client)
    book.save(schedule)
    with pytest.raises(NotThereError, match="1 schedules begin nothing"):
        beat_at_work(client)
    client.set(BEAT_LOCK, "its token")
    assert beat_at_work(client) == "begins what is due"
    assert "nothing waits" in queue_idle(client, client, SUBMISSIONS)
    client.lpush(SUBMISSIONS, "a message")
    with pytest.raises(NotThereError, match="1 messages wait"):
        queue_idle(client, client, SUBMISSIONS)


@pytest.mark.parametrize("leaves", [True, False], ids=["stopped", "killed"])
def test_a_worker_of_submissions_that_is_gone_is_missed_a_day(client: redis.Redis, *, leaves: bool) -> None:
    stay(client, SUBMISSIONS, "one")
    assert workers_by_queue(client)[SUBMISSIONS] == 1
    if leaves:
        leave(client, SUBMISSIONS, "one")
    wait_until(lambda: workers_by_queue(client)[SUBMISSIONS] == 0, "it is gone")
    with pytest.raises(NotThereError, match="within the last day"):
        queue_idle(client, client, SUBMISSIONS)
    (key,) = client.scan_iter(f"*workers:{SUBMISSIONS}")
    client.zincrby(key, -86_400, "one")
    assert "nothing waits" in queue_idle(client, client, SUBMISSIONS)
