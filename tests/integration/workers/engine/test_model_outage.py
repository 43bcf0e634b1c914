"""A model that is out of order costs nothing and holds the work that needs it; real wire, real Redis."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from doubles.door import own_clock, tell_time
from doubles.endpoint import refused, scripted_endpoints
from doubles.memory_redis import services_over
from doubles.single_worker import SingleWorker, short_flow

from workers.core.jobs.work import JobState, Outcome
from workers.core.prompts import Prompt
from workers.critic.schema import FactScore
from workers.flows import registry
from workers.ledger.keys import job_key
from workers.limits.breakers import Breakers
from workers.services import Services

PROMPT = Prompt(name="test", text="Read the input.")


@pytest.mark.parametrize(("status", "calls", "tried"), [(503, 3, 0), (500, 8, 2)])
def test_an_outage_books_nothing_and_after_a_few_calls_all_items_wait(
    client: redis.Redis, monkeypatch: pytest.MonkeyPatch, status: int, calls: int, tried: int
) -> None:
    def ask(_given: Any, ports: Any) -> Outcome:
        ports.model.ask(PROMPT, {"text": "x"}, FactScore, max_tokens=4096)
        return Outcome(result={})

    def ports(self: Services, _job: Any, meter: Any, _tell: Any, turns: Any) -> Any:
        return SimpleNamespace(model=self.model.metered(meter, turns))

    monkeypatch.setattr(Services, "ports", ports)
    asking = short_flow("asking", ask, items=40, queue="bulk", needs=frozenset(("model",)))
    monkeypatch.setitem(registry.FLOWS, "asking", asking)
    with own_clock(), scripted_endpoints() as start:
        tell_time(client, time.time())  # it stands still: nobody's turn to try again comes
        url, seen = start(lambda _body: refused(status, "overloaded"))
        services = services_over(client, model_url=url, model="m")
        services.breakers = Breakers(client, fresh_seconds=0.0)
        worker = SingleWorker(services)
        job = worker.submit("asking")
        record = worker.work(job)
    assert len(seen) == calls
    assert set(services.breakers.all()) == {"model"}
    assert (record.state, record.dead, record.usage.model_calls) == (JobState.RUNNING, 0, 0)
    assert client.hmget(job_key(job, "job"), "booked_calls", "booked_tokens") == ["0", "0"]
    assert not client.exists(job_key(job, "calls"))
    assert client.hlen(job_key(job, "tries")) == tried
