"""What every command does: it starts quickly, ends quietly when its reader leaves, and prints plain JSON."""

import json
import os
import signal
import subprocess
import sys
from typing import cast
from unittest.mock import Mock

import pytest
import typer

from producer.client.hopline import Hopline
from producer.client.watch import JobWatch
from producer.commands.client import batches, cancelling
from producer.console import print_json


@pytest.mark.parametrize(("stream", "prints"), [
    ("stdout", "answers().print('line')"), ("stdout", "print_json('{}')"), ("stderr", "notice('line')"),
])  # fmt: skip
def test_a_command_whose_reader_has_left_ends_quietly(stream: str, prints: str) -> None:
    script = (
        "import typer\n"
        "from producer.console import ReportingGroup, answers, notice, print_json\n"
        "app = typer.Typer(cls=ReportingGroup, pretty_exceptions_enable=False)\n"
        "app.callback()(lambda: None)\n"
        f"app.command('much')(lambda: [{prints} for _ in range(2)] and None)\n"
        "app()\n"
    )
    reading, writing = os.pipe()
    os.close(reading)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: writing}
    ran = subprocess.run([sys.executable, "-c", script, "much"], check=False, text=True, **streams)
    os.close(writing)
    assert (ran.returncode, ran.stdout or "", ran.stderr or "") == (0, "", "")


def test_a_broken_pipe_of_something_else_is_a_failure() -> None:
    script = (
        "import typer\n"
        "from producer.console import ReportingGroup\n"
        "app = typer.Typer(cls=ReportingGroup, pretty_exceptions_enable=False)\n"
        "app.callback()(lambda: None)\n"
        "@app.command('much')\n"
        "def much():\n    raise BrokenPipeError(32, 'a socket')\n"
        "app()\n"
    )
    ran = subprocess.run([sys.executable, "-c", script, "much"], check=False, capture_output=True, text=True)
    assert (ran.returncode, "a socket" in ran.stderr) == (1, True)


def test_json_moves_no_cursor_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    signs = "".join(map(chr, (*range(0x20), *range(0x7F, 0xA0), 0x202E, 0x2066))) + "é 山"
    value = {"quote": f"\x9b31m{signs}", "\x85key": [1, None]}
    print_json(json.dumps(value, ensure_ascii=False, indent=1))
    shown = capsys.readouterr().out
    assert json.loads(shown) == value
    assert all(sign.isprintable() or sign == "\n" for sign in shown)
    assert "é 山" in shown


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_ctrl_c_is_heard_also_where_python_drops_it() -> None:
    class Finalised:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)  # what a handler raises in here goes nowhere

    class Watch:
        ended = False

        def poll(self) -> list[str]:
            Finalised()
            self.ended = True
            return []

    client = Mock(spec=Hopline)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(typer.Exit) as left, cancelling(client, "j1"):
        list(batches(cast("JobWatch", Watch())))
    assert (left.value.exit_code, signal.getsignal(signal.SIGINT)) == (130, before)
    client.cancel.assert_called_once_with("j1")


def test_ctrl_c_stays_ignored_where_it_was() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in the background of a shell
    try:
        with cancelling(Mock(spec=Hopline), "j1"):
            signal.raise_signal(signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


_RUN = """import os, contextlib
from producer.cli import app
for args in (['--help'], ['ask', '--help'], ['version']):
    with contextlib.redirect_stdout(open(os.devnull, 'w')), contextlib.suppress(SystemExit):
        app(args)
"""
_DRIVERS = ("neo4j", "qdrant_client", "openai")


@pytest.mark.parametrize(("code", "heavy"), [
    (_RUN, (*_DRIVERS, "celery", "redis", "httpx", "pydantic_settings")),
    (
        "import producer.service.service, producer.client.hopline, workers.app, workers.engine.submit",
        (*_DRIVERS, "numpy"),
    ),
    ("import infra.local.status, infra.local.doctor", (*_DRIVERS, "celery", "jgo", "requests")),
], ids=["help", "handing over a question", "a look at the servers"])  # fmt: skip
def test_what_is_run_often_loads_nothing_that_takes_long(code: str, heavy: tuple[str, ...]) -> None:
    code += f"\nimport sys; print(*[name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout.split() == []
