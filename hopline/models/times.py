"""Times in requests and replies."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    AwareDatetime,
    BeforeValidator,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    WrapSerializer,
)

from hopline.allowed_values import InWords


def _zoned(value: Any) -> Any:
    """Refuse numbers, which would mean seconds since 1970; without a zone, assume this machine's."""
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


STORED = {"times": "seconds"}
"""The context in which `model_dump` writes timestamps as seconds since 1970, as they are stored."""


def _told(at: datetime | None, write: SerializerFunctionWrapHandler, info: SerializationInfo) -> Any:
    if info.context is not STORED:
        return write(at)
    return at.timestamp() if at else 0.0


Utc = Annotated[AwareDatetime, AfterValidator(lambda at: at.astimezone(UTC))]
OptionalUtc = Annotated[Utc | None, BeforeValidator(lambda at: at or None)]
"""A time by the graph's clock, always stored as RFC 3339; earlier versions wrote "" where there was none."""

_SCHEMA = {"type": "string", "format": "date-time"}
Timestamp = Annotated[Utc, WrapSerializer(_told), WithJsonSchema(_SCHEMA)]
"""A time in a reply: in UTC, as RFC 3339 in JSON; stored seconds since 1970 are read as well."""

OptionalTimestamp = Annotated[
    OptionalUtc, WrapSerializer(_told), WithJsonSchema({"anyOf": [_SCHEMA, {"type": "null"}]})
]
"""A timestamp, or none, which is stored as 0."""


def seconds_between(earlier: datetime, later: datetime | None = None) -> float:
    """Return the seconds from one time to another, or to now; 0 if that is earlier."""
    return max(0.0, ((later or datetime.now(UTC)) - earlier).total_seconds())


def timestamp(seconds: float) -> datetime:
    """Return the time so many seconds after the beginning of 1970."""
    return datetime.fromtimestamp(seconds, UTC)
