"""Principals: a document's field `allow` names those who may see it, and a question is asked for some."""

from __future__ import annotations

from collections.abc import Sequence

ALLOW = "allow"  # the field of a document's metadata; one without it may be seen by everyone
LOCAL_CALLER = "local"  # who asks without a key, where others are named for whom it is


def common(first: Sequence[str] | None, second: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the principals that are in both; None stands for all of them."""
    if first is None or second is None:
        kept = first if second is None else second
        return None if kept is None else tuple(kept)
    return tuple(name for name in first if name in second)
