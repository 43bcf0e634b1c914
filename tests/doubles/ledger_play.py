"""A small flow over the real ledger, played by hand: workers, watchdog, users."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field

import redis

from doubles.ledger_view import View, pass_time, view
from hopline.errors import StateConflict
from hopline.models.jobs import Budget, JobState, Parent
from workers.core.jobs.manifest import Manifest
from workers.core.jobs.records import Begun, Claim, Config, JobRecord, Look, Moved
from workers.core.jobs.work import Event, GivenBack, Item, Job, Outcome, Phase
from workers.engine.outbox import cancelled_epoch
from workers.ledger.ledger import Ledger
from workers.ledger.retry import retry_dead_letters

CONFIG = Config(
    lease_seconds=10, resend_seconds=5, backoff_seconds=1, max_attempts=3, keep_seconds=3600, grace_seconds=5
)
PAGE = 2  # items of the manifest that are admitted at a time
LAST = 2  # phases: root and its buds; leaves (a manifest) and their twigs; write
LIMIT = Budget(model_calls=8, tokens=1000)
ADVANCE = "advance:"


@dataclass(frozen=True)
class Sent:
    job_id: str
    epoch: int
    item_id: str
    quarantine: bool = False


@dataclass(frozen=True)
class Hand:
    """A claim that a worker holds, and the phase of its item."""

    claim: Claim
    phase: int
    given_up: bool = False  # its item, an advance

    @classmethod
    def of(cls, claim: Claim, begun: Begun) -> Hand:
        return cls(claim, begun.phase, "given_up" in begun.input)


@dataclass
class Play:
    """A job, its children, and the messages on their way."""

    client: redis.Redis
    leaves: int = 3
    timeout: float | None = None
    webhook: str = ""
    name: str = field(default_factory=lambda: f"job-{secrets.token_hex(6)}")
    on_the_way: list[Sent] = field(default_factory=list)
    children: set[str] = field(default_factory=set)
    closed: set[int] = field(default_factory=set)  # the own job's phases that somebody closed
    told: set[int] = field(default_factory=set)  # the own job's epochs whose end its webhook heard of

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.client, CONFIG)

    def view(self, job_id: str | None = None) -> View:
        return view(self.client, job_id or self.name)

    def record(self, job_id: str | None = None) -> JobRecord:
        record = self.ledger.job(job_id or self.name)
        assert record is not None
        return record

    def wait(self, seconds: float) -> None:
        """Let time pass for all the play's jobs."""
        for job_id in (self.name, *self.children):
            pass_time(self.client, job_id, seconds)

    # jobs -----------------------------------------------------------------------------------------

    def submit(self) -> int:
        job = Job(id=self.name, kind="tree", collection="test", root=self.name, webhook=self.webhook)
        created = self.ledger.submit(job, one("root"), budget=LIMIT, timeout=self.timeout)
        if created:
            self.on_the_way.append(Sent(self.name, 1, "root"))
        return created

    def following(self, phase: int) -> tuple[Phase, Manifest | None] | None:
        """What the flow opens after a phase; None ends the job."""
        if phase == 0:
            items = tuple(Item(id=f"leaf {n}", step="tree.leaf") for n in range(self.leaves))
            manifest = Manifest(reference="leaves", size=self.leaves) if self.leaves > PAGE else None
            return Phase(items=items[:PAGE], caps={"tree.twig": 3}, window=4), manifest
        return (one("write", delay=3.0), None) if phase == 1 else None

    def advance(self, hand: Hand) -> Moved | None:
        """Do an advance item; None where it ended the job."""
        job_id = hand.claim.job_id
        if hand.given_up:
            if self.ledger.end_flow(hand.claim, JobState.FAILED, {"given up": hand.claim.token}):
                self.work_off(job_id)
            return None
        phase = int(hand.claim.item_id.removeprefix(ADVANCE)) - 1
        following = None if job_id in self.children else self.following(phase)
        if following:
            moved = self.ledger.open_phase(hand.claim, *following)
            if moved.verdict == "opened":
                self.send(hand.claim, moved)
            return moved
        dead = bool(self.ledger.dead_letters(job_id))
        state = JobState.PARTIAL if dead else JobState.DONE
        if self.ledger.end_flow(hand.claim, state, {"by": hand.claim.token}):
            self.work_off(job_id)
        return None

    def work_off(self, job_id: str) -> None:
        """Work off an ended job's outbox."""
        epoch = self.view(job_id).epoch
        for entry, value in self.ledger.outbox(job_id).items():
            if entry == "parent":
                self.tell_parent(job_id, Parent.model_validate_json(value))
            elif entry == "history":
                self.ledger.hand_over(job_id, epoch, "{}", 10_000)
            elif entry == "webhook":
                self.told.add(self.view(job_id).epoch)
            else:
                self.ledger.cancel_child(value, cancelled_epoch(entry, value, epoch), "its parent has ended")
            self.ledger.strike(job_id, epoch, entry, value)
        self.ledger.leave(job_id)

    def tell_parent(self, job_id: str, parent: Parent) -> Moved:
        child = self.ledger.job(job_id)
        assert child is not None
        claim = Claim(job_id=parent.job_id, epoch=parent.epoch, item_id=parent.item_id, token="child")
        error = "" if child.state is JobState.DONE else f"it ended {child.state}"
        event = Event(name="child.ended")
        moved = self.ledger.finish_child(claim, {"child": job_id}, error, event)
        again = self.ledger.finish_child(claim, {"child": job_id, "again": True}, error, event)
        assert again.verdict in ("done", "gone"), "the second telling changes nothing"
        self.send(claim, moved)
        return moved

    # items ----------------------------------------------------------------------------------------

    def begin(
        self, message: Sent, token: str | None = None, *, quarantine: bool = False
    ) -> tuple[Claim, Begun]:
        claim = Claim(
            job_id=message.job_id,
            epoch=message.epoch,
            item_id=message.item_id,
            token=token or secrets.token_hex(4),
        )
        return claim, self.ledger.begin(claim, quarantine=quarantine)

    def finish(
        self, claim: Claim, *children: Item, given_back: GivenBack | None = None, notes: tuple[str, ...] = ()
    ) -> Moved:
        outcome = Outcome(
            result={"by": claim.token},
            children=children,
            events=(Event(name="leaf.grown"),),
            given_back=given_back,
            notes=notes,
        )
        return self.ledger.finish(claim, outcome, seconds=0.5)

    def delegate(self, claim: Claim) -> bool:
        """Hand an item to a child job as a driver does."""
        name = f"{claim.job_id}-{claim.item_id.replace(' ', '-')}"
        parent = Parent(job_id=claim.job_id, epoch=claim.epoch, item_id=claim.item_id)
        known = self.ledger.job(name)
        if known and known.state is not JobState.RUNNING and known.parent != parent:
            if known.dead:
                try:
                    epoch = retry_dead_letters(self.ledger, name, parent, epoch=known.epoch)
                except StateConflict:
                    return False  # the item no longer waits for it
                self.on_the_way.append(Sent(name, epoch, "root"))
            else:
                self.ledger.forget(name, known.epoch)
        job = Job(id=name, kind="child", collection="test", root=self.name)
        if epoch := self.ledger.submit(job, one("root"), parent=parent):
            self.on_the_way.append(Sent(name, epoch, "root"))
        self.children.add(name)
        wanted = self.ledger.delegate(claim, name)
        if not wanted:
            self.ledger.cancel_child(name, claim.epoch, "nobody waits for it")
        return wanted

    def send(self, claim: Claim, moved: Moved) -> None:
        """Send what a change of state added, and admit more."""
        self.on_the_way += [Sent(claim.job_id, claim.epoch, item) for item in moved.added]
        if moved.cursor >= 0:
            self.admit(claim.job_id, claim.epoch, moved.cursor)

    def admit(self, job_id: str, epoch: int, cursor: int) -> Moved:
        page = tuple(
            Item(id=f"leaf {n}", step="tree.leaf") for n in range(cursor, min(cursor + PAGE, self.leaves))
        )
        moved = self.ledger.admit(job_id, epoch, cursor, page)
        self.on_the_way += [Sent(job_id, epoch, item) for item in moved.added]
        return moved

    def close(self, epoch: int, phase: int, why: str, *, dies: bool = False) -> Moved:
        """Close a phase of the own job as a driver does; it may die before it sends the advance."""
        assert phase < LAST, "a driver never closes the last"
        moved = self.ledger.close(self.name, epoch, phase, why)
        if moved.verdict == "closed":
            self.closed.add(phase)
        if moved.advance and not dies:
            self.on_the_way.append(Sent(self.name, epoch, moved.advance))
        return moved

    # the watchdog ---------------------------------------------------------------------------------

    def watch(self) -> list[Look]:
        """Do what the watchdog does, for every job once."""
        jobs = [self.name, *sorted(self.children)]
        looks = self.ledger.look(jobs)
        for job_id, look in zip(jobs, looks, strict=True):
            if look.verdict == "ended":
                self.work_off(job_id)
            elif look.verdict == "running":
                self._attend(job_id, look)
        return looks

    def _attend(self, job_id: str, look: Look) -> None:
        again = [(due.item_id, due.quarantined) for due in look.send]
        for item, name in look.delegated:
            child = self.ledger.job(name)
            stale = child and child.parent and child.parent.epoch != look.epoch
            if child is None or (child.state is not JobState.RUNNING and stale):
                again.append((item, False))
        self.on_the_way += [Sent(job_id, look.epoch, item, flag) for item, flag in again]
        if look.cursor >= 0:
            self.admit(job_id, look.epoch, look.cursor)
        if look.attention == "close":
            self.close(look.epoch, look.phase, "the deadline has passed")
        elif look.attention == "cut":
            self.ledger.end(job_id, look.epoch, JobState.PARTIAL, {"reason": "the deadline has passed"})
        for entry, child_id in look.outbox.items():
            self.ledger.cancel_child(child_id, cancelled_epoch(entry, child_id, look.epoch), "dropped")
            self.ledger.strike(job_id, look.epoch, entry, child_id)

    def play_on(self, lives: Callable[[str], bool] = lambda _item: True, rounds: int = 120) -> None:
        """Do all work until every job has ended; a worker that begins an item that does not live dies."""
        for _ in range(rounds):
            self.work(lives, len(self.on_the_way))
            if not self.on_the_way:
                if not any(self.view(job_id).indexed for job_id in (self.name, *self.children)):
                    return
                self.wait(400)
                self.watch()
        raise AssertionError(f"still running after {rounds} rounds: {self.view()}")

    def meet(self, fate: str, hand: Hand, grown: str) -> None:
        """Let a worker that began an item meet its fate; `grown` is the child of one that grows."""
        claim = hand.claim
        is_advance = claim.item_id.startswith(ADVANCE)
        match fate:
            case "dies":
                return
            case "fails" | "breaks":
                self.ledger.fail(claim, fate, permanent=fate == "breaks" and not is_advance)
            case "waits":
                self.ledger.defer(claim, 3, fate)
            case "dies after" if not is_advance:
                self.finish(claim)
            case "is delegated" if claim.job_id == self.name and hand.phase == 1 and not is_advance:
                self.delegate(claim)
            case _ if is_advance:
                self.advance(hand)
            case "closes" | "dies closing" | "spends too much" | "dies spending" if self.may_close(hand):
                self._close_by(hand, fate)
            case _:
                grows = fate == "grows" and hand.phase < LAST
                self._finish_and_follow(hand, *([Item(id=grown, step="tree.twig")] if grows else []))

    def _close_by(self, hand: Hand, fate: str) -> None:
        """Let an item end its phase: when it is done, or because it would pass the job's budget."""
        epoch = hand.claim.epoch
        if "spend" in fate:
            self.close(epoch, hand.phase, fate)
            if not fate.startswith("dies"):
                self._follow(hand, self.ledger.fail(hand.claim, fate, permanent=True))
        elif not self._finish_and_follow(hand).advance:
            self.close(epoch, hand.phase, fate, dies=fate.startswith("dies"))

    def may_close(self, hand: Hand) -> bool:
        """Whether the item may end its phase early: not a child's, whose one phase is its last."""
        return hand.claim.job_id == self.name and hand.phase < LAST

    def _finish_and_follow(self, hand: Hand, *children: Item) -> Moved:
        return self._follow(hand, self.finish(hand.claim, *children))

    def _follow(self, hand: Hand, moved: Moved) -> Moved:
        self.send(hand.claim, moved)
        if moved.advance:
            self.advance(Hand(hand.claim.on(moved.advance), hand.phase))
        return moved

    def work(self, lives: Callable[[str], bool], count: int) -> None:
        """Take so many messages, the oldest first, and do what they ask for."""
        messages, self.on_the_way = self.on_the_way[:count], self.on_the_way[count:]
        for message in messages:
            self._do(message, lives)

    def _do(self, message: Sent, lives: Callable[[str], bool]) -> None:
        claim, begun = self.begin(message, quarantine=message.quarantine)
        if begun.verdict != "go" or not lives(message.item_id):
            return
        self.meet("goes well", Hand.of(claim, begun), "")


def one(item: str, delay: float = 0.0) -> Phase:
    return Phase(items=(Item(id=item, step=f"tree.{item}", delay=delay),))
