"""The hours of the day during which work may run, in a time zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from hopline.errors import InvalidInput
from hopline.models.base import Frozen

_TIME = r"([01]?\d|2[0-3]):([0-5]\d)"
_HOURS = re.compile(rf"\s*{_TIME}\s*-\s*{_TIME}\s*")
_ALLOWED = "two times of day, such as 22:00-06:00"


class Hours(Frozen):
    """Hours from one time of day to another, past midnight if the second is not later."""

    start: int  # minutes since midnight
    end: int  # as start; its minute does not belong to them
    zone: str  # of the clock that they are read off

    def hold(self, now: datetime) -> bool:
        """Return whether a time-zone-aware moment is within the hours."""
        local = now.astimezone(ZoneInfo(self.zone))
        minute = local.hour * 60 + local.minute
        if self.start < self.end:
            return self.start <= minute < self.end
        return minute >= self.start or minute < self.end

    def next_begin(self, now: datetime) -> datetime:
        """Return when the hours next begin after a time with a time zone."""
        return self._next(self.start, now)

    def next_end(self, now: datetime) -> datetime:
        """Return when the hours next end, as `next_begin` does for their begin."""
        return self._next(self.end, now)

    def _next(self, minutes: int, now: datetime) -> datetime:
        local = now.astimezone(ZoneInfo(self.zone))
        at = local.replace(hour=minutes // 60, minute=minutes % 60, second=0, microsecond=0)
        # A day by the clock on the wall, be it 23 hours long or 25.
        return (at if at > local else at + timedelta(days=1)).astimezone(UTC)

    def __str__(self) -> str:
        """Return the hours as written."""
        times = (f"{minutes // 60:02}:{minutes % 60:02}" for minutes in (self.start, self.end))
        return f"{'-'.join(times)} {self.zone}"


def parse_hours(text: str, zone: str = "") -> Hours:
    """Parse hours such as 22:00-06:00; in UTC unless a zone is given.

    Raises:
        InvalidInput: the text is not hours, or there is no such zone.
    """
    match = _HOURS.fullmatch(text)
    if not match:
        raise InvalidInput("hours", text, _ALLOWED)
    start, end = (int(match[at]) * 60 + int(match[at + 1]) for at in (1, 3))
    if start == end:
        raise InvalidInput("hours", text, _ALLOWED + ", one before the other")
    return Hours(start=start, end=end, zone=check_zone(zone))


def check_zone(zone: str) -> str:
    """Return a time zone's name; UTC by default.

    Raises:
        InvalidInput: there is no such zone.
    """
    try:
        ZoneInfo(zone or "UTC")
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput("zone", zone, "a time zone's name, such as Europe/Berlin") from error
    return zone or "UTC"


def now_utc() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)
