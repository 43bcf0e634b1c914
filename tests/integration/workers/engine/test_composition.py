"""A small job done by the worker that began it, over a real Redis; broker and steps are the test's."""

from __future__ import annotations

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial

import pytest
import redis
from doubles.broker import Broker
from doubles.memory_redis import services_over

from workers.adapters.redis.lua import lua_source
from workers.core.errors import DependencyAway, Permanent, Transient
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.work import End, Item, Job, JobState, Json, Outcome, Phase, Usage
from workers.core.ports import Ports
from workers.core.records import Frozen
from workers.engine.composition import Composition
from workers.engine.runner import Runner
from workers.engine.submit import cancel_job, retry_job, submit_job
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.ledger.keys import job_key
from workers.ledger.records import Begun, Claim, JobRecord
from workers.services import Services

pytestmark = pytest.mark.memory_too

MOST = 4
_PLAIN = ("job.submitted", "item.begun", "item.done", "phase.opened", "job.ended")


class PostParams(Frozen):
    parts: int = 3


@dataclass
class Office:
    """Post that is opened, read in parts, and filed; its steps do what a test tells them."""

    services: Services
    broker: Broker = field(default_factory=Broker)
    does: dict[str, Callable[[], None]] = field(default_factory=dict)  # item -> what it does first
    ran: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.runner = Runner(self.services, self.broker)
        self.watchdog = Watchdog(self.runner.driver, 0.1)

    def run(self, step_input: Json, ports: Ports) -> Outcome:
        name = step_input.get("name", "open")
        self.ran[name] += 1
        if name in self.does:
            self.does[name]()
        return Outcome(result={"name": name, "job": ports.job.id})

    def submit(self, parts: int = 3) -> JobRecord:
        return submit_job(self.services, self.broker, "post", "default", {"parts": parts})

    def work(self, job: JobRecord) -> JobRecord:
        """Deliver what is queued; no watchdog looks."""
        self.broker.deliver(self.runner)
        return self.record(job)

    def record(self, job: JobRecord) -> JobRecord:
        now = self.services.ledger.job(job.job.id)
        assert now is not None
        return now

    def play(self, job: JobRecord) -> JobRecord:
        """Deliver, and let the watchdog look with every wait skipped, until the job has ended."""
        for _ in range(40):
            now = self.work(job)
            if now.state is not JobState.RUNNING:
                break
            client, name = self.services.redis, job.job.id
            client.delete(job_key(name, "hold"))
            for item in client.zrange(job_key(name, "due"), 0, -1):
                client.zadd(job_key(name, "due"), {item: 1})
            self.watchdog.look_once()
        return self.record(job)

    def messages(self) -> list[str]:
        return [message.item_id for message in self.broker.delivered]

    def events(self, job: JobRecord) -> list[tuple[str, str | None]]:
        """Return the job's events, each with its item, but for times."""
        return [(event.name, event.data.get("item")) for _, event in self.services.ledger.events(job.job.id)]

    def lose_leases(self, job: JobRecord) -> None:
        """Make every lease of a job one that has run out, as after its worker's death."""
        client, key = self.services.redis, job_key(job.job.id, "lease")
        for item, lease in client.hgetall(key).items():
            client.hset(key, item, lease.split(" ")[0] + " 1")


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    if phase == 0:
        parts = (
            Item(id=f"read:{n}", step="post.read", input={"name": f"read:{n}"})
            for n in range(job.params["parts"])
        )
        return Phase(items=tuple(parts))
    if phase == 1:
        return Phase(items=(Item(id="file", step="post.file", input={"name": "file"}),))
    return End(state=JobState.DONE, outcome=_outcome(results))


def _outcome(results: Results) -> Json:
    done = [item for phase in results.values() for item in phase]
    return {
        "done": sorted(item.result["name"] for item in done if not item.error),
        "errors": {item.item_id: item.error for item in done if item.error},
    }


@pytest.fixture
def office(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> Office:
    return make_office(client, monkeypatch, MOST)


def make_office(client: redis.Redis, monkeypatch: pytest.MonkeyPatch, most: int) -> Office:
    services = services_over(client, backoff_seconds=0.01, resend_seconds=5, max_attempts=3)
    services.settings = services.settings.model_copy(update={"small_document_chunks": most})
    monkeypatch.setattr(Services, "ports", lambda _self, job, *_: _Ports(job))
    made = Office(services)
    post = Flow(
        kind="post",
        params=PostParams,
        steps={f"post.{name}": Step(run=made.run, queue="bulk") for name in ("open", "read", "file")},
        first=lambda _job: Phase(items=(Item(id="open", step="post.open"),)),
        advance=_advance,
        cut_short=lambda results, _job, reason: End(
            state=JobState.PARTIAL, outcome={**_outcome(results), "reason": reason}
        ),
        last=2,
        composed=True,
    )
    monkeypatch.setitem(registry.FLOWS, "post", post)
    return made


class _Ports(Frozen):
    job: Job

    def __init__(self, job: Job) -> None:
        super().__init__(job=job)


def everything(parts: int = 3) -> list[str]:
    return sorted(["open", "file", *(f"read:{n}" for n in range(parts))])


def test_a_small_job_takes_one_message(office: Office) -> None:
    job = office.submit()
    ended = office.work(job)
    expected = (JobState.DONE, {"done": everything(), "errors": {}})
    assert (ended.state, ended.outcome) == expected, office.events(job)
    assert office.messages() == ["open"]
    assert set(office.ran.values()) == {1}


def test_a_server_that_has_forgotten_some_scripts_costs_no_message(office: Office) -> None:
    office.services.redis.script_flush()
    office.services.redis.script_load(lua_source("workers.ledger", "prelude", "finish"))
    ended = office.work(office.submit())
    assert (ended.state, ended.outcome) == (JobState.DONE, {"done": everything(), "errors": {}})
    assert office.messages() == ["open"]


def test_the_ledger_shows_of_it_what_it_shows_of_any_job(
    client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    records, events = [], []
    for most in (0, MOST):
        office = make_office(client, monkeypatch, most)
        job = office.submit()
        records.append(office.work(job))
        events.append(sorted(office.events(job), key=str))
    apart, composed = records
    assert events[0] == events[1]
    kept = {"items", "done", "phase", "outcome", "state", "dead", "dropped", "leases_lost"}
    assert apart.model_dump(include=kept) == composed.model_dump(include=kept)
    assert apart.timings.keys() == composed.timings.keys()


@pytest.mark.parametrize(("parts", "messages"), [(MOST, 1), (MOST + 1, MOST + 3)])
def test_a_job_of_more_items_than_allowed_goes_by_messages(office: Office, parts: int, messages: int) -> None:
    ended = office.work(office.submit(parts))
    assert ended.outcome == {"done": everything(parts), "errors": {}}
    assert len(office.messages()) == messages


def test_its_items_are_done_side_by_side(office: Office) -> None:
    together = threading.Barrier(3, timeout=60)
    office.does = {f"read:{n}": lambda: together.wait() and None for n in range(3)}
    assert office.work(office.submit()).state is JobState.DONE


def test_an_item_that_fails_for_good_is_a_dead_letter_and_a_retry_does_it_alone(office: Office) -> None:
    def fail() -> None:
        raise Permanent("never")

    office.does = {"read:1": fail}
    job = office.submit()
    ended = office.work(job)
    assert ended.outcome == {
        "done": ["file", "open", "read:0", "read:2"],
        "errors": {"read:1": "Permanent: never"},
    }
    assert [letter.item_id for letter in office.services.ledger.dead_letters(job.job.id)] == ["read:1"]
    assert ended.dead == 1
    office.does = {}
    retry_job(office.services, office.broker, job.job.id)
    again = office.work(job)
    assert again.outcome == {"done": everything(), "errors": {}}
    assert office.ran == {"open": 1, "read:0": 1, "read:1": 2, "read:2": 1, "file": 2}


def test_a_passing_failure_is_tried_again_and_counted(office: Office) -> None:
    failures: Iterator[Exception] = iter([Transient("once"), Transient("twice")])

    def fail_twice() -> None:
        for error in failures:
            raise error

    office.does = {"read:2": fail_twice}
    ended = office.play(office.submit())
    assert ended.outcome == {"done": everything(), "errors": {}}
    assert office.ran == {"open": 1, "read:0": 1, "read:1": 1, "read:2": 3, "file": 1}


@pytest.mark.parametrize("item", ["open", "read:1", "file"])
def test_an_outage_uses_up_no_attempt_of_any_step(office: Office, item: str) -> None:
    outage: Iterator[Exception] = iter([DependencyAway("gone fishing")] * 5)

    def away() -> None:
        for error in outage:
            raise error

    office.does = {item: away}
    ended = office.play(office.submit())
    assert ended.outcome == {"done": everything(), "errors": {}}
    assert {name: times for name, times in office.ran.items() if times > 1} == {item: 6}


@pytest.mark.parametrize("item", ["read:1", "file"])
def test_a_cancelled_job_goes_no_further(office: Office, item: str) -> None:
    job = office.submit()
    office.does = {item: lambda: cancel_job(office.services, job.job.id) and None}
    assert office.work(job).state is JobState.CANCELLED
    assert office.ran["file"] == (item == "file")
    assert office.work(job).dead == 0


def test_a_paused_job_begins_nothing_more_until_it_is_resumed(office: Office) -> None:
    job = office.submit()
    pauses = office.services.pauses
    office.does = {"open": lambda: pauses.pause(job.job.id, "user", "stop a while") and None}
    office.work(job)
    assert office.ran == {"open": 1}
    pauses.resume(job.job.id)
    assert office.play(job).outcome == {"done": everything(), "errors": {}}
    assert set(office.ran.values()) == {1}


@pytest.mark.parametrize("item", ["open", "read:0", "file"])
def test_what_a_dead_worker_has_taken_is_done_by_another(
    office: Office, item: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    job, kills = office.submit(), iter([Killed()])

    def die() -> None:
        for killed in kills:
            raise killed

    office.does = {item: die}
    monkeypatch.setattr("workers.engine.item_threads.ItemThreads.submit", _at_once)
    with pytest.raises(Killed):
        office.work(job)
    office.lose_leases(job)
    office.runner = Runner(office.services, office.broker)
    ended = office.play(job)
    assert (ended.state, ended.outcome) == (JobState.DONE, {"done": everything(), "errors": {}})
    assert ended.leases_lost == (3 if item == "read:0" else 1)


def _at_once(_self: object, _priority: int, call: Callable[[], object]) -> Future[object]:
    result: Future[object] = Future()
    result.set_result(call())
    return result


def test_an_item_that_kills_its_workers_comes_into_quarantine_alone(office: Office) -> None:
    job = office.submit()
    claim = Claim(job_id=job.job.id, epoch=1, item_id="open", token="killed")
    for _ in range(3):
        office.services.ledger.begin(claim.model_copy(update={"token": claim.token + "x"}))
        office.lose_leases(job)
        office.services.ledger.look([job.job.id])
    office.runner.quarantine = True
    office.play(job)
    assert office.messages().count("file") == 1  # by itself


def test_a_job_begun_by_messages_goes_on_and_ends(
    client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = make_office(client, monkeypatch, 0)
    job = before.submit()
    for _ in range(2):  # opened, and one part read
        before.broker.deliver_one(before.runner, before.broker.queued.popleft())
    now = Office(before.services, before.broker, ran=before.ran)
    now.services.settings = now.services.settings.model_copy(update={"small_document_chunks": MOST})
    now.runner = Runner(now.services, now.broker)
    assert now.work(job).outcome == {"done": everything(), "errors": {}}
    assert set(now.ran.values()) == {1}


def test_what_is_done_is_shown_while_the_slowest_goes_on(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.engine.composition._SHOWN_SECONDS", 0.02)
    job, shown = office.submit(), []

    def look() -> None:
        deadline = time.monotonic() + 60
        while (done := office.record(job).done.get("post.read", 0)) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        shown.append(done)

    office.does = {"read:0": look}
    assert office.work(job).outcome == {"done": everything(), "errors": {}}
    assert shown == [2]
    assert office.messages() == ["open"]


def test_a_forgotten_script_is_taught_again(office: Office) -> None:
    office.does = {"open": lambda: office.services.redis.script_flush() and None}
    assert office.work(office.submit()).outcome == {"done": everything(), "errors": {}}
    assert office.messages() == ["open"]


def test_a_lost_reply_changes_nothing(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = office.services.ledger
    go_on, lost = ledger.go_on, []

    def twice(*args: object) -> object:
        if len(lost) < 3:
            lost.append(args)
            go_on(*args)  # type: ignore[arg-type]
            raise redis.ConnectionError
        return go_on(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("workers.engine.outages._PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(ledger, "go_on", twice)
    assert office.work(office.submit()).outcome == {"done": everything(), "errors": {}}
    assert set(office.ran.values()) == {1}
    assert office.messages() == ["open"]


@pytest.mark.parametrize("call", ["pauses.holds", "breakers.holds"])
def test_an_outage_between_two_items_throws_nothing_away(
    office: Office, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    name, method = call.split(".")
    part, calls = getattr(office.services, name), itertools.count()
    ask = getattr(part, method)

    def away_each_second_time(argument: object) -> object:
        if next(calls) % 2:
            raise redis.ConnectionError
        return ask(argument)

    monkeypatch.setattr("workers.engine.outages._PAUSE_SECONDS", 0.0)
    monkeypatch.setattr(part, method, away_each_second_time)
    assert office.work(office.submit()).outcome == {"done": everything(), "errors": {}}
    assert set(office.ran.values()) == {1}
    assert office.messages() == ["open"]


@pytest.mark.parametrize("shown", [10.0, 0.02])
def test_a_full_redis_keeps_no_lease_of_what_it_refuses(
    office: Office, monkeypatch: pytest.MonkeyPatch, shown: float
) -> None:
    ledger, refused = office.services.ledger, threading.Event()
    finish, go_on, full = ledger.finish, ledger.go_on, [True]

    def refuse(call: Callable[..., object], *args: object) -> object:
        if full and office.ran["read:0"]:
            refused.set()
            raise redis.exceptions.OutOfMemoryError("OOM command not allowed when used memory > 'maxmemory'.")
        return call(*args)

    monkeypatch.setattr(ledger, "finish", partial(refuse, finish))
    monkeypatch.setattr(ledger, "go_on", partial(refuse, go_on))
    monkeypatch.setattr("workers.engine.composition._SHOWN_SECONDS", shown)
    monkeypatch.setattr("workers.engine.memory_limit._FIRST_SECONDS", 0.01)
    office.does = {"read:0": lambda: refused.wait(60 if shown < 1 else 0) and None}
    job = office.submit()
    office.work(job)
    assert office.services.redis.hlen(job_key(job.job.id, "lease")) == 0
    full.clear()
    office.runner = Runner(office.services, office.broker)
    ended = office.play(job)
    assert (ended.outcome, ended.leases_lost) == ({"done": everything(), "errors": {}}, 0)


def test_nothing_is_renewed_for_ever_where_items_cannot_be_left(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, renewed = office.services.ledger, list[Claim]()
    go_on = ledger.go_on

    def one_is_taken(*args: object) -> object:
        moved, begun = go_on(*args)  # type: ignore[arg-type]
        return moved, [Begun(verdict="busy"), *begun[1:]]

    def refuse(*_: object) -> None:
        raise Permanent("no such item")

    monkeypatch.setattr(ledger, "go_on", one_is_taken)
    monkeypatch.setattr(ledger, "defer", refuse)
    monkeypatch.setattr(ledger, "renew", lambda claims: renewed.extend(claims) or [True] * len(claims))
    with pytest.raises(Permanent):
        office.work(office.submit())
    office.runner.running.renew_once()
    assert renewed == []


@pytest.mark.parametrize("shown", [10.0, 0.02])
def test_what_follows_is_decided_by_the_results_in_the_ledger(
    office: Office, monkeypatch: pytest.MonkeyPatch, shown: float
) -> None:
    """Another worker did one of the items first, with another result."""
    job = office.submit()

    def be_late() -> None:
        ledger, client, key = office.services.ledger, office.services.redis, job_key(job.job.id, "lease")
        client.hset(key, "read:1", client.hget(key, "read:1").split(" ")[0] + " 1")
        claim = Claim(job_id=job.job.id, epoch=1, item_id="read:1", token="other")
        assert ledger.begin(claim).verdict == "go"
        assert ledger.finish(claim, Outcome(result={"name": "other"}), 0.1, Usage()).verdict == "recorded"

    monkeypatch.setattr("workers.engine.composition._SHOWN_SECONDS", shown)
    office.does = {"read:1": be_late, "read:0": lambda: time.sleep(0 if shown > 1 else 0.2)}
    outcome = office.play(job).outcome
    assert outcome == {"done": ["file", "open", "other", "read:0", "read:2"], "errors": {}}
    assert office.ran["file"] == 1


@pytest.mark.parametrize(("item", "ran"), [("open", ["open"]), ("read:0", ["open", "read:0"])])
def test_a_worker_that_ends_begins_no_item_more(office: Office, item: str, ran: list[str]) -> None:
    composition = Composition(office.runner, MOST, threads=1)
    office.runner.composition = composition
    office.does = {item: composition.stop}
    job = office.submit()
    office.broker.deliver_one(office.runner, office.broker.queued.popleft())
    assert sorted(office.ran) == ran
    assert office.services.redis.hlen(job_key(job.job.id, "lease")) == 0
    office.runner = Runner(office.services, office.broker)
    ended = office.play(job)
    assert (ended.outcome, ended.leases_lost) == ({"done": everything(), "errors": {}}, 0)
    assert set(office.ran.values()) == {1}
