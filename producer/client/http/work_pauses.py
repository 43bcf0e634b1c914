"""Client calls for pauses across jobs, over HTTP."""

from __future__ import annotations

from producer.client.http.connection import HttpPart, read_answer
from workers.core.jobs.work_pauses import WorkKind, WorkPause, WorkPauseList

_PATH = "/v1/pauses"


class HttpWorkPauses(HttpPart):
    """Pauses across jobs over HTTP; see `producer.client.link.WorkPausesLink`."""

    def all(self) -> tuple[WorkPause, ...]:
        """Return all pauses, oldest first."""
        return read_answer(WorkPauseList, self._connection.get(_PATH)).pauses

    def pause(self, kind: WorkKind, name: str) -> tuple[WorkPause, ...]:
        """Pause; return all pauses."""
        answer = self._connection.request("POST", _PATH, json={"kind": kind, "name": name})
        return read_answer(WorkPauseList, answer).pauses

    def resume(self, kind: WorkKind, name: str) -> tuple[WorkPause, ...]:
        """Resume; return the pauses that are left."""
        answer = self._connection.request("DELETE", _PATH, params={"kind": kind, "name": name})
        return read_answer(WorkPauseList, answer).pauses
