"""`hopline ask -c one -c two`: a question over several collections, and what it is refused for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from doubles.desk import ANSWER, Desk
from typer.testing import Result

from producer.client.hopline import Hopline
from workers.core.errors import InvalidInput, NoDocuments
from workers.core.graph.vectors import Embedder
from workers.core.jobs.work import JobState

Run = Callable[..., Result]
SEVERAL = ("-c", "bridges", "-c", "notes")


def only_job(desk: Desk) -> Any:
    (record,) = desk.ledger.records.values()
    return record.job


def test_a_question_over_several_collections_is_a_job_of_the_first_that_names_all(
    desk: Desk, run: Run
) -> None:
    cited = {
        **ANSWER["citations"][0],
        "document": {"id": "d1", "title": "A", "uri": "a", "collection": "notes"},
    }
    desk.ledger.play["query"] = ([], JobState.DONE, {**ANSWER, "citations": [cited]})
    result = run("ask", "Who?", *SEVERAL, "-c", "bridges")
    assert result.exit_code == 0, result.stderr
    job = only_job(desk)
    assert (job.collection, job.params["collections"]) == ("bridges", ["bridges", "notes"])
    assert job.collections == ("bridges", "notes")
    assert "Read only: collections bridges, notes" in result.stdout
    assert "A · notes · characters" in result.stdout


def test_of_one_collection_nothing_is_stored_but_its_name(desk: Desk, client: Hopline) -> None:
    client.submit_question("Who?", ["bridges"])
    job = only_job(desk)
    assert (job.collection, job.collections) == ("bridges", ("bridges",))
    assert "collections" not in job.params


@pytest.mark.parametrize("strategy", ["graph", "reader", "survey", "auto"])
def test_strategies_that_read_documents_take_several(client: Hopline, strategy: str) -> None:
    assert client.submit_question("Who?", ["bridges", "notes"], strategy=strategy)


def test_tools_read_one_collection_and_say_what_does_not(desk: Desk, run: Run) -> None:
    result = run("ask", "Who?", *SEVERAL, "--strategy", "tools")
    assert result.exit_code == 2
    assert "auto, graph, reader or survey with several collections: tools reads everything" in " ".join(
        result.stderr.split()
    )
    assert not desk.ledger.records


def test_each_collection_must_be_there(desk: Desk, run: Run) -> None:
    result = run("ask", "Who?", "-c", "bridges", "-c", "nope")
    assert result.exit_code == 3
    assert "there is no collection nope" in result.stderr
    assert not desk.ledger.records


def test_one_embedder_must_have_made_the_vectors_of_all(desk: Desk, run: Run) -> None:
    desk.vectors.prepare("notes", Embedder(name="another", dimension=3))
    result = run("ask", "Who?", *SEVERAL)
    assert result.exit_code == 1
    assert "collections that are read together need one embedder: collection 'notes'" in result.stderr
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
def test_names_that_will_not_do_are_refused(
    desk: Desk, client: Hopline, collection: Any, params: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        client.submit_question("Who?", collection, **params)
    assert refused.value.field == field
    assert not desk.ledger.records


def test_a_collection_of_which_principals_see_nothing_is_as_one_that_is_not_there(
    desk: Desk, client: Hopline, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = {"bridges": frozenset({"d1"})}
    monkeypatch.setattr(desk.scopes, "documents_in", lambda name, _scope: seen.get(name, frozenset()))
    for name in ("notes", "nope"):
        with pytest.raises(
            NoDocuments, match=f"there is no collection {name} with a document that may be seen"
        ):
            client.service.questions.require_visible(["bridges", name], ["user:bo"])
