"""The ledger under everything that can happen between two scripts; the real scripts on a real Redis,
and a few lives on one in memory.

One machine plays a job script by script; the other a batch, by the code of workers, watchdogs and users.
HOPLINE_TEST_LEDGER_RUNS sets how many random lives they lead together (thousands for a night).
"""

import os
from typing import NamedTuple

import pytest
import redis
from doubles.batch_machine import BatchMachine
from doubles.batch_process import make_batches_small
from doubles.databases import address_of, own_redis
from doubles.ledger_closing import ClosingMachine
from doubles.ledger_money import MoneyMachine
from doubles.ledger_play import ADVANCE, CONFIG, LAST, Hand, Play
from doubles.ledger_reading import ReadingMachine
from doubles.ledger_view import View
from doubles.ledger_witness import Witness, check_order, verdict_of
from doubles.memory_redis import memory_redis, memory_server
from doubles.stepped import SteppedRedis, stepped_memory, stepped_redis
from fakeredis import FakeRedis
from fleet.cases import cases
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from hopline.errors import InvalidInput
from hopline.models.jobs import JobState
from workers.core.jobs.records import Claim
from workers.core.jobs.work import Item
from workers.core.redis_keys import HISTORY, job_keys
from workers.ledger.retry import retry_dead_letters

HURT = ("dies", "dies after", "fails", "breaks", "waits", "is delegated")
CLOSING = ("closes", "dies closing", "spends too much", "dies spending")
FATES = (*["goes well"] * 10, *["grows"] * 2, *HURT, *HURT, *CLOSING)
RUNS = int(os.environ.get("HOPLINE_TEST_LEDGER_RUNS") or cases(80))
FEW = 5  # lives in memory, where one takes longer
POISON = "twig poison"  # whoever begins it dies
HOOK = "https://hook.example/"
PICK = st.integers(0, 1000)
CHILDREN = st.lists(st.sampled_from([*(f"twig {n}" for n in range(5)), POISON, "root", "leaf 0"]), max_size=4)

HOSTILE = settings(
    stateful_step_count=60,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # a life is printed as it was: making it shorter takes minutes
    suppress_health_check=list(HealthCheck),
)


class LedgerMachine(MoneyMachine, ReadingMachine, ClosingMachine):
    """Workers, watchdogs and users as rules; what must always hold as invariants."""

    client: redis.Redis

    def __init__(self) -> None:
        super().__init__()
        self.hands: list[Hand] = []  # claims that workers hold
        self.ghosts: list[Hand] = []  # claims that workers used or lost; their late calls may come any time
        self.witness = Witness()

    @initialize(leaves=st.integers(0, 7), timed=st.booleans())
    def submit(self, leaves: int, *, timed: bool) -> None:
        self.play = Play(self.client, leaves, timeout=3600 if timed else None, webhook=HOOK)
        assert self.play.submit()

    @rule()
    def submit_again(self) -> None:
        assert not self.play.submit()

    # messages and workers -------------------------------------------------------------------------

    @precondition(lambda self: self.play.on_the_way)
    @rule(pick=PICK, stays=st.booleans(), quarantine=st.booleans())
    def deliver(self, pick: int, *, stays: bool, quarantine: bool) -> None:
        """A message arrives; it may arrive again, and anywhere."""
        index = pick % len(self.play.on_the_way)
        message = self.play.on_the_way[index] if stays else self.play.on_the_way.pop(index)
        before = self.play.view(message.job_id)
        quarantine |= message.quarantine
        claim, begun = self.play.begin(message, quarantine=quarantine)
        assert begun.verdict == verdict_of(before, message, quarantine=quarantine)
        if begun.verdict == "go":
            again = self.play.begin(message, claim.token, quarantine=quarantine)[1]
            assert again.verdict == "go", "a lost reply is harmless"
            if message.item_id != POISON:
                self.hands.append(Hand.of(claim, begun))

    @precondition(lambda self: self.play.on_the_way)
    @rule(pick=PICK)
    def lose_message(self, pick: int) -> None:
        self.play.on_the_way.pop(pick % len(self.play.on_the_way))

    @rule(fates=st.lists(st.sampled_from(FATES), min_size=1, max_size=8))
    def work(self, fates: list[str]) -> None:
        """Messages arrive in turn and meet their fates; jobs come far enough to be hurt everywhere."""
        for fate in fates:
            if not self.play.on_the_way:
                self.play.wait(6)
                self.play.watch()
                continue
            message = self.play.on_the_way.pop(0)
            claim, begun = self.play.begin(message, quarantine=message.quarantine)
            if begun.verdict == "go" and message.item_id != POISON:
                self.ghosts.append(Hand.of(claim, begun))
                self.play.meet(fate, self.ghosts[-1], POISON)

    def _take(self, pick: int) -> Hand:
        hand = self.hands.pop(pick % len(self.hands))
        self.ghosts.append(hand)
        return hand

    @precondition(lambda self: self.hands)
    @rule(pick=PICK)
    def lose_worker(self, pick: int) -> None:
        self._take(pick)

    @precondition(lambda self: self.hands)
    @rule()
    def renew(self) -> None:
        claims = [hand.claim for hand in self.hands]
        kept = self.play.ledger.renew(claims)
        for claim, ours in zip(claims, kept, strict=True):
            view = self.play.view(claim.job_id)
            assert ours == (view.epoch == claim.epoch and self._leases(view, claim))

    @staticmethod
    def _leases(view: View, claim: Claim) -> bool:
        return view.lease.get(claim.item_id, ("",))[0] == claim.token

    @precondition(lambda self: self.hands)
    @rule(pick=PICK, names=CHILDREN, dies=st.booleans(), again=st.booleans())
    def finish(self, pick: int, names: list[str], *, dies: bool, again: bool) -> None:
        """A worker brings a result, or an advance; it may die right after, and its client repeat the call."""
        hand = self._take(pick)
        if hand.claim.item_id.startswith(ADVANCE):
            self.play.advance(hand)
            return
        children = [Item(id=name, step="tree.twig") for name in names if hand.phase < LAST]
        moved = self.play.finish(hand.claim, *children)
        if again:
            assert self.play.finish(hand.claim, *children).verdict in ("done", "gone")
        assert len(set(moved.added)) == len(moved.added)
        self.may_close_after(hand, moved)
        if not dies:
            self.play.send(hand.claim, moved)
            if moved.advance:
                lease = hand.claim.model_copy(update={"item_id": moved.advance})
                self.hands.append(Hand(lease, hand.phase))

    @precondition(lambda self: self.hands)
    @rule(pick=PICK, permanent=st.booleans(), again=st.booleans())
    def fail(self, pick: int, *, permanent: bool, again: bool) -> None:
        claim = self._take(pick).claim
        before = self.play.view(claim.job_id)
        moved = self.play.ledger.fail(claim, 'it "broke"\n', permanent=permanent)
        if before.epoch != claim.epoch or not self._leases(before, claim):
            assert moved.verdict == "gone", "only with the lease"
        elif permanent or before.tries.get(claim.item_id, 0) + 1 >= CONFIG.max_attempts:
            assert moved.verdict == "dead"
        else:
            assert moved.verdict == "again"
        if again:
            assert self.play.ledger.fail(claim, "again").verdict == "gone"

    @precondition(lambda self: self.hands)
    @rule(pick=PICK, seconds=st.sampled_from([0.0, 2.0, 600.0, 1e9]))
    def defer(self, pick: int, seconds: float) -> None:
        """A dependency is away: the work pauses, no attempt is used up."""
        claim = self._take(pick).claim
        before = self.play.view(claim.job_id)
        answer = self.play.ledger.defer(claim, seconds, "the model is away")
        after = self.play.view(claim.job_id)
        assert answer == (before.epoch == claim.epoch and self._leases(before, claim))
        assert (after.tries, after.lost, after.dead) == (before.tries, before.lost, before.dead)

    @precondition(lambda self: any(not h.claim.item_id.startswith(ADVANCE) for h in self.hands))
    @rule(pick=PICK, again=st.booleans())
    def delegate(self, pick: int, *, again: bool) -> None:
        own = [h for h in self.hands if h.claim.job_id == self.play.name]
        hand = own[pick % len(own)] if own else None
        if hand is None or hand.claim.item_id.startswith(ADVANCE):
            return
        self.hands.remove(hand)
        wanted = self.play.delegate(hand.claim)
        if again:
            assert self.play.delegate(hand.claim) == wanted

    @precondition(lambda self: self.ghosts)
    @rule(
        pick=PICK,
        call=st.sampled_from(["finish", "fail", "defer", "renew", "delegate", "advance", "put_back"]),
    )
    def call_late(self, pick: int, call: str) -> None:
        """A call comes late, or twice: from a worker that was taken for dead, or out of an older epoch."""
        hand = self.ghosts[pick % len(self.ghosts)]
        is_advance = hand.claim.item_id.startswith(ADVANCE)
        ledger = self.play.ledger
        match call:
            case "advance" if is_advance:
                self.play.advance(hand)
            case "finish" if not is_advance:
                moved = self.play.finish(hand.claim)
                self.play.send(hand.claim, moved)
                self.may_close_after(hand, moved)
            case "delegate" if not is_advance and hand.claim.job_id == self.play.name:
                self.play.delegate(hand.claim)
            case "fail":
                ledger.fail(hand.claim, "late")
            case "defer":
                ledger.defer(hand.claim, 1.0, "late")
            case "renew":
                ledger.renew([hand.claim])
            case "put_back":
                ledger.put_back(hand.claim.job_id, hand.claim.epoch, hand.claim.item_id)

    # users, watchdogs, time -----------------------------------------------------------------------

    @rule(rarely=st.integers(0, 9))
    def cancel(self, rarely: int) -> None:
        if rarely == 9:
            before = self.play.view()
            ended = self.play.ledger.end(self.play.name, None, JobState.CANCELLED, {})
            assert ended == (before.state == "running"), "the first caller wins"
            assert not self.play.ledger.end(self.play.name, None, JobState.DONE, {})

    @rule()
    def retry(self) -> None:
        before = self.play.view()
        if before.state == "running" or not before.is_unfinished() or before.outbox:
            with pytest.raises(InvalidInput):
                retry_dead_letters(self.play.ledger, self.play.name)
            return
        assert retry_dead_letters(self.play.ledger, self.play.name) == before.epoch + 1
        after = self.play.view()
        assert not after.dead
        self.witness.retried(after)
        self.play.closed.clear()
        assert not any(phase > after.phase for phase, _ in after.items.values()), (
            "later phases are taken back"
        )

    @rule(cursor=st.integers(0, 8), old=st.booleans())
    def admit(self, cursor: int, *, old: bool) -> None:
        view = self.play.view()
        right = view.state == "running" and str(cursor) == view.job.get("cursor", "0")
        room = right and not old and view.phase == 1 and cursor < int(view.job.get("size", "0"))
        moved = self.play.admit(self.play.name, view.epoch - old, cursor) if room or not right else None
        assert moved is None or (moved.verdict == "admitted") == room

    @rule(seconds=st.sampled_from([1.0, 4.0, 11.0, 11.0, 130.0, 3601.0, -1.0, -60.0, -100_000.0]))
    def wait(self, seconds: float) -> None:
        self.play.wait(seconds)

    @rule()
    def watch(self) -> None:
        before = self.play.view()
        look = self.play.watch()[0]
        sent = {due.item_id for due in look.send}
        assert not sent & (before.held() | before.leased())
        lost = set(before.lease) - before.leased() - set(before.child)
        if look.verdict == "running" and not before.closed and all(before.due[i] <= before.now for i in lost):
            assert {i for i in lost if before.lost.get(i, 0) < 4} <= sent, "a lost item at once"
        if look.verdict == "running":
            assert before.advances_free() <= sent, "an advance that nobody has, at once"

    # what must always hold ------------------------------------------------------------------------

    @invariant()
    def every_job_is_in_order(self) -> None:
        for job_id in (self.play.name, *self.play.children):
            check_order(self.play.view(job_id))
        view = self.play.view()
        self.witness.see(view, self.play.closed)
        self.check_money(view)
        self.check_reads(view)

    def teardown(self) -> None:
        if not hasattr(self, "play"):
            return
        self._play_to_the_end()
        if self.play.view().dead:
            self.retry()
            self.every_job_is_in_order()
            self._play_to_the_end()
        for job_id in (self.play.name, *self.play.children):
            self.client.delete(*job_keys(job_id))

    def _play_to_the_end(self) -> None:
        self.play.play_on(lambda item: item != POISON)
        self.every_job_is_in_order()
        view = self.play.view()
        if view.state in ("done", "partial") and "by" in view.job["outcome"]:
            self.witness.check_whole(view, self.play.leaves)
        if POISON in view.result:
            assert view.lost[POISON] == 5
            assert POISON in view.dead
        assert self.play.told == set(range(1, view.epoch + 1)), "each end is told"
        names = [event.name for _, event in self.play.ledger.events(self.play.name)]
        assert names.count("job.ended") == view.epoch
        rows = {row for row in self.client.hkeys(HISTORY) if row.startswith(f"{self.play.name} ")}
        assert rows == {f"{self.play.name} {epoch}" for epoch in range(1, view.epoch + 1)}


class Clients(NamedTuple):
    """Two clients of one database."""

    plain: redis.Redis
    stepped: SteppedRedis


@pytest.fixture(params=("redis", "memory"))
def clients(request: pytest.FixtureRequest) -> Clients:
    if request.param == "memory":
        server = memory_server()
        return Clients(memory_redis(server), stepped_memory(server))
    plain = own_redis(request.getfixturevalue("redis_url"))
    return Clients(plain, stepped_redis(address_of(plain)))


@pytest.fixture
def lives(clients: Clients) -> int:
    """How many random lives to lead."""
    return max(FEW, RUNS // 16) if isinstance(clients.plain, FakeRedis) else RUNS


@pytest.mark.cases
def test_no_order_of_calls_crashes_and_clocks_breaks_a_job(clients: Clients, lives: int) -> None:
    class Machine(LedgerMachine):
        client = clients.plain

    run_machine(Machine, settings=settings(HOSTILE, max_examples=lives * 5 // 8))


@pytest.mark.cases
def test_no_order_of_pauses_cancels_retries_and_crashes_breaks_a_batch(clients, lives, monkeypatch):
    class Machine(BatchMachine):
        client, stepped = clients
        stumbles = make_batches_small(monkeypatch)

    run_machine(Machine, settings=settings(HOSTILE, max_examples=lives * 3 // 8, stateful_step_count=30))
