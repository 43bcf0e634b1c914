from __future__ import annotations

from datetime import UTC, datetime

import pytest

from workers.core.errors import InvalidInput
from workers.core.jobs.hours import parse_hours
from workers.core.jobs.params import BatchParams, SyncParams, parse_params


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_hours_over_midnight_hold_at_night_and_not_by_day():
    hours = parse_hours("22:00-06:00")
    held = {hour: hours.hold(at(f"2026-03-01T{hour:02}:00")) for hour in range(24)}
    assert [hour for hour, inside in held.items() if inside] == [0, 1, 2, 3, 4, 5, 22, 23]


def test_hours_by_day_end_before_their_last_minute():
    hours = parse_hours(" 9:30 - 17:00 ")
    assert hours.hold(at("2026-03-01T09:30"))
    assert not hours.hold(at("2026-03-01T17:00"))
    assert str(hours) == "09:30-17:00 UTC"


def test_hours_are_read_off_the_clock_of_their_zone_in_summer_and_in_winter():
    hours = parse_hours("22:00-06:00", "Europe/Berlin")
    assert hours.hold(at("2026-01-15T04:30"))  # 05:30 in Berlin
    assert not hours.hold(at("2026-07-15T04:30"))  # 06:30
    assert hours.hold(at("2026-07-15T20:00"))
    assert not hours.hold(at("2026-01-15T20:00"))


def test_what_is_no_hours_and_an_unknown_zone_are_refused_by_the_field():
    for text in ("22-06", "25:00-06:00", "22:00", "06:00-06:00", "now"):
        with pytest.raises(InvalidInput, match="hours"):
            parse_hours(text)
    with pytest.raises(InvalidInput, match="zone: got 'Europe/Atlantis'"):
        parse_params(SyncParams, {"sources": ["/a"], "hours": "22:00-06:00", "zone": "Europe/Atlantis"})
    with pytest.raises(InvalidInput, match="hours: got 'nights'"):
        parse_params(BatchParams, {"documents": 1, "hours": "nights"})
