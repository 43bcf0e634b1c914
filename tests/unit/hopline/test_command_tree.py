"""The tree of commands: its list loads no command, and `--local` reaches whatever runs."""

import json
import os
import subprocess
import sys

import pytest
from doubles.command_line import run_hopline

from hopline import cli
from infra.client_code import SUMMARIES, summaries

LOADED = """import sys
from hopline.cli import app
try:
    app({words!r})
except SystemExit:
    pass
print("loaded", *(name for name in sys.modules if name.startswith(("hopline.models", "producer."))))
"""


@pytest.mark.parametrize("words", [["--help"], ["--version"]])
def test_help_and_version_load_no_command_and_no_model(words: list[str]) -> None:
    assert _loaded(words) <= {"producer.commands", "producer.commands.tree"}


def test_completing_a_command_loads_none() -> None:
    completing = {"_HOPLINE_COMPLETE": "complete_bash", "COMP_WORDS": "hopline jo", "COMP_CWORD": "1"}
    words = [sys.executable, "-c", LOADED.format(words=[]).replace("app([])", "app(prog_name='hopline')")]
    printed = subprocess.run(words, env=os.environ | completing, capture_output=True, text=True, check=True)
    names, _, loaded = printed.stdout.partition("loaded")
    assert names.split() == ["jobs"]
    assert set(loaded.split()) <= {"producer.commands", "producer.commands.tree"}


def _loaded(words: list[str]) -> set[str]:
    command = [sys.executable, "-c", LOADED.format(words=words)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(printed.rpartition("loaded")[2].split())


def test_every_command_has_its_line_in_the_list() -> None:
    lines = json.loads(summaries())
    assert list(lines) == cli.command_names()
    assert all(lines.values())
    assert SUMMARIES.read_text(encoding="utf-8") == summaries()


def test_a_command_of_the_server_that_is_not_installed_is_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cli.command("status") is not None
    monkeypatch.setattr(cli, "find_server_commands", lambda: None)
    _forget()
    try:
        assert "status" not in cli.command_names()
        assert "jobs" in cli.command_names()
        missing = run_hopline("status")
        assert (missing.exit_code, "hopline[server]" in missing.stderr) == (2, True)
        assert set(cli.command("keys").commands) == {"list", "show", "create", "change", "delete"}
    finally:
        _forget()


def _forget() -> None:
    for cached in (cli.command, cli._places):
        cached.cache_clear()


def test_a_misspelled_command_is_told_what_may_be_meant() -> None:
    wrong = run_hopline("asj")
    assert wrong.exit_code == 2
    assert "Did you mean 'ask'" in wrong.stderr


def test_local_goes_before_the_address_of_an_api(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def application(_settings: object, via: str) -> None:
        asked.append(via)
        raise OSError("the servers themselves")

    monkeypatch.setattr("hopline.sync.client.find_application", application)
    monkeypatch.setenv("HOPLINE_API_URL", "http://api.invalid")
    assert "the servers themselves" in run_hopline("--local", "pauses").stderr
    assert "the servers themselves" not in run_hopline("pauses").stderr
    assert asked == ["cli"]
