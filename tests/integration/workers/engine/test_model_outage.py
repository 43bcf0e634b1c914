"""A model that is out of order costs nothing and holds the work that needs it; real wire, real Redis."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from doubles.broker import Broker
from doubles.endpoint import Start, refused, scripted_endpoints

from workers.core.jobs.flow import Flow, Step
from workers.core.jobs.work import End, Item, JobState, Outcome, Phase
from workers.core.prompts import Prompt
from workers.core.records import Frozen
from workers.critic.schema import FactScore
from workers.engine.runner import Runner
from workers.engine.submit import submit_job
from workers.flows import registry
from workers.ledger.keys import BREAKERS, job_key
from workers.limits import breakers as breakers_module
from workers.limits.keys import REFUSED
from workers.services import Services
from workers.settings import Settings

PROMPT = Prompt(name="test", text="Read the input.")
ITEMS = 40


class NoParams(Frozen):
    """Nothing is asked of the job."""


@pytest.fixture
def endpoint() -> Iterator[Start]:
    with scripted_endpoints() as start:
        yield start


@pytest.fixture(autouse=True)
def flow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flow of bulk items, each of which asks the model."""

    def ask(_given: Any, ports: Any) -> Outcome:
        ports.model.ask(PROMPT, {"text": "x"}, FactScore, max_tokens=4096)
        return Outcome(result={})

    def ports(self: Services, _job: Any, meter: Any, _tell: Any, turns: Any) -> Any:
        return SimpleNamespace(model=self.model.metered(meter, turns))

    monkeypatch.setattr(Services, "ports", ports)
    monkeypatch.setattr(breakers_module, "_FRESH_SECONDS", 0.0)
    items = tuple(Item(id=f"ask {n}", step="x.ask") for n in range(ITEMS))
    made = Flow(
        kind="asking",
        params=NoParams,
        steps={"x.ask": Step(run=ask, queue="bulk", needs=frozenset(("model",)))},
        first=lambda _job: Phase(items=items),
        advance=lambda *_: End(state=JobState.DONE, outcome={}),
        cut_short=lambda *_: End(state=JobState.PARTIAL, outcome={}),
    )
    monkeypatch.setitem(registry.FLOWS, "asking", made)


@pytest.mark.parametrize(("status", "calls", "tried"), [(503, 3, 0), (529, 3, 0), (500, 6, 2)])
def test_an_outage_books_nothing_and_after_a_few_calls_all_items_wait(
    empty_redis: str, endpoint: Start, status: int, calls: int, tried: int
) -> None:
    url, seen = endpoint(lambda _body: refused(status, "overloaded"))
    services = Services(Settings(redis_url=empty_redis, model_url=url, model="m", _env_file=None))
    services.redis.delete(BREAKERS, REFUSED)
    broker = Broker()
    job = submit_job(services, broker, "asking", "default", {}).job.id
    broker.deliver(Runner(services, broker))
    assert len(seen) == calls
    assert set(services.breakers.all()) == {"model"}
    record = services.ledger.job(job)
    assert record is not None
    assert (record.state, record.dead, record.usage.model_calls) == (JobState.RUNNING, 0, 0)
    booked = services.redis.hmget(job_key(job, "job"), "booked_calls", "booked_tokens")
    assert booked == ["0", "0"]
    assert not services.redis.exists(job_key(job, "calls"))
    assert services.redis.hlen(job_key(job, "tries")) == tried
    services.redis.delete(BREAKERS, REFUSED)
