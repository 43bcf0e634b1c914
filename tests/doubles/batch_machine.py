"""A small batch under everything that its user and its workers' processes can do to it, in any order."""

from contextlib import ExitStack
from datetime import timedelta
from typing import ClassVar

import redis
from hypothesis import note
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from structlog.processors import format_exc_info
from structlog.testing import capture_logs

from doubles.batch_play import COMMANDS, LIMIT, BatchPlay, Deed
from doubles.batch_process import STUMBLES, Stumbles, World
from doubles.stepped import WHOLE, SteppedRedis
from hopline.models.jobs import JobState
from workers.core.jobs.messages import Message

PICK = st.integers(0, 1000)
WORKER = st.integers(0, 1)
SECONDS = st.sampled_from([1.0, 11.0, 40.0, 400.0])
CALLS = st.one_of(st.just(WHOLE), st.integers(1, 4), st.integers(0, 24))
SOME_CALLS = st.integers(1, 14)  # a deed takes some five to twenty
FATE = st.sampled_from(["well", "well", "torn", "torn", "empty", "slips", "model is away"])
FATES = st.lists(FATE, max_size=4)
COMMAND = st.sampled_from([*COMMANDS, "pause", "cancel or retry", "cancel or retry"])
MEANWHILE = st.lists(st.one_of(st.sampled_from(["work", "watch", "wait"]), COMMAND), min_size=1, max_size=5)
CRASHES = frozenset(
    (
        "item.crashed", "flow.crashed", "item.not_followed", "phase.not_closed", "job.not_attended",
        "job.broken",
    )
)  # fmt: skip


class BatchMachine(RuleBasedStateMachine):
    """Users, workers and watchdogs as rules."""

    client: ClassVar[redis.Redis]
    stepped: ClassVar[SteppedRedis]
    stumbles: ClassVar[Stumbles]

    def __init__(self) -> None:
        super().__init__()
        self.open = ExitStack()
        self.logs = self.open.enter_context(capture_logs([format_exc_info]))

    @initialize(
        documents=st.integers(1, 5),
        named=st.booleans(),
        limited=st.booleans(),
        hours=st.booleans(),
        late=st.sampled_from(["die", "come first", "come last"]),
    )
    def submit(self, documents: int, late: str, *, named: bool, limited: bool, hours: bool) -> None:
        self.client.flushdb()
        self.stumbles.left = 0
        params = {"name": "night" if named else "", "hours": "22:00-06:00" if hours else ""}
        params |= {"max_calls": LIMIT} if limited else {}
        self.late = late
        world = World(self.stepped, stumbles=self.stumbles)
        self.play = BatchPlay(self.client, world, documents, params)

    # workers --------------------------------------------------------------------------------------

    @rule(count=st.integers(1, 12), fates=FATES, again=st.booleans())
    def work(self, count: int, fates: list[str], *, again: bool) -> None:
        """Workers do the oldest messages; documents meet these fates."""
        if again:
            self.begin_again()
        self.play.world.fates.extend(fates)
        self.play.work(count)

    @rule(pick=PICK, worker=WORKER, calls=CALLS, fate=FATE, stays=st.booleans())
    def begin(self, pick: int, worker: int, calls: int, fate: str, *, stays: bool) -> None:
        """A worker begins what a message asks for, and stops; the message may come again."""
        if message := self.message(pick, stays=stays):
            self.play.world.fates.append(fate)
            self.tell(self.play.deliver(message, worker, calls))

    @rule(pick=PICK, first=SOME_CALLS, second=SOME_CALLS, again=st.booleans())
    def stall(self, pick: int, first: int, second: int, *, again: bool) -> None:
        """A worker stops for longer than its lease, another does the item beside it, and both go on."""
        if again:
            self.begin_again()
        if not (message := self.message(pick, stays=True)):
            return
        slow = self.play.deliver(message, 0, first)
        self.play.wait(11)
        quick = self.play.deliver(message, 1, second)
        for deed in (slow, quick):
            self.tell(deed)
            self.go_on(deed)

    @precondition(lambda self: self.play.under_way)
    @rule(pick=PICK, calls=CALLS)
    def go_on_with(self, pick: int, calls: int) -> None:
        self.go_on(self.play.under_way[pick % len(self.play.under_way)], calls)

    @precondition(lambda self: self.play.under_way)
    @rule(pick=PICK)
    def kill(self, pick: int) -> None:
        deed = self.play.under_way[pick % len(self.play.under_way)]
        self.tell(deed)
        self.play.kill(deed)

    # users, watchdogs, time -----------------------------------------------------------------------

    @rule(command=COMMAND, calls=CALLS, dies=st.booleans(), meanwhile=MEANWHILE)
    def command(self, command: str, calls: int, meanwhile: list[str], *, dies: bool) -> None:
        """The user wants something; if that stops on the way, it dies or not, and others do this and that."""
        deed = self.play.command(command, calls)
        if not deed.is_over:
            self.tell(deed)
            if dies:
                self.play.kill(deed)
            self.do(meanwhile)

    @rule(calls=st.integers(1, 5), count=st.integers(1, 8), dies=st.booleans(), paused=st.booleans())
    def cancel_and_stop(self, calls: int, count: int, *, dies: bool, paused: bool) -> None:
        """A cancel stops on the way; it dies there, or goes on when the batch has begun again."""
        self.begin_again()
        self.play.work(count % 3)
        if self.play.record().state is not JobState.RUNNING:
            return
        if paused:
            self.play.command("pause")
        # One that is to be overtaken has ended the batch by then, and may have read what is left to do.
        deed = self.play.command("cancel", calls if dies else calls + 4)
        self.tell(deed)
        if dies and not deed.is_over:
            self.play.kill(deed)
        self.play.watch()
        if not dies:
            self.begin_again()
            self.play.work(count)
            self.go_on(deed)

    @rule(seconds=SECONDS, hours=st.integers(0, 12), worker=WORKER, calls=CALLS, meanwhile=MEANWHILE)
    def watch(self, seconds: float, hours: int, worker: int, calls: int, meanwhile: list[str]) -> None:
        """After a while a watchdog looks; if it stops on the way, others do this and that."""
        self.play.wait(seconds)
        self.play.now += timedelta(hours=hours)
        deed = self.play.watch(worker, calls)
        if not deed.is_over:
            self.tell(deed)
            self.do(meanwhile)

    @rule(count=st.integers(1, 6))
    def cancel_documents(self, count: int) -> None:
        """A user cancels all documents that are under way, the last ones among them."""
        self.begin_again()
        self.play.work(count)
        self.play.command("cancel documents")

    @rule(times=st.integers(1, 4))
    def stumble(self, times: int) -> None:
        """The batch's flow cannot go on for so many attempts; three end it."""
        self.stumbles.left = times

    # what the rules have in common ----------------------------------------------------------------

    def begin_again(self) -> None:
        """Let the user retry what has ended."""
        if self.play.record().state is not JobState.RUNNING:
            self.play.command("retry")

    def message(self, pick: int, *, stays: bool) -> Message | None:
        """Take a message; where there is none, what a watchdog sends; None where that is nothing."""
        mail = self.play.world.mail
        if not mail:
            self.play.wait(40)
            self.play.watch()
        index = pick % max(1, len(mail))
        return None if not mail else mail[index] if stays else mail.pop(index)

    def do(self, meanwhile: list[str]) -> None:
        """Let others do these things, each to its end."""
        for what in meanwhile:
            match what:
                case "work":
                    self.play.work(max(1, len(self.play.world.mail)))
                case "watch":
                    self.play.watch()
                case "wait":
                    self.play.wait(11)
                case command:
                    self.play.command(command)
            self.play.check()

    def go_on(self, deed: Deed, calls: int = WHOLE) -> None:
        if not deed.is_over:
            self.play.go_on(deed, calls)
            self.tell(deed)

    @staticmethod
    def tell(deed: Deed) -> None:
        note(f"{deed.name}: " + ("over" if deed.is_over else f"stands before {deed.stands_before}"))

    # what must always hold ------------------------------------------------------------------------

    @invariant()
    def everything_is_in_order(self) -> None:
        if hasattr(self, "play"):
            self.play.check()
        crashes = [str(log.get("exception", log)) for log in self.logs if log["event"] in CRASHES]
        crashes = [crash for crash in crashes if STUMBLES not in crash]
        assert not crashes, "\n".join(crashes)

    def teardown(self) -> None:
        with self.open:
            if hasattr(self, "play"):
                self.play_to_the_end()

    def play_to_the_end(self) -> None:
        late = list(self.play.under_way)
        if self.late == "die":
            for deed in late:
                self.play.kill(deed)
        if self.late == "come last":
            self.play.play_on()
        for deed in late:
            self.go_on(deed)
        self.play.check_end()
        self.everything_is_in_order()
