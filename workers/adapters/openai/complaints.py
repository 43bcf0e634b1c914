"""Reads an endpoint's error message in any format: JSON, a web page, plain text."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime
from math import isfinite
from typing import Any

from hopline.models.base import Frozen
from workers.adapters.openai.bodies import decode_json

_LONGEST = 2000  # characters of a body that are looked at, unless it is JSON
# Fields that hold the words of an error, or the error; those of the first kind first.
_WORDS = (
    "message",
    "msg",
    "error_msg",
    "error_message",
    "errorMessage",
    "detail",
    "reason",
    "error",
    "errors",
)
_WAITS = ("retry_after", "retryAfter", "retry_after_seconds", "retryDelay")  # fields, in seconds
_WAIT_IN_WORDS = re.compile(r"(?:try again|retry) (?:in|after) ((?:\d++(?:\.\d++)?\s?+[a-z]{1,7}\s?+){1,3})")
_LONGEST_WAIT = 86_400.0  # seconds; a larger number means something else
_CODES = ("code", "error_code", "errorCode", "status", "type", "error_type")
_TAG = re.compile(
    r"<(?:script|style)\b.{0,5000}?</(?:script|style)>|<[^<>]{0,2000}>", re.DOTALL | re.IGNORECASE
)
_PAGE = re.compile(rb"\s*+<(?:!doctype|html|head|body|\?xml)", re.IGNORECASE)
_DURATION = re.compile(r"(?<!\d)(\d++(?:\.\d++)?)\s?+(ms|mill|s|m|h|d)")
_SECONDS = {"ms": 0.001, "mill": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_EPOCH = 1e9  # seconds; a larger number is a moment, not a wait, and one far larger has milliseconds
_DEEPEST = 8  # frames of an error around one another
_RESETS = (
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
    "x-ratelimit-reset",
    "ratelimit-reset",
    "anthropic-ratelimit-requests-reset",
    "anthropic-ratelimit-tokens-reset",
)
_STRUCTURED = re.compile(r"\bt=(\d++)")  # of the header RateLimit


class Complaint(Frozen):
    """An endpoint's words about a request that it did not serve.

    Attributes:
        words: its text; "" if there is none.
        code: of the error, as the endpoint names it: a number or a word; "" if none.
        is_page: it is a web page, so perhaps no API is at this address.
        wait: seconds that it asks to wait; None if it asks for none.
    """

    words: str
    code: str = ""
    is_page: bool = False
    wait: float | None = None


def read_complaint(raw: bytes) -> Complaint:
    """Return the error message in a body of any format."""
    try:
        value = decode_json(raw)
    except ValueError:
        text = raw[:_LONGEST].decode("utf-8", "replace")
        is_page = bool(_PAGE.match(raw))
        words = _TAG.sub(" ", text) if is_page else text
        words = " ".join(words.split())
        return Complaint(words=words, is_page=is_page, wait=_wait_in(words))
    words = "; ".join(dict.fromkeys(_words(value))) or raw[:_LONGEST].decode("utf-8", "replace")
    told = next(_waits(value), None)
    return Complaint(
        words=words, code=next(_codes(value), ""), wait=_wait_in(words) if told is None else told
    )


def _words(value: Any, field: str = "", depth: int = 0) -> Iterator[str]:
    """Yield the texts of an error, from the outermost frame inwards."""
    if depth > _DEEPEST:
        return
    if isinstance(value, str):
        yield f"{field}: {value}" if field else value
    elif isinstance(value, list):
        for part in value:
            yield from _words(part, "", depth + 1)
    elif isinstance(value, dict):
        # FastAPI's: which field of the request is meant.
        place = value.get("loc")
        field = ".".join(map(str, place)) if isinstance(place, list) else ""
        for name in _WORDS:
            if value.get(name):
                yield from _words(value[name], field, depth + 1)
                if name not in ("error", "errors", "detail"):
                    return


def _codes(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the codes of an error, innermost first, because gateways wrap a provider's errors."""
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        for part in value:
            yield from _codes(part, depth + 1)
    elif isinstance(value, dict):
        for name in ("error", "errors", "detail"):
            yield from _codes(value.get(name), depth + 1)
        for name in _CODES:
            if isinstance(value.get(name), str | int) and value[name] not in ("", "error"):
                yield str(value[name])


def _waits(value: Any, depth: int = 0) -> Iterator[float]:
    """Yield the seconds that an error's fields ask to wait."""
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for name in _WAITS:
            if (seconds := _reset(str(value.get(name, "")))) is not None:
                yield min(seconds, _LONGEST_WAIT)
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _waits(part, depth + 1)


def _wait_in(words: str) -> float | None:
    """Return the seconds of "Please try again in 1m3.5s"."""
    asked = _WAIT_IN_WORDS.search(words.casefold())
    seconds = _reset(asked[1]) if asked else None
    return None if seconds is None else min(seconds, _LONGEST_WAIT)


def wait_asked(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait according to response headers, at most a day; None if they give none."""
    asked = _asked(headers)
    return None if asked is None else min(asked, _LONGEST_WAIT)


def _asked(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that headers name.

    Retry-After in seconds or as a date (RFC 9110, 10.2.3), `retry-after-ms` (Azure), or when the rate limit
    that is used up is reset (OpenAI's and others': a duration such as `1m30.5s`, seconds, or a moment).
    """
    if (millis := _number(headers.get("retry-after-ms", ""))) is not None:
        return millis / 1000
    if asked := headers.get("retry-after", "").strip():
        seconds = _number(asked)
        return next((wait for wait in (seconds, _until(asked), _reset(asked)) if wait is not None), None)
    resets = {name: reset for name in _RESETS if (reset := _reset(headers.get(name, ""))) is not None}
    if structured := _STRUCTURED.search(headers.get("ratelimit", "")):
        resets["ratelimit"] = float(structured[1])
    used_up = [
        reset for name, reset in resets.items() if headers.get(name.replace("-reset", "-remaining")) == "0"
    ]
    return max(used_up) if used_up else min(resets.values(), default=None)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return max(0.0, number) if isfinite(number) else None


def _until(date: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except ValueError:
        return None


def _reset(text: str) -> float | None:
    if (number := _number(text)) is not None:
        seconds = number / 1000 if number > _EPOCH * 1000 else number
        return max(0.0, seconds - time.time()) if seconds > _EPOCH else seconds
    if "T" in text:
        try:
            return max(0.0, datetime.fromisoformat(text).timestamp() - time.time())
        except ValueError:
            return None
    parts = _DURATION.findall(text)
    return sum(float(number) * _SECONDS[unit] for number, unit in parts) if parts else None
