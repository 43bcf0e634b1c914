"""Jobs inside a job: what becomes of them when a worker stalls or dies between two calls."""

import json
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
import redis
from doubles.memory_redis import services_over
from doubles.single_worker import SingleWorker, bare_ports, cut_short

from hopline.errors import Conflict, InvalidInput, Permanent, StateConflict
from hopline.models.base import Frozen
from hopline.models.jobs import JobState, Json, Parent
from workers.core.ids import child_job_id
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.records import Claim, JobRecord
from workers.core.jobs.work import ChildJob, End, Item, Job, Outcome, Phase
from workers.core.redis_keys import job_key
from workers.engine import driver
from workers.engine.outbox import work_off
from workers.engine.submit import cancel_job, retry_job
from workers.flows import registry


class ShelfParams(Frozen):
    books: int = 1


class BookParams(Frozen):
    title: str


@dataclass
class Shelf(SingleWorker):
    """A job whose items are books, each a job with one step, which fails where a test says so."""

    torn: set[str] = field(default_factory=set)  # titles that leave a dead letter
    dull: set[str] = field(default_factory=set)  # titles whose job fails without one

    def child(self, job: str, nth: int = 0) -> str:
        return child_job_id(job, f"book {nth}")

    def read_book(self, _given: Json, ports: Any) -> Outcome:
        title = ports.job.params["title"]
        if title in self.torn:
            raise Permanent("torn")
        return Outcome(result={"title": title})

    def end_book(self, _phase: int, results: Results, _job: Job) -> End:
        done = results[0][0]
        failed = done.error or (done.result["title"] in self.dull and "dull")
        return End(state=JobState.FAILED if failed else JobState.DONE, outcome={"error": failed or None})


def _end_shelf(_phase: int, results: Results, _job: Job) -> End:
    counts = Counter(done.result["state"] for done in results.get(0, ()))
    return End(state=JobState.PARTIAL if counts["failed"] else JobState.DONE, outcome={"counts": counts})


@pytest.fixture
def shelf(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> Shelf:
    bare_ports(monkeypatch)
    made = Shelf(services_over(client))
    book = Flow(
        kind="book",
        params=BookParams,
        steps={"book.read": Step(run=made.read_book)},
        first=lambda _job: Phase(items=(Item(id="read", step="book.read"),)),
        advance=made.end_book,
        cut_short=cut_short,
    )
    whole = Flow(
        kind="shelf",
        params=ShelfParams,
        steps={
            "shelf.book": Step(run=lambda params, _: Outcome(delegate=ChildJob(kind="book", params=params)))
        },
        first=lambda job: Phase(
            items=tuple(
                Item(id=f"book {n}", step="shelf.book", input={"title": f"{n}"})
                for n in range(job.params["books"])
            )
        ),
        advance=_end_shelf,
        cut_short=cut_short,
    )
    monkeypatch.setitem(registry.FLOWS, "book", book)
    monkeypatch.setitem(registry.FLOWS, "shelf", whole)
    return made


def partial_shelf(shelf: Shelf) -> str:
    """Return a shelf that has ended because its one book is torn."""
    shelf.torn = {"0"}
    job = shelf.submit("shelf")
    assert shelf.play(job).state is JobState.PARTIAL
    return job


def test_what_a_childs_end_moves_on_is_done_under_a_lease_that_is_renewed(shelf, monkeypatch):
    advanced = []

    def advance(phase: int, results: Results, job: Job) -> End:
        """Take longer than a lease: pages of results are read from a far store."""
        advanced.append(phase)
        shelf.lose_leases(job.id)
        shelf.skip_waits(job.id)
        shelf.runner.running.renew_once()
        shelf.watchdog.look_once()
        return _end_shelf(phase, results, job)

    monkeypatch.setitem(registry.FLOWS, "shelf", replace(registry.FLOWS["shelf"], advance=advance))
    ended = shelf.work(shelf.submit("shelf", books=2))
    assert (ended.state, advanced, ended.leases_lost) == (JobState.DONE, [0], 0)


def test_a_strike_that_comes_late_leaves_the_telling_of_a_later_end(shelf, monkeypatch):
    shelf.torn = {"0"}
    job = shelf.submit("shelf")
    child, strike = shelf.child(job), shelf.ledger.strike
    late: list[tuple[object, ...]] = []

    def stall_at_first(*args: object) -> None:
        if args[0] == child and not late:
            late.append(args)
        else:
            strike(*args)

    monkeypatch.setattr(shelf.ledger, "strike", stall_at_first)
    assert shelf.play(job).state is JobState.PARTIAL
    retry_job(shelf.services, shelf.broker, job)
    shelf.deliver_for(job)  # opens the child again
    shelf.ledger.end(child, shelf.record(child).epoch, JobState.FAILED, {"error": "torn again"})
    strike(*late[0])
    assert "parent" in shelf.ledger.outbox(child)
    assert shelf.play(job).state is JobState.PARTIAL


def test_who_tells_late_of_a_childs_end_does_not_end_its_retried_parent(shelf, monkeypatch):
    shelf.torn = {"0"}
    job = shelf.submit("shelf")
    child, strike = shelf.child(job), shelf.ledger.strike
    retried: list[JobRecord] = []

    def be_overtaken(*args: object) -> None:
        # The item is finished and its phase drained; before this worker moves the flow on the user acts.
        if args[0] == child and not retried:
            retried.append(shelf.record(job))
            cancel_job(shelf.services, job)
            retried.append(retry_job(shelf.services, shelf.broker, job))
        strike(*args)

    monkeypatch.setattr(shelf.ledger, "strike", be_overtaken)
    while not retried:
        shelf.skip_waits(job)
        shelf.deliver_for(job, child)
    record = shelf.record(job)
    assert (record.state, record.epoch) == (JobState.RUNNING, retried[0].epoch + 1)
    shelf.torn = set()
    assert shelf.play(job).state is JobState.DONE


def test_who_reads_results_late_does_not_end_a_flow_that_another_moved_on(shelf: Shelf) -> None:
    job = shelf.submit("shelf")
    assert not shelf.ledger.end_flow(
        Claim(job_id=job, epoch=1, item_id="advance:1", token="late"), JobState.DONE, {}
    )
    assert shelf.record(job).state is JobState.RUNNING


def test_an_ended_child_whose_end_nobody_will_tell_is_found_by_its_parents_check(shelf: Shelf) -> None:
    job = shelf.submit("shelf")
    shelf.deliver_for(job)
    child = shelf.child(job)
    shelf.ledger.end(child, None, JobState.FAILED, {"error": "torn"})
    shelf.services.redis.hdel(job_key(child, "outbox"), "parent")  # as a worker of the version before may do
    shelf.ledger.leave(child)
    ended = shelf.play(job, looks=2)
    assert (ended.state, ended.outcome) == (JobState.PARTIAL, {"counts": {"failed": 1}})


def test_a_canceller_that_comes_late_leaves_the_children_that_a_retry_has_begun(shelf, monkeypatch):
    shelf.torn = {"0"}
    job = shelf.submit("shelf", books=3)
    shelf.broker.deliver(shelf.runner, most=3)
    shelf.deliver_for(shelf.child(job))
    outbox, children = shelf.ledger.outbox, [shelf.child(job, nth) for nth in (1, 2)]

    def stall_until_it_runs_again(job_id: str) -> dict[str, str]:
        monkeypatch.setattr(shelf.ledger, "outbox", outbox)
        entries = outbox(job_id)
        work_off(shelf.services, job_id)  # another worker does it meanwhile
        shelf.torn.clear()
        retry_job(shelf.services, shelf.broker, job_id)
        shelf.watchdog.look_once()
        shelf.deliver_for(job_id)
        return entries

    shelf.ledger.end(job, None, JobState.CANCELLED, {"reason": "asked for"})
    monkeypatch.setattr(shelf.ledger, "outbox", stall_until_it_runs_again)
    work_off(shelf.services, job)
    assert {record.state for record in shelf.ledger.jobs_by_id(children)} == {JobState.RUNNING}
    assert shelf.play(job).outcome == {"counts": {"done": 3}}


def test_an_entry_of_the_version_before_cancels_a_child_of_the_epoch_that_ended(shelf: Shelf) -> None:
    job = shelf.submit("shelf")
    shelf.deliver_for(job)
    child = shelf.child(job)
    shelf.ledger.end(job, None, JobState.CANCELLED, {})
    outbox = job_key(job, "outbox")
    shelf.services.redis.delete(outbox)
    shelf.services.redis.hset(outbox, f"cancel:{child}", child)
    work_off(shelf.services, job)
    assert shelf.record(child).state is JobState.CANCELLED
    assert not shelf.ledger.outbox(job)


def test_a_failed_child_is_told_of_though_its_item_has_left_redis_meanwhile(shelf, monkeypatch):
    def be_overtaken(job_id: str, item_id: str) -> str:
        raise Conflict(f"job {job_id} has no item {item_id}")  # another worker has put it into a page

    monkeypatch.setattr(shelf.ledger, "step_of", be_overtaken)
    assert shelf.record(partial_shelf(shelf)).leases_lost == 0


@pytest.mark.parametrize("leaves", ["a dead letter", "nothing"])
def test_a_twin_that_opens_the_child_first_buries_no_item(shelf, monkeypatch, leaves):
    (shelf.torn if leaves == "a dead letter" else shelf.dull).add("0")
    job = shelf.submit("shelf")
    assert shelf.play(job).state is JobState.PARTIAL
    shelf.torn.clear()
    shelf.dull.clear()
    name = "retry_dead_letters" if leaves == "a dead letter" else "create"
    change = getattr(driver, name)

    def be_overtaken(*args: object, **more: object) -> object:
        change(*args, **more)  # by a twin, while this worker stalled
        return change(*args, **more)

    retry_job(shelf.services, shelf.broker, job)
    monkeypatch.setattr(driver, name, be_overtaken)
    shelf.deliver_for(job)
    assert not shelf.ledger.dead_letters(job)
    assert shelf.record(shelf.child(job)).state is JobState.RUNNING
    monkeypatch.setattr(driver, name, change)
    assert shelf.play(job).outcome == {"counts": {"done": 1}}


def test_who_comes_late_opens_no_child_again_that_has_failed_anew(shelf, monkeypatch):
    job = partial_shelf(shelf)
    open_again, calls = driver.retry_dead_letters, list[tuple[Any, Any]]()

    def note(*args: Any, **more: Any) -> int:
        calls.append((args, more))
        return open_again(*args, **more)

    monkeypatch.setattr(driver, "retry_dead_letters", note)
    retry_job(shelf.services, shelf.broker, job)
    assert shelf.play(job).state is JobState.PARTIAL
    failed = shelf.record(shelf.child(job))
    [(args, more)] = calls
    with pytest.raises(StateConflict):
        open_again(*args, **more)  # by a twin that stalled since before the second life
    assert shelf.record(shelf.child(job)) == failed


def test_a_child_that_ended_for_an_older_epoch_is_done_again(shelf: Shelf) -> None:
    job = shelf.submit("shelf")
    shelf.deliver_for(job)
    stale = Parent(job_id=job, epoch=0, item_id="book 0")
    shelf.services.redis.hset(job_key(shelf.child(job), "job"), "parent", stale.model_dump_json())
    assert shelf.play(job).outcome == {"counts": {"done": 1}}


def test_a_job_whose_last_child_a_user_cancels_goes_on_at_once(shelf: Shelf) -> None:
    job = shelf.submit("shelf")
    shelf.deliver_for(job)
    cancel_job(shelf.services, shelf.child(job))
    shelf.watchdog.look_once()
    ended = shelf.work(job)
    assert (ended.outcome, ended.leases_lost) == ({"counts": {"cancelled": 1}}, 0)


def test_a_job_inside_a_job_is_retried_with_the_job_it_belongs_to(shelf: Shelf) -> None:
    job = partial_shelf(shelf)
    with pytest.raises(InvalidInput, match=job):
        retry_job(shelf.services, shelf.broker, shelf.child(job))


def test_jobs_of_a_newer_version_are_done_by_workers_of_this_one(shelf: Shelf) -> None:
    job = shelf.submit("shelf")
    child = shelf.child(job)
    add_to_spec(shelf, job)
    shelf.services.redis.hset(job_key(job, "items"), "book 0", '0 shelf.book {"title":"0","lent":false}')
    shelf.deliver_for(job)
    add_to_spec(shelf, child)
    parent = json.loads(shelf.services.redis.hget(job_key(child, "job"), "parent") or "")
    shelf.services.redis.hset(job_key(child, "job"), "parent", json.dumps(parent | {"since": 1}))
    assert shelf.play(job).outcome == {"counts": {"done": 1}}
    assert shelf.record(job).leases_lost == 0


def add_to_spec(shelf: Shelf, job_id: str) -> None:
    """Let a job's description have a field that this version does not know, and a parameter."""
    key = job_key(job_id, "job")
    spec = json.loads(shelf.services.redis.hget(key, "spec") or "")
    newer = spec | {"tenant": "", "params": spec["params"] | {"lent": False}}
    shelf.services.redis.hset(key, "spec", json.dumps(newer))
