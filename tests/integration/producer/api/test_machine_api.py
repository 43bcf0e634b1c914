"""The API of this machine: its user's clients find it by a file, and need no API key."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from doubles.audited import noted
from doubles.broker import Broker
from fleet.api import ServedApi, served_api

from hopline import AccessDenied, Hopline, InvalidInput
from hopline.machine import find_api
from producer.api.machine import MachineFile
from producer.service.keys import ApiKeys
from workers.services import Services
from workers.settings import Settings


@pytest.fixture
def services(empty_redis: str) -> Iterator[Services]:
    made = Services(Settings(_env_file=None, redis_url=empty_redis))
    yield made
    made.close()


@pytest.fixture
def var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOPLINE_API_URL", "HOPLINE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOPLINE_VAR", str(tmp_path / "var"))
    return tmp_path / "var"


@pytest.fixture
def told(var: Path) -> Iterator[MachineFile]:
    made = MachineFile(var)
    yield made
    made.close()


@pytest.fixture
def api(services: Services, told: MachineFile) -> Iterator[ServedApi]:
    with served_api(services, Broker(), token=told.token) as served:
        told.tell(served.url)
        yield served


def test_a_client_without_address_and_key_finds_the_api(
    api: ServedApi, services: Services, told: MachineFile, var: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ApiKeys(services.redis).create("anna", frozenset(("read",)))
    monkeypatch.setenv("HTTP_PROXY", "http://proxy.invalid")  # no proxy leads to this machine
    assert stat.S_IMODE((var / "api.json").stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR
    with Hopline() as client:
        client.weights.set("collection", "notes", 2.0)
        assert client.url == api.url
    with Hopline(api.url, api_key="not " + told.token) as client, pytest.raises(AccessDenied):
        client.weights.list()
    events = [event for event in noted(services) if event.kind == "weight"]
    assert {(event.via, event.key) for event in events} == {("cli", "")}


def test_a_key_in_the_environment_goes_before_the_token(
    api: ServedApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOPLINE_API_KEY", api.key("read"))
    with Hopline() as client, pytest.raises(AccessDenied, match="admin"):
        client.weights.list()


def test_a_file_that_no_server_holds_is_no_api_and_the_token_lasts(told: MachineFile, var: Path) -> None:
    told.tell("http://127.0.0.1:9")
    assert find_api() is not None
    told.close()
    assert find_api() is None
    with pytest.raises(InvalidInput, match="hopline serve"):
        Hopline()
    again = MachineFile(var)
    assert again.token == told.token
    again.close()


def test_a_second_server_leaves_the_file_to_the_first(told: MachineFile, var: Path) -> None:
    told.tell("http://127.0.0.1:9")
    second = MachineFile(var)
    second.tell("http://127.0.0.1:10")
    second.close()
    found = find_api()
    assert (second.token, found and found.url) == ("", "http://127.0.0.1:9")


def test_an_address_elsewhere_is_not_believed(told: MachineFile) -> None:
    told.tell("https://elsewhere.invalid")
    assert find_api() is None


def test_where_nothing_can_be_written_the_api_goes_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    told = MachineFile(tmp_path / "file" / "var")
    told.tell("http://127.0.0.1:9")
    assert told.token == ""


@pytest.mark.usefixtures("api")
def test_a_command_asks_the_api_unless_servers_are_named(var: Path) -> None:
    with Hopline() as client:
        client.weights.set("collection", "notes", 2.0)
    bare = {"PATH": os.environ["PATH"], "HOPLINE_VAR": str(var), "HOME": str(var)}
    listed = subprocess.run(
        [sys.executable, "-m", "hopline", "weights", "--json"],
        env=bare | {"PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        cwd=var,
        capture_output=True,
        text=True,
        check=True,
    )
    assert '"name":"notes"' in listed.stdout.replace(" ", "")


def test_a_command_on_servers_alone_refuses_where_an_api_is_named(var: Path) -> None:
    bare = {"PATH": os.environ["PATH"], "HOPLINE_API_URL": "http://api.invalid", "HOME": str(var.parent)}
    ran = subprocess.run(
        [sys.executable, "-m", "hopline", "top"],
        env=bare | {"PYTHONPATH": os.environ.get("PYTHONPATH", "")},
        cwd=var.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "not over an API, but HOPLINE_API_URL is http://api.invalid" in ran.stderr
