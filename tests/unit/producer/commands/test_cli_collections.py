"""`hopline ask -c one -c two`: a question over several collections, and what it is refused for."""

from __future__ import annotations

from typing import Any

import pytest
from doubles.command_line import Run
from doubles.desk import ANSWER, Desk

from producer.client.hopline import Hopline
from workers.core.errors import InvalidInput, NoDocuments
from workers.core.graph.vectors import Embedder
from workers.core.jobs.work import JobState


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


def test_of_one_collection_nothing_is_stored_but_its_name(desk: Desk, client: Hopline) -> None:
    client.submit_question("Who?", ["bridges"])
    job = only_job(desk)
    assert (job.collection, job.collections) == ("bridges", ("bridges",))
    assert "collections" not in job.params


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("notes", "--strategy", "tools"), 2, "auto, graph, reader or survey with several collections:"),
        (("nope",), 3, "there is no collection nope"),
        (("other",), 1, "collections that are read together need one embedder: collection 'other'"),
    ],
)
def test_what_cannot_be_read_together_is_refused(desk, run, words, code, told):
    desk.vectors.prepare("other", Embedder(name="another", dimension=3))
    result = run("ask", "Who?", "-c", "bridges", "-c", *words)
    assert result.exit_code == code
    assert told in " ".join(result.stderr.split())
    assert not desk.ledger.records


@pytest.mark.parametrize(
    ("collection", "params", "field"),
    [
        ([], {}, "collection"),
        ([f"c{nth}" for nth in range(11)], {}, "collection"),
        (["bridges", "a/b"], {}, "collection"),
        ("bridges", {"collections": ["bridges", "notes"]}, "collections"),
    ],
)
def test_names_that_will_not_do_are_refused(desk, client, collection, params, field):
    with pytest.raises(InvalidInput) as refused:
        client.submit_question("Who?", collection, **params)
    assert refused.value.field == field
    assert not desk.ledger.records


def test_a_collection_of_which_principals_see_nothing_is_as_one_that_is_not_there(desk, client, monkeypatch):
    seen = {"bridges": frozenset({"d1"})}
    monkeypatch.setattr(desk.scopes, "documents_in", lambda name, _scope: seen.get(name, frozenset()))
    for name in ("notes", "nope"):
        with pytest.raises(NoDocuments, match=f"there is no collection {name} with a document that may be"):
            client.service.questions.require_visible(["bridges", name], ["user:bo"])
