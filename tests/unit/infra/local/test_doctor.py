"""What the doctor finds, and how open breakers and busy models are told to people."""

import io
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import redis
from rich.console import Console

from infra.local import status
from infra.local.doctor import Examination, Finding, Look, examined, misspelt
from infra.local.probes import check_takes
from infra.local.status import describe_breaker, describe_line, waiting_by_limiter
from producer.views.stack import print_examination
from workers.core.models.permits import Line
from workers.limits.breakers import Breaker
from workers.limits.model_queues import LineState
from workers.settings import Settings


def test_a_misspelt_setting_is_named_with_what_was_meant():
    (finding,) = misspelt(
        [
            "HOPLINE_MODLE_URL",
            "HOPLINE_MODEL_URL",
            "HOPLINE_VAR",
            "HOPLINE_API_KEY",
            "HOPLINE_NEO4J_HEAP_MB",
            "PATH",
        ]
    )
    assert "HOPLINE_MODLE_URL" in finding.problem
    assert "HOPLINE_MODEL_URL" in finding.advice


def shown(examination: Examination) -> str:
    out = io.StringIO()
    print_examination(Console(file=out, width=60), examination)
    return out.getvalue()


def test_what_was_looked_at_is_said_whether_or_not_something_is_wrong():
    whats = ("redis redis://user:secret@127.0.0.1:1/0 6.2", "who may enter the API")
    looked = (Look(what=whats[0], verdict="ok"), Look(what=whats[1], verdict="error"))
    wrong = Finding(level="error", problem="no disk", advice="make room")
    for findings in ((), (wrong,)):
        text = shown(Examination(looked=looked, findings=findings))
        assert all(what in text for what in ("redis redis://127.0.0.1:1/0", "who may enter the API"))
        assert "secret" not in text
        assert "✓ redis" in text
        assert "✗ who may" in text
        assert ("error: no disk" in text, "Nothing of that is wrong." in text) == (
            bool(findings),
            not findings,
        )


def test_a_look_that_fails_is_a_finding_and_the_others_go_on():
    def failing() -> Iterator[Finding]:
        yield Finding(level="warning", problem="little memory", advice="end programs")
        raise OSError("connection reset")

    examination = examined([("workers", failing()), ("not at the graph", ()), ("the API", iter(()))])
    assert [look.verdict for look in examination.looked] == ["error", "skipped", "ok"]
    assert [finding.level for finding in examination.findings] == ["warning", "error"]
    assert "workers: could not be looked at: connection reset" in examination.findings[1].problem


def test_settings_that_all_processes_share_are_compared_and_secrets_are_not(tmp_path: Path):
    mine = Settings(_env_file=None, var=tmp_path).digests()
    assert not [name for name in mine if "password" in name or "key" in name]
    assert [name for name in mine if name.startswith("api_")] == ["api_sources"]
    fields = {
        "tool_packs": "movies", "neo4j_password": "q8" * 4, "bulk_threads": 3, "webhook_secret": "q8" * 16,
    }  # fmt: skip
    theirs = Settings(_env_file=None, var=tmp_path, **fields).digests()
    assert [name for name in mine if mine[name] != theirs[name]] == ["tool_packs"]
    elsewhere = Settings(_env_file=None, var=tmp_path / "other").digests()
    assert [name for name in mine if mine[name] != elsewhere[name]] == ["blob_url"]


LINE = Line(endpoint="http://model/v1", model="fast", kind="model")


def test_busy_models_and_open_breakers_are_described_and_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(status, "time", SimpleNamespace(time=lambda: now))
    text = describe_breaker(Breaker(name="neo4j", why="nobody answers", since=now - 40.2, probe=now + 8.2))
    assert text == "away for 40 s, bulk work waits; tried again in 8 s: nobody answers"
    state = LineState(
        line=LINE,
        pause=12.0,
        allowed=14.7,
        bulk=9,
        interactive=2,
        requests=580,
        tokens=41_000,
        waiting={"tokens bulk": 40, "tokens interactive": 2, "calls bulk": 1},
    )
    assert describe_line(state) == (
        "9 bulk and 2 interactive calls in flight; 580 requests and 41000 tokens in the last minute; "
        "its endpoint asks to be left alone for 12 s; at most 14 at a time since it refused some; "
        "1 wait for calls; 42 wait for tokens"
    )
    states = [
        LineState(line=LINE, waiting={"tokens bulk": 3}),
        LineState(line=LINE, waiting={"tokens bulk": 4}),
    ]
    assert waiting_by_limiter(states) == {"tokens": 7}


def test_a_redis_that_takes_nothing_in_is_down():
    check_takes({"maxmemory": 0, "used_memory": 10, "aof_last_write_status": "ok"})
    with pytest.raises(redis.OutOfMemoryError, match="memory is full"):
        check_takes({"maxmemory": 10, "used_memory": 10, "used_memory_human": "10B"})
    with pytest.raises(redis.ResponseError, match="append-only"):
        check_takes({"maxmemory": 0, "aof_last_write_status": "err"})
