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
from producer.api.machine import new_token, told_on_this_machine
from producer.service.keys import ApiKeys
from workers.services import Services
from workers.settings import Settings


@pytest.fixture
def services(empty_redis: str) -> Iterator[Services]:
    made = Services(Settings(_env_file=None, redis_url=empty_redis))
    yield made
    made.close()


@pytest.fixture
def token() -> str:
    return new_token()


@pytest.fixture
def api(services: Services, token: str) -> Iterator[ServedApi]:
    with served_api(services, Broker(), token=token) as served:
        yield served


@pytest.fixture
def var(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOPLINE_API_URL", "HOPLINE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOPLINE_VAR", str(tmp_path / "var"))
    return tmp_path / "var"


def test_a_client_without_address_and_key_finds_the_api(
    api: ServedApi, services: Services, token: str, var: Path
) -> None:
    ApiKeys(services.redis).create("anna", frozenset(("read",)))
    with told_on_this_machine(var, api.url, token):
        assert stat.S_IMODE((var / "api.json").stat().st_mode) == stat.S_IRUSR | stat.S_IWUSR
        with Hopline() as client:
            client.weights.set("collection", "notes", 2.0)
            assert client.url == api.url
        with Hopline(api.url, api_key="not " + token) as client, pytest.raises(AccessDenied):
            client.weights.list()
    events = [event for event in noted(services) if event.kind == "weight"]
    assert {(event.via, event.key) for event in events} == {("cli", "")}
    assert find_api() is None
    with pytest.raises(InvalidInput, match="hopline serve"):
        Hopline()


def test_the_file_of_an_api_that_was_killed_is_no_api(api: ServedApi, token: str, var: Path) -> None:
    with told_on_this_machine(var, api.url, token):
        ended = subprocess.Popen([sys.executable, "-c", ""])
        ended.wait()
        told = (var / "api.json").read_text(encoding="utf-8")
        (var / "api.json").write_text(told.replace(str(os.getpid()), str(ended.pid)), encoding="utf-8")
        assert find_api() is None


def test_a_server_leaves_the_file_of_the_one_that_took_over(api: ServedApi, token: str, var: Path) -> None:
    with told_on_this_machine(var, api.url, token):
        other = told_on_this_machine(var, api.url, new_token())
        other.__enter__()
    assert find_api() is not None
    other.__exit__(None, None, None)
    assert find_api() is None


def test_a_command_asks_the_api_unless_servers_are_named(api: ServedApi, token: str, var: Path) -> None:
    with told_on_this_machine(var, api.url, token), Hopline() as client:
        client.weights.set("collection", "notes", 2.0)
        bare = {"PATH": os.environ["PATH"], "HOPLINE_VAR": str(var), "HOME": str(var)}
        listed = subprocess.run(
            [sys.executable, "-m", "producer.cli", "weights", "--json"],
            env=bare | {"PYTHONPATH": os.environ.get("PYTHONPATH", "")},
            cwd=var,
            capture_output=True,
            text=True,
            check=True,
        )
        assert '"name":"notes"' in listed.stdout.replace(" ", "")
