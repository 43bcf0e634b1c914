"""Addresses and keys of HTTP servers: what people paste is taken or refused, before anything starts."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from producer.mistakes import explain
from workers.settings import Settings


@pytest.mark.parametrize("around", ["{}\n", "{}\r\n", "\t{}", " {} "])
def test_blanks_around_an_address_or_a_key_are_cut_off(around: str) -> None:
    settings = Settings(model_url=around.format("https://a.invalid/v1"), model_key=around.format("sk-123"))
    assert settings.model_url == "https://a.invalid/v1"
    assert settings.model_key.get_secret_value() == "sk-123"


@pytest.mark.parametrize("setting", ["model_url", "embedding_url", "qdrant_url"])
@pytest.mark.parametrize(
    "url", ["localhost:8000/v1", "api.invalid", "https:/a.invalid", "http://a b/v1", "http://"]
)
def test_an_address_that_is_none_is_refused_by_its_setting(setting: str, url: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings(**{setting: url})
    text, _ = explain(caught.value)
    assert f"HOPLINE_{setting.upper()}" in text
    assert "http://" in text


@pytest.mark.parametrize("setting", ["model_key", "embedding_key", "qdrant_api_key"])
@pytest.mark.parametrize("key", ["sk-s3cret\nsk-other", "sk s3cret", "sk-s3crét"])
def test_a_key_that_no_header_can_hold_is_refused_and_not_shown(setting: str, key: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings(**{setting: key})
    text, _ = explain(caught.value)
    assert f"HOPLINE_{setting.upper()}" in text
    assert "s3cr" not in text
