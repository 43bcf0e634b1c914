"""Times are RFC 3339 wherever people see them, and seconds since 1970 where earlier versions read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from hopline.models.concepts import ConceptLink
from hopline.models.schedules import NotBegun
from hopline.models.times import STORED, Timestamp, seconds_between, timestamp

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ADAPTER: TypeAdapter[datetime] = TypeAdapter(Timestamp)


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_time_is_the_same_after_it_was_told_and_read(at: datetime) -> None:
    told = ADAPTER.dump_json(at)
    assert told.endswith(b'Z"')
    assert ADAPTER.validate_json(told) == at


@given(st.floats(min_value=0, max_value=4e9))
def test_seconds_that_were_stored_are_read_and_stored_again_to_the_microsecond(seconds: float) -> None:
    at = ADAPTER.validate_python(seconds)
    assert at == timestamp(seconds)
    assert ADAPTER.dump_python(at, context=STORED) == pytest.approx(seconds, abs=1e-6)


def test_a_time_of_another_zone_is_told_in_utc() -> None:
    there = NOON.astimezone(timezone(timedelta(hours=5)))
    assert ADAPTER.dump_json(ADAPTER.validate_python(there)) == b'"2026-11-20T12:00:00Z"'


def test_a_record_holds_seconds_within_other_records_too() -> None:
    missed = NotBegun(due=NOON, outcome="missed", reason="no worker", at=NOON)
    assert missed.model_dump_json(context=STORED).count(str(NOON.timestamp())) == 2
    assert NotBegun.read_stored(missed.model_dump_json(context=STORED)) == missed


def test_an_empty_text_of_an_earlier_version_is_no_time() -> None:
    link = ConceptLink.read_stored(
        {"source": "a", "target": "b", "relation": "r", "strength": 1, "created": "", "updated": ""}
    )
    assert (link.created, link.updated) == (None, None)


def test_nothing_took_less_than_no_time() -> None:
    assert seconds_between(NOON, NOON + timedelta(seconds=2)) == 2.0
    assert seconds_between(NOON, NOON - timedelta(seconds=2)) == 0.0
