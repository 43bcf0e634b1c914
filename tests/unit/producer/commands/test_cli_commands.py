"""The command line: exit codes, JSON, and what people read, over a ledger in memory."""

from __future__ import annotations

import json
from collections.abc import Callable
from inspect import signature
from pathlib import Path

import pytest
from doubles.desk import ANSWER, WALKED, Desk, texts
from redis.exceptions import AuthenticationError
from redis.exceptions import ConnectionError as RedisConnectionError
from typer.testing import CliRunner, Result

from producer.cli import app
from producer.client.hopline import Hopline
from producer.commands.completion import complete_collection, complete_job
from producer.service.jobs import NOBODY_BEGAN
from producer.service.service import Service
from workers.core.answers.answer import Answer
from workers.core.errors import DependencyAway
from workers.core.graph.kept_versions import KeptKey
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Event, JobState
from workers.core.records import Document
from workers.engine.submit import message_priority
from workers.ledger.records import DeadLetter

Run = Callable[..., Result]


@pytest.mark.parametrize(
    ("state", "code"),
    [
        (JobState.DONE, 0),
        (JobState.ABSTAINED, 3),
        (JobState.PARTIAL, 4),
        (JobState.FAILED, 1),
        (JobState.CANCELLED, 1),
    ],
)
def test_the_exit_code_tells_how_a_question_ended(desk: Desk, run: Run, state: JobState, code: int) -> None:
    desk.ledger.play["query"] = ([], state, {"reason": "because"})
    assert run("ask", "When?").exit_code == code


def test_a_question_to_a_collection_that_is_not_there_makes_no_job(desk: Desk, run: Run) -> None:
    result = run("ask", "When?", "-c", "nope")
    assert (result.exit_code, result.stdout) == (3, "")
    message = " ".join(result.stderr.split())
    assert "there is no collection nope; did you mean notes? There are: bridges, notes" in message
    assert desk.ledger.records == {}


def test_a_foreign_graph_answers_without_documents(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    desk.settings = desk.settings.model_copy(update={"tools_neo4j_url": "bolt://127.0.0.1:1"})
    assert run("ask", "How many?", "-c", "nope", "--strategy", "tools").exit_code == 0
    assert run("ask", "How many?", "-c", "nope").exit_code == 0
    assert run("ask", "How many?", "-c", "nope", "--strategy", "graph").exit_code == 3


def test_a_question_waits_for_a_graph_that_is_away(
    desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(_collection: str) -> bool:
        raise DependencyAway("Neo4j is away")

    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    monkeypatch.setattr(desk.graph, "has_documents", away)
    assert run("ask", "When?", "-c", "nope").exit_code == 0


def test_ask_prints_json_and_nothing_else_on_stdout(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    result = run("ask", "When?", "--json")
    answer = json.loads(result.stdout)
    assert set(answer) == set(Answer.model_fields)
    assert (answer["status"], answer["missing"]) == (
        "done",
        [],
    )  # an answer that was stored without the field
    assert answer["citations"][0]["document"] == {
        "id": "d1",
        "title": "The [red] Bridge",
        "uri": "/texts/bridge.txt",
    }
    assert set(answer["usage"]) == {"model_calls", "prompt_tokens", "completion_tokens", "cost"}
    assert result.stderr == ""


def test_ask_prints_the_answer_its_citations_and_how_it_got_there(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    result = run("ask", "When?")
    shown = result.stdout
    assert "opened in 1890 [1]." in shown
    assert "[1] The [red] Bridge · characters 10 to 52" in shown
    assert "score 0.90, 0.72 after decay at depth 1" in shown
    assert "nodes visited: 2 (1 at depth 0, 1 at depth 1) · facts kept: 4 · model calls: 3" in shown
    assert "depth 0: bridge, 2 facts" in result.stderr


def test_ask_tells_how_many_contradictions_there_are(desk: Desk, run: Run) -> None:
    answer = {**ANSWER, "details": {**ANSWER.get("details", {}), "contradictions": 2}}
    desk.ledger.play["query"] = (WALKED, JobState.DONE, answer)
    assert " · contradictions: 2 · model calls: 3" in run("ask", "When?").stdout
    assert json.loads(run("ask", "When?", "--json").stdout)["details"]["contradictions"] == 2


def test_what_was_left_out_of_an_answer_is_told_where_it_is_asked_for(desk: Desk, run: Run) -> None:
    fallen = {"sentence": "It was painted in 1901.", "why": "not in the cited text: 1901"}
    details = {"dropped_sentences": [fallen], "below_threshold": 3, "left_out": 0, "uncitable": 1}
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER | {"details": details})
    shown = run("ask", "When?", "--explain").stdout
    assert "dropped: “It was painted in 1901.” not in the cited text: 1901" in shown
    assert "facts scored too low (--score-threshold): 3" in shown
    assert "did not fit" not in shown
    assert "left out" not in run("ask", "When?").stdout


def test_control_sequences_in_documents_do_not_reach_the_terminal(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    assert "\x1b" not in run("ask", "When?").stdout


def test_every_parameter_of_a_question_is_an_option_with_its_default_in_the_help() -> None:
    shown = CliRunner().invoke(app, ["ask", "--help"], env={"COLUMNS": "300"}).stdout
    lines = [line for line in shown.splitlines() if line.startswith("│")]
    not_asked = {"question", "retry_of", "replay_of", "collections"}  # several are given as -c
    fields = {name: field for name, field in QueryParams.model_fields.items() if name not in not_asked}
    for name, field in fields.items():
        assert f"--{name.replace('_', '-').removesuffix('s')}" in shown
        if isinstance(field.default, int | float) and not isinstance(field.default, bool):
            (line,) = [line for line in lines if f"--{name.replace('_', '-')} " in line]
            assert f"(default {field.default:g})" in line


def test_options_reach_the_job(desk: Desk, run: Run) -> None:
    run("ask", "When?", "-c", "x", "--max-depth", 5, "--no-summarise-overflow", "--session", "s", "--no-wait")
    (record,) = desk.ledger.records.values()
    assert record.job.collection == "x"
    expected = {"max_depth": 5, "summarise_overflow": False, "session": "s", "decay_rate": 0.2}
    assert expected.items() <= record.job.params.items()


def test_tags_reach_the_job(desk: Desk, run: Run) -> None:
    run("ask", "When?", "--tag", "team=legal", "--tag", "run=7", "--no-wait")
    (record,) = desk.ledger.records.values()
    assert record.job.tags == {"team": "legal", "run": "7"}
    refused = run("ask", "When?", "--tag", "team", "--no-wait")
    assert refused.exit_code == 2
    assert "NAME=VALUE" in refused.stderr


def test_who_does_not_wait_gets_the_jobs_id(desk: Desk, run: Run) -> None:
    result = run("ask", "When?", "--no-wait")
    assert [result.stdout.strip()] == list(desk.ledger.records)
    assert result.exit_code == 0


def test_a_wrong_value_is_named_in_one_line_with_what_is_allowed(run: Run) -> None:
    result = run("ask", "When?", "--max-depth", "0")
    assert result.exit_code == 2
    assert result.stderr.splitlines() == ["error: --max-depth: got 0, allowed is greater than or equal to 1"]


def test_a_wrong_option_is_a_usage_error(run: Run) -> None:
    assert run("ask", "When?", "--depth", "1").exit_code == 2
    assert run("ask").exit_code == 2
    assert run("frobnicate").exit_code == 2


def test_ctrl_c_cancels_the_question_and_says_so(
    desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("producer.views.questions.live.follow", interrupted)
    result = run("ask", "When?")
    (record,) = desk.ledger.records.values()
    assert record.state == "cancelled"
    assert f"Cancelled job {record.job.id}." in result.stderr
    assert result.exit_code == 130


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (
            RedisConnectionError("Error 111"),
            (
                "error: Redis at redis://127.0.0.1:6379/0 does not answer: "
                "start the local stack with `make up`, or set HOPLINE_REDIS_URL"
            ),
        ),
        (
            AuthenticationError("WRONGPASS"),
            (
                "error: Redis at redis://127.0.0.1:6379/0 refuses the user or password: "
                "set HOPLINE_REDIS_URL with the right one"
            ),
        ),
        (
            DependencyAway("Neo4j at bolt://me:secret@h:1 does not answer"),
            (
                "error: Neo4j at bolt://h:1 does not answer; "
                "start the local stack with `make up`, and see `hopline doctor`"
            ),
        ),
        (KeyError("x"), "error: unexpected KeyError: 'x'; `hopline --debug …` shows where"),
    ],
)
def test_an_error_is_one_line_that_says_what_to_do(
    run: Run, monkeypatch: pytest.MonkeyPatch, error: Exception, line: str
) -> None:
    def away(_url: str) -> None:
        raise error

    monkeypatch.setattr("producer.commands.client.greet_redis", away)
    monkeypatch.setattr("workers.settings.load_settings", lambda: Desk().settings)
    result = run("jobs")
    assert (result.exit_code, result.stderr.splitlines()) == (1, [line])
    debugged = run("--debug", "jobs")
    assert debugged.exception is error


def test_a_password_in_an_address_is_never_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("producer.commands.client.quiet_logs", lambda _settings: None)
    secret = Desk().settings.model_copy(update={"redis_url": "redis://:pass@word@127.0.0.1:1/0"})
    monkeypatch.setattr(
        "workers.settings.load_settings", lambda: type(secret).model_validate(secret.model_dump())
    )
    result = CliRunner().invoke(app, ["jobs"])
    assert result.exit_code == 1
    assert "word" not in result.stderr.replace("password", "")


def test_a_setting_that_is_no_number_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("producer.commands.client.quiet_logs", lambda _settings: None)
    from workers.settings import Settings, load_settings  # noqa: PLC0415 - cached until here

    load_settings.cache_clear()
    monkeypatch.setenv("HOPLINE_LEASE_SECONDS", "s3cret")
    monkeypatch.setattr("workers.settings.Settings", Settings)
    result = CliRunner().invoke(app, ["jobs"])
    load_settings.cache_clear()
    assert result.exit_code == 2
    assert result.stderr.startswith("error: HOPLINE_LEASE_SECONDS: ")
    assert "s3cret" not in result.stderr


def test_ingest_ends_with_4_when_a_document_failed_and_lists_why(
    desk: Desk, run: Run, tmp_path: Path
) -> None:
    texts(tmp_path, "a.txt", "b.txt")
    counts = {"chunks": 1, "facts": 2, "entities": 0, "relations": 0, "events": 0}
    done = {"uri": "a.txt", "document_id": "d1", "status": "done", **counts, "error": None}
    broken = done | {"uri": "b.txt", "status": "failed", "error": "it is empty"}
    desk.ledger.play["batch"] = ([], JobState.PARTIAL, {"documents": [done, broken]})
    result = run("ingest", tmp_path)
    assert result.exit_code == 4
    assert "2 documents (1 done, 1 failed) · chunks: 2 · facts: 4" in result.stdout
    assert "it is empty" in result.stdout
    report = json.loads(run("ingest", tmp_path, "--json").stdout)
    assert set(report) == {"job_id", "status", "documents", "counts", "usage"}
    assert report["documents"] == [done, broken]
    assert report["counts"] == {"done": 1, "failed": 1}


def test_a_wrong_profile_is_a_mistake_of_usage(desk: Desk, run: Run, tmp_path: Path) -> None:
    texts(tmp_path, "a.txt")
    own = tmp_path / "own.toml"
    own.write_text('[entities]\n"legal party" = "who signs"\n', encoding="utf-8")
    result = run("ingest", tmp_path / "a.txt", "--profile", own)
    assert result.exit_code == 2
    assert f"{own}: entities.legal party: got 'legal party', allowed is letters and digits" in result.stderr
    assert not desk.ledger.records


def test_ingest_counts_documents_as_they_end(desk: Desk, run: Run, tmp_path: Path) -> None:
    item = Event(name="item.done", data={"item": "0:/x/a.txt", "step": "ingest.document"})
    desk.ledger.play["batch"] = ([item], JobState.DONE, {"documents": []})
    result = run("ingest", *texts(tmp_path, "a.txt"))
    assert "[1/1] /x/a.txt" in result.stderr
    assert result.exit_code == 0


def test_ingest_of_nothing_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    result = run("ingest", tmp_path / "none")
    assert result.exit_code == 2
    assert "nothing there" in result.stderr


def test_a_job_is_shown_with_its_dead_letters(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    job_id = run("ask", "When?", "--no-wait").stdout.strip()
    letter = DeadLetter(item_id="visit:k1", step="traverse.visit", phase=2, error="broken", input={}, at=0)
    desk.ledger.dead[job_id] = [letter]
    shown = run("job", job_id).stdout
    for part in (job_id, "When?", "traverse.plan", "visit:k1", "broken", "hopline retry", "1890"):
        assert part in shown
    job = json.loads(run("job", job_id, "--json").stdout)
    assert job["job_id"] == job_id
    timeline = json.loads(run("job", job_id, "--timeline", "--json").stdout)
    assert timeline["job_id"] == job_id
    assert "traverse.plan" in {item["step"] for item in timeline["items"]}
    assert "traverse.plan" in run("job", job_id, "--timeline").stdout
    assert job["dead_letters"][0]["error"] == "broken"
    assert job["outcome"]["text"] == ANSWER["text"]


def test_ask_names_what_is_missing_once(desk: Desk, run: Run) -> None:
    missing = ["Who paid for it?", "Who painted it?"]
    partial = {**ANSWER, "reason": f"Nothing was found for: {missing[0]}", "missing": missing}
    desk.ledger.play["query"] = ([], JobState.PARTIAL, partial)
    assert json.loads(run("ask", "When?", "--json").stdout)["missing"] == missing
    shown = run("ask", "When?").stdout
    assert f"Partial: {partial['reason']}\nNot found: {missing[1]}\n" in shown
    assert shown.count(missing[0]) == 1


def test_an_unknown_job_is_said_to_be_unknown(run: Run) -> None:
    for command in ("job", "cancel", "retry"):
        result = run(command, "jx")
        assert result.exit_code == 1
        assert result.stderr.startswith("error: no job jx: ")


def test_the_beginning_of_an_id_is_enough_where_only_one_begins_so(desk: Desk, run: Run) -> None:
    job_id = run("ask", "A?", "--no-wait").stdout.strip()
    assert run("cancel", job_id[:8]).exit_code == 0
    assert desk.ledger.records[job_id].state == "cancelled"
    desk.graph.held["d1"] = Document(id="d1", collection="c", uri="u", title="The Bridge", content_hash="")
    desk.ledger.play["delete"] = ([], JobState.DONE, {})
    assert run("delete", "d", "--yes").exit_code == 0


def test_a_beginning_that_several_ids_have_is_refused_and_they_are_named(desk: Desk, run: Run) -> None:
    ids = [run("ask", text, "--no-wait").stdout.strip() for text in ("A?", "B?")]
    result = run("cancel", "j")
    assert result.exit_code == 2
    assert all(job_id in result.stderr for job_id in ids)
    assert {desk.ledger.records[job_id].state for job_id in ids} == {JobState.RUNNING}


def test_jobs_are_listed_newest_first(run: Run) -> None:
    first, second = (run("ask", text, "--no-wait").stdout.strip() for text in ("A?", "B?"))
    shown = CliRunner().invoke(app, ["jobs"], env={"COLUMNS": "200"}).stdout
    assert shown.index(second) < shown.index(first)
    assert [record["job"]["id"] for record in json.loads(run("jobs", "--json").stdout)["jobs"]] == [
        second,
        first,
    ]


def test_cancel_ends_a_job(desk: Desk, run: Run) -> None:
    job_id = run("ask", "A?", "--no-wait").stdout.strip()
    assert run("cancel", job_id).exit_code == 0
    assert desk.ledger.records[job_id].state == "cancelled"


def test_of_no_documents_it_is_said_whether_a_filter_left_them_out(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hopline, "documents", lambda *_args, **_named: iter(()))
    assert "No documents: `hopline ingest PATH` brings some in." in " ".join(run("documents").stdout.split())
    filtered = run("documents", "-c", "c", "--where", 'tags has "signed"')
    assert filtered.stdout.strip() == "No documents: none matches the filter."


def test_documents_are_listed_and_deleted(desk: Desk, run: Run) -> None:
    desk.graph.held["d1"] = Document(id="d1", collection="c", uri="u", title="The Bridge", content_hash="")
    desk.ledger.play["delete"] = ([], JobState.DONE, {})
    assert json.loads(run("documents", "--json").stdout)["documents"][0]["title"] == "The Bridge"
    result = run("delete", "d1", "--yes")
    assert result.exit_code == 0
    assert "Deleted The Bridge" in result.stderr
    assert run("delete", "d9", "--yes").exit_code == 1


def test_what_is_kept_of_a_deleted_document_is_erased(
    desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk.graph.kept, "named", lambda **_named: [KeptKey("v1", "c")])
    desk.ledger.play["delete"] = ([], JobState.DONE, {})
    result = run("delete", "d1", "--yes", "--erase")
    assert (result.exit_code, result.stderr) == (0, "Erased what was kept of d1, which was deleted before.\n")


def test_delete_asks_first(desk: Desk, run: Run) -> None:
    result = run("delete", "d1")
    assert result.exit_code == 1
    assert desk.ledger.records == {}


def test_reindex_and_migrate_say_what_they_did(desk: Desk, run: Run) -> None:
    desk.ledger.play["reindex"] = ([], JobState.DONE, {"vectors": 12})
    assert "12 vectors" in run("reindex", "-c", "x").stderr
    assert "version 7" in run("migrate").stderr
    assert run("version").stdout.strip()


def test_a_build_of_topics_says_how_many_there_are(desk: Desk, run: Run) -> None:
    built = {"id": "b1", "built_at": 1.0, "facts": 9, "documents": 2, "topics": [1, 2, 4]}
    desk.ledger.play["topics"] = ([], JobState.DONE, {"collection": "x", "epoch": built})
    before = run("topics", "-c", "x", "--json", "build")
    (record,) = desk.ledger.records.values()
    assert record.job.collection == "x"
    result = run("topics", "build", "-c", "x", "--json")
    assert before.stdout == result.stdout
    assert json.loads(result.stdout) == built
    assert "9 facts of 2 documents are in topics; by level there are 1, 2, 4." in result.stderr
    assert desk.ledger.records[next(iter(desk.ledger.records))].job.params == {"anew": False}


def test_an_error_is_an_object_on_stdout_where_json_was_asked_for(run: Run) -> None:
    for args, kind in ((("ask", "When?", "--max-depth", 0), "InvalidInput"), (("job", "jx"), "NotFound")):
        result = run(*args, "--json")
        error = json.loads(result.stdout)["error"]
        assert error["type"] == kind
        assert result.stderr == f"error: {error['message']}\n"
    wrong = json.loads(run("ask", "When?", "--max-depth", 0, "--json").stdout)["error"]
    assert (wrong["field"], wrong["value"]) == ("max_depth", "0")


def test_a_wrong_option_is_an_object_too(run: Run) -> None:
    result = run("jobs", "--limt", 3, "--json")
    assert result.exit_code == 2
    assert "--limit" in json.loads(result.stdout)["error"]["message"]


def test_a_failed_job_ends_its_command_with_1(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = ([], JobState.FAILED, {"reason": "because"})
    job_id = run("ask", "When?", "--no-wait").stdout.strip()
    assert run("job", job_id).exit_code == 1
    assert run("job", job_id, "--json").exit_code == 1


def test_a_question_that_no_worker_begins_in_time_is_cancelled_and_says_so(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = ([], JobState.RUNNING, None)
    result = run("ask", "When?", "--timeout", 0.1)
    assert result.exit_code == 1
    assert "no worker has begun job" in result.stderr
    assert "hopline worker" in result.stderr
    assert {record.state for record in desk.ledger.records.values()} == {JobState.CANCELLED}


def test_the_version_is_an_option_too(run: Run) -> None:
    assert run("--version").stdout == run("version").stdout


def test_the_shell_completes_jobs_and_collections(
    desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = run("ask", "When?", "--no-wait").stdout.strip()
    monkeypatch.setattr(desk.graph, "collections", lambda: {"contracts": 2, "letters": 1}, raising=False)
    assert complete_job(job_id[:4]) == [job_id]
    assert complete_collection("con") == ["contracts"]
    monkeypatch.setattr(desk, "ledger", None)
    assert complete_job("j") == []


def test_what_people_wait_for_goes_before_a_batch_that_nobody_waits_for(
    desk: Desk, run: Run, tmp_path: Path
) -> None:
    desk.ledger.play["batch"] = ([], JobState.DONE, {"documents": []})
    (path,) = texts(tmp_path, "a.txt")
    run("ingest", path)
    run("ingest", path, "--priority", "high", "--key", "k")
    assert [record.job.priority for record in desk.ledger.records.values()] == ["normal", "high"]
    assert signature(Hopline.submit_batch).parameters["priority"].default == "low"
    urgencies = [message_priority(urgency, step) for urgency in ("normal", "low") for step in (0, 6)]
    assert urgencies[1] < urgencies[2]  # whatever of a small one goes before whatever of a batch


def test_who_waits_is_told_the_place_in_the_queue(
    desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = run("ask", "When?", "--no-wait").stdout.strip()
    monkeypatch.setattr(desk, "broker_redis", None, raising=False)
    jobs = Service(services=desk).jobs  # type: ignore[arg-type]
    monkeypatch.setattr("workers.telemetry.queues.messages_before", lambda *_: 3)
    assert jobs.waits_for(job_id).startswith("waiting its turn: 3 tasks before it in the queue;")
    monkeypatch.setattr("workers.telemetry.queues.messages_before", lambda *_: 0)
    assert jobs.waits_for(job_id) == NOBODY_BEGAN


def test_who_takes_turns_with_others_is_told_the_most_that_may_go_before(
    desk: Desk, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.ledger.play["batch"] = ([], JobState.DONE, {"documents": []})
    (path,) = texts(tmp_path, "a.txt")
    run("ingest", path)
    (job_id,) = desk.ledger.records
    monkeypatch.setattr(desk, "broker_redis", None, raising=False)
    monkeypatch.setattr("workers.telemetry.queues.messages_before", lambda *_: 3)
    reason = Service(services=desk).jobs.waits_for(job_id)  # type: ignore[arg-type]
    assert reason.startswith("waiting its turn: at most 3 tasks before it in the queue;")


def test_an_answer_tells_what_its_question_was_about(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    options = ("--where", 'tags has "signed"', "--as-of", "2020-12-31", "--json")
    shown = json.loads(run("ask", "When?", *options).stdout)
    where = {"field": "tags", "op": "has", "value": "signed"}
    assert shown["scope"] == {"where": where, "as_of": "2020-12-31"}
    text = " ".join(run("ask", "When?", "--as-of", "2020-12-31").stdout.split())
    assert "Read only: documents dated until 2020-12-31" in text
    assert "Read only" not in run("ask", "When?").stdout
