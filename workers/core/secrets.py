"""Keeps keys and passwords out of whatever is logged, recorded or shown."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

_SHORTEST = 8  # characters; a shorter one is a placeholder such as "offline", and may stand in any text
_HIDDEN = "…"
# Of an address the user and password; of its query, and of headers, what is named as a secret.
_USERINFO = re.compile(r"://[^@/\s]*+@")
_NAMED = re.compile(
    r"([?&](?:[^=&\s]{0,40}(?:password|secret|token)|api[_-]?key|key|sig)=|\bBearer\s++)[^&\s\"']++",
    re.IGNORECASE,
)
_known: set[str] = set()


def guard(secret: str) -> None:
    """Hide a secret of this process from now on, in each form in which clients and servers repeat it.

    secret: a key or password, or an address that may hold some.
    """
    parts = urlsplit(secret) if "://" in secret else None
    values = [unquote(parts.password or ""), *dict(parse_qsl(parts.query)).values()] if parts else [secret]
    forms = {
        form
        for value in values
        if len(value.strip()) >= _SHORTEST
        for form in (value, value.strip(), quote(value, safe=""), quote_plus(value), repr(value)[1:-1])
    }
    if not forms <= _known:
        _known.update(forms)
        _any_known.cache_clear()


def scrubbed(text: str) -> str:
    """Return a text without the secrets of this process, and without logins and keys in its addresses."""
    if known := _any_known():
        text = known.sub(_HIDDEN, text)
    return _NAMED.sub(rf"\1{_HIDDEN}", _USERINFO.sub("://", text))


@lru_cache(maxsize=1)
def _any_known() -> re.Pattern[str] | None:
    longest_first = sorted(_known, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
