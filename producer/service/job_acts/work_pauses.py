"""Pauses of work across jobs: pause a queue, a step, a model or an API key, and resume it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.service.backend import Part
from workers.core.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from collections.abc import Collection

    from workers.core.jobs.work_pauses import WorkKind, WorkPause

_LONGEST = 200  # characters of a model's name


class WorkPauses(Part):
    """What is paused across jobs."""

    def all(self) -> tuple[WorkPause, ...]:
        """Return all pauses, oldest first."""
        return self._services.work_pauses.all()

    def pause(self, kind: WorkKind, name: str) -> tuple[WorkPause, ...]:
        """Pause; what is paused already stays so. Return all pauses.

        Raises:
            InvalidInput: there is no such queue or step, or a model's name is not one.
            NotFound: there is no such API key.
        """
        from workers.core.audit import current_actor

        with self._audit.act("pause", kind, name):
            self._check(kind, name)
            self._services.work_pauses.pause(kind, name, current_actor().name)
        return self.all()

    def resume(self, kind: WorkKind, name: str) -> tuple[WorkPause, ...]:
        """Resume; return the pauses that are left.

        Raises:
            NotFound: it is not paused.
        """
        with self._audit.act("resume", kind, name):
            if not self._services.work_pauses.resume(kind, name):
                raise NotFound(f"{kind} {name} is not paused: `hopline pauses` lists what is")
        return self.all()

    def _check(self, kind: WorkKind, name: str) -> None:
        if kind == "key":
            from producer.service.keys import ApiKeys

            ApiKeys(self._services.redis).get(name)
        elif kind == "model":
            if not 0 < len(name) <= _LONGEST or not name.isprintable():
                raise InvalidInput("name", name, f"the name of a model, {_LONGEST} characters at most")
        elif name not in (known := _names(kind)):
            raise InvalidInput("name", name, f"a {kind}: {', '.join(sorted(known))}")


def _names(kind: WorkKind) -> Collection[str]:
    if kind == "queue":
        from workers.telemetry.queues import QUEUES

        return QUEUES
    from workers.flows.registry import step_names

    return set(step_names())
