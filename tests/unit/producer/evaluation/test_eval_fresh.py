"""What `hopline eval` does with documents of a collection that are none of the file's."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from doubles.command_line import Run
from doubles.desk import Desk
from typer.testing import Result

from producer.evaluation.dataset import read_dataset
from workers.core import ids
from workers.core.jobs.work import JobState
from workers.core.records import Document

PASSAGES = {"p0": "Ada was born in London.", "p1": "Ostrava has a museum."}


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.ledger.play["delete"] = ([], JobState.DONE, {})
    return desk


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What reports say of others; nothing is searched and nothing written."""
    told: list[int] = []
    monkeypatch.setattr(
        "producer.evaluation.run.Retriever", lambda *_given: MagicMock(warm_up=lambda _questions: 0)
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


@pytest.mark.parametrize(("answer", "message"), [("n\n", "2 documents"), ("", "Aborted")])
def test_what_is_none_of_the_file_s_is_not_removed_unasked(desk, run, others, answer, message):
    hold(desk, "report.pdf", "letter.txt")
    shown = run("--fresh", typed=answer)
    assert shown.exit_code == 1
    assert message in shown.stderr
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
    monkeypatch.setattr("producer.evaluation.run.Retriever", lambda *_given: retriever)
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
