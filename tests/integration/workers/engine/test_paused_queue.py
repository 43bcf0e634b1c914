"""A paused queue and real workers: nothing is taken, nothing is lost, and it goes on."""

from collections.abc import Iterator

import pytest
from fleet.crew import Crew, PrivateRedis, make_crew, wait_until

from hopline.models.documents import TextDocument
from hopline.models.jobs import JobState
from workers.app import application_for
from workers.limits.queue_ages import queue_states

_TEXTS = [TextDocument(name=f"{n}.txt", text=f"Bridge {n} stands in Conwy.") for n in range(3)]


@pytest.fixture(scope="module")
def crew(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    made = make_crew(stack_env, server.url, tmp_path_factory.mktemp("crew"))
    made.have(bulk="bulk")
    yield made
    made.stop()
    server.kill()


def served(crew: Crew) -> list[str]:
    """Return the queues that the workers take from."""
    inspect = application_for(crew.settings).control.inspect(timeout=20.0, limit=len(crew.workers))
    queues = inspect.active_queues()
    return [queue["name"] for named in (queues or {"": [{"name": "unknown"}]}).values() for queue in named]


def waiting(crew: Crew) -> int:
    """Return how many requests wait at Redis: one that was made before a pause still gets a message."""
    return int(crew.redis.info("clients")["blocked_clients"])


def test_workers_leave_a_paused_queue_alone_until_it_is_resumed(crew: Crew) -> None:
    services = crew.services
    assert [pause.name for pause in crew.client.pauses.pause("queue", "bulk").pauses] == ["bulk"]
    wait_until(lambda: served(crew) == [], "the worker takes from no queue")
    wait_until(lambda: not waiting(crew), "its last request for a message is answered")
    job = crew.client.documents.submit(texts=_TEXTS, collection="paused").batch.id
    states, held = queue_states(services.broker_redis)
    assert (states["bulk"].depth > 0, held) == (True, 0)
    crew.have(bulk="bulk", second="bulk")  # one that starts meanwhile may take a message before it knows
    wait_until(lambda: served(crew) == [], "no worker takes from the queue")
    shown = crew.client.jobs.get(job)
    assert shown.state in (JobState.QUEUED, JobState.RUNNING), "one that took a message gave it back"
    assert "queue bulk is paused" in (shown.waits_for or "")
    assert crew.client.pauses.resume("queue", "bulk").pauses == ()
    wait_until(lambda: crew.client.jobs.get(job).state is JobState.DONE, "all documents are in")
    audited = [(event.act, event.kind, event.target) for event in crew.client.audit.list().events]
    assert audited == [("resume", "queue", "bulk"), ("submit", "batch", job), ("pause", "queue", "bulk")]
