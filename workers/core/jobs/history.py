"""The history of ended jobs: one row per end of a job, and search filters."""

from __future__ import annotations

from hopline.models.base import Frozen
from hopline.models.jobs import JobState
from workers.core.metadata.filter import Filter


class WantedHistory(Frozen):
    """Filters for ended jobs; fields that are None or empty do not filter."""

    state: JobState | None = None
    kind: str | None = None
    step: str | None = None  # that did an item, or in which one was given up
    error: str = ""  # text that an error or the reason contains, in any case
    since: float | None = None  # ended then or later; seconds since the epoch
    until: float | None = None  # ended before
    tags: dict[str, str] = {}
    where: Filter | None = None
    caller: str = ""  # the id of an API key
    collections: frozenset[str] | None = None  # whose jobs
    readable: frozenset[str] | None = None  # all collections that a job read are among these
