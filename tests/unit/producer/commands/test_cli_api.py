"""hopline api: any request to the API, over a Redis in memory."""

import json
from pathlib import Path

import pytest
from doubles.audited import furnished
from doubles.command_line import Run, run_hopline, work_on
from doubles.memory_redis import memory_redis, services_over


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    work_on(monkeypatch, furnished(services_over(memory_redis())))
    return lambda *args, **options: run_hopline("api", *args, **options)


def test_a_reply_is_printed_as_it_came(run: Run) -> None:
    assert json.loads(run("GET", "/v1/weights").stdout) == {"weights": []}
    assert run("get", "v1/weights").stdout == run("GET", "/v1/weights").stdout
    assert "\nhopline_build_info{" in run("GET", "/metrics").stdout


def test_fields_are_a_json_body_or_parameters(run: Run, tmp_path: Path) -> None:
    made = run(
        "POST", "/v1/keys", "-f", "name=ann", "--field", 'scopes=["read"]', "--field", "collections=null"
    )
    assert made.exit_code == 0, made.stderr
    key = json.loads(made.stdout)
    assert (key["name"], key["scopes"], key["collections"]) == ("ann", ["read"], None)
    (tmp_path / "key.json").write_text('{"principals": ["user:ann"]}', encoding="utf-8")
    changed = run("PATCH", f"/v1/keys/{key['id']}", "--input", tmp_path / "key.json")
    assert json.loads(changed.stdout)["principals"] == ["user:ann"]
    lifted = run("PATCH", f"/v1/keys/{key['id']}", "--input", "-", typed='{"principals": null}')
    assert json.loads(lifted.stdout)["principals"] is None
    acts = json.loads(run("GET", "/v1/audit?act=create", "-f", "kind=key", "-f", "limit=5").stdout)
    assert [each["act"] for each in acts["events"]] == ["create"]


def test_a_refusal_is_printed_as_problem_details(run: Run) -> None:
    refused = run("GET", "/v1/jobs/nothing")
    problem = json.loads(refused.stdout)
    assert (refused.exit_code, problem["status"]) == (3, 404)
    assert refused.stderr == "error: the API answers 404 Not Found\n"
    assert json.loads(run("GET", "/v1/jobs", "-f", "limit=none").stdout)["errors"][0]["field"] == "limit"


def test_a_reply_without_a_body_prints_nothing(run: Run) -> None:
    reply = run("HEAD", "/v1/weights")
    assert (reply.exit_code, reply.stdout, reply.stderr) == (0, "", "")


@pytest.mark.parametrize(("args", "typed", "said"), [
    (("GET", "/v1/jobs", "-f", "limit"), None, "NAME=VALUE"),
    (("POST", "/v1/keys", "-f", "name=a", "-f", "name=b"), None, "given once"),
    (("POST", "/v1/keys", "--input", "no.json"), None, "a file of JSON"),
    (("POST", "/v1/keys", "--input", "-"), "{", "a file of JSON"),
    (("FETCH", "/v1/keys"), None, "FETCH"),
])  # fmt: skip
def test_what_cannot_be_sent_is_refused(run, args, typed, said):
    refused = run(*args, typed=typed)
    assert (refused.exit_code, said in refused.stderr) == (2, True), refused.stderr
