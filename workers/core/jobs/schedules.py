"""Models of schedules: syncs that repeat at set times, and the outcome of each of these times."""

from __future__ import annotations

from typing import get_args

from hopline.models.base import Frozen
from hopline.models.schedules import NotBegun, Unbegun
from hopline.models.times import timestamp

UNBEGUN: tuple[Unbegun, ...] = get_args(Unbegun)
_KEPT = 100  # of what began nothing


class DueRuns(Frozen):
    """The run that a schedule is to start, and the times at which it started nothing.

    At most one run waits: a sync reads the current state of its sources, so one makes up for all before it.
    """

    due: float | None = None  # the run that waits to be begun: seconds since the epoch
    buffered: bool = False  # it waits for the sync before it to end
    noted: float = 0.0  # the latest time that was noted as due
    not_begun: tuple[NotBegun, ...] = ()  # the latest hundred, newest first

    def add(self, due: float, missed: NotBegun | None = None) -> DueRuns:
        """Return these with a run that is due; it replaces one that still waits.

        Args:
            due: time of the run; a time already recorded changes nothing.
            missed: the earlier times at which no beat process was running.
        """
        if due <= self.noted:
            return self
        passed = [missed] if missed else []
        if self.due is not None:
            outcome: Unbegun = "skipped" if self.buffered else "missed"
            why = "the sync before it still ran" if self.buffered else "no worker began it"
            passed.append(
                NotBegun(due=timestamp(self.due), outcome=outcome, reason=f"{why} until the next was due")
            )
        return self._having(passed).model_copy(update={"due": due, "buffered": False, "noted": due})

    def begun(self, due: float) -> DueRuns:
        """Return these without a run that was started, even if it was recorded as missed in the meantime."""
        rest = tuple(each for each in self.not_begun if each.due != timestamp(due))
        waiting = {"due": None, "buffered": False} if self.due == due else {}
        return self.model_copy(update={"not_begun": rest, **waiting})

    def left(self, due: float, outcome: Unbegun, reason: str) -> DueRuns:
        """Return these without a run that will not be started, and record the outcome and reason."""
        if self.due != due:
            return self
        passed = NotBegun(due=timestamp(due), outcome=outcome, reason=reason)
        return self._having([passed]).model_copy(update={"due": None, "buffered": False})

    def waiting(self, due: float) -> DueRuns:
        """Return these with a run that waits for the previous sync to end."""
        return self.model_copy(update={"buffered": True}) if self.due == due else self

    def count(self, outcome: Unbegun, since: float = 0.0) -> int:
        """Return how many of the recorded times since a moment had this outcome."""
        return sum(
            each.times for each in self.not_begun if each.outcome == outcome and each.at >= timestamp(since)
        )

    def _having(self, passed: list[NotBegun]) -> DueRuns:
        newest = sorted((*passed, *self.not_begun), key=lambda each: each.due, reverse=True)[:_KEPT]
        return self.model_copy(update={"not_begun": tuple(newest)})
