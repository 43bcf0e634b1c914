"""Principals: a document's `allow` lists those who may see it, and questions are asked for some."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hopline.errors import InvalidInput

ALLOW = "allow"  # the field of a document's metadata; one without it may be seen by everyone
EVERYONE = "*"
LOCAL_CALLER = "local"  # who asks without a key, where others are named for whom it is
MOST_PRINCIPALS, LONGEST_PRINCIPAL = 100, 200
_FORM = re.compile(r"[a-z][a-z0-9_-]*:[^\s,*]+")
ALLOWED = (
    f"1 to {MOST_PRINCIPALS} principals such as user:ann or group:legal (a kind in small letters, a colon, a "
    f"name without blanks, commas and '*'; {LONGEST_PRINCIPAL} characters at most), or * for everyone"
)


def checked_principals(field: str, principals: Any) -> tuple[str, ...]:
    """Return distinct principals; a text separates them by commas.

    Raises:
        InvalidInput: names the field, its value and what is allowed.
    """
    listed = principals.split(",") if isinstance(principals, str) else principals
    if not isinstance(listed, list | tuple) or not all(isinstance(principal, str) for principal in listed):
        raise InvalidInput(field, principals, ALLOWED)
    names = tuple(dict.fromkeys(principal.strip() for principal in listed))
    if not 1 <= len(names) <= MOST_PRINCIPALS or not all(map(_is_principal, names)):
        raise InvalidInput(field, principals, ALLOWED)
    return names


def _is_principal(name: str) -> bool:
    known = name == EVERYONE or _FORM.fullmatch(name) is not None
    return known and len(name) <= LONGEST_PRINCIPAL and name.isprintable()


def common(first: Sequence[str] | None, second: Sequence[str] | None) -> tuple[str, ...] | None:
    """Return the principals in both; None means all of them."""
    if first is None or second is None:
        kept = first if second is None else second
        return None if kept is None else tuple(kept)
    return tuple(name for name in first if name in second)
