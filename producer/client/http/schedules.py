"""Schedules of syncs over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import InvalidInput
from hopline.models.schedules import Scheduled, SchedulePolicy, ScheduleRuns
from hopline.operation import quoted
from producer.client.http.batches import BOUNDS
from producer.client.http.connection import HttpPart, read_answer
from producer.client.http.documents import profile_text

if TYPE_CHECKING:
    from pathlib import Path

    from hopline.models.schedules import Schedule

_PATH = "/v1/schedules"


class HttpSchedules(HttpPart):
    """Schedules over HTTP; see `producer.client.ingestion.links.SchedulesLink`."""

    def all(self) -> list[Scheduled]:
        """Return all schedules by name."""
        return [read_answer(Scheduled, each) for each in self._connection.get(_PATH)["schedules"]]

    def runs(self, name: str, *, before: str = "", limit: int = 50) -> ScheduleRuns:
        """Return a page of the syncs that a schedule began, newest first."""
        fields = {"cursor": before or None, "limit": limit}
        return read_answer(ScheduleRuns, self._connection.get(f"{_path(name)}/runs", **fields))

    def add(self, schedule: Schedule, profile: str | Path | None = None) -> Scheduled:
        """Store a schedule of places that the server may read."""
        if schedule.sync.dry_run:
            raise InvalidInput("dry_run", "true", "false over HTTP: a schedule is made to change something")
        body = schedule.sync.model_dump(include={"sources", "most_removed"} | BOUNDS, exclude_none=True)
        body |= {"collection": schedule.collection, "every": schedule.every, "zone": schedule.zone}
        body |= schedule.model_dump(include=set(SchedulePolicy.model_fields))
        body |= {"tags": schedule.tags, "profile": profile_text(profile)}
        return read_answer(Scheduled, self._connection.request("PUT", _path(schedule.name), json=body))

    def pause(self, name: str) -> Scheduled:
        """Let a schedule begin nothing until it is resumed."""
        return read_answer(Scheduled, self._connection.request("POST", f"{_path(name)}/pause"))

    def resume(self, name: str) -> Scheduled:
        """Let a paused schedule begin again."""
        return read_answer(Scheduled, self._connection.request("POST", f"{_path(name)}/resume"))

    def remove(self, name: str) -> None:
        """Delete a schedule."""
        self._connection.request("DELETE", _path(name))


def _path(name: str) -> str:
    return f"{_PATH}/{quoted(name)}"
