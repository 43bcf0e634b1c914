from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from infra.local.doctor import Examination, Finding, Look, examined, misspelt
from producer.views.stack import print_examination
from workers.settings import Settings


def test_a_misspelt_setting_is_named_with_what_was_meant():
    (finding,) = misspelt(
        ["HOPLINE_MODLE_URL", "HOPLINE_MODEL_URL", "HOPLINE_VAR", "HOPLINE_NEO4J_HEAP_MB", "PATH"]
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
        "tool_packs": "movies",
        "neo4j_password": "x" * 8,
        "bulk_threads": 3,
        "webhook_secret": "x" * 32,
    }
    theirs = Settings(_env_file=None, var=tmp_path, **fields).digests()
    assert [name for name in mine if mine[name] != theirs[name]] == ["tool_packs"]
    elsewhere = Settings(_env_file=None, var=tmp_path / "other").digests()
    assert [name for name in mine if mine[name] != elsewhere[name]] == ["blob_url"]
