"""The runner and the flow driver over a real Redis; only the broker and the steps are the test's own."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
import redis
from doubles.broker import Broker
from doubles.memory_redis import services_over

from workers.adapters.blobs import BlobStore
from workers.core.errors import BudgetExceeded, Conflict, DependencyAway, InvalidInput, Permanent, Transient
from workers.core.ids import child_job_id
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.work import ChildJob, Done, End, Item, Job, JobState, Json, Outcome, Phase
from workers.core.ports import Ports
from workers.core.records import Frozen
from workers.engine.driver import Delivery
from workers.engine.runner import Runner
from workers.engine.submit import cancel_job, retry_job, submit_job
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.ledger.keys import ACTIVE, PARTS, job_key
from workers.ledger.records import Claim, JobRecord, Look, Parent
from workers.services import Services

pytestmark = pytest.mark.memory_too

LEAVES, SCORES, WRITE = range(3)


class TreeParams(Frozen):
    leaves: int = 5
    scores: int = 4
    timeout: float | None = None
    session: str | None = None


@dataclass
class World:
    """A small flow — grow leaves, score, write — whose steps do what a test tells them."""

    services: Services
    broker: Broker = field(default_factory=Broker)
    does: dict[str, Callable[[Json], Outcome | None]] = field(default_factory=dict)
    ran: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.runner = Runner(self.services, self.broker)
        self.watchdog = Watchdog(self.runner.driver, 0.1)

    def step(self, name: str) -> Callable[[Json, Ports], Outcome]:
        def run(step_input: Json, ports: Ports) -> Outcome:
            self.ran[step_input.get("name", name)] += 1
            made = self.does[name](step_input) if name in self.does else None
            if made is not None:
                return made
            if name == "tree.root":
                leaves = ports.job.params["leaves"]
                return Outcome(children=tuple(_item("tree.leaf", f"leaf {n}") for n in range(leaves)))
            return Outcome(result={"from": step_input.get("name", "")})

        return run

    def submit(self, **params: object) -> JobRecord:
        return submit_job(self.services, self.broker, "tree", "default", params)

    def play(self, job: JobRecord, looks: int = 60) -> JobRecord:
        """Deliver, and let the watchdog look with every wait skipped, until the job has ended."""
        for _ in range(looks):
            self.broker.deliver(self.runner)
            now = self.services.ledger.job(job.job.id)
            if now is None or now.state is not JobState.RUNNING:
                break
            self.skip_waits(job.job.id)
            self.watchdog.look_once()
        ended = self.services.ledger.job(job.job.id)
        assert ended is not None
        return ended

    def skip_waits(self, job_id: str) -> None:
        """Make every wait of a job over: holds, re-send intervals; leases are left alone."""
        client = self.services.redis
        client.delete(job_key(job_id, "hold"))
        for item in client.zrange(job_key(job_id, "due"), 0, -1):
            client.zadd(job_key(job_id, "due"), {item: 1})


def _item(step: str, name: str, delay: float = 0.0) -> Item:
    return Item(id=f"{step.rpartition('.')[2]}:{name}", step=step, input={"name": name}, delay=delay)


def _advance(phase: int, results: Results, job: Job) -> Phase | End:
    if phase == LEAVES:
        scores = tuple(_item("tree.score", f"score {n}") for n in range(job.params["scores"]))
        return Phase(items=scores)
    if phase == SCORES:
        return Phase(items=(Item(id="write", step="tree.write", input={"name": "write"}, delay=2.0),))
    return End(state=JobState.DONE, outcome=_outcome(results))


def _outcome(results: Results) -> Json:
    done: list[Done] = [item for phase in results.values() for item in phase]
    return {
        "done": sorted(item.item_id for item in done if not item.error),
        "errors": {item.item_id: item.error for item in done if item.error},
    }


def _cut(results: Results, _job: Job, reason: str) -> End:
    return End(state=JobState.PARTIAL, outcome={**_outcome(results), "reason": reason})


@pytest.fixture
def world(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> World:
    services = services_over(client, backoff_seconds=0.01, resend_seconds=5, max_attempts=3)
    monkeypatch.setattr(Services, "ports", lambda _self, job, *_: _Ports(job))
    made = World(services)
    steps = {
        f"tree.{name}": Step(run=made.step(f"tree.{name}")) for name in ("root", "leaf", "score", "write")
    }
    tree = Flow(
        kind="tree",
        params=TreeParams,
        steps=steps,
        first=lambda _job: Phase(items=(Item(id="root", step="tree.root"),)),
        advance=_advance,
        cut_short=_cut,
        timeout=lambda job: job.params["timeout"],
        chord=("tree.score", "tree.write"),
        last=WRITE,
    )
    forest = Flow(
        kind="forest",
        params=TreeParams,
        steps={
            "forest.tree": Step(
                run=lambda params, _ports: Outcome(delegate=ChildJob(kind="tree", params=params))
            )
        },
        first=lambda job: Phase(
            items=tuple(Item(id=f"tree {n}", step="forest.tree") for n in range(job.params["leaves"]))
        ),
        advance=lambda _phase, results, _job: End(
            state=JobState.DONE, outcome={"trees": [d.result["state"] for d in results[0]]}
        ),
        cut_short=_cut,
    )
    monkeypatch.setitem(registry.FLOWS, "tree", tree)
    monkeypatch.setitem(registry.FLOWS, "forest", forest)
    return made


class _Ports(Frozen):
    job: Job

    def __init__(self, job: Job) -> None:
        super().__init__(job=job)


EVERYTHING = sorted(
    ["root", "write"] + [f"leaf:leaf {n}" for n in range(5)] + [f"score:score {n}" for n in range(4)]
)


def assert_done_once(world: World, ended: JobRecord) -> None:
    assert ended.state is JobState.DONE
    assert ended.outcome == {"done": EVERYTHING, "errors": {}}
    assert world.services.redis.zscore(ACTIVE, ended.job.id) is None
    for part in PARTS:
        key = job_key(ended.job.id, part)
        assert not world.services.redis.exists(key) or world.services.redis.ttl(key) > 0, part


def test_a_job_walks_through_its_phases_to_its_end(world: World) -> None:
    ended = world.play(world.submit())
    assert_done_once(world, ended)
    assert set(world.ran.values()) == {1}


@pytest.mark.parametrize("stall", ["a follower of its session", "a minute", "both"])
def test_a_question_stays_in_the_index_while_it_is_submitted_whatever_happens_meanwhile(
    world: World, collection: str, monkeypatch: pytest.MonkeyPatch, stall: str
) -> None:
    scripts, active = world.services.ledger.scripts, world.services.redis
    call, followers = scripts.call, list[JobRecord]()

    def call_and_be_overtaken(name: str, job_id: str, *args: str | int, **more: str) -> list[object]:
        if name == "submit":
            monkeypatch.setattr(scripts, "call", call)
            if stall != "a minute":
                followers.append(world.submit(session=collection))
            if stall != "a follower of its session":
                active.zadd(ACTIVE, {job_id: time.time() - 61}, xx=True)  # what it was indexed as before
                world.watchdog.look_once()
        return call(name, job_id, *args, **more)

    monkeypatch.setattr(scripts, "call", call_and_be_overtaken)
    world.broker.lost = 2  # the first message of each: only the watchdog can help
    first = world.submit(session=collection)
    assert world.services.redis.zscore(ACTIVE, first.job.id) is not None
    for record in (first, *followers):
        assert_done_once(world, world.play(record))


def test_what_was_answered_a_moment_ago_is_known_to_the_next_question(world: World, collection: str) -> None:
    first = world.submit(session=collection)
    world.services.ledger.end(first.job.id, None, JobState.DONE, {"text": "42"})  # and its worker is killed
    second = world.submit(session=collection)
    (kept,) = world.services.sessions.exchanges("default", collection)
    assert (kept.job_id, kept.answer) == (first.job.id, "42")
    assert world.services.redis.zscore(ACTIVE, first.job.id) is None
    cancel_job(world.services, second.job.id)


def test_messages_delivered_twice_change_nothing(world: World) -> None:
    world.broker.copies = 2
    ended = world.play(world.submit())
    assert_done_once(world, ended)
    assert set(world.ran.values()) == {1}


def test_lost_messages_are_sent_again_by_the_watchdog(world: World) -> None:
    world.broker.lost = 4
    assert_done_once(world, world.play(world.submit()))


def test_the_chords_body_is_sent_by_the_chord_alone(world: World) -> None:
    world.play(world.submit())
    assert [message.item_id for message in world.broker.delivered].count("write") == 1


def test_a_transient_failure_is_tried_again(world: World) -> None:
    failures = iter([Transient("once"), Transient("twice")])

    def fail_twice(step_input: Json) -> None:
        if step_input["name"] == "score 1":
            for error in failures:
                raise error

    world.does["tree.score"] = fail_twice
    assert_done_once(world, world.play(world.submit()))
    assert world.ran["score 1"] == 3


def test_attempts_used_up_make_a_dead_letter_and_the_job_still_ends(world: World) -> None:
    def fail(step_input: Json) -> None:
        if step_input["name"] == "leaf 2":
            raise Transient("always")

    world.does["tree.leaf"] = fail
    ended = world.play(world.submit())
    assert ended.state is JobState.DONE
    assert ended.outcome is not None
    assert ended.outcome["errors"] == {"leaf:leaf 2": "Transient: always"}
    assert world.ran["leaf 2"] == 3
    assert [letter.item_id for letter in world.services.ledger.dead_letters(ended.job.id)] == ["leaf:leaf 2"]


def test_a_permanent_failure_is_not_tried_again(world: World) -> None:
    def fail(_given: Json) -> None:
        raise Permanent("never")

    world.does["tree.write"] = fail
    ended = world.play(world.submit())
    assert ended.outcome is not None
    assert ended.outcome["errors"] == {"write": "Permanent: never"}
    assert world.ran["write"] == 1


def test_an_outage_pauses_work_without_using_up_attempts(world: World) -> None:
    outage = iter([DependencyAway("gone fishing")] * 10)

    def away(_given: Json) -> None:
        for error in outage:
            raise error

    world.does["tree.leaf"] = away
    assert_done_once(world, world.play(world.submit()))


def test_a_used_up_budget_closes_the_phase_and_the_job_goes_on(world: World) -> None:
    def refuse(step_input: Json) -> None:
        if step_input["name"] == "score 0":
            raise BudgetExceeded("no more calls")

    world.does["tree.score"] = refuse
    ended = world.play(world.submit())
    assert ended.state is JobState.DONE
    assert ended.closed_for == "no more calls"
    assert ended.outcome is not None
    assert "write" in ended.outcome["done"]


def test_an_item_that_ends_its_phase_early_drops_what_is_not_begun_and_the_job_goes_on_at_once(
    world: World,
) -> None:
    def find(step_input: Json) -> Outcome | None:
        return Outcome(result={}, close="found") if step_input["name"] == "leaf 1" else None

    world.does["tree.leaf"] = find
    job = world.submit()
    world.broker.deliver(world.runner)  # no watchdog looks
    ended = world.services.ledger.job(job.job.id)
    assert ended is not None
    assert ended.state is JobState.DONE
    assert ended.closed_for == "found"
    assert ended.dropped > 0
    assert ended.outcome is not None
    assert "leaf:leaf 1" in ended.outcome["done"]  # its own result is kept
    assert "write" in ended.outcome["done"]


def test_an_early_end_lets_what_is_being_done_finish_and_adds_nothing_to_it(world: World) -> None:
    def find(step_input: Json) -> Outcome | None:
        if step_input["name"] == "leaf 0":
            begun = claim.model_copy(update={"item_id": "leaf:leaf 4"})
            assert world.services.ledger.begin(begun).verdict == "go"
            return Outcome(result={}, close="found")
        return None

    world.does["tree.leaf"] = find
    job = world.submit()
    claim = Claim(job_id=job.job.id, epoch=1, item_id="", token="elsewhere")
    world.broker.deliver(world.runner)
    now = world.services.ledger.job(job.job.id)
    assert now is not None
    assert now.state is JobState.RUNNING  # leaf 4 is in other hands
    grown = Outcome(result={}, children=(_item("tree.leaf", "late"),))
    moved = world.services.ledger.finish(claim.model_copy(update={"item_id": "leaf:leaf 4"}), grown)
    assert (moved.verdict, moved.added, moved.advance) == ("recorded", (), "advance:1")
    world.runner.driver.advance(claim.on(moved.advance), job.job, 0, Delivery())
    ended = world.play(job)
    assert ended.state is JobState.DONE
    assert ended.outcome is not None
    assert "leaf:leaf 4" in ended.outcome["done"]
    assert "leaf:late" not in ended.outcome["done"]


def test_the_last_phase_cannot_be_ended_early(world: World) -> None:
    world.does["tree.write"] = lambda _given: Outcome(result={}, close="found")
    ended = world.play(world.submit())
    assert (ended.state, ended.closed_for) == (JobState.DONE, None)


def test_a_worker_that_dies_loses_its_lease_and_another_does_the_item(world: World) -> None:
    job = world.submit()
    dying = world.services.ledger
    first = world.broker.queued[0].message
    claim = Claim(job_id=job.job.id, epoch=1, item_id=first.item_id, token="dead")
    assert dying.begin(claim).verdict == "go"
    world.services.redis.hset(job_key(job.job.id, "lease"), first.item_id, "dead 1")
    ended = world.play(job)
    assert_done_once(world, ended)
    assert ended.leases_lost == 1


def test_an_item_that_kills_its_workers_goes_to_quarantine_and_then_is_a_dead_letter(world: World) -> None:
    job = world.submit()
    world.services.redis.hset(job_key(job.job.id, "lost"), "root", 3)
    world.services.redis.hset(job_key(job.job.id, "job"), "leases_lost", 3)
    world.broker.deliver(world.runner)  # refused by a normal worker
    world.skip_waits(job.job.id)
    world.watchdog.look_once()
    assert [parcel.message.queue for parcel in world.broker.queued] == ["quarantine"]
    for times in range(2):
        token = f"dead{times}"
        claim = Claim(job_id=job.job.id, epoch=1, item_id="root", token=token)
        assert world.services.ledger.begin(claim, quarantine=True).verdict == "go"
        world.services.redis.hset(job_key(job.job.id, "lease"), "root", f"{token} 1")
    ended = world.play(job)
    assert ended.outcome is not None
    assert "died 5 times" in ended.outcome["errors"]["root"]
    assert ended.state is JobState.DONE


def test_a_deadline_closes_the_phase_and_a_hard_one_cuts_the_job(world: World) -> None:
    job = world.submit(timeout=100.0)
    key = job_key(job.job.id, "job")
    world.services.redis.hset(key, "deadline", 1)
    world.watchdog.look_once()
    closed = world.services.ledger.job(job.job.id)
    assert closed is not None
    assert closed.closed_for == "the deadline has passed"
    world.services.redis.hset(key, "hard_deadline", 1)
    world.watchdog.look_once()
    ended = world.services.ledger.job(job.job.id)
    assert ended is not None
    assert ended.state is JobState.PARTIAL
    assert ended.outcome is not None
    assert ended.outcome["reason"] == "the deadline has passed"


def test_a_cancelled_job_is_gone_for_its_late_messages(world: World) -> None:
    job = world.submit()
    assert cancel_job(world.services, job.job.id)
    assert not cancel_job(world.services, job.job.id)
    ended = world.play(job)
    assert ended.state is JobState.CANCELLED
    assert not world.ran


def test_a_retry_does_the_dead_letters_and_the_later_phases_again(world: World) -> None:
    broken = True

    def fail(step_input: Json) -> None:
        if broken and step_input["name"] == "score 3":
            raise Permanent("not today")

    world.does["tree.score"] = fail
    job = world.play(world.submit())
    assert job.dead == 1
    broken = False
    retry_job(world.services, world.broker, job.job.id)
    ended = world.play(job)
    assert_done_once(world, ended)
    assert ended.epoch == 2
    assert world.ran["score 0"] == 1
    assert world.ran["score 3"] == 2
    assert world.ran["write"] == 2


def test_a_broken_job_leaves_no_other_unattended(world: World) -> None:
    broken, whole = (
        submit_job(world.services, world.broker, "tree", "default", {"leaves": 2}).job.id for _ in range(2)
    )
    redis = world.services.redis
    redis.zadd(ACTIVE, {broken: 0})  # the first of the page
    redis.delete(job_key(broken, "due"))
    redis.set(job_key(broken, "due"), "no sorted set")
    redis.zadd(job_key(whole, "due"), dict.fromkeys(redis.zrange(job_key(whole, "due"), 0, -1), 0))
    world.broker.queued.clear()
    world.watchdog.look_once()
    assert {parcel.message.job_id for parcel in world.broker.queued} == {whole}


def test_a_job_inside_a_job_finishes_its_item(world: World) -> None:
    job = submit_job(world.services, world.broker, "forest", "default", {"leaves": 3})
    ended = world.play(job)
    assert ended.state is JobState.DONE
    assert ended.outcome == {"trees": ["done"] * 3}


def test_a_cancelled_parent_cancels_its_children(world: World) -> None:
    job = submit_job(world.services, world.broker, "forest", "default", {"leaves": 2})
    world.broker.deliver(world.runner, most=2)
    children = [job_id for job_id in world.services.redis.zrange(ACTIVE, 0, -1) if job_id != job.job.id]
    cancel_job(world.services, job.job.id)
    states = {record.state for record in world.services.ledger.jobs_by_id(children) if record.parent}
    assert states <= {JobState.CANCELLED, JobState.DONE}
    assert JobState.CANCELLED in states


@pytest.mark.usefixtures("redis_url")  # takes ten seconds in memory
def test_a_thousand_items_are_admitted_a_page_at_a_time(world: World, tmp_path) -> None:
    world.services.__dict__["blobs"] = BlobStore(str(tmp_path))
    items = tuple(_item("tree.leaf", f"leaf {n}") for n in range(1000))
    submitted = submit_job(
        world.services, world.broker, "tree", "default", {"scores": 1}, phase=Phase(items=items, window=50)
    )
    widest = 0
    while world.broker.queued:
        widest = max(widest, world.services.redis.zcard(job_key(submitted.job.id, "due")))
        world.broker.deliver(world.runner, most=10)
    ended = world.play(submitted)
    assert ended.state is JobState.DONE
    assert ended.done["tree.leaf"] == 1000
    assert widest <= 100


def test_a_job_that_cannot_be_attended_to_does_not_keep_the_watchdog_from_the_others(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = world.submit()
    job = world.submit()
    world.services.redis.zadd(ACTIVE, {older.job.id: 1})  # looked at first
    world.broker.queued.clear()
    attend = world.watchdog._attend

    def fail_on_the_older(job_id: str, look: Look) -> None:
        if job_id == older.job.id:
            raise Permanent("broken")
        attend(job_id, look)

    monkeypatch.setattr(world.watchdog, "_attend", fail_on_the_older)
    assert_done_once(world, world.play(job))


def test_a_job_whose_manifest_is_lost_ends_with_what_it_has(world: World, tmp_path) -> None:
    blobs = world.services.__dict__["blobs"] = BlobStore(str(tmp_path))
    items = tuple(_item("tree.leaf", f"leaf {n}") for n in range(300))
    submitted = submit_job(
        world.services, world.broker, "tree", "default", {"scores": 1}, phase=Phase(items=items, window=50)
    )
    blobs.delete(world.services.ledger.manifest_of(submitted.job.id))
    ended = world.play(submitted)
    assert ended.state is JobState.PARTIAL
    assert ended.outcome is not None
    assert "is not in the store" in ended.outcome["reason"]


def test_a_flow_that_cannot_go_on_fails_the_job_and_not_the_item_before_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(_phase: int, _results: Results, _job: Job) -> Phase | End:
        raise KeyError("nothing there")

    monkeypatch.setitem(registry.FLOWS, "tree", replace(registry.FLOWS["tree"], advance=crash))
    ended = world.play(world.submit())
    assert ended.state is JobState.FAILED
    assert ended.done["tree.leaf"] == 5
    assert ended.leases_lost == 0
    assert "nothing there" in (ended.outcome or {})["reason"]


def test_a_child_that_ended_for_an_older_epoch_is_done_again(world: World) -> None:
    job = submit_job(world.services, world.broker, "forest", "default", {"leaves": 1})
    world.broker.deliver(world.runner, most=1)
    child = child_job_id(job.job.id, "tree 0")
    stale = Parent(job_id=job.job.id, epoch=0, item_id="tree 0")
    world.services.redis.hset(job_key(child, "job"), "parent", stale.model_dump_json())
    ended = world.play(job)
    assert ended.state is JobState.DONE
    assert ended.outcome == {"trees": ["done"]}


def test_a_job_inside_a_job_is_retried_with_the_job_it_belongs_to(world: World) -> None:
    def fail(_given: Json) -> None:
        raise Permanent("never")

    world.does["tree.write"] = fail
    job = submit_job(world.services, world.broker, "forest", "default", {"leaves": 1})
    world.broker.deliver(world.runner, most=1)
    with pytest.raises(InvalidInput, match=job.job.id):
        retry_job(world.services, world.broker, child_job_id(job.job.id, "tree 0"))


def test_a_message_of_a_paused_job_is_left_for_later(world: World) -> None:
    job = world.submit()
    world.services.pauses.pause(job.job.id, "user", "enough for now")
    world.broker.deliver(world.runner)
    assert not world.ran
    world.services.pauses.resume(job.job.id)
    assert_done_once(world, world.play(job))


def test_an_item_whose_payer_has_ended_is_given_up_at_once(world: World) -> None:
    def refuse(step_input: Json) -> None:
        if step_input["name"] == "leaf 2":
            raise Conflict("the job that pays has ended")

    world.does["tree.leaf"] = refuse
    ended = world.play(world.submit())
    assert ended.outcome is not None
    assert ended.outcome["errors"] == {"leaf:leaf 2": "Conflict: the job that pays has ended"}
    assert world.ran["leaf 2"] == 1
    assert ended.leases_lost == 0


def test_an_expired_jobs_id_may_be_another_job(world: World) -> None:
    first = submit_job(world.services, world.broker, "tree", "default", {"leaves": 1}, key="mine")
    world.play(first)
    for part in PARTS:
        world.services.redis.delete(job_key(first.job.id, part))
    world.runner._jobs_seconds = 0.0  # as after the time for which an ended job is kept
    second = submit_job(world.services, world.broker, "tree", "default", {"leaves": 3}, key="mine")
    assert second.job.id == first.job.id
    assert world.play(second).done["tree.leaf"] == 3
