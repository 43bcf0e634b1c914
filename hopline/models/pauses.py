"""Pauses of work across jobs: of a queue, a step, a model or an API key."""

from __future__ import annotations

from typing import Literal, get_args

from hopline.models.base import Frozen
from hopline.models.times import Timestamp

WorkKind = Literal["queue", "step", "model", "key"]
WORK_KINDS: tuple[WorkKind, ...] = get_args(WorkKind)


class WorkPause(Frozen):
    """Paused work, which continues when it is resumed."""

    kind: WorkKind
    name: str  # of a queue, a step or a model; the id of an API key
    since: Timestamp
    by: str = ""  # the name of who paused it


class WorkPauseList(Frozen):
    """All pauses, oldest first."""

    pauses: tuple[WorkPause, ...]
