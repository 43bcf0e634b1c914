"""A replay beside the job that it replays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.models.replays import Changed
from workers.core.jobs.params import QueryParams, read_input

if TYPE_CHECKING:
    from hopline.models.jobs import Json

# What makes it the same question, and what names other jobs: no replay changes these.
_KEPT = frozenset({"question", "session", "collections", "retry_of", "replay_of"})
CHANGEABLE = tuple(name for name in QueryParams.model_fields if name not in _KEPT)


def differences(before: Json, after: Json) -> Changed:
    """Return the parameters of a question that are other in two jobs: before, and after.

    One that a job's version did not know has its default; one that is left out where it is empty is None.
    """
    old, new = (read_input(QueryParams, params).model_dump(mode="json") for params in (before, after))
    pairs = {name: (old.get(name), new.get(name)) for name in CHANGEABLE}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
