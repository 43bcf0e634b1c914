"""The client in this process and over HTTP, by real workers: the same results, the same errors."""

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from fleet.api import ServedApi
from fleet.crew import Crew
from fleet.worlds import BRIDGE_QUESTION

from hopline import Hopline
from hopline.errors import InvalidInput, NotFound
from hopline.models.answers import Answer
from hopline.models.documents import TextDocument
from hopline.models.jobs import JobState
from hopline.models.outcomes import MergeOutcome, ReindexOutcome
from hopline.models.schemas import FieldRule, MetadataSchema


@pytest.fixture(scope="module")
def over_http(standing_crew: Crew, api: ServedApi) -> Iterator[Hopline]:
    standing_crew.model.set()
    with Hopline(api.url, api_key=api.key("submit", "admin")) as client:
        yield client


@pytest.fixture(params=("in this process", "over HTTP"))
def hopline(request: pytest.FixtureRequest, over_http: Hopline, crew: Crew) -> Hopline:
    return over_http if request.param == "over HTTP" else crew.client


def test_a_question_is_watched_and_returns_as_its_answer(hopline: Hopline, crew: Crew, bridges: str) -> None:
    job_id = hopline.queries.submit(BRIDGE_QUESTION, collection=bridges).id
    watched = [(event.name, event.data) for event in hopline.jobs.events(job_id)]
    assert watched == [(event.name, event.data) for _, event in crew.ledger.events(job_id, limit=10_000)]
    assert (watched[0][0], watched[-1][0]) == ("job.submitted", "job.ended")
    again = hopline.jobs.events(job_id)
    assert [(event.name, event.data) for event in again] == watched, "also after the end"
    job = hopline.jobs.wait(job_id)
    answer = Answer.of(job)
    assert (answer.status, "Vestby" in answer.text) == ("done", True)
    assert answer.citations[0].document is not None
    assert answer.usage.model_calls > 0
    assert "traverse.plan" in answer.timings
    assert (job.kind, job.collection, job.params["max_depth"]) == ("query", bridges, 3)
    assert hopline.jobs.list(limit=1, collection=bridges).jobs[0].id == job_id
    assert job_id not in {job.id for job in hopline.jobs.iterate(state=JobState.FAILED, collection=bridges)}


def test_a_number_that_no_text_states_comes_with_its_calculation(
    hopline: Hopline, crew: Crew, collection: str
) -> None:
    texts = [
        TextDocument(name="alda", text="The Alda Bridge is 1,288 metres long."),
        TextDocument(name="skerne", text="The Skerne Viaduct is 935 metres long."),
    ]
    hopline.ingest(texts, collection)
    question = "How much longer is the Alda Bridge than the Skerne Viaduct?"
    answer = hopline.ask(question, collection=collection, timeout=180)
    assert (answer.status, answer.text) == ("done", "The difference is 353 metres (1,288 − 935) [1][2].")
    (told,) = answer.calculations
    assert (told.sentence, told.value, told.result) == (1, "353 metres", "353")
    quotes = {citation.n: citation.quote for citation in answer.citations}
    assert all(operand.number in quotes[operand.n] for operand in told.operands)
    printed = crew.run("ask", question, "-c", collection, "--json").stdout
    assert json.loads(printed)["calculations"] == [told.model_dump(mode="json")]
    assert "353 metres (1,288 − 935)" in crew.run("ask", question, "-c", collection).stdout


def test_texts_become_documents_read_counted_changed_and_removed(hopline: Hopline, collection: str) -> None:
    texts = [
        TextDocument(name="notes/holt", title="Holt", text="Maren Holt was born in Vestby."),
        TextDocument(name="notes/alda", text="# Alda\n\nMaren Holt designed the Alda Bridge.", format="md"),
    ]
    about = {"tags": ["b"], "date": "2024-05-01"}
    report = hopline.ingest(texts, collection, priority="high", metadata=about)
    assert [(document.uri, document.status) for document in report.documents] == [
        ("notes/holt", "done"),
        ("notes/alda", "done"),
    ]
    assert hopline.jobs.get(report.job_id).priority == "high"
    held = {document.uri: document for document in hopline.documents.iterate(collection=collection)}
    assert held.keys() == {"notes/holt", "notes/alda"}
    assert {each.name: each.documents for each in hopline.collections.list().collections}[collection] == 2
    holt = held["notes/holt"]
    assert hopline.documents.text(holt.id, end=10).text == "Maren Holt"
    assert hopline.documents.get(holt.id) == holt
    assert holt.metadata == {"tags": ("b",), "date": date(2024, 5, 1)}
    assert hopline.collections.census(collection).live.documents == 2
    near = hopline.graph.neighbourhood("Maren Holt", collection=collection)
    assert near.centre
    assert {source.uri for fact in near.facts for source in fact.sources} == held.keys()
    where = "Where was Maren Holt born?"
    found = hopline.queries.search(where, collection=collection, limit=3)
    assert "Vestby" in found.chunks[0].chunk.text
    assert hopline.tools.run("search_memory", {"question": where}, collection=collection).found
    assert "search_memory" in [tool["function"]["name"] for tool in hopline.tools.list().tools]
    assert hopline.graph.schema().source
    dry = hopline.jobs.wait(hopline.merges.merge(collection, dry_run=True).id, timeout=180)
    assert isinstance(dry.outcome, MergeOutcome)
    assert dry.outcome.made == 0
    assert [merge.source_name for merge in hopline.merges.iterate(collection)] == ["holt"]
    assert list(hopline.merges.iterate_name_candidates(collection)) == []
    reindexed = hopline.jobs.wait(hopline.collections.reindex(collection).id, timeout=180)
    assert isinstance(reindexed.outcome, ReindexOutcome)
    assert reindexed.outcome.vectors > 0
    changed = hopline.documents.change_metadata([holt.id], set={"author": "Cy"}, unset=["tags"])
    assert changed.changed == 1
    (by_cy,) = hopline.documents.iterate(collection=collection, where="exists(author)")
    assert by_cy.uri == holt.uri
    removed = hopline.jobs.wait(hopline.documents.delete(holt.id).id, timeout=180)
    assert removed.state is JobState.DONE
    assert [document.uri for document in hopline.documents.iterate(collection=collection)] == ["notes/alda"]


def test_a_collection_refuses_metadata_that_does_not_fit_its_schema(over_http, collection, tmp_path):
    kinds = FieldRule(type=("text",), required=True, allowed=("offer", "contract"))
    rules = MetadataSchema(fields={"kind": kinds, "priority": FieldRule(type=("number",), max=5)})
    texts = [TextDocument(name=name, text=f"{name} Holt lives in Vestby.") for name in ("Alda", "Tove")]
    assert over_http.ingest(texts[:1], collection, metadata={"kind": "bill"}).status == "done"
    with pytest.raises(InvalidInput, match="1 of 1 document does not fit: Alda") as caught:
        over_http.collections.set_schema(collection, rules)
    assert caught.value.field == "schema"
    assert not over_http.collections.get_schema(collection)
    assert over_http.collections.set_schema(collection, rules, anyway=True).misfits == 1
    assert over_http.collections.get_schema(collection) == rules

    (tmp_path / "a.txt").write_text("Ida Holt lives in Vestby.", encoding="utf-8")
    (tmp_path / "a.txt.meta.json").write_text('{"kind": "offer", "priority": 6}', encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"text": "Bo Holt lives in Vestby."}\n', encoding="utf-8")
    report = over_http.ingest([tmp_path], collection)
    errors = {Path(document.uri).name: document.error for document in report.documents}
    assert "metadata.priority is 6, but must be at most 5" in (errors["a.txt"] or "")
    assert "metadata.kind is missing" in (errors["b.jsonl#1"] or "")
    [alda] = over_http.documents.iterate(collection=collection)
    change = over_http.documents.change_metadata
    refused: list[tuple[tuple[str, object], Callable[[], Any]]] = [
        (
            ("metadata.kind", "bill"),
            lambda: over_http.ingest(texts[1:], collection, metadata={"kind": "bill"}),
        ),
        (("metadata.kind", "letter"), lambda: change([alda.id], set={"kind": "letter"})),
        (("unset", "kind"), lambda: change([alda.id], unset=["kind"])),
    ]
    for wrong, call in refused:
        with pytest.raises(InvalidInput) as caught:
            call()
        assert (caught.value.field, caught.value.value) == wrong
    assert change([alda.id], set={"kind": "offer"}).changed == 1
    assert over_http.collections.set_schema(collection, rules).misfits == 0
    over_http.collections.clear_schema(collection)
    assert change([alda.id], unset=["kind"]).changed == 1


def _one_of(hopline: Hopline, collection: str) -> str:
    return next(hopline.documents.iterate(collection=collection)).id


def _replayed_within_nothing(hopline: Hopline, there: str) -> None:
    asked = hopline.ask("When was it built?", collection=there, key="to be replayed")
    hopline.jobs.replay(asked.job_id, params={"where": 'author = "nobody"'})


WRONG: dict[str, Callable[[Hopline, str], Any]] = {
    "depth": lambda hopline, _there: hopline.queries.submit("When?", parameters={"max_depth": 99}),
    "unknown parameter": lambda hopline, _there: hopline.queries.submit("When?", depth=2),
    "no question": lambda hopline, _there: hopline.queries.submit("   "),
    "collection": lambda hopline, _there: hopline.queries.submit("When?", collection="a/b"),
    "census of no collection": lambda hopline, _there: hopline.collections.census("a/b"),
    "limit": lambda hopline, _there: hopline.queries.search("When?", limit=1000),
    "paths": lambda hopline, _there: hopline.ingest(["/nowhere/at/all"]),
    "texts": lambda hopline, _there: hopline.documents.submit(texts=[{"name": "", "text": "x"}]),
    "no texts": lambda hopline, _there: hopline.documents.submit(),
    "tool": lambda hopline, _there: hopline.tools.run("guess"),
    "argument": lambda hopline, _there: hopline.tools.run("search_memory", {"query": 3}),
    "concept": lambda hopline, _there: hopline.concepts.generate("  "),
    "level": lambda hopline, there: hopline.topics.list(there, level=3),
    "metadata": lambda hopline, there: hopline.documents.submit(
        texts=[TextDocument(name="x", text="x")], collection=there, metadata={"date": "May"}
    ),
    "no change": lambda hopline, there: hopline.documents.change_metadata([_one_of(hopline, there)]),
    "many fields": lambda hopline, there: hopline.documents.change_metadata(
        [_one_of(hopline, there)], set={f"f{nth}": nth for nth in range(60)}
    ),
    "filter of no collection": lambda hopline, _there: hopline.documents.list(where="priority = 2"),
    "filter": lambda hopline, there: hopline.documents.list(collection=there, where="date 2024-05-01"),
    "webhook": lambda hopline, _there: hopline.queries.submit("When?", webhook="ftp://example.org"),
    "search among no documents": lambda hopline, there: hopline.queries.search(
        "When?", collection=there, documents=[]
    ),
    "scope of nothing": lambda hopline, there: hopline.queries.submit(
        "When?", collection=there, where='a = "nobody"'
    ),
    "document of elsewhere": lambda hopline, there: hopline.queries.submit(
        "When?", collection=there, documents=["dx"]
    ),
    "time to come": lambda hopline, there: hopline.queries.submit(
        "When?", collection=there, known_at="2999-01-01"
    ),
    "replay within nothing": _replayed_within_nothing,
    "offset": lambda hopline, there: hopline.documents.text(_one_of(hopline, there), start=5, end=2),
}


def test_bad_input_is_named(over_http: Hopline, crew: Crew, bridges: str) -> None:
    assert crew.model.requests() is not None
    for case, call in WRONG.items():
        with pytest.raises(InvalidInput) as caught:
            call(over_http, bridges)
        assert (caught.value.field, caught.value.allowed) > ("", ""), case


GONE: dict[str, Callable[[Hopline], Any]] = {
    "job": lambda hopline: hopline.jobs.get("jx"),
    "cancel": lambda hopline: hopline.jobs.cancel("jx"),
    "retry": lambda hopline: hopline.jobs.retry("jx"),
    "wait": lambda hopline: hopline.jobs.wait("jx"),
    "watch": lambda hopline: list(hopline.jobs.events("jx")),
    "document": lambda hopline: hopline.documents.get("dx"),
    "delete": lambda hopline: hopline.documents.delete("dx"),
    "text": lambda hopline: hopline.documents.text("dx"),
    "metadata": lambda hopline: hopline.documents.change_metadata(["dx"], set={"author": "Ed"}),
    "merge": lambda hopline: hopline.merges.undo("mx"),
    "a name that leads elsewhere": lambda hopline: hopline.documents.get("../jobs"),
    "dots": lambda hopline: hopline.jobs.get(".."),
}


def test_what_is_not_there_is_gone_either_way(hopline: Hopline) -> None:
    for case, call in GONE.items():
        try:
            call(hopline)
        except NotFound:
            continue
        pytest.fail(f"{case} is there")
