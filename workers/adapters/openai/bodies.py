"""Decodes the JSON of a response's body, in whatever encoding and envelope a gateway sends it."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import orjson

_ENVELOPES = ("data", "result", "response", "body", "output")  # fields that gateways put a completion into
_BEGINS_EVENT = (b"data:", b"event:", b"id:", b"retry:", b": ", b":\n")


def decode_json(raw: bytes, charset: str | None = None) -> Any:
    """Return the value of a body of JSON.

    Accepts a byte order mark, UTF-16, NaN, raw line breaks in strings, and JSON encoded twice, as a string.
    Half a surrogate pair becomes a question mark.

    Args:
        raw: the body.
        charset: charset that the response declares, used if the body is not UTF-8.

    Raises:
        ValueError: it is not JSON.
    """
    try:
        value = orjson.loads(raw.removeprefix(b"\xef\xbb\xbf"))
    except orjson.JSONDecodeError:
        value = _lenient(_as_utf8(raw, charset))
    if isinstance(value, str) and value.lstrip().startswith("{"):
        return decode_json(value.encode("utf-8", "replace"))
    return value


def is_json(raw: bytes) -> bool:
    """Return whether `decode_json` reads a body."""
    try:
        decode_json(raw)
    except ValueError:
        return False
    return True


def _as_utf8(raw: bytes, charset: str | None) -> bytes:
    """Return the body in UTF-8; the declared charset counts only if it is not UTF-8 already."""
    with suppress(UnicodeError):
        raw.decode()
        return raw
    with suppress(LookupError, UnicodeError):
        return raw.decode(charset or "").encode()
    return raw


def _lenient(raw: bytes) -> Any:
    try:
        value = json.loads(raw, strict=False)
        return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def without_envelope(payload: Any) -> Any:
    """Return a completion without the object that a gateway put around it."""
    if isinstance(payload, dict) and not payload.get("choices"):
        for name in _ENVELOPES:
            inner = payload.get(name)
            if isinstance(inner, dict) and isinstance(inner.get("choices"), list):
                return inner
    return payload


def are_events(raw: bytes) -> bool:
    """Return whether a body is a stream of events, or of lines of JSON, whatever its content type."""
    begun = raw.removeprefix(b"\xef\xbb\xbf").lstrip()
    return begun.startswith(_BEGINS_EVENT) or (begun.startswith(b"{") and b"\n{" in begun)
