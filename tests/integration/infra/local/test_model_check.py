"""A model's endpoint is tried before anything else runs: what works, in how many requests, what is wrong.

`HOPLINE_TEST_WRITE=1 .venv/bin/pytest` and this file write docs/doctor.md.
"""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from doubles.command_line import run_hopline
from doubles.endpoint import Reply, Start, refused, said
from doubles.meter import Offline
from fleet.forks import run_fork

from hopline.errors import InvalidInput
from infra.local.env_file import write_settings
from infra.local.model_check import Check, ModelReport, check_model, trial_picture
from workers.core.files import spooled
from workers.core.ports import Limits
from workers.ingest.reading.scans.recognition import Unrecognised, recognised_pages
from workers.settings import Settings, load_settings

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


def test_a_model_for_pictures_has_to_read_one(offline: Offline) -> None:
    for pictures, says in (
        (["It was built in 1858."], "read 1858"),
        ([], "did not read"),
        (None, "image input"),
    ):
        offline.set(pictures=pictures)
        report = checked(offline.url, vision_model="seer")
        check = by_name(report)["vision"]
        assert (report.models["vision"], check.ok, says in check.says) == ("seer", says == "read 1858", True)


def test_the_picture_that_a_model_is_shown_can_be_read() -> None:
    found = recognised_pages(
        spooled(trial_picture()), "png", [1], Limits(ocr_seconds=240), lambda _picture: None
    )
    [(_number, page, _is_known)] = found
    assert not isinstance(page, Unrecognised)
    assert [line.text for line in page.lines] == ["1858"]


def test_what_an_endpoint_refuses_is_told_with_what_was_learnt(offline: Offline) -> None:
    offline.set(formats=["json_object"], tools=False, streams=False, base64=False)
    report = checked(offline.url)
    assert report.ok, report
    checks = by_name(report)
    assert checks["extract"].learned == (
        "offline needs the schema in its prompt, with json_object in place of json_schema",
    )
    assert checks["extract"].requests == 2
    assert checks["plan"].requests == 1
    assert checks["stream"].learned == ("offline does not stream: people see an answer once it is whole",)
    assert "in one piece" in checks["stream"].says
    assert checks["tools"].learned == ("offline does not support tools: hopline has it choose them in JSON",)
    assert checks["embed1"].learned == ("wordllama-256 returns vectors as numbers, not in base64",)


def test_a_model_that_cannot_extract_or_refuses_the_key_is_told_so(endpoint: Start) -> None:
    url, _seen = endpoint(lambda body: said("I am a poet.") if "messages" in body else (200, {"data": []}))
    checks = by_name(checked(url))
    assert not checks["extract"].ok
    assert "hopline asks for (ExtractedFacts)" in checks["extract"].says
    assert checks["extract"].requests == 3
    assert not checks["tools"].ok
    assert not checks["embed1"].ok
    url, seen = endpoint(lambda _body: refused(401, "Incorrect API key: key-of-the-model"))
    [check] = checked(url).checks
    assert (check.ok, check.requests, len(seen)) == (False, 1, 1)
    assert "check HOPLINE_MODEL_KEY" in check.says
    assert "key-of-the-model" not in check.says


PAGE_OF_HTML, NO_SUCH = "<html></html>", {"error": {"code": 404, "message": "no such model"}}


@pytest.mark.parametrize(("reply", "setting"), [
    ((401, PAGE_OF_HTML), "_KEY"),
    ((404, PAGE_OF_HTML), "_MODEL"),
    ((200, NO_SUCH), "_MODEL"),
    ((200, PAGE_OF_HTML), "_URL"),
])  # fmt: skip
def test_an_embedder_of_its_own_is_told_with_its_own_settings(offline, endpoint, reply, setting):
    url, _seen = endpoint(lambda _body: reply)
    check = by_name(checked(offline.url, embedding_url=url))["embed1"]
    assert f"HOPLINE_EMBEDDING{setting}" in check.says
    assert "HOPLINE_MODEL" not in check.says


def test_an_embedder_that_refuses_one_text_of_many_is_there(offline: Offline, endpoint: Start) -> None:
    def script(body: dict[str, Any]) -> Reply:
        vectors = [{"embedding": [1.0, 2.0]} for _text in body["input"]]
        return refused(400, "No arches.") if "40 arches" in str(body) else (200, {"data": vectors})

    url, _seen = endpoint(script)
    checks = by_name(checked(offline.url, embedding_url=url))
    assert (checks["embed1"].ok, checks["embed70"].ok) == (True, False)
    assert checks["embed70"].says.endswith("No arches.")


@pytest.mark.parametrize("given", ["", "/", "/v1/chat/completions", "/v2"])
def test_an_address_that_would_work_is_found_beside_a_wrong_one(offline: Offline, given: str) -> None:
    root = offline.url.removesuffix("/v1")
    report = checked(root + given)
    assert not report.ok
    assert report.better_address == offline.url
    assert report.settings == {"HOPLINE_MODEL_URL": offline.url}
    assert (
        checked(f"{root}{given}?sub-key=canary").settings["HOPLINE_MODEL_URL"]
        == f"{offline.url}?sub-key=canary"
    )


def test_an_address_without_any_api_is_told_without_another(endpoint: Start) -> None:
    def page(_body: dict[str, Any]) -> Reply:
        return 200, "<!doctype html><html></html>"

    url, _seen = endpoint(page)
    report = checked(url)
    assert "check HOPLINE_MODEL_URL" in report.checks[0].says
    assert report.better_address == ""


@pytest.mark.parametrize(("status", "code", "says"), [(200, 0, "ok plan"), (401, 1, "HOPLINE_MODEL_KEY")])
def test_the_doctor_says_what_the_model_answers(offline, endpoint, monkeypatch, status, code, says):
    offline.set(formats=["json_object"])
    url = offline.url if status == 200 else endpoint(lambda _body: refused(status, "no such key"))[0]
    monkeypatch.setenv("HOPLINE_MODEL_URL", url)
    result = run_hopline("doctor", "--model")
    assert (result.exit_code, says in result.stdout) == (code, True), result.output
    assert ("learned: offline needs the schema in its prompt" in result.stdout) == (code == 0)
    assert run_hopline("doctor", "--write").exit_code == 2


@pytest.mark.parametrize(
    "value", ["m\nHOPLINE_WEBHOOK_PRIVATE=true", "m\u2028x", "${HOME}", "m #1", "'m", 'm"', "m\\n", "m\r"]
)
def test_a_setting_that_would_be_read_as_something_else_is_not_written(tmp_path: Path, value: str) -> None:
    (tmp_path / "kept").write_text("HOPLINE_MODEL=a\n")
    env = tmp_path / ".env"
    env.symlink_to("kept")
    with pytest.raises(InvalidInput, match=r"HOPLINE_MODEL.*set it by hand"):
        write_settings(env, {"HOPLINE_LANE": "1", "HOPLINE_MODEL": value})
    assert env.read_text() == "HOPLINE_MODEL=a\n"
    write_settings(env, {"HOPLINE_MODEL": "org/m-1:7b"})
    assert (env.is_symlink(), env.read_text()) == (True, "HOPLINE_MODEL=org/m-1:7b\n")


def test_a_long_prompt_is_tried_if_asked_for(offline: Offline, endpoint: Start) -> None:
    settings = Settings(_env_file=None, model_url=offline.url)  # type: ignore[call-arg]
    long = by_name(check_model(settings, long_prompt=3000))["long"]
    assert (long.ok, long.requests) == (True, 1), long

    def cutting(body: dict[str, Any]) -> Reply:
        answer = httpx.post(
            f"{offline.url}/{'chat/completions' if 'messages' in body else 'embeddings'}", json=body
        )
        reply = answer.json() if not body.get("stream") else answer.text
        if isinstance(reply, dict) and "usage" in reply:
            reply["usage"]["prompt_tokens"] = min(2048, reply["usage"]["prompt_tokens"])
        return answer.status_code, reply

    url, _seen = endpoint(cutting)
    long = by_name(check_model(Settings(_env_file=None, model_url=url), long_prompt=6000))["long"]
    assert not long.ok
    assert "silently cut off the rest: give the server a longer context" in long.says


def test_the_doctor_writes_what_is_to_be_set_and_leaves_the_rest(offline, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    wrong = offline.url.removesuffix("/v1") + "/v2"
    before = f"\ufeff# mine\r\nexport HOPLINE_MODEL_URL={wrong}\r\nHOPLINE_MODEL_KEY='a#1-key-of-mine'\r\n"
    env = tmp_path / ".env"
    env.write_bytes(before.encode())
    env.chmod(0o640)
    result = run_hopline("doctor", "--model")
    assert f"HOPLINE_MODEL_URL={offline.url}" in result.stderr
    assert env.read_bytes().decode() == before, "only what was asked to write does"
    result = run_hopline("doctor", "--model", "--write")
    assert f"- export HOPLINE_MODEL_URL={wrong}\n+ HOPLINE_MODEL_URL={offline.url}\n" in result.stderr
    assert "a#1-key-of-mine" not in result.output
    after = before.replace(f"export HOPLINE_MODEL_URL={wrong}", f"HOPLINE_MODEL_URL={offline.url}")
    assert (env.read_bytes().decode(), env.stat().st_mode & 0o777) == (after, 0o640)
    load_settings.cache_clear()
    result = run_hopline("doctor", "--model", "--write")
    assert (result.exit_code, env.read_bytes().decode()) == (0, after), result.output
    assert "tokens a second" in result.stdout


def test_nothing_but_json_goes_to_stdout(endpoint: Start) -> None:
    url, _seen = endpoint(lambda body: said("I am a poet.") if "messages" in body else (200, {"data": []}))
    done = run_fork(["doctor", "--model", "--json"], os.environ | {"HOPLINE_MODEL_URL": url}, 120)
    assert not json.loads(done.stdout)["checks"][0]["ok"]


def openai(body: dict[str, Any]) -> Reply | None:
    if "max_tokens" in body:
        why = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        return refused(400, f"Unsupported parameter: {why}", "unsupported_parameter")
    if "temperature" in body:
        why = "'temperature' does not support 0 with this model. Only the default (1) value is supported."
        return refused(400, f"Unsupported value: {why}", "unsupported_value")
    return None


def gemini(body: dict[str, Any]) -> Reply | None:
    why = "* BatchEmbedContentsRequest.requests: at most 50 requests can be in one batch"
    error = {"error": {"code": 400, "message": why, "status": "INVALID_ARGUMENT"}}
    return (400, [error]) if len(body.get("input", ())) > 50 else None


def deepseek(body: dict[str, Any]) -> Reply | None:
    if "input" in body:
        return 404, "Not Found"
    if body.get("response_format", {}).get("type") == "json_schema":
        return refused(400, "This response_format type is unavailable now")
    return None


def vllm(body: dict[str, Any]) -> Reply | None:
    if "tools" in body:
        why = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
        return 400, {"object": "error", "message": why, "type": "BadRequestError", "code": 400}
    if "input" in body:
        why = "The model `bge-m3` does not exist."
        return 404, {"object": "error", "message": why, "type": "NotFoundError", "code": 404}
    return None


def llama_cpp(body: dict[str, Any]) -> Reply | None:
    if "input" in body:
        why = "This server does not support embeddings. Start it with `--embeddings`"
        return 501, {"error": {"code": 501, "message": why, "type": "not_supported_error"}}
    is_told = "response_format" not in body or "JSON schema" in body["messages"][0]["content"]
    return None if is_told else said('{"answer": "42"}')


def tei(body: dict[str, Any]) -> Reply | None:
    why = f"batch size {len(body['input'])} > maximum allowed batch size 32"
    return (413, {"error": why, "error_type": "Validation"}) if len(body["input"]) > 32 else None


def poet(body: dict[str, Any]) -> Reply | None:
    return None if "input" in body else said("I am a poet.")


Refusing = Callable[[dict[str, Any]], Reply | None]
# The model, the embedder, and what the endpoint refuses; the same of one that the embedder has to itself.
SHOWN: dict[str, tuple[str, str, Refusing | None, Refusing | None]] = {
    "The offline model": ("offline", "wordllama-256", None, None),
    "OpenAI: a reasoning model": ("gpt-5-mini", "text-embedding-3-small", openai, None),
    "Google Gemini": ("gemini-2.5-flash", "gemini-embedding-001", gemini, None),
    "DeepSeek: it has no embedder": ("deepseek-v4-flash", "bge-m3", deepseek, None),
    "vLLM: started without tools": ("Qwen/Qwen3-8B", "bge-m3", vllm, None),
    "llama.cpp: a version that ignores schemas": ("qwen3-8b", "qwen3-8b", llama_cpp, None),
    "Ollama, and TEI as the embedder": ("qwen3:8b", "bge-m3", lambda _body: None, tei),
    "A model that writes prose": ("poet", "bge-m3", poet, None),
    "An address that lacks /v1": ("offline", "wordllama-256", None, None),
}
PAGE = Path(__file__).parents[4] / "docs" / "doctor.md"
INTRODUCTION = """\
# What `hopline doctor --model` prints

One line for each kind of request that hopline makes: `ok` with what came back, or `wrong` with the reason \
and what to do. A `learned` line is not an error: the endpoint refused something, and hopline sends such \
requests in another form from then on ([models.md](models.md#how-models-are-called)). If a line is `wrong`, \
the exit code is 1. Only `tools` and `vision` may stay wrong: without tools the `tools` strategy finds \
nothing, and if the model for pictures (`HOPLINE_VISION_MODEL`, tried if it is set) cannot read one, scanned \
pages keep what was recognised.

Each block comes from a test that simulates the refusals of such an endpoint over HTTP, in front of the \
offline model; none of these services was called. `HOPLINE_TEST_WRITE=1 .venv/bin/pytest \
tests/integration/infra/local/test_model_check.py` rewrites this page.
"""


def test_the_page_shows_what_is_printed_of_some_endpoints(offline, endpoint, monkeypatch):
    def behind(refusing: Refusing) -> str:
        def script(body: dict[str, Any]) -> Reply:
            if refusal := refusing(body):
                return refusal
            path, model = (
                ("embeddings", "wordllama-256") if "input" in body else ("chat/completions", "offline")
            )
            sent = body | {"model": model}
            answer = httpx.post(f"{offline.url}/{path}", json=sent, timeout=60, trust_env=False)
            return answer.status_code, answer.text if body.get("stream") else answer.json()

        return endpoint(script)[0]

    page = INTRODUCTION
    for title, (model, embedder, refuses, refuses_texts) in SHOWN.items():
        right = offline.url.removesuffix("/v1" if "lacks" in title else "")
        urls = {"model": behind(refuses) if refuses else right}
        urls |= {"embedder": behind(refuses_texts)} if refuses_texts else {}
        monkeypatch.setenv("HOPLINE_MODEL_URL", urls["model"])
        monkeypatch.setenv("HOPLINE_EMBEDDING_URL", urls.get("embedder", ""))
        monkeypatch.setenv("HOPLINE_MODEL", model)
        monkeypatch.setenv("HOPLINE_EMBEDDING_MODEL", embedder)
        load_settings.cache_clear()
        printed = run_hopline("doctor", "--model", width=110).output
        for name, url in urls.items():
            printed = printed.replace(url.removesuffix("/v1"), f"http://{name}.example")
        printed = re.sub(r"\d+\.\d+ (s\b|tokens a second)", r"… \1", printed)
        page += f"\n## {title}\n\n```\n{printed.rstrip()}\n```\n"
    if os.environ.get("HOPLINE_TEST_WRITE"):
        PAGE.write_text(page, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page, "see the first lines of this file for how to write it"
