"""Resolves ids and names from a unique prefix, as people type them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from hopline.commands.job_filters import MOST_JOBS

if TYPE_CHECKING:
    from hopline import Hopline

_SHOWN = 5
_WHOLE = 25  # characters of an id


def whole_job_id(client: Hopline, beginning: str) -> str:
    """Return the id of the job with this prefix, among the newest; see `whole`."""
    return whole("job", beginning, lambda: [job.id for job in islice(client.jobs.iterate(), MOST_JOBS)])


def whole(field: str, beginning: str, ids: Callable[[], list[str]]) -> str:
    """Return the only id with this prefix, as `only` does; a complete id is returned unchanged."""
    return beginning if len(beginning) >= _WHOLE else only(field, "id", beginning, ids())


def only(field: str, what: str, beginning: str, known: Sequence[str]) -> str:
    """Return the only candidate with this prefix; the prefix itself if there is none.

    Raises:
        InvalidInput: several do.
    """
    from hopline.errors import InvalidInput

    matches = [each for each in known if beginning and each.startswith(beginning)]
    if len(matches) > 1:
        shown = ", ".join(matches[:_SHOWN]) + (", …" if len(matches) > _SHOWN else "")
        message = f"{beginning!r} begins more than one {field}'s {what}: {shown}; give more of it"
        raise InvalidInput(field, beginning, f"the beginning of one {what} only", message=message)
    return matches[0] if matches else beginning
