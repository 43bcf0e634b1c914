"""What every command does: it starts quickly, ends quietly when its reader leaves, and prints plain JSON."""

import json
import os
import signal
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
import typer
from redis.exceptions import ConnectionError as RedisConnectionError

from hopline.commands.console import ReportingGroup, answers, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.mistakes import explain
from hopline.commands.waiting import cancelling, happening
from hopline.errors import DependencyAway


@pytest.fixture
def ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int | str | None, str]]:
    """Run a command; nobody reads its stream `lost`. Return its code and what the others hold."""

    def run(command: Callable[[], None], lost: str = "") -> tuple[int | str | None, str]:
        app = typer.Typer(cls=ReportingGroup)
        app.callback()(lambda: None)
        app.command("much")(command)
        reading, writing = os.pipe()
        os.close(reading)
        files = {name: tmp_path / name for name in ("stdout", "stderr")}
        streams = {name: file.open("w", encoding="utf-8") for name, file in files.items()}
        streams["left"] = os.fdopen(writing, "w")
        with monkeypatch.context() as streaming:
            for name in files:
                streaming.setattr(sys, name, streams["left" if name == lost else name])
            with pytest.raises(SystemExit) as ended:
                typer.main.get_command(app)(["much"])
        for stream in streams.values():
            stream.close()  # as Python does at its end, where it would complain of what cannot be written
        return ended.value.code, "".join(file.read_text("utf-8") for file in files.values())

    return run


@pytest.mark.parametrize(("stream", "prints"), [
    ("stdout", lambda: answers().print("line")), ("stdout", lambda: print_json("{}")),
    ("stderr", lambda: notice("line")),
])  # fmt: skip
def test_a_command_whose_reader_has_left_ends_quietly(ran, stream: str, prints: Callable[[], None]) -> None:
    def much() -> None:
        prints()
        prints()

    assert ran(much, stream) == (0, "")


def test_a_broken_pipe_of_something_else_is_a_failure(ran) -> None:
    def much() -> None:
        raise BrokenPipeError(32, "a socket")

    code, told = ran(much)
    assert (code, "a socket" in told) == (1, True)


def test_a_missing_package_and_a_certificate_that_is_not_trusted_say_what_to_do() -> None:
    missing = ModuleNotFoundError("No module named 'wordllama'", name="wordllama")
    needs = "this needs the package wordllama, which is not installed: pip install 'hopline[local]'"
    assert explain(missing) == (needs, Exit.FAILED)
    missing = ModuleNotFoundError("No module named 'opentelemetry'", name="opentelemetry.sdk")
    assert explain(missing)[0].endswith("pip install 'hopline[otel]'")
    cause = ssl.SSLCertVerificationError(1, "certificate verify failed")
    cause.verify_code, cause.verify_message = 18, "self-signed certificate"
    away, no_redis = DependencyAway("the model does not answer"), RedisConnectionError("no")
    away.__cause__ = no_redis.__cause__ = cause
    assert explain(away)[0] == "the model does not answer", "no stack has to be started"
    told, code = explain(no_redis)
    assert "its certificate is not trusted (self-signed certificate): set HOPLINE_CA_FILE" in told
    assert code == Exit.FAILED


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

    def watched(*_args: object, **_given: object) -> Iterator[None]:
        Finalised()
        yield None

    client = Mock()
    client.jobs.watch = watched
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(typer.Exit) as left, cancelling(client.jobs.cancel, "j1"):
        list(happening(client, "j1"))
    assert (left.value.exit_code, signal.getsignal(signal.SIGINT)) == (130, before)
    client.jobs.cancel.assert_called_once_with("j1")


def test_ctrl_c_cancels_each_of_several_jobs_also_after_one_could_not_be(capsys):
    states = {"j1": "done", "j3": "cancelled"}

    def cancel(job_id: str) -> Mock:
        if job_id not in states:
            raise DependencyAway("the API is away")
        return Mock(state=states[job_id])

    with pytest.raises(DependencyAway), cancelling(cancel, "j1", "j2", "j3"):
        raise KeyboardInterrupt
    assert capsys.readouterr().err.splitlines() == [
        "Job j1 had ended: done.", "Job j2 may go on: `hopline jobs cancel j2` ends it.", "Cancelled job j3.",
    ]  # fmt: skip
    states["j2"] = "cancelled"
    with pytest.raises(typer.Exit), cancelling(cancel, "j2", "j3"):
        raise KeyboardInterrupt
    assert capsys.readouterr().err == "Cancelled job j2.\nCancelled job j3.\n"


def test_ctrl_c_stays_ignored_where_it_was() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in the background of a shell
    try:
        with cancelling(Mock(), "j1"):
            signal.raise_signal(signal.SIGINT)
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


_RUN = """import os, contextlib
from hopline.cli import app
for args in (['--help'], ['--help-all'], ['ask', '--help'], ['version']):
    with contextlib.redirect_stdout(open(os.devnull, 'w')), contextlib.suppress(SystemExit):
        app(args)
"""
_DRIVERS = ("neo4j", "qdrant_client", "openai")


@pytest.mark.parametrize(("code", "heavy"), [
    (_RUN, (*_DRIVERS, "celery", "redis", "httpx", "pydantic_settings")),
    (
        "import producer.service.service, producer.local_application, workers.app, workers.engine.submit",
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
