"""Keeps keys and passwords out of whatever is logged, recorded or shown."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from functools import lru_cache
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

_SHORTEST = 8  # characters of what is hidden
_WORDS = frozenset(("password", "changeme", "required", "anything", "whatever", "postgres", "unlimited"))
_HIDDEN = "…"
# Of an address the user and password; of its query, and of headers, what is named as a secret.
_USERINFO = re.compile(r"://[^@/\s\"'?#]*+@")
_NAMED = re.compile(
    r"([?&](?:[^=&\s]{0,40}(?:password|secret|token)|api[_-]?key|key|sig)=|\bBearer\s++)[^&\s\"']++",
    re.IGNORECASE,
)
_SECRET_NAME = re.compile(r"password|secret|token|key|sig", re.IGNORECASE)
_URL_SAFE = str.maketrans("+/", "-_")
_known: set[str] = set()


def guard(secret: str) -> None:
    """Hide a key or password from now on, in each form in which clients and servers repeat it.

    A short one, or a placeholder, is not: such words stand in ordinary text.
    """
    bare = secret.strip()
    if len(bare) < _SHORTEST or bare.casefold() in _WORDS:
        return
    forms = {bare, quote(bare, safe=""), quote_plus(bare), repr(bare)[1:-1], json.dumps(bare)[1:-1]}
    forms |= set(_in_base64(bare.encode("utf-8", "replace")))
    if not forms <= _known:
        _known.update(forms)
        _any_known.cache_clear()


def _in_base64(secret: bytes) -> Iterator[str]:
    """Yield the base64 forms of a secret, alone or within a longer text (`user:password`)."""
    for before in range(3):
        whole = b64encode(bytes(before) + secret).decode()
        kept = whole[-(-before * 8 // 6) : (before + len(secret)) * 8 // 6]
        yield kept
        yield kept.translate(_URL_SAFE)


def guard_address(url: str) -> None:
    """Hide the password of an address and what its query names as a secret; a text that is none has none."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    guard(unquote(parts.password or ""))
    for name, value in parse_qsl(parts.query):
        if _SECRET_NAME.search(name):
            guard(value)


def scrubbed(text: str) -> str:
    """Return a text without the secrets of this process, and without logins and keys in its addresses."""
    if known := _any_known():
        text = known.sub(_HIDDEN, text)
    return _NAMED.sub(rf"\1{_HIDDEN}", _USERINFO.sub("://", text))


@lru_cache(maxsize=1)
def _any_known() -> re.Pattern[str] | None:
    longest_first = sorted(_known, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
