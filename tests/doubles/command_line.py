"""The command line in this process; its tree of commands, which Typer's runner makes again, is made once."""

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from doubles.desk_streams import ServiceInMemory
from hopline.cli import app
from producer.local_application import LocalApplication

Run = Callable[..., Result]  # `run` of tests/unit/conftest.py
_tree = cache(typer.main.get_command)


def run_hopline(
    *args: object, typed: str | None = None, width: int | None = None, terminal: int | None = None
) -> Result:
    """Run `hopline` with these arguments.

    Args:
        args: words of the command line.
        typed: what is typed into it.
        width: columns of the help.
        terminal: columns of the terminal that stdout and stderr are.
    """
    runner, code, error = CliRunner(), 0, None
    columns = terminal or width
    env = {} if columns is None else {"COLUMNS": str(columns), "TERM": "xterm", "NO_COLOR": "1"}
    with runner.isolation(input=typed, env=env) as streams:
        if terminal is not None:
            sys.stdout.isatty = sys.stderr.isatty = lambda: True  # type: ignore[method-assign]
        try:
            _tree(app).main(args=[str(arg) for arg in args], prog_name="hopline")
        except SystemExit as end:
            code = int(end.code or 0)
        except Exception as raised:  # noqa: BLE001 - as Typer's runner keeps it
            code, error = 1, raised
        sys.stdout.flush()
        sys.stderr.flush()
        stdout, stderr, output = (stream.getvalue() for stream in streams)
    return Result(runner, stdout, stderr, output, return_value=None, exit_code=code, exception=error)


def work_on(monkeypatch: pytest.MonkeyPatch, services: Any, publisher: Any = None) -> None:
    """Let commands work on these services, with no server and no log.

    Those of the package hopline reach them through the API in this process.
    """
    monkeypatch.setattr("producer.service.startup.greet_redis", lambda _url, _seconds: None)
    monkeypatch.setattr("workers.logs.quiet_logs", lambda _settings: None)
    monkeypatch.setattr("hopline.commands.client.is_local", lambda: True)
    monkeypatch.setattr("producer.local_application.greet_redis", lambda _url, _seconds: None)
    monkeypatch.setattr("producer.local_application.quiet_logs", lambda _settings: None)
    service = ServiceInMemory(services, publisher)
    monkeypatch.setattr("producer.service.service.Service", lambda *_: service)
    monkeypatch.setattr(
        "hopline.sync.client.find_application",
        lambda _settings, via: LocalApplication(service=service, via=via),
    )
