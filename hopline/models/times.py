"""Times as requests give them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, BeforeValidator

from hopline.allowed_values import InWords


def _zoned(value: Any) -> Any:
    """Refuse a number, which would be taken for seconds since 1970; without a zone it is this machine's."""
    if isinstance(value, datetime):
        return value.astimezone()
    if value is not None and (not isinstance(value, str) or ("T" not in value.upper() and " " not in value)):
        raise ValueError("a date and time")
    return value


Moment = Annotated[
    AwareDatetime,
    BeforeValidator(_zoned),
    InWords("a date and time with its zone, such as 2026-11-20T08:00:00Z"),
]
