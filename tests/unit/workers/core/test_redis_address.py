"""Addresses of Redis: which are taken, what they say, and that no refusal repeats a password."""

import pytest
from pydantic import ValidationError

from hopline.commands.mistakes import explain
from hopline.secrets import scrubbed
from workers.core.redis_address import SentinelAddress, parse_sentinels, without_secrets
from workers.settings import Settings

WHOLE = "sentinel://user:p%40ss%2C@one:26380,two,[::1]:26381/my%20ledger/3?sentinel_password=s%26p"


def test_an_address_of_sentinels_says_who_they_are_and_what_the_primary_is_called() -> None:
    assert parse_sentinels(WHOLE) == SentinelAddress(
        nodes=(("one", 26380), ("two", 26379), ("::1", 26381)),
        name="my ledger",
        database=3,
        username="user",
        password="p@ss,",
        sentinel_password="s&p",
    )
    assert parse_sentinels("sentinel://one/ledger") == SentinelAddress(nodes=(("one", 26379),), name="ledger")
    assert parse_sentinels("redis://one:6379/0") is None


def test_another_address_is_refused_at_once_by_the_settings_name() -> None:
    for setting in ["redis_url", "broker_url"]:
        sentinels = ("one:26379", "/ledger", "one:port/ledger", "one,,two/ledger", "one/ledger/first")
        others = ("redis-cluster://:secret@one:6379", "one:6379", "sentinel://:secret@one/ledger?ssl=true")
        for url in (*(f"sentinel://:secret@{rest}" for rest in sentinels), *others):
            with pytest.raises(ValidationError) as caught:
                Settings(**{setting: url})
            text, _ = explain(caught.value)
            assert f"HOPLINE_{setting.upper()}" in text
            assert "sentinel://HOST:PORT" in text
            assert "secret" not in text


def test_what_is_shown_of_an_address_holds_no_password() -> None:
    assert without_secrets(WHOLE) == "sentinel://one:26380,two,[::1]:26381/my%20ledger/3"
    shown = scrubbed(f"Redis at {WHOLE} does not answer")
    assert shown.startswith("Redis at sentinel://one:26380,two")
    assert "s%26p" not in shown
    assert "p%40ss" not in repr(parse_sentinels(WHOLE))
