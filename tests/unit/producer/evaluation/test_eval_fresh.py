"""What `hopline eval` does with documents that are none of the file's, and with jobs that it waits for."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import cast
from unittest.mock import MagicMock

import pytest
from doubles.command_line import Run, work_on
from doubles.desk import ANSWER, Desk, SentMessages
from typer.testing import Result

from hopline import Hopline
from hopline.models.documents import Document
from hopline.models.jobs import JobState
from hopline.models.results import Job
from producer.evaluation.dataset import read_dataset
from producer.evaluation.flight import in_flight, never_left
from workers.core import ids

PASSAGES = {"p0": "Ada was born in London.", "p1": "Ostrava has a museum."}


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.ledger.play["delete"] = ([], JobState.DONE, {})
    return desk


@pytest.fixture
def client(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hopline]:
    work_on(monkeypatch, desk, SentMessages())
    with Hopline.local() as client:
        yield client


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What reports say of others; nothing is searched and nothing written."""
    told: list[int] = []
    monkeypatch.setattr(
        "producer.evaluation.retrieval.Retriever", lambda *_given: MagicMock(warm_up=lambda _questions: 0)
    )
    monkeypatch.setattr(
        "producer.commands.evaluate.show_report", lambda report, _out, **_shown: told.append(report.others)
    )
    return told


@pytest.fixture
def run(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr("infra.local.status.status", list)
    file = tmp_path / "made.json"
    question = {"id": "q", "question": "Where?", "answer": "London", "gold": ["p0"]}
    passages = [{"id": uri, "title": uri, "text": text} for uri, text in PASSAGES.items()]
    file.write_text(json.dumps({"passages": passages, "questions": [question]}), encoding="utf-8")
    words = ("eval", str(file), "--quiet")

    def evaluated(*args: str, collection: str | None = "shared", **options: str) -> Result:
        return run(*words, *(("-c", collection) if collection else ()), *args, **options)

    return evaluated


def hold(desk: Desk, *strangers: str, collection: str = "shared") -> None:
    for uri, text in [*PASSAGES.items(), *((stranger, stranger) for stranger in strangers)]:
        name, content = ids.document_id(collection, uri), ids.content_hash(text)
        fields = {"collection": collection, "uri": uri, "title": uri, "status": "indexed"}
        desk.graph.held[name] = Document(id=name, content_hash=content, **fields)


def removed(desk: Desk) -> int:
    return sum(record.job.kind == "delete" for record in desk.ledger.records.values())


@pytest.mark.parametrize(("answer", "code", "message"), [("n\n", 1, "2 documents"), ("", 2, "add --yes")])
def test_what_is_none_of_the_file_s_is_not_removed_unasked(desk, run, others, answer, code, message):
    hold(desk, "report.pdf", "letter.txt")
    shown = run("--fresh", typed=answer)
    assert (shown.exit_code, message in shown.stderr) == (code, True)
    assert (removed(desk), others) == (0, [])


@pytest.mark.parametrize(("words", "answer"), [(("--fresh",), "y\n"), (("--fresh", "--yes"), "")])
def test_who_agrees_begins_anew(desk, run, others, words, answer):
    hold(desk, "report.pdf")
    shown = run(*words, typed=answer)
    assert shown.exit_code == 0, shown.stderr
    assert (removed(desk), len(others)) == (3, 1)


def test_the_file_s_own_passages_are_removed_without_a_question(desk, run, others):
    hold(desk)
    assert run("--fresh").exit_code == 0
    assert (removed(desk), others) == (2, [0])
    hold(desk, "report.pdf", "letter.txt")
    assert run().exit_code == 0
    assert (removed(desk), others) == (2, [0, 2]), "what is ranked with the passages is counted"


def test_a_collection_of_the_file_s_own_goes_unless_it_is_kept_or_holds_more(desk, run, others, tmp_path):
    settings = desk.settings
    own = read_dataset(tmp_path / "made.json").collection(settings.fast_model, settings.embedding_model)
    hold(desk, collection=own)
    assert run("--keep", collection=None).exit_code == 0
    assert removed(desk) == 0
    assert f"Removed collection {own}" in " ".join(run(collection=None).stderr.split())
    assert removed(desk) == 2
    hold(desk, "report.pdf", collection=own)
    assert run(collection=None).exit_code == 0
    assert (removed(desk), others) == (2, [0, 0, 1])


@pytest.mark.usefixtures("others")
@pytest.mark.parametrize("words", [(), ("--keep",)])
def test_a_collection_of_the_file_s_own_goes_also_where_the_run_is_interrupted(
    desk, run, words, tmp_path, monkeypatch
):
    def interrupted(_questions):
        raise KeyboardInterrupt

    retriever = MagicMock(warm_up=interrupted)
    monkeypatch.setattr("producer.evaluation.retrieval.Retriever", lambda *_given: retriever)
    settings = desk.settings
    hold(
        desk,
        collection=read_dataset(tmp_path / "made.json").collection(
            settings.fast_model, settings.embedding_model
        ),
    )
    shown = run(*words, collection=None)
    assert (shown.exit_code, removed(desk)) == (130, 0 if words else 2)
    assert ("stays for the next run" in shown.stderr) is bool(words)


def test_a_removal_that_fails_leaves_the_measurement_as_it_is(desk, run, others, tmp_path):
    settings = desk.settings
    hold(
        desk,
        collection=read_dataset(tmp_path / "made.json").collection(
            settings.fast_model, settings.embedding_model
        ),
    )
    desk.ledger.play["delete"] = ([], JobState.FAILED, {"reason": "the graph is full"})
    shown = run(collection=None)
    assert (shown.exit_code, others) == (0, [0])
    assert "was not removed" in shown.stderr


def asked_by(client: Hopline) -> Callable[[str, str], Job]:
    return lambda subject, key: client.queries.submit(subject, collection="bridges", key=key)


def states(desk: Desk) -> list[str]:
    return [str(record.state) for record in desk.ledger.records.values()]


def test_every_subject_comes_back_with_its_own_job(desk: Desk, client: Hopline) -> None:
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    subjects = [f"question {n}" for n in range(7)]
    flight = in_flight(client, subjects, asked_by(client), parallel=3, patience=600)
    with closing(flight) as ended:
        questions = {subject: job.params["question"] for subject, job in ended}
    assert questions == {subject: subject for subject in subjects}


def test_no_more_run_at_a_time_than_allowed_and_an_interrupt_ends_them(desk: Desk, client: Hopline) -> None:
    seen: list[int] = []

    def submit(subject: int, key: str) -> None:
        asked_by(client)(f"question {subject}", key)
        seen.append(states(desk).count("running"))
        if len(seen) == 4:
            record = next(iter(desk.ledger.records.values()))
            desk.ledger.end(record.job.id, None, JobState.DONE, ANSWER)
        if len(seen) == 5:
            raise KeyboardInterrupt  # the job is there, and its submitter has not heard so

    flight = in_flight(client, range(9), submit, parallel=4, patience=600)
    with closing(flight) as ended:
        assert next(ended)[0] == 0
        with pytest.raises(KeyboardInterrupt):
            next(ended)
    assert max(seen) == 4
    assert states(desk) == ["done", "cancelled", "cancelled", "cancelled", "cancelled"]


def test_a_job_that_takes_too_long_is_an_error_and_is_cancelled(desk: Desk, client: Hopline) -> None:
    flight = in_flight(client, ["?"], asked_by(client), parallel=1, patience=0)
    with pytest.raises(TimeoutError, match="has not ended"), closing(flight) as ended:
        list(ended)
    assert states(desk) == ["cancelled"]


def test_a_job_is_cancelled_by_an_error_and_left_alone_without(desk: Desk, client: Hopline) -> None:
    with pytest.raises(KeyboardInterrupt), never_left(client):
        raise KeyboardInterrupt
    assert states(desk) == [], "there was no job yet"
    with never_left(client) as (key, job_id):
        assert asked_by(client)("?", key).id == job_id
    assert states(desk) == ["running"]
    with pytest.raises(TypeError), never_left(client) as (key, _job_id):
        client.jobs.wait(asked_by(client)("?", key).id, timeout=cast("float", "no number"))
    assert states(desk) == ["running", "cancelled"]
