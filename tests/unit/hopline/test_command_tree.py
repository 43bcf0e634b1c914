"""The tree of commands: its list loads no command, and `--local` reaches whatever runs."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from doubles.command_line import run_hopline

from hopline import cli
from infra.client_code import SUMMARIES, summaries

ROOT = Path(__file__).resolve().parents[3]
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


def completed(typed: str) -> tuple[list[str], set[str]]:
    """What bash offers for the last word of a line, and the modules that were loaded for it."""
    completing = {"_HOPLINE_COMPLETE": "complete_bash", "COMP_WORDS": typed}
    completing["COMP_CWORD"] = str(len(typed.split(" ")) - 1)
    words = [sys.executable, "-c", LOADED.format(words=[]).replace("app([])", "app(prog_name='hopline')")]
    printed = subprocess.run(words, env=os.environ | completing, capture_output=True, text=True, check=True)
    names, _, loaded = printed.stdout.partition("loaded")
    return names.split(), set(loaded.split())


def test_completing_a_command_loads_none() -> None:
    names, loaded = completed("hopline jo")
    assert names == ["jobs"]
    assert loaded <= {"producer.commands", "producer.commands.tree"}


@pytest.mark.parametrize(("typed", "offered"), [
    ("hopline keys ", ["list", "show", "create", "change", "delete", "open", "webhook-secret"]),
    ("hopline batches re", ["resume", "retry", "report"]),
    ("hopline jobs list --st", ["--state", "--step"]),
    ("hopline jobs --state fa", ["failed"]),
])  # fmt: skip
def test_nouns_complete_their_verbs_and_options(typed: str, offered: list[str]) -> None:
    assert completed(typed)[0] == offered


def _loaded(words: list[str]) -> set[str]:
    command = [sys.executable, "-c", LOADED.format(words=words)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(printed.rpartition("loaded")[2].split())


def test_every_command_has_its_line_in_the_list() -> None:
    lines = json.loads(summaries())
    assert list(lines) == cli.command_names()
    assert all(lines.values())
    assert SUMMARIES.read_text(encoding="utf-8") == summaries()


def spelled(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the first two words of each command that a text spells: in backquotes, or as a line of code."""
    text, indent = path.read_text(encoding="utf-8"), " {4,}"
    if path.suffix == ".md":
        indent = " *"
        fenced = re.findall(r"^```.*?^```", text, re.MULTILINE | re.DOTALL)
        text = "\n".join((*fenced, *re.findall(r"`hopline [^`]*`", text)))
    pattern = rf"(?:`|^{indent})hopline (?:--local |--debug )?([a-z-]+)(?: ([a-z][a-z-]*))?"
    yield from re.findall(pattern, text, re.MULTILINE)


def test_every_command_that_a_text_spells_is_there() -> None:
    folders = ("hopline", "producer", "workers", "infra", "docs")
    paths = [
        path for name in folders for path in (ROOT / name).rglob("*") if path.suffix in {".py", ".md", ".yml"}
    ]
    wrong = [
        f"{path.relative_to(ROOT)}: hopline {name} {verb}"
        for path in (ROOT / "README.md", *paths)
        if "adr" not in path.parts
        for name, verb in spelled(path)
        if not is_there(name, verb)
    ]
    assert wrong == []


def is_there(name: str, verb: str) -> bool:
    """Whether a command has this name and, where it is a noun, this verb."""
    if name.startswith("-") or (found := cli.command(name)) is None:
        return name.startswith("-")
    return not verb or not hasattr(found, "commands") or verb in found.commands


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
