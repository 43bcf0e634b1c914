"""A model's endpoint is tried before anything else runs: what works, in how many requests, what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from doubles.command_line import run_hopline
from doubles.endpoint import Reply, Start, refused, said
from doubles.meter import Offline

from infra.local.model_check import Check, ModelReport, check_model
from workers.settings import Settings

NAMES = ["extract", "plan", "score", "stream", "tools", "embed1", "embed70"]


def checked(url: str, **settings: Any) -> ModelReport:
    return check_model(Settings(_env_file=None, model_url=url, model_key="key-of-the-model", **settings))


def by_name(report: ModelReport) -> dict[str, Check]:
    return {check.name: check for check in report.checks}


def test_a_good_endpoint_takes_one_request_for_each_kind(offline: Offline) -> None:
    told: list[Check] = []
    settings = Settings(_env_file=None, model_url=offline.url)  # type: ignore[call-arg]
    report = check_model(settings, told.append)
    assert report.ok
    assert [check.name for check in report.checks] == NAMES
    assert all((check.requests, check.learned) == (1, ()) for check in report.checks)
    assert tuple(told) == report.checks
    assert report.tokens_per_second is not None


def test_what_an_endpoint_refuses_is_told_with_what_was_learnt(offline: Offline) -> None:
    offline.set(formats=["json_object"], tools=False, streams=False, base64=False)
    report = checked(offline.url)
    assert report.ok, report
    checks = by_name(report)
    assert checks["extract"].learned == ("offline: format json_object",)
    assert checks["extract"].requests == 2
    assert checks["plan"].requests == 1
    assert checks["stream"].learned == ("offline: stream False",)
    assert "in one piece" in checks["stream"].says
    assert checks["tools"].learned == ("offline: tools none",)
    assert checks["embed1"].learned == ("wordllama-256 (embeddings): base64 False",)


def test_a_model_that_cannot_extract_is_told_so(endpoint: Start) -> None:
    url, _seen = endpoint(lambda body: said("I am a poet.") if "messages" in body else (200, {"data": []}))
    checks = by_name(checked(url))
    assert not checks["extract"].ok
    assert "hopline asks for (ExtractedFacts)" in checks["extract"].says
    assert checks["extract"].requests == 3
    assert not checks["tools"].ok
    assert not checks["embed1"].ok


def test_after_a_refused_key_no_further_call_is_made(endpoint: Start) -> None:
    url, seen = endpoint(lambda _body: refused(401, "Incorrect API key: key-of-the-model"))
    [check] = checked(url).checks
    assert (check.ok, check.requests, len(seen)) == (False, 1, 1)
    assert "check HOPLINE_MODEL_KEY" in check.says
    assert "key-of-the-model" not in check.says


@pytest.mark.parametrize("given", ["", "/", "/v1/chat/completions", "/v2"])
def test_an_address_that_would_work_is_found_beside_a_wrong_one(offline: Offline, given: str) -> None:
    root = offline.url.removesuffix("/v1")
    report = checked(root + given)
    assert not report.ok
    assert report.better_address == offline.url


def test_an_address_without_any_api_is_told_without_another(endpoint: Start) -> None:
    def page(_body: dict[str, Any]) -> Reply:
        return 200, "<!doctype html><html></html>"

    url, _seen = endpoint(page)
    report = checked(url)
    assert "check HOPLINE_MODEL_URL" in report.checks[0].says
    assert report.better_address == ""


@pytest.mark.parametrize(("status", "code", "says"), [(200, 0, "ok plan"), (401, 1, "HOPLINE_MODEL_KEY")])
def test_the_doctor_says_what_the_model_answers(
    offline: Offline, endpoint: Start, monkeypatch: pytest.MonkeyPatch, status: int, code: int, says: str
) -> None:
    url = offline.url if status == 200 else endpoint(lambda _body: refused(status, "no such key"))[0]
    monkeypatch.setenv("HOPLINE_MODEL_URL", url)
    result = run_hopline("doctor", "--model")
    assert (result.exit_code, says in result.stdout) == (code, True), result.output
