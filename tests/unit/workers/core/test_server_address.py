"""Addresses and keys of servers: what people paste is taken or refused, before anything starts."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from hopline.commands.mistakes import explain
from hopline.machine import var_folder
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


@pytest.mark.parametrize(("given", "asked"), [
    ("https://xyz.cloud.example", "https://xyz.cloud.example:443"),
    ("https://host/qdrant", "https://host:443/qdrant"),
    ("https://host:6333", "https://host:6333"),
    ("http://host", "http://host"),
])  # fmt: skip
def test_vectors_over_https_are_at_its_port_unless_another_is_named(given: str, asked: str) -> None:
    assert Settings(qdrant_url=given).qdrant_url == asked


@pytest.mark.parametrize("url", ["http://host:7474", "host:7687", "bolt:/host", "neo4j+tls://host"])
def test_an_address_that_the_driver_of_the_graph_does_not_know_is_refused(url: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Settings(neo4j_url=url)
    text, _ = explain(caught.value)
    assert "HOPLINE_NEO4J_URL" in text
    assert "bolt://" in text
    assert ("7687 is meant" in text) == (":7474" in url)


def test_the_folder_of_the_stack_may_be_named_in_the_env_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("HOPLINE_VAR=here\n", encoding="utf-8")
    monkeypatch.setenv("HOPLINE_VAR", "elsewhere")
    assert var_folder() == Path("elsewhere")
    monkeypatch.delenv("HOPLINE_VAR")
    assert var_folder() == Path("here")
    (tmp_path / ".env").unlink()
    assert var_folder() == Path(__file__).parents[4] / "var", "beside the project, from any folder"


@pytest.mark.parametrize(("platform", "variables", "folder"), [
    ("linux", {}, "/users/ann/.local/share/hopline"),
    ("linux", {"XDG_DATA_HOME": "/data"}, "/data/hopline"),
    ("linux", {"XDG_DATA_HOME": "data"}, "/users/ann/.local/share/hopline"),
    ("darwin", {}, "/users/ann/Library/Application Support/hopline"),
])  # fmt: skip
def test_without_a_clone_the_stack_lies_among_the_users_data(
    tmp_path, monkeypatch, platform, variables, folder
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("hopline.machine.__file__", str(tmp_path / "hopline" / "machine.py"))
    monkeypatch.setattr("hopline.machine.sys.platform", platform)
    for name in ("HOPLINE_VAR", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ({"HOME": "/users/ann"} | variables).items():
        monkeypatch.setenv(name, value)
    assert var_folder() == Path(folder)
