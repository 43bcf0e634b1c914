"""Which programs supervisord runs in a fork of itself, and which it executes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from supervisor.options import ServerOptions
from supervisor.xmlrpc import RPCError

from infra.local import forking

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every program is executed")
WORKER = (sys.executable, "-m", "hopline", "worker", "bulk")


class Became(Exception):
    """What a process would have become."""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a module that is imported beforehand."""
    file = tmp_path / "imported_beforehand.py"
    file.write_text("NUMBER = 1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(forking, "IMPORTED", (file.stem,))
    monkeypatch.setattr(forking, "_code", {})
    monkeypatch.setattr(forking, "_is_barred", False)
    monkeypatch.delitem(sys.modules, file.stem, raising=False)
    monkeypatch.setattr(forking.gc, "freeze", lambda: None)  # of the test process
    return file


def became(monkeypatch: pytest.MonkeyPatch, *command: str) -> tuple[str, ...]:
    """Return what happens to the process that was forked for a command."""

    def execute(_self: ServerOptions, _file: str, argv: list[str], _env: dict[str, str]) -> None:
        raise Became("executed", *argv)

    def run(words: list[str], environment: dict[str, str]) -> None:
        raise Became("forked", *words, environment["HOPLINE_MODEL"], environment["HOPLINE_VAR"])

    monkeypatch.setattr(ServerOptions, "execve", execute)
    monkeypatch.setattr(forking, "_become", run)
    with pytest.raises(Became) as told:
        forking.ForkingOptions().execve(
            command[0], list(command), {"HOPLINE_VAR": "var", "HOPLINE_MODEL": "old"}
        )
    return told.value.args


def test_a_program_of_the_stack_is_a_fork_unless_the_code_has_changed(
    module: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = tmp_path / "environment.json"
    settings.write_text(json.dumps({"HOPLINE_MODEL": "new"}), encoding="utf-8")
    launch = (sys.executable, "-m", "infra.local.launch", str(settings))
    assert became(monkeypatch, *launch, *WORKER)[0] == "executed", "nothing is imported yet"
    assert forking.Interface().preload()
    assert became(monkeypatch, *launch, *WORKER) == ("forked", "worker", "bulk", "new", "var")
    for other in (("java", "-jar", "neo4j.jar"), (*launch, sys.executable, "-m", "infra.local.vectors")):
        assert became(monkeypatch, *other) == ("executed", *other)
    module.write_text("NUMBER = 2\n", encoding="utf-8")
    os.utime(module, (1, 1))
    assert became(monkeypatch, *launch, *WORKER)[0] == "executed"


def test_a_module_that_cannot_be_imported_is_told_and_programs_are_executed(
    module: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module.write_text("raise ValueError('broken')\n", encoding="utf-8")
    with pytest.raises(RPCError, match="ValueError: broken"):
        forking.Interface().preload()
    assert became(monkeypatch, sys.executable, "-m", "infra.local.launch", "file", *WORKER)[0] == "executed"
    module.write_text("NUMBER = 1\n", encoding="utf-8")
    assert not forking.Interface().preload(), "what was imported by then may be older than its file"
