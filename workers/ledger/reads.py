"""Records which nodes and chunks a job's items have read, so that none is read twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from hopline.errors import Conflict
from workers.core.jobs.work import Job
from workers.ledger.scripts import Scripts

_MOST = 500  # names that one script handles
_NOTES = 40  # shared by other items, the latest, that one reply tells


class JobReads:
    """`core.graph.paths.Reads` of one job.

    Args:
        scripts: the ledger's scripts.
        job: id of the job.
    """

    def __init__(self, scripts: Scripts, job: Job) -> None:
        self._scripts = scripts
        self._job = job
        self._notes: dict[str, tuple[str, ...]] = {}

    def take(self, reader: str, names: Sequence[str], most: int | None = None) -> list[str]:
        """Return the names that only this reader reads, at most `most`; only the first 500 are tried.

        Raises:
            Conflict: the job has ended.
        """
        tried = list(dict.fromkeys(names))[:_MOST]
        if not tried:
            return []
        reply = self._call(reader, tried, len(tried) if most is None else most)
        if reply[0] == "gone":
            raise Conflict(f"job {self._job.id} has ended")
        return cast("list[str]", reply[1])

    def by_others(self, reader: str, names: Sequence[str]) -> set[str]:
        """Return the names that another reader has taken; none if the job has ended."""
        if not names:
            return set()
        reply = self._call(reader, list(names), 0)
        return set(cast("list[str]", reply[2])) if reply[0] == "taken" else set()

    def notes(self, reader: str) -> tuple[str, ...]:
        """Return the notes that other items had shared at the reader's first call; queries no server."""
        return self._notes.get(reader, ())

    def _call(self, reader: str, names: Sequence[str], most: int) -> list[Any]:
        reply = self._scripts.call("take_reads", self._job.id, self._job.epoch, reader, most, _NOTES, *names)
        if reply[0] == "taken":
            self._notes[reader] = tuple(cast("list[str]", reply[3]))
        return reply
