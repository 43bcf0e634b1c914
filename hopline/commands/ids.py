"""Resolves ids and names from a unique prefix, as people type them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hopline import Hopline

SHOWN = 5  # of what a prefix may mean
_WHOLE = 25  # characters of an id


def whole_merge_id(client: Hopline, beginning: str) -> str:
    """Return the id of the merge with this prefix; see `whole_id`."""
    return whole_id("merge", beginning, lambda: list(_merges_after(client, beginning)))


def _merges_after(client: Hopline, beginning: str) -> Iterable[str]:
    for collection in client.collections.list().collections:
        page = client.merges.list(collection.name, cursor=beginning, limit=SHOWN + 1)
        yield from (merge.id for merge in page.merges)


def whole_id(field: str, beginning: str, ids: Callable[[], Sequence[str]]) -> str:
    """Return the only id with this prefix, as `only_one` does; a complete id is returned unchanged."""
    return beginning if len(beginning) >= _WHOLE else only_one(field, "id", beginning, ids())


def only_one(field: str, what: str, beginning: str, known: Sequence[str]) -> str:
    """Return the only candidate with this prefix; the prefix itself if there is none.

    Raises:
        InvalidInput: several do.
    """
    from hopline.errors import InvalidInput

    matches = [each for each in known if beginning and each.startswith(beginning)]
    if len(matches) > 1:
        shown = ", ".join(matches[:SHOWN]) + (", …" if len(matches) > SHOWN else "")
        message = f"{beginning!r} begins more than one {field}'s {what}: {shown}; give more of it"
        raise InvalidInput(field, beginning, f"the beginning of one {what} only", message=message)
    return matches[0] if matches else beginning
