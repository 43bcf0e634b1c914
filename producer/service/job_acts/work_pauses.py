"""Pauses of work across jobs: pauses and resumes queues, steps, models and API keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.errors import InvalidInput, NotFound
from producer.service.backend import Part

if TYPE_CHECKING:
    from collections.abc import Collection

    from hopline.models.pauses import WorkKind, WorkPause


class WorkPauses(Part):
    """Pauses across jobs."""

    def all(self) -> tuple[WorkPause, ...]:
        """Return all pauses, oldest first."""
        return self._services.work_pauses.all()

    def pause(self, kind: WorkKind, name: str) -> tuple[WorkPause, ...]:
        """Pause work, unless it is already paused; return all pauses.

        Raises:
            InvalidInput: there is no such queue or step, or the settings name no such model.
            NotFound: there is no such API key.
        """
        from workers.core.audit import current_actor

        with self._audit.act("pause", kind, name):
            self._check(kind, name)
            self._services.work_pauses.pause(kind, name, current_actor().name)
        return self.all()

    def resume(self, kind: WorkKind, name: str) -> tuple[WorkPause, ...]:
        """Resume work; return the remaining pauses.

        Raises:
            NotFound: there is no such pause.
        """
        with self._audit.act("resume", kind, name):
            if not self._services.work_pauses.resume(kind, name):
                raise NotFound(f"{kind} {name} is not paused: `hopline pauses` lists the pauses")
        return self.all()

    def _check(self, kind: WorkKind, name: str) -> None:
        if kind == "key":
            from producer.service.keys import ApiKeys

            ApiKeys(self._services.redis).get(name)
        elif name not in (known := self._names(kind)):
            raise InvalidInput("name", name, f"a {kind}: {', '.join(sorted(known))}")

    def _names(self, kind: WorkKind) -> Collection[str]:
        settings = self._services.settings
        if kind == "model":
            return {settings.fast_model, settings.strong_model, settings.embedding_model}
        if kind == "queue":
            from workers.telemetry.queues import QUEUES

            return QUEUES
        from workers.flows.registry import step_names

        return set(step_names())
