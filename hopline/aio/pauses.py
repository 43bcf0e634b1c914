"""Pauses of work across jobs: of a queue, a step, a model or an API key."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hopline.aio.noun import AsyncNoun
from hopline.models.pauses import WorkKind, WorkPauseList
from hopline.operation import operation

_Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="The name of a queue, step or model, or the id of an API key.",
    ),
]


class AsyncPauses(AsyncNoun):
    """Pauses of queues, steps, models and API keys."""

    @operation("GET", "/v1/pauses", right="admin")
    async def list(self) -> WorkPauseList:
        """List all pauses, oldest first."""
        raise NotImplementedError

    @operation("POST", "/v1/pauses", right="admin", safe=True)
    async def pause(self, kind: WorkKind, name: _Name) -> WorkPauseList:
        """Pause a queue, a step, a model or an API key: work in progress finishes, and nothing new begins.

        Returns:
            All pauses.

        Raises:
            NotFound: there is no such queue, step, model or key.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/pauses", right="admin")
    async def resume(self, kind: WorkKind, name: _Name) -> WorkPauseList:
        """Resume paused work; its items begin within about a minute.

        Returns:
            The remaining pauses.

        Raises:
            NotFound: there is no such pause.
        """
        raise NotImplementedError
