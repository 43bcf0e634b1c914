"""Times as people are shown them: one form, with the zone."""

import time
from datetime import UTC, datetime

import pytest

from hopline.views.words import moment

AT = datetime(2026, 11, 30, 9, 26, 5, tzinfo=UTC)


def test_a_time_is_local_and_names_its_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert moment(AT) == "2026-11-30 10:26 CET"
        assert moment(AT, "Asia/Tokyo") == "2026-11-30 18:26 Asia/Tokyo"
    finally:
        monkeypatch.undo()
        time.tzset()
