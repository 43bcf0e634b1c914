"""A model that is out of order costs nothing and holds the work that needs it; real wire, real Redis."""

import time
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
import redis
from doubles.door import own_clock, tell_time
from doubles.endpoint import refused, said, scripted_endpoints
from doubles.memory_redis import services_over
from doubles.single_worker import SingleWorker, short_flow

from hopline.models.jobs import JobState
from workers.core.errors import DependencyRefuses
from workers.core.jobs.work import Outcome
from workers.core.prompts import Prompt
from workers.core.redis_keys import job_key
from workers.critic.schema import FactScore
from workers.engine.startup import try_model
from workers.flows import registry
from workers.limits.breakers import Breakers, trouble_of_model
from workers.services import Services

PROMPT = Prompt(name="test", text="Read the input.")


@pytest.mark.parametrize(("status", "calls", "tried"), [(503, 3, 0), (500, 8, 2)])
def test_an_outage_books_nothing_and_soon_all_items_wait(client, monkeypatch, status, calls, tried):
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


def test_a_question_that_is_refused_tells_everybody_and_the_next_answer_ends_that(client, monkeypatch):
    def ask(_given: Any, ports: Any) -> Outcome:
        with suppress(DependencyRefuses):  # as steps of questions do, which go on without the model
            ports.model.ask(PROMPT, {"text": "x"}, FactScore, max_tokens=4096)
        return Outcome(result={})

    def ports(self: Services, _job: Any, meter: Any, _tell: Any, turns: Any) -> Any:
        return SimpleNamespace(model=self.model.metered(meter, turns))

    monkeypatch.setattr(Services, "ports", ports)
    monkeypatch.setitem(registry.FLOWS, "asking", short_flow("asking", ask))
    replies = [refused(401, "no such key"), said('{"relevance": 0.5, "source_description": "a letter"}')]
    with scripted_endpoints() as start:
        url, _seen = start(lambda _body: replies.pop(0))
        services = services_over(client, model_url=url, model="m")
        services.breakers = Breakers(client, fresh_seconds=0.0)
        worker = SingleWorker(services)
        worker.work(worker.submit("asking"))
        assert "check HOPLINE_MODEL_KEY" in services.breakers.all()["model"].why
        assert "check HOPLINE_MODEL_KEY" in trouble_of_model(services.breakers)
        worker.work(worker.submit("asking"))
    assert (services.breakers.all(), trouble_of_model(services.breakers)) == ({}, "")


def test_a_worker_that_starts_tells_whether_the_model_answers(client: redis.Redis) -> None:
    plan = '{"question": "", "entities": ["bridge"], "sub_questions": []}'
    replies = [refused(401, "no such key"), said(plan)]
    with scripted_endpoints() as start:
        url, _seen = start(lambda _body: replies.pop(0))
        services = services_over(client, model_url=url, model="m")
        services.breakers = Breakers(client, fresh_seconds=0.0)
        try_model(services)
        assert "check HOPLINE_MODEL_KEY" in trouble_of_model(services.breakers)
        try_model(services)
    assert trouble_of_model(services.breakers) == ""
