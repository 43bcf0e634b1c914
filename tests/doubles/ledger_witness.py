"""What must always hold of a job, whatever happened between two calls."""

from dataclasses import dataclass, field

from doubles.ledger_play import ADVANCE, LAST, Sent
from doubles.ledger_view import View


def verdict_of(before: View, message: Sent, *, quarantine: bool) -> str:
    """Return what begin has to answer to a worker that has no lease on the item yet."""
    item = message.item_id
    lost = before.lost.get(item, 0) + (item in before.lease)
    if before.state != "running" or before.epoch != message.epoch:
        return "gone"
    if item in before.result:
        return "done"
    if item not in before.due:
        return "gone"
    if item in before.held() | before.leased():
        return "later" if item in before.held() else "busy"
    if (lost >= 5 and item in before.lease) or (before.closed and not item.startswith(ADVANCE)):
        return "gone"
    return "later" if lost >= 3 and not quarantine else "go"


def check_order(view: View) -> None:
    """A running job is watched and has something to do; an ended one leaves nothing for ever."""
    if view.state is None:
        return
    assert not set(view.due) & set(view.result), "done is not due"
    assert set(view.due) <= set(view.items)
    assert set(view.lease) <= set(view.due)
    if view.state == "running":
        assert view.indexed, "a running job is watched"
        assert not any(view.expiring.values()), "and does not expire"
        more = int(view.job.get("cursor", "0")) < int(view.job.get("size", "0"))
        assert view.due or more, "and has something to do"
        assert all(phase <= view.phase for phase, _ in view.items.values())
    else:
        for part in ("due", "lease", "hold", "sent", "child"):
            assert part not in view.expiring, f"{part} is empty after the end"
        check_expiry(view)


def check_expiry(view: View) -> None:
    """An ended job expires once everybody has been told of its end, and is watched until then."""
    if not view.outbox and not view.indexed:
        assert all(view.expiring.values()), f"everything expires: {view.expiring}"
    if view.outbox:
        assert view.indexed, "whoever works off outboxes finds it"
        assert not any(view.expiring.values()), f"nothing expires before it is told: {view.expiring}"


@dataclass
class Witness:
    """Remembers what a job was like, and objects when it is changed behind its back."""

    results: dict[str, str] = field(default_factory=dict)
    ends: dict[int, tuple[str, str]] = field(default_factory=dict)  # epoch -> state, outcome
    closed: set[int] = field(default_factory=set)  # phases whose dropped items no retry has made due again
    last: tuple[int, int] = (1, 0)  # epoch, phase

    def see(self, view: View, closed: set[int]) -> None:
        """Compare with what was seen before, and with the phases closed since the last retry."""
        self.closed |= closed
        for item, result in self.results.items():
            assert view.result.get(item) == result, "the first result wins"
        self.results = dict(view.result)
        assert (view.epoch, view.phase) >= self.last, "no phase is opened twice"
        self.last = (view.epoch, view.phase)
        if view.state == "running":
            assert view.epoch not in self.ends, "an ended job stays ended"
            assert not view.closed or view.phase in closed, "no phase closes by itself"
            self._check_none_lost(view)
        else:
            end = (view.job["state"], view.job["outcome"])
            assert self.ends.setdefault(view.epoch, end) == end, "the first end wins"

    def retried(self, view: View) -> None:
        """Forget what a retry takes back: results; closes from the phase on that it goes back to."""
        self.closed = {phase for phase in self.closed if phase < view.phase}
        self.results = {item: result for item, result in self.results.items() if item in view.result}

    def _check_none_lost(self, view: View) -> None:
        lost = {item for item in view.undone() if view.items[item][0] not in self.closed}
        assert not lost, "each admitted item is due or done, unless its phase was closed"

    def check_whole(self, view: View, leaves: int) -> None:
        """The flow went to its end: every phase was opened whole and all that was admitted is done."""
        self._check_none_lost(view)
        assert view.phase == LAST
        assert "write" in view.result
        if 1 not in self.closed:
            # A leaf that an earlier phase grew, and dropped when it was closed, is not grown again.
            dropped = {item for item, (phase, _step) in view.items.items() if phase in self.closed}
            assert {f"leaf {n}" for n in range(leaves)} - dropped <= set(view.result)
