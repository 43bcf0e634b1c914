"""Phases that are closed early at any moment of a job's life, by whoever has just done an item of them."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from doubles.ledger_play import ADVANCE, LAST, Hand, Play
from doubles.ledger_view import View
from workers.core.jobs.records import Moved


class ClosingMachine(RuleBasedStateMachine):
    """The rules of early closes, for the machine that plays the job."""

    play: Play

    def __init__(self) -> None:
        super().__init__()
        self.closers: list[Hand] = []  # hands whose item is done and was to end its phase; most die before

    def may_close_after(self, hand: Hand, moved: Moved) -> None:
        """Remember a worker that, as a runner, closes after it recorded a result; it may never do so."""
        if moved.verdict == "recorded" and not moved.advance and self.play.may_close(hand):
            self.closers.append(hand)

    @precondition(lambda self: self.closers)
    @rule(pick=st.integers(0, 1000), dies=st.booleans(), again=st.booleans())
    def close_after_finish(self, pick: int, *, dies: bool, again: bool) -> None:
        """The item's worker comes to the close: at once, in the next phase, after the end, after a retry."""
        hand = self.closers.pop(pick % len(self.closers))
        self._close(hand.claim.epoch, hand.phase, dies=dies, again=again)

    @rule(rarely=st.integers(0, 3), old=st.booleans(), dies=st.booleans(), again=st.booleans())
    def close(self, rarely: int, *, old: bool, dies: bool, again: bool) -> None:
        view = self.play.view()
        if rarely == 3 and view.phase < LAST:
            self._close(view.epoch - old, view.phase, dies=dies, again=again)

    def _close(self, epoch: int, phase: int, *, dies: bool, again: bool) -> None:
        before = self.play.view()
        moved = self.play.close(epoch, phase, "enough", dies=dies)
        after = self.play.view()
        if (before.state, before.epoch, before.phase) == ("running", epoch, phase):
            assert moved.verdict == "closed"
            check_close(before, after, moved)
        else:
            assert moved.verdict == "gone"
            assert (after.due, after.lease, after.job) == (before.due, before.lease, before.job)
        if again:
            repeated = self.play.close(epoch, phase, "enough", dies=True)
            assert repeated.verdict == moved.verdict
            assert not (moved.advance and repeated.advance), "one sender"


def holder(seen: View, item: str) -> str:
    """Return who has an item's lease; how long is not asked: a clock that was set back shortens it."""
    return seen.lease.get(item, ("", 0))[0]


def check_close(before: View, after: View, moved: Moved) -> None:
    """Only what is being done is left of the phase; where that is nothing, its advance is due and free."""
    advance = f"{ADVANCE}{before.phase + 1}"
    # A lease may run out between two looks at it: what is surely being done, and what may be.
    surely = {item for item, (_, expiry) in before.lease.items() if expiry > after.now}
    left = set(after.due) - {advance}
    assert after.closed
    assert after.job.get("cursor", "0") == after.job.get("size", "0"), "nothing is added any more"
    assert surely <= set(after.due), "what is being done may be finished"
    assert left <= before.leased(), "the rest is dropped"
    for item, child in before.child.items():
        entry = f"cancel:{child}:{after.epoch}"
        assert item in after.due or entry in after.outbox, "its child is told to stop"
    if advance in before.due:
        assert not moved.advance
        assert holder(after, advance) == holder(before, advance), "who advances goes on"
    else:
        assert moved.advance == ("" if left else advance)
        assert advance not in after.lease, "leased to nobody"
        assert left or after.due[advance] <= after.now, "the watchdog sends it at once"
