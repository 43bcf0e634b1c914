"""The command line: exit codes, JSON, and what people read, over a ledger in memory."""

import json
from importlib.metadata import version
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from doubles.command_line import Run, run_hopline
from doubles.desk import ANSWER, WALKED, Desk, texts
from redis.exceptions import AuthenticationError
from redis.exceptions import ConnectionError as RedisConnectionError

from hopline.commands.completion import (
    complete_collection,
    complete_document,
    complete_job,
    complete_key,
)
from hopline.commands.waiting import waits_for
from hopline.errors import DependencyAway, InvalidInput, NoDocuments
from hopline.models.answers import Answer
from hopline.models.documents import Document
from hopline.models.jobs import NOBODY_BEGAN, DeadLetter, JobState
from hopline.sync.batches import Batches
from producer.service.service import Service
from workers.core.graph.kept_versions import KeptKey
from workers.core.graph.vectors import Embedder
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Event
from workers.settings import load_settings


@pytest.mark.parametrize(("state", "code"), [
    (JobState.DONE, 0), (JobState.ABSTAINED, 3), (JobState.PARTIAL, 4), (JobState.FAILED, 1),
    (JobState.CANCELLED, 1),
])  # fmt: skip
def test_the_exit_code_tells_how_a_question_ended(desk: Desk, run: Run, state: JobState, code: int) -> None:
    desk.ledger.play["query"] = ([], state, {"reason": "because"})
    assert run("ask", "When?").exit_code == code


def test_a_question_to_no_documents_makes_no_job_unless_a_foreign_graph_answers(desk: Desk, run: Run) -> None:
    result = run("ask", "When?", "-c", "nope")
    assert (result.exit_code, result.stdout) == (3, "")
    message = " ".join(result.stderr.split())
    assert "there is no collection nope; did you mean notes? There are: bridges, notes" in message
    assert desk.ledger.records == {}
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    desk.settings = desk.settings.model_copy(update={"tools_neo4j_url": "bolt://127.0.0.1:1"})
    assert run("ask", "How many?", "-c", "nope", "--strategy", "tools").exit_code == 0
    assert run("ask", "How many?", "-c", "nope").exit_code == 0
    assert run("ask", "How many?", "-c", "nope", "--strategy", "graph").exit_code == 3


def test_ask_prints_json_and_nothing_else_on_stdout(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    result = run("ask", "When?", "--json")
    answer = json.loads(result.stdout)
    assert set(answer) == set(Answer.model_fields) - Answer.LEFT_OUT
    assert answer["status"] == "done"
    assert answer["missing"] == [], "an answer that was stored without the field"
    assert answer["citations"][0]["document"] == ANSWER["citations"][0]["document"]
    assert set(answer["usage"]) == {"model_calls", "prompt_tokens", "completion_tokens", "cost"}
    assert result.stderr == ""


def test_every_parameter_of_a_question_is_an_option_with_its_default_in_the_help() -> None:
    shown = run_hopline("ask", "--help-all", width=300).stdout
    lines = [line for line in shown.splitlines() if line.startswith("│")]
    not_asked = {"question", "retry_of", "replay_of", "collections"}  # several are given as -c
    fields = {name: field for name, field in QueryParams.model_fields.items() if name not in not_asked}
    for name, field in fields.items():
        assert f"--{name.replace('_', '-').removesuffix('s')}" in shown
        if isinstance(field.default, int | float) and not isinstance(field.default, bool):
            (line,) = [line for line in lines if f"--{name.replace('_', '-')} " in line]
            assert f"(default {field.default:g})" in line


def test_ask_prints_the_answer_its_citations_and_one_line_of_what_it_took(desk: Desk, run: Run) -> None:
    details = {"chosen": {"strategy": "graph", "why": "It asks what the documents say of few things."}}
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER | {"details": details})
    text, quoted, foot = run("ask", "When?").stdout.strip().split("\n\n")
    assert text.endswith("opened in 1890 [1].")
    head, line, quote = quoted.splitlines()
    assert (head, line) == ("Citations", "  [1] The [red] Bridge")
    assert quote.strip().startswith("“")
    (job_id,) = desk.ledger.records
    strategy, calls, seconds, job = foot.split(" · ")
    assert (strategy, calls, job) == ("graph", "3 calls", job_id[:9])
    assert seconds.endswith(" s")


def test_ask_explains_how_it_got_there_where_that_is_asked_for(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    result = run("ask", "When?", "-v")
    for part in (
        "opened in 1890 [1].",
        "[1] The [red] Bridge · characters 10 to 52",
        "score 0.90, lowered to 0.72 at 1 step from the start",
        "nodes read: 2 (at the start: 1, 1 step from the start: 1) · facts used: 4 · model calls: 3",
    ):
        assert part in result.stdout
    assert "at the start: bridge, 2 facts" in result.stderr
    assert "\x1b" not in result.stdout, "a document's control sequence reached the terminal"
    assert "Read only" not in result.stdout
    filtered = run("ask", "When?", "--where", 'tags has "signed"').stdout
    assert 'Read only: documents where tags has "signed"' in " ".join(filtered.split())
    scoped = run("ask", "When?", "--as-of", "2020-12-31").stdout
    assert "Read only: documents dated until 2020-12-31" in " ".join(scoped.split())


def test_what_was_left_out_of_an_answer_is_told_where_it_is_asked_for(desk: Desk, run: Run) -> None:
    fallen = {"sentence": "It was painted in 1901.", "why": "not in the cited text: 1901"}
    details = {"dropped_sentences": [fallen], "below_threshold": 3, "left_out": 0, "uncitable": 1}
    details["contradictions"] = 2
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER | {"details": details})
    shown = run("ask", "When?", "--explain").stdout
    assert "dropped: “It was painted in 1901.” not in the cited text: 1901" in shown
    assert "facts scored too low (--score-threshold): 3" in shown
    assert " · contradictions: 2 · model calls: 3" in shown
    assert "did not fit" not in shown


@pytest.mark.parametrize(("options", "params"), [
    (("--max-depth", 5, "--no-summarise-overflow"), {"max_depth": 5, "summarise_overflow": False}),
    (("--session", "s", "--timeout", 7), {"session": "s", "timeout": 7.0, "decay_rate": 0.2}),
    (
        ("--where", 'tags has "signed"', "--as-of", "2020-12-31"),
        {"where": {"field": "tags", "op": "has", "value": "signed"}, "as_of": "2020-12-31"},
    ),
    (("-c", "x"), {"collection": "x"}),
    (("--tag", "team=legal", "--tag", "run=7"), {"tags": {"team": "legal", "run": "7"}}),
])  # fmt: skip
def test_options_reach_the_job_whose_id_is_told_who_does_not_wait(desk, run, options, params):
    result = run("ask", "When?", "--no-wait", *options)
    ((job_id, record),) = desk.ledger.records.items()
    assert (result.exit_code, result.stdout.strip()) == (0, job_id)
    known = {"collection": record.job.collection, "tags": record.job.tags, **record.job.params}
    assert {name: known[name] for name in params} == params


def test_a_wrong_value_is_named_in_one_line_and_as_an_object_where_json_was_asked_for(run: Run) -> None:
    result = run("ask", "When?", "--max-depth", 0)
    message = "--max-depth is 0, but must be greater than or equal to 1"
    assert (result.exit_code, result.stderr) == (2, f"error: {message}\n")
    error = json.loads(run("ask", "When?", "--max-depth", 0, "--json").stdout)["error"]
    assert (error["type"], error["field"], error["value"]) == ("InvalidInput", "max_depth", "0")
    assert error["message"] == message
    usage = run("jobs", "--limt", 3, "--json")
    assert usage.exit_code == 2
    assert "--limit" in json.loads(usage.stdout)["error"]["message"]


@pytest.mark.parametrize(("words", "told"), [
    (("ask", "When?", "--depth", "1"), "--depth"),
    (("ask",), "Missing argument"),
    (("ask", "When?", "--tag", "team"), "NAME=VALUE"),
    (("frobnicate",), "frobnicate"),
])  # fmt: skip
def test_a_wrong_option_is_a_usage_error(run: Run, words: tuple[object, ...], told: str) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert told in result.stderr


def test_a_value_that_is_none_of_the_allowed_is_said_without_a_parsers_words(run: Run) -> None:
    refused = run("jobs", "--state", "nope")
    assert refused.exit_code == 2
    assert "'nope' is not one of" in refused.stderr
    assert "Value error" not in refused.stderr


def test_ctrl_c_cancels_the_question_and_tells(desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hopline.views.live.follow", interrupted)
    result = run("ask", "When?")
    (record,) = desk.ledger.records.values()
    assert record.state == "cancelled"
    assert f"Cancelled job {record.job.id}." in result.stderr
    assert result.exit_code == 130


@pytest.mark.parametrize(("called", "words", "told"), [
    ("client.Hopline.hand_over", (), "may have been submitted: `hopline jobs` lists them."),
    ("batches.Batches.submit", ("--batch", "b"), "submitted: `hopline batches show b` shows it."),
])  # fmt: skip
def test_ctrl_c_amid_a_listing_tells_how_to_see_what_was_submitted(run, monkeypatch, called, words, told):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"hopline.sync.{called}", interrupted)
    result = run("ingest", "a.txt", *words)
    assert (result.exit_code, told in result.stderr) == (130, True), result.stderr


REDIS, MAKE_UP = "Redis at redis://127.0.0.1:6379/0", "start the local stack with `hopline up`"


@pytest.mark.parametrize(("error", "line"), [
    (RedisConnectionError("Error 111"), f"{REDIS} does not answer: {MAKE_UP}, or set HOPLINE_REDIS_URL"),
    (AuthenticationError("WRONGPASS"), f"{REDIS} refuses the user or password: correct HOPLINE_REDIS_URL"),
    (
        DependencyAway("Neo4j at bolt://me:secret@h:1 does not answer"),
        f"Neo4j at bolt://h:1 does not answer; {MAKE_UP}, and see `hopline doctor`",
    ),
    (KeyError("x"), "unexpected KeyError: 'x'; `hopline --debug …` shows where"),
])  # fmt: skip
def test_an_error_is_one_line_that_says_what_to_do(desk, run, monkeypatch, error, line):
    desk.ledger.outages = 100  # reads that fail
    job = "j" + 25 * "0"

    def away(_url: str, _seconds: float) -> None:
        raise error

    monkeypatch.setattr("producer.local_application.greet_redis", away)
    monkeypatch.setattr("workers.settings.load_settings", lambda: Desk().settings)
    result = run("jobs", "show", job)
    assert (result.exit_code, result.stderr) == (1, f"error: {line}\n")
    assert run("--debug", "jobs", "show", job).exception is error


def test_a_setting_is_named_without_its_value_and_without_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.logs.quiet_logs", lambda _settings: None)
    for name, value, code in (
        ("REDIS_URL", "redis://:s3cr@t@127.0.0.1:1/0", 1),
        ("LEASE_SECONDS", "s3cret", 2),
    ):
        load_settings.cache_clear()
        monkeypatch.setenv(f"HOPLINE_{name}", value)
        result = run_hopline("jobs")
        assert result.exit_code == code
        assert f"HOPLINE_{name}" in result.stderr
        assert "s3cr" not in result.stderr
        monkeypatch.delenv(f"HOPLINE_{name}")


def test_ingest_ends_with_4_when_a_document_failed_and_says_why(desk: Desk, run: Run, tmp_path: Path) -> None:
    texts(tmp_path, "a.txt", "b.txt")
    counts = {"chunks": 1, "facts": 2, "entities": 0, "relations": 0, "events": 0}
    done = {"uri": "a.txt", "document_id": "d1", "status": "done", **counts, "error": None}
    done["original"] = "too large"
    broken = done | {"uri": "b.txt", "status": "failed", "error": "it is empty"}
    item = Event(name="item.done", data={"item": "0:/x/a.txt", "step": "ingest.document"})
    desk.ledger.play["batch"] = ([item], JobState.PARTIAL, {"documents": [done, broken]})
    result = run("ingest", tmp_path)
    assert result.exit_code == 4
    assert "[1/2] /x/a.txt" in result.stderr
    assert "2 documents (1 done, 1 failed) · chunks: 2 · facts: 4" in result.stdout
    assert "it is empty" in result.stdout
    assert "The files of 2 documents are not kept: too large." in result.stdout
    report = json.loads(run("ingest", tmp_path, "--json").stdout)
    assert set(report) == {
        "kind", "job_id", "status", "documents", "counts", "usage", "reason", "error", "provider",
    }  # fmt: skip
    assert report["documents"] == [{**document, "doubts": []} for document in (done, broken)]
    assert report["counts"] == {"done": 1, "failed": 1}


def test_a_job_is_shown_with_its_dead_letters(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.FAILED, ANSWER)
    job_id = run("ask", "When?", "--no-wait").stdout.strip()
    letter = DeadLetter(item_id="visit:k1", step="traverse.visit", phase=2, error="broken", input={}, at=0)
    desk.ledger.dead[job_id] = [letter]
    shown = run("jobs", "show", job_id)
    assert shown.exit_code == 1
    for part in (job_id, "When?", "traverse.plan", "visit:k1", "broken", "hopline jobs retry", "1890"):
        assert part in shown.stdout
    job = json.loads(run("jobs", "show", job_id, "--json").stdout)
    assert (job["job_id"], job["outcome"]["text"]) == (job_id, ANSWER["text"])
    assert job["dead_letters"][0]["error"] == "broken"
    assert "traverse.plan" in run("jobs", "show", job_id, "--timeline").stdout
    timeline = json.loads(run("jobs", "show", job_id, "--timeline", "--json").stdout)
    assert (timeline["job_id"], timeline["items"][0]["step"]) == (job_id, "traverse.plan")


def test_ask_names_what_is_missing_once(desk: Desk, run: Run) -> None:
    missing = ["Who paid for it?", "Who painted it?"]
    partial = {**ANSWER, "reason": f"Nothing was found for: {missing[0]}", "missing": missing}
    desk.ledger.play["query"] = ([], JobState.PARTIAL, partial)
    assert json.loads(run("ask", "When?", "--json").stdout)["missing"] == missing
    shown = run("ask", "When?").stdout
    assert f"Partial: {partial['reason']}\nNot found: {missing[1]}\n" in shown
    assert shown.count(missing[0]) == 1


def test_ask_says_which_translated_sentences_nobody_checked(desk: Desk, run: Run) -> None:
    why = "translated: names not checked"
    details = {"unchecked_sentences": [{"sentence": "Tang Jiajun led it [1].", "why": why}]}
    desk.ledger.play["query"] = ([], JobState.DONE, {**ANSWER, "details": details})
    assert "\nTranslated, names not checked: “Tang Jiajun led it [1].”\n" in run("ask", "Who led it?").stdout


def test_the_beginning_of_an_id_is_enough_where_only_one_begins_so(desk: Desk, run: Run) -> None:
    ids = [run("ask", text, "--no-wait").stdout.strip() for text in ("A?", "B?")]
    refused = run("jobs", "cancel", "j")
    assert refused.exit_code == 2
    assert all(job_id in refused.stderr for job_id in ids)
    assert {desk.ledger.records[job_id].state for job_id in ids} == {JobState.RUNNING}
    assert run("jobs", "cancel", ids[0][:8]).exit_code == 0
    assert [desk.ledger.records[job_id].state for job_id in ids] == ["cancelled", "running"]


def test_of_no_documents_it_is_said_if_a_filter_hid_them(
    desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk.graph, "documents_found", lambda *_args, **_named: [], raising=False)
    assert "No documents: `hopline ingest PATH` brings some in." in " ".join(run("documents").stdout.split())
    unnamed = run("documents", "--where", 'tags has "signed"')
    assert (unnamed.exit_code, "--where needs --collection" in unnamed.stderr) == (2, True)
    filtered = run("documents", "-c", "notes", "--where", 'tags has "signed"')
    assert filtered.stdout.strip() == "No documents: none matches the filter."
    for option, value, state in (
        ("--language", "de", 0),
        ("--language", 'd"', 2),
        ("--language", "german", 2),
        ("--read-by", "older", 0),
        ("--read-by", "pdf 1", 0),
        ("--read-by", "odler", 2),
        ("--read-by", "pdf", 2),
        ("--read-by", "pdf 99", 2),
    ):
        assert run("documents", "-c", "notes", option, value).exit_code == state, value
    refused = run("documents", "-c", "notes", "--read-by", "odler").stderr
    assert "--read-by is 'odler', but must be older, txt 1, md 1" in " ".join(refused.split())
    assert "--language needs --collection" in run("documents", "--language", "de").stderr
    mistyped = run("documents", "-c", "ntoes")
    assert (mistyped.exit_code, mistyped.stdout) == (3, "")
    assert "there is no collection ntoes; did you mean notes?" in " ".join(mistyped.stderr.split())


def test_documents_are_listed_and_deleted(desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.graph.held["d1"] = Document(id="d1", collection="c", uri="u", title="The Bridge", content_hash="")
    desk.ledger.play["delete"] = ([], JobState.DONE, {})
    assert json.loads(run("documents", "--json").stdout)["documents"][0]["title"] == "The Bridge"
    asked = run("documents", "delete", "d1")
    assert (asked.exit_code, "Delete The Bridge (0 facts) from c?" in asked.stderr) == (2, True)
    assert run("documents", "delete", "d1", typed="n\n").exit_code == 1
    shown = run("documents", "show", "d").stdout
    assert all(part in shown for part in ("The Bridge", "d1", "where from"))
    assert desk.ledger.records == {}
    assert "Deleted The Bridge" in run("documents", "delete", "d", "--yes").stderr
    assert run("documents", "delete", "d9", "--yes").exit_code == 3
    desk.graph.held.clear()
    monkeypatch.setattr(desk.graph.kept, "named", lambda **_named: [KeptKey("v1", "c")])
    result = run("documents", "delete", "d1", "--yes", "--erase")
    assert result.stderr == "Erased the kept versions of d1, which was already deleted.\n"
    assert result.exit_code == 0


def test_reindex_and_migrate_say_what_they_did(desk: Desk, run: Run) -> None:
    desk.ledger.play["reindex"] = ([], JobState.DONE, {"vectors": 12})
    assert "12 vectors" in run("collections", "reindex", "notes").stderr
    assert "version 7" in run("migrate").stderr
    assert run("--version").stdout.strip() == version("hopline")


def test_a_build_of_topics_says_how_many_there_are(desk: Desk, run: Run) -> None:
    built = {"id": "b1", "built_at": 1.0, "facts": 9, "documents": 2, "topics": [1, 2, 4]}
    desk.ledger.play["topics"] = ([], JobState.DONE, {"collection": "x", "epoch": built})
    result = run("topics", "build", "-c", "x", "--json")
    (record,) = desk.ledger.records.values()
    assert (record.job.collection, record.job.params) == ("x", {"anew": False})
    assert json.loads(result.stdout) == built | {"built_at": "1970-01-01T00:00:01Z"}
    assert "9 facts of 2 documents are in topics: 1 large, 2 medium, 4 small." in result.stderr
    for words in ((), ("build",)):
        absent = run("topics", *words, "-c", "nope")
        assert (absent.exit_code, "there is no collection nope" in absent.stderr) == (3, True)


def test_a_question_that_no_worker_begins_in_time_is_cancelled_and_says_so(desk: Desk, run: Run) -> None:
    desk.ledger.play["query"] = ([], JobState.RUNNING, None)
    result = run("ask", "When?", "--timeout", 0.1)
    assert result.exit_code == 1
    assert "no worker started job" in result.stderr
    assert "hopline worker" in result.stderr
    assert {record.state for record in desk.ledger.records.values()} == {JobState.CANCELLED}


def test_shells_complete_jobs_and_collections(desk: Desk, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    job_id = run("ask", "When?", "--no-wait").stdout.strip()
    monkeypatch.setattr(desk.graph, "collections", lambda: {"contracts": 2, "letters": 1}, raising=False)
    assert complete_job(job_id[:4]) == [job_id]
    assert complete_collection("con") == ["contracts"]
    desk.graph.held["d1"] = Document(id="d1", collection="c", uri="u", title="The Bridge", content_hash="")
    assert complete_document("d") == ["d1"]
    key = json.loads(run("keys", "create", "ann", "--yes", "--json").stdout)["id"]
    assert (complete_key("an"), complete_key(key[:5])) == (["ann"], [key])
    monkeypatch.setattr(desk, "ledger", None)
    assert complete_job("j") == []


def test_ingestion_of_a_person_goes_before_an_unattended_batch(desk: Desk, run: Run, tmp_path: Path) -> None:
    desk.ledger.play["batch"] = ([], JobState.DONE, {"documents": []})
    (path,) = texts(tmp_path, "a.txt")
    run("ingest", path)
    run("ingest", path, "--priority", "high", "--key", "k")
    assert [record.job.priority for record in desk.ledger.records.values()] == ["normal", "high"]
    assert signature(Batches.submit).parameters["priority"].default == "low"


@pytest.mark.parametrize(("words", "told"), [
    (("ask", "When?", "--no-wait"), "waiting its turn: 3 tasks before it in the queue;"),
    (("ingest", "{file}", "--no-wait"), "waiting its turn: at most 3 tasks before it in the queue;"),
])  # fmt: skip
def test_who_waits_is_told_the_place_in_the_queue(desk, client, run, tmp_path, monkeypatch, words, told):
    (path,) = texts(tmp_path, "a.txt")
    run(*(word.replace("{file}", str(path)) for word in words))
    (job_id,) = desk.ledger.records
    monkeypatch.setattr(desk, "broker_redis", None, raising=False)
    monkeypatch.setattr("workers.telemetry.queues.messages_before", lambda *_: 3)
    assert waits_for(client, job_id).startswith(told)
    monkeypatch.setattr("workers.telemetry.queues.messages_before", lambda *_: 0)
    assert waits_for(client, job_id) == NOBODY_BEGAN


def only_job(desk: Desk) -> Any:
    (record,) = desk.ledger.records.values()
    return record.job


def test_a_question_over_several_collections_is_a_job_of_the_first_naming_all(desk: Desk, run: Run) -> None:
    document = {"id": "d1", "title": "A", "uri": "a", "collection": "notes"}
    cited = ANSWER["citations"][0] | {"document": document}
    desk.ledger.play["query"] = ([], JobState.DONE, {**ANSWER, "citations": [cited]})
    result = run("ask", "Who?", "-c", "bridges", "-c", "notes", "-c", "bridges")
    job = only_job(desk)
    assert (job.collection, job.params["collections"]) == ("bridges", ["bridges", "notes"])
    assert job.collections == ("bridges", "notes")
    assert "Read only: collections bridges, notes" in result.stdout
    assert "[1] A · notes\n" in result.stdout


@pytest.mark.parametrize(("words", "code", "told"), [
    (("notes", "--strategy", "tools"), 2, "auto, graph, reader or survey with several collections:"),
    (("nope",), 3, "there is no collection nope"),
    (("other",), 1, "collections that are read together need one embedder: collection 'other'"),
])  # fmt: skip
def test_what_cannot_be_read_together_is_refused(desk, run, words, code, told):
    desk.vectors.prepare("other", Embedder(name="another", dimension=3))
    result = run("ask", "Who?", "-c", "bridges", "-c", *words)
    assert result.exit_code == code
    assert told in " ".join(result.stderr.split())
    assert not desk.ledger.records


@pytest.mark.parametrize(("collection", "params", "field"), [
    ([], {}, "collection"),
    ([f"c{nth}" for nth in range(11)], {}, "collection"),
    (["bridges", "a/b"], {}, "collection"),
    ("bridges", {"collections": ["bridges", "notes"]}, "collections"),
])  # fmt: skip
def test_names_that_will_not_do_are_refused(desk, client, collection, params, field):
    with pytest.raises(InvalidInput) as refused:
        client.queries.submit("Who?", collection=collection, **params)
    assert refused.value.field == field
    assert not desk.ledger.records


def test_a_collection_of_which_principals_see_nothing_is_as_one_that_is_not_there(desk, monkeypatch):
    seen = {"bridges": frozenset({"d1"})}
    monkeypatch.setattr(desk.scopes, "documents_in", lambda name, _scope: seen.get(name, frozenset()))
    for name in ("notes", "nope"):
        with pytest.raises(NoDocuments, match=f"there is no collection {name} with a document that may be"):
            Service(services=desk).questions.require_visible(["bridges", name], ["user:bo"])
