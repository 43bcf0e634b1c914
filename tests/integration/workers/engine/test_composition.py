"""A small job done by the worker that began it, over a ledger; broker and steps are the test's."""

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial

import pytest
import redis
from doubles.memory_redis import services_over
from doubles.single_worker import SingleWorker, bare_ports
from fleet.crew import wait_until

from hopline.errors import DependencyAway, Permanent
from hopline.models.base import Frozen
from hopline.models.jobs import JobState, Json, Usage
from workers.adapters.redis.lua import lua_source
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.records import Begun, Claim, JobRecord
from workers.core.jobs.work import End, Item, Job, Outcome, Phase
from workers.core.ports import Ports
from workers.core.redis_keys import job_key
from workers.engine.composition import Composition
from workers.engine.memory_limit import MemoryLimit
from workers.engine.submit import cancel_job, retry_job
from workers.flows import registry

pytestmark = pytest.mark.memory_too

MOST = 4


class PostParams(Frozen):
    parts: int = 3


@dataclass
class Office(SingleWorker):
    """Post that is opened, read in parts, and filed; its steps do what a test tells them."""

    does: dict[str, Callable[[], object]] = field(default_factory=dict)  # item -> what it does first
    ran: Counter[str] = field(default_factory=Counter)

    def show_after(self, seconds: float) -> None:
        """Let what is done be recorded so soon while others of its phase go on."""
        self.runner.composition = Composition(self.runner, MOST, threads=4, shown_seconds=seconds)

    def run(self, step_input: Json, ports: Ports) -> Outcome:
        name = step_input.get("name", "open")
        self.ran[name] += 1
        if name in self.does:
            self.does[name]()
        return Outcome(result={"name": name, "job": ports.job.id})

    def messages(self) -> list[str]:
        return [message.item_id for message in self.broker.delivered]

    def events(self, job: str) -> list[tuple[str, str | None]]:
        """Return the job's events, each with its item, but for times."""
        return [(event.name, event.data.get("item")) for _, event in self.ledger.events(job)]

    def wait_for_parts(self, job: str, parts: int) -> None:
        wait_until(lambda: self.record(job).done.get("post.read", 0) >= parts, f"{parts} parts are recorded")


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
    bare_ports(monkeypatch)
    services = services_over(client, backoff_seconds=0.01, resend_seconds=5, small_document_chunks=most)
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


def everything(parts: int = 3) -> list[str]:
    return sorted(["open", "file", *(f"read:{n}" for n in range(parts))])


def assert_all_done_once(office: Office, ended: JobRecord) -> None:
    assert (ended.state, ended.outcome) == (JobState.DONE, {"done": everything(), "errors": {}})
    assert set(office.ran.values()) == {1}


@pytest.mark.parametrize("scripts", ["known", "some forgotten", "forgotten meanwhile"])
def test_a_small_job_takes_one_message_whatever_scripts_the_server_has_forgotten(office, scripts):
    client = office.services.redis
    if scripts == "some forgotten":
        client.script_flush()
        client.script_load(lua_source("workers.ledger", "prelude", "finish"))
    elif scripts == "forgotten meanwhile":
        office.does = {"open": client.script_flush}
    assert_all_done_once(office, office.work(office.submit("post")))
    assert office.messages() == ["open"]


def test_the_ledger_shows_of_it_what_it_shows_of_any_job(client, monkeypatch):
    records, events = [], []
    for most in (0, MOST):
        office = make_office(client, monkeypatch, most)
        job = office.submit("post")
        records.append(office.work(job))
        events.append(sorted(office.events(job), key=str))
    apart, composed = records
    assert events[0] == events[1]
    kept = {"items", "done", "phase", "outcome", "state", "dead", "dropped", "leases_lost"}
    assert apart.model_dump(include=kept) == composed.model_dump(include=kept)
    assert apart.timings.keys() == composed.timings.keys()


@pytest.mark.parametrize(("parts", "messages"), [(MOST, 1), (MOST + 1, MOST + 3)])
def test_a_job_of_more_items_than_allowed_goes_by_messages(office: Office, parts: int, messages: int) -> None:
    ended = office.work(office.submit("post", parts=parts))
    assert ended.outcome == {"done": everything(parts), "errors": {}}
    assert len(office.messages()) == messages


def test_its_items_are_done_side_by_side(office: Office) -> None:
    together = threading.Barrier(3, timeout=60)
    office.does = {f"read:{n}": together.wait for n in range(3)}
    assert office.work(office.submit("post")).state is JobState.DONE


def test_an_item_that_fails_for_good_is_a_dead_letter_and_a_retry_does_it_alone(office: Office) -> None:
    def fail() -> None:
        raise Permanent("never")

    office.does = {"read:1": fail}
    job = office.submit("post")
    ended = office.work(job)
    expected = {"done": ["file", "open", "read:0", "read:2"], "errors": {"read:1": "Permanent: never"}}
    assert (ended.outcome, ended.dead) == (expected, 1)
    assert [letter.item_id for letter in office.ledger.dead_letters(job)] == ["read:1"]
    office.does = {}
    retry_job(office.services, office.broker, job)
    assert office.work(job).outcome == {"done": everything(), "errors": {}}
    assert office.ran == {"open": 1, "read:0": 1, "read:1": 2, "read:2": 1, "file": 2}


@pytest.mark.parametrize("item", ["open", "read:1", "file"])
def test_an_outage_uses_up_no_attempt_of_any_step(office: Office, item: str) -> None:
    outage: Iterator[Exception] = iter([DependencyAway("gone fishing")] * 5)

    def away() -> None:
        for error in outage:
            raise error

    office.does = {item: away}
    assert office.play(office.submit("post")).outcome == {"done": everything(), "errors": {}}
    assert {name: times for name, times in office.ran.items() if times > 1} == {item: 6}


@pytest.mark.parametrize("item", ["read:1", "file"])
def test_a_cancelled_job_goes_no_further(office: Office, item: str) -> None:
    job = office.submit("post")
    office.does = {item: lambda: cancel_job(office.services, job)}
    ended = office.work(job)
    assert (ended.state, ended.dead) == (JobState.CANCELLED, 0)
    assert office.ran["file"] == (item == "file")


def test_a_paused_job_begins_nothing_more_until_it_is_resumed(office: Office) -> None:
    job = office.submit("post")
    pauses = office.services.pauses
    office.does = {"open": lambda: pauses.pause(job, "user", "stop a while")}
    office.work(job)
    assert office.ran == {"open": 1}
    pauses.resume(job)
    assert_all_done_once(office, office.play(job))


@pytest.mark.parametrize("item", ["open", "read:0", "file"])
def test_what_a_dead_worker_has_taken_is_done_by_another(office, item, monkeypatch):
    class Killed(BaseException):
        pass

    job, kills = office.submit("post"), iter([Killed()])

    def die() -> None:
        for killed in kills:
            raise killed

    office.does = {item: die}
    monkeypatch.setattr("workers.engine.composition.ItemThreads.submit", _at_once)
    with pytest.raises(Killed):
        office.work(job)
    office.lose_leases(job)
    office.restart()
    ended = office.play(job)
    assert (ended.state, ended.outcome) == (JobState.DONE, {"done": everything(), "errors": {}})
    assert ended.leases_lost == (3 if item == "read:0" else 1)


def _at_once(_self: object, _priority: int, call: Callable[[], object]) -> Future[object]:
    result: Future[object] = Future()
    result.set_result(call())
    return result


def test_an_item_that_kills_its_workers_comes_into_quarantine_alone(office: Office) -> None:
    job = office.submit("post")
    for _ in range(3):
        office.ledger.begin(Claim(job_id=job, epoch=1, item_id="open", token="killed"))
        office.lose_leases(job)
        office.ledger.look([job])
    office.runner.quarantine = True
    office.play(job)
    assert office.messages().count("file") == 1  # by itself


def test_what_is_done_is_shown_while_the_slowest_goes_on(office: Office) -> None:
    office.show_after(0.02)
    job = office.submit("post")
    office.does = {"read:0": lambda: office.wait_for_parts(job, 2)}
    assert_all_done_once(office, office.work(job))
    assert office.messages() == ["open"]


@pytest.mark.parametrize("call", ["ledger.go_on", "pauses.holds", "breakers.holds"])
def test_an_outage_between_two_items_throws_nothing_away(office, monkeypatch, call):
    name, method = call.split(".")
    part, calls = getattr(office.services, name), itertools.count()
    ask = getattr(part, method)

    def lose_the_second_reply(*args: object) -> object:
        reply = ask(*args)
        if next(calls) == 1:
            raise redis.ConnectionError
        return reply

    monkeypatch.setattr(part, method, lose_the_second_reply)
    assert_all_done_once(office, office.work(office.submit("post")))
    assert office.messages() == ["open"]


@pytest.mark.parametrize("shown", [600.0, 0.02])
def test_a_full_redis_keeps_no_lease_of_what_it_refuses(office, monkeypatch, shown):
    ledger, refused = office.ledger, threading.Event()
    finish, go_on, full = ledger.finish, ledger.go_on, [True]

    def refuse(call: Callable[..., object], *args: object) -> object:
        if full and office.ran["read:0"]:
            refused.set()
            raise redis.exceptions.OutOfMemoryError("OOM command not allowed when used memory > 'maxmemory'.")
        return call(*args)

    monkeypatch.setattr(ledger, "finish", partial(refuse, finish))
    monkeypatch.setattr(ledger, "go_on", partial(refuse, go_on))
    office.show_after(shown)
    office.runner.full_redis = MemoryLimit(first_seconds=0.01)
    office.does = {"read:0": lambda: refused.wait(60 if shown < 1 else 0)}
    job = office.submit("post")
    office.work(job)
    assert office.services.redis.hlen(job_key(job, "lease")) == 0
    full.clear()
    office.restart()
    ended = office.play(job)
    assert (ended.outcome, ended.leases_lost) == ({"done": everything(), "errors": {}}, 0)


def test_nothing_is_renewed_for_ever_where_items_cannot_be_left(office, monkeypatch):
    ledger, renewed = office.ledger, list[Claim]()
    go_on = ledger.go_on

    def one_is_taken(*args: object) -> object:
        moved, begun = go_on(*args)
        return moved, [Begun(verdict="busy"), *begun[1:]]

    def refuse(*_: object) -> None:
        raise Permanent("no such item")

    monkeypatch.setattr(ledger, "go_on", one_is_taken)
    monkeypatch.setattr(ledger, "defer", refuse)
    monkeypatch.setattr(ledger, "renew", lambda claims: renewed.extend(claims) or [True] * len(claims))
    with pytest.raises(Permanent):
        office.work(office.submit("post"))
    office.runner.running.renew_once()
    assert renewed == []


@pytest.mark.parametrize("shown", [600.0, 0.02])
def test_what_follows_is_decided_by_the_results_in_the_ledger(office: Office, shown: float) -> None:
    """Another worker did one of the items first, with another result."""
    job = office.submit("post")

    def be_late() -> None:
        client, key = office.services.redis, job_key(job, "lease")
        client.hset(key, "read:1", client.hget(key, "read:1").split(" ")[0] + " 1")
        claim = Claim(job_id=job, epoch=1, item_id="read:1", token="other")
        assert office.ledger.begin(claim).verdict == "go"
        moved = office.ledger.finish(claim, Outcome(result={"name": "other"}), 0.1, Usage())
        assert moved.verdict == "recorded"

    office.show_after(shown)
    office.does = {"read:1": be_late, "read:0": lambda: office.wait_for_parts(job, 2 if shown < 1 else 0)}
    outcome = office.play(job).outcome
    assert outcome == {"done": ["file", "open", "other", "read:0", "read:2"], "errors": {}}
    assert office.ran["file"] == 1


@pytest.mark.parametrize(("item", "ran"), [("open", ["open"]), ("read:0", ["open", "read:0"])])
def test_a_worker_that_ends_begins_no_item_more(office: Office, item: str, ran: list[str]) -> None:
    composition = Composition(office.runner, MOST, threads=1)
    office.runner.composition = composition
    office.does = {item: composition.stop}
    job = office.submit("post")
    office.broker.deliver_one(office.runner, office.broker.queued.popleft())
    assert sorted(office.ran) == ran
    assert office.services.redis.hlen(job_key(job, "lease")) == 0
    office.restart()
    ended = office.play(job)
    assert ended.leases_lost == 0
    assert_all_done_once(office, ended)
