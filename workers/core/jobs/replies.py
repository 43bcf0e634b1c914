"""The Celery message about a job's end: to a task of whoever submitted it."""

from __future__ import annotations

from hopline.models.base import Frozen
from hopline.models.jobs import JobState


class Reply(Frozen):
    """The keyword arguments of the task that is called; a result is fetched, not sent."""

    job_id: str
    state: JobState
