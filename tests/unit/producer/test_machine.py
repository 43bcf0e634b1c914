"""`hopline doctor --json` is a bug report: versions and what is set, and no secret."""

import json
from pathlib import Path

import pytest
from doubles.command_line import run_hopline

from infra.local.doctor import Examination, Finding
from workers.settings import Settings, load_settings


def _value(name: str) -> str:
    scheme = "redis://ann:%s@127.0.0.1:9/0" if name in ("redis_url", "broker_url") else "%s"
    return scheme % f"canary-{name}-0123456789"


def test_a_bug_report_holds_versions_and_settings_and_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    secrets = [name for name in Settings.model_fields if Settings.is_secret(name)]
    assert len(secrets) > 5
    for name in secrets:
        monkeypatch.setenv(f"HOPLINE_{name}".upper(), _value(name))
    monkeypatch.setenv("HOPLINE_NEO4J_URL", "bolt://graph.example.org:7687")
    monkeypatch.setenv("HOPLINE_MODEL_URL", "https://ann:canary-of-the-address@models.example.org/v1")
    problem = f"the model says: {_value('model_key')} is wrong"
    found = Examination(looked=(), findings=(Finding(level="error", problem=problem, advice="correct it"),))
    monkeypatch.setattr("infra.local.doctor.doctor", lambda: found)
    load_settings.cache_clear()

    printed = run_hopline("doctor", "--json").stdout

    assert "canary" not in printed
    about = json.loads(printed)["about"]
    assert about["packages"]["celery"].startswith("5.")
    shown = {setting["name"]: setting["value"] for setting in about["settings"]}
    assert shown["HOPLINE_NEO4J_URL"] == "bolt://graph.example.org:7687"
    assert shown["HOPLINE_MODEL_KEY"] is None
    assert "HOPLINE_BULK_THREADS" not in shown, "it has its default"
