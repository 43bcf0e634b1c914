"""The runner and the flow driver over a ledger; only the broker and the steps are the test's own."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
import redis
from doubles.memory_redis import services_over
from doubles.single_worker import SingleWorker, bare_ports

from hopline.errors import Conflict, DependencyAway, Permanent, Transient
from hopline.models.base import Frozen
from hopline.models.jobs import JobState, Json
from workers.core.errors import BudgetExceeded
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.records import Claim, JobRecord
from workers.core.jobs.work import Done, End, Item, Job, Outcome, Phase
from workers.core.ports import Ports
from workers.core.redis_keys import ACTIVE, PARTS, job_key
from workers.engine.driver import Delivery
from workers.engine.runner import Runner
from workers.engine.submit import cancel_job, submit_job
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.ledger.pauses import Pauses

pytestmark = pytest.mark.memory_too

LEAVES, SCORES, WRITE = range(3)


class TreeParams(Frozen):
    leaves: int = 5
    timeout: float | None = None
    session: str | None = None


@dataclass
class World(SingleWorker):
    """A small flow — grow leaves, score, write — whose steps do what a test tells them."""

    does: dict[str, Callable[[Json], Outcome | None]] = field(default_factory=dict)
    ran: Counter[str] = field(default_factory=Counter)

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

    def raise_at(self, item: str, error: Exception, times: int) -> None:
        """Let a leaf or a score fail so many times."""
        errors = iter([error] * times)

        def fail(step_input: Json) -> None:
            if step_input["name"] == item:
                for each in errors:
                    raise each

        self.does[f"tree.{item.split(maxsplit=1)[0]}"] = fail


def _item(step: str, name: str) -> Item:
    return Item(id=f"{step.rpartition('.')[2]}:{name}", step=step, input={"name": name})


def _advance(phase: int, results: Results, _job: Job) -> Phase | End:
    if phase == LEAVES:
        return Phase(items=tuple(_item("tree.score", f"score {n}") for n in range(4)))
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
    bare_ports(monkeypatch)
    made = World(services_over(client, backoff_seconds=0.01, resend_seconds=5, max_attempts=3))
    tree = Flow(
        kind="tree",
        params=TreeParams,
        steps={
            f"tree.{name}": Step(run=made.step(f"tree.{name}")) for name in ("root", "leaf", "score", "write")
        },
        first=lambda _job: Phase(items=(Item(id="root", step="tree.root"),)),
        advance=_advance,
        cut_short=_cut,
        timeout=lambda params: params.timeout,
        chord=("tree.score", "tree.write"),
        last=WRITE,
    )
    monkeypatch.setitem(registry.FLOWS, "tree", tree)
    return made


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


@pytest.mark.parametrize(("copies", "lost"), [(1, 0), (2, 0), (1, 4)])
def test_a_job_walks_through_its_phases_to_its_end_though_messages_double_or_are_lost(world, copies, lost):
    world.broker.copies, world.broker.lost = copies, lost
    assert_done_once(world, world.play(world.submit("tree")))
    assert set(world.ran.values()) == {1}
    if (copies, lost) == (1, 0):
        delivered = [message.item_id for message in world.broker.delivered]
        assert delivered.count("write") == 1, "by the chord alone"


@pytest.mark.parametrize("stall", ["a follower of its session", "a minute"])
def test_a_question_stays_in_the_index_while_it_is_submitted(world, collection, monkeypatch, stall):
    scripts, active = world.ledger.scripts, world.services.redis
    call, jobs = scripts.call, list[str]()

    def call_and_be_overtaken(name: str, job_id: str, *args: str | int, **more: str) -> list[object]:
        if name == "submit":
            monkeypatch.setattr(scripts, "call", call)
            if stall == "a minute":
                active.zadd(ACTIVE, {job_id: time.time() - 61}, xx=True)  # what it was indexed as before
                world.watchdog.look_once()
            else:
                jobs.append(world.submit("tree", session=collection))
        return call(name, job_id, *args, **more)

    monkeypatch.setattr(scripts, "call", call_and_be_overtaken)
    world.broker.lost = 2  # the first message of each: only the watchdog can help
    jobs.append(world.submit("tree", session=collection))
    assert active.zscore(ACTIVE, jobs[-1]) is not None
    for job in jobs:
        assert_done_once(world, world.play(job))


def test_what_was_answered_a_moment_ago_is_known_to_the_next_question(world: World, collection: str) -> None:
    first = world.submit("tree", session=collection)
    world.ledger.end(first, None, JobState.DONE, {"text": "42"})  # and its worker is killed
    second = world.submit("tree", session=collection)
    (kept,) = world.services.sessions.exchanges("default", collection)
    assert (kept.job_id, kept.answer) == (first, "42")
    assert world.services.redis.zscore(ACTIVE, first) is None
    cancel_job(world.services, second)


@pytest.mark.parametrize(
    ("error", "times", "runs"),
    [
        (Transient("a moment"), 2, 3),
        (Transient("always"), 99, 3),
        (Permanent("never"), 99, 1),
        (Conflict("the job that pays has ended"), 99, 1),
        (DependencyAway("gone fishing"), 10, 11),
    ],
    ids=["passing", "attempts used up", "for good", "its payer has ended", "an outage uses up no attempt"],
)
def test_what_a_step_raises_says_whether_it_is_tried_again(world, error, times, runs):
    world.raise_at("leaf 2", error, times)
    ended = world.play(world.submit("tree"))
    assert (world.ran["leaf 2"], ended.leases_lost) == (runs, 0)
    if runs > times:
        assert_done_once(world, ended)
        return
    assert (ended.state, ended.dead) == (JobState.DONE, 1)
    told = str(error) if isinstance(error, Transient) else f"{type(error).__name__}: {error}"
    assert (ended.outcome or {})["errors"] == {"leaf:leaf 2": told}
    assert [letter.item_id for letter in world.ledger.dead_letters(ended.job.id)] == ["leaf:leaf 2"]


def test_a_used_up_budget_closes_the_phase_and_the_job_goes_on(world: World) -> None:
    world.raise_at("score 0", BudgetExceeded("no more calls"), 1)
    ended = world.play(world.submit("tree"))
    assert (ended.state, ended.closed_for) == (JobState.DONE, "no more calls")
    assert "write" in (ended.outcome or {})["done"]


def test_an_item_that_ends_its_phase_early_drops_what_is_not_begun_and_the_job_goes_on_at_once(world):
    def find(step_input: Json) -> Outcome | None:
        return Outcome(result={}, close="found") if step_input["name"] == "leaf 1" else None

    world.does["tree.leaf"] = find
    ended = world.work(world.submit("tree"))  # no watchdog looks
    assert (ended.state, ended.closed_for) == (JobState.DONE, "found")
    assert ended.dropped > 0
    assert {"leaf:leaf 1", "write"} <= set((ended.outcome or {})["done"]), "its own result is kept"


def test_an_early_end_lets_what_is_being_done_finish_and_adds_nothing_to_it(world: World) -> None:
    def find(step_input: Json) -> Outcome | None:
        if step_input["name"] == "leaf 0":
            assert world.ledger.begin(claim.on("leaf:leaf 4")).verdict == "go"
            return Outcome(result={}, close="found")
        return None

    world.does["tree.leaf"] = find
    job = world.submit("tree")
    claim = Claim(job_id=job, epoch=1, item_id="", token="elsewhere")
    now = world.work(job)
    assert now.state is JobState.RUNNING  # leaf 4 is in other hands
    grown = Outcome(result={}, children=(_item("tree.leaf", "late"),))
    moved = world.ledger.finish(claim.on("leaf:leaf 4"), grown)
    assert (moved.verdict, moved.added, moved.advance) == ("recorded", (), "advance:1")
    world.runner.driver.advance(claim.on(moved.advance), now.job, 0, Delivery())
    ended = world.play(job)
    assert ended.state is JobState.DONE
    assert "leaf:leaf 4" in (ended.outcome or {})["done"]
    assert "leaf:late" not in (ended.outcome or {})["done"]


def test_the_last_phase_cannot_be_ended_early(world: World) -> None:
    world.does["tree.write"] = lambda _given: Outcome(result={}, close="found")
    ended = world.play(world.submit("tree"))
    assert (ended.state, ended.closed_for) == (JobState.DONE, None)


def test_an_item_that_has_killed_three_workers_is_sent_to_quarantine(world: World) -> None:
    job = world.submit("tree")
    world.services.redis.hset(job_key(job, "lost"), "root", 3)
    world.services.redis.hset(job_key(job, "job"), "leases_lost", 3)
    world.broker.deliver(world.runner)  # refused by a normal worker
    world.skip_waits(job)
    world.watchdog.look_once()
    assert [parcel.message.queue for parcel in world.broker.queued] == ["quarantine"]


def test_a_deadline_closes_the_phase_and_a_hard_one_cuts_the_job(world: World) -> None:
    job = world.submit("tree", timeout=100.0)
    world.services.redis.hset(job_key(job, "job"), "deadline", 1)
    world.watchdog.look_once()
    assert world.record(job).closed_for == "the deadline has passed"
    world.services.redis.hset(job_key(job, "job"), "hard_deadline", 1)
    world.watchdog.look_once()
    ended = world.record(job)
    assert (ended.state, (ended.outcome or {})["reason"]) == (JobState.PARTIAL, "the deadline has passed")


@pytest.mark.parametrize("part", ["due", "job"])
def test_a_broken_job_leaves_no_other_unattended(world: World, part: str) -> None:
    broken, whole = (world.submit("tree") for _ in range(2))
    client = world.services.redis
    client.zadd(ACTIVE, {broken: 0})  # the first of the page
    if part == "due":
        client.delete(job_key(broken, part))
        client.set(job_key(broken, part), "no sorted set")
    else:
        world.skip_waits(broken)
        client.hset(job_key(broken, part), "spec", "no JSON")
    world.skip_waits(whole)
    world.broker.queued.clear()
    world.watchdog.look_once()
    assert {parcel.message.job_id for parcel in world.broker.queued} == {whole}


def test_a_flow_that_cannot_go_on_fails_the_job_and_not_the_item_before_it(world, monkeypatch):
    def crash(_phase: int, _results: Results, _job: Job) -> Phase | End:
        raise KeyError("nothing there")

    monkeypatch.setitem(registry.FLOWS, "tree", replace(registry.FLOWS["tree"], advance=crash))
    ended = world.play(world.submit("tree"))
    assert (ended.state, ended.done["tree.leaf"], ended.leases_lost) == (JobState.FAILED, 5, 0)
    assert "nothing there" in (ended.outcome or {})["reason"]


def test_what_a_paused_job_left_is_sent_at_the_first_look_after_it_resumes(world: World) -> None:
    job = world.submit("tree")
    known = world.services.__dict__["pauses"] = Pauses(world.services.redis, fresh_seconds=600)
    known.pause(job, "user", "enough for now")
    world.broker.deliver(world.runner)
    world.watchdog.look_once()
    assert not world.ran
    assert not world.broker.queued
    Pauses(world.services.redis).resume(job)  # in another process: this one does not know yet
    Watchdog(Runner(services_over(world.services.redis), world.broker).driver, 1.0).look_once()
    assert world.work(job).done["tree.root"] == 1, "nothing waits for another look, nor for its interval"
    known.resume(job)
    assert_done_once(world, world.play(job))


def test_what_a_paused_job_left_is_sent_though_its_queue_is_long(world: World) -> None:
    job = world.submit("tree")
    world.services.pauses.pause(job, "user", "enough for now")
    world.broker.deliver(world.runner)
    since = world.ledger.client.time()[0] * 1000 - 60_000
    waits = {"tree.root": {"normal": since}}  # a message that is older than the item
    assert world.ledger.look([job], [waits])[0].send[0].item_id == "root"


def test_an_expired_jobs_id_may_be_another_job(world: World) -> None:
    first, second = (
        (world.services, world.broker, "tree", "default", {"leaves": leaves}) for leaves in (1, 3)
    )
    job = submit_job(*first, key="mine").job.id
    world.play(job)
    for part in PARTS:
        world.services.redis.delete(job_key(job, part))
    world.runner.known_seconds = 0.0  # as after the time for which an ended job is kept
    assert submit_job(*second, key="mine").job.id == job
    assert world.play(job).done["tree.leaf"] == 3
