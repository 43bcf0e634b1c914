"""The same calls over the broker and over HTTP: the same results, the same errors."""

import json
import threading
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from fleet.api import ServedApi
from fleet.crew import Crew, wait_until
from fleet.worlds import BRIDGE_QUESTION

from hopline.errors import InvalidInput, NotFound, Permanent
from hopline.models.jobs import JobState
from producer import Hopline


@pytest.fixture(scope="module")
def ways(standing_crew: Crew, api: ServedApi) -> Iterator[dict[str, Hopline]]:
    with Hopline(api.url, api_key=api.key("submit")) as over_http:
        yield {"broker": standing_crew.client, "http": over_http}


@pytest.fixture(params=("broker", "http"))
def hopline(request: pytest.FixtureRequest, ways: dict[str, Hopline], crew: Crew) -> Hopline:
    assert crew.model.requests() is not None  # it does as it should
    return ways[request.param]


@pytest.fixture
def over_http(ways: dict[str, Hopline], crew: Crew) -> Hopline:
    assert crew.model.requests() is not None
    return ways["http"]


def test_a_question_is_watched_and_returns_as_its_answer(hopline: Hopline, crew: Crew, bridges: str) -> None:
    job_id = hopline.submit_question(BRIDGE_QUESTION, bridges, max_depth=3, key=None)
    watched = list(hopline.watch(job_id, timeout=180))
    assert watched == [event for _, event in crew.ledger.events(job_id, limit=10_000)]
    assert (watched[0].name, watched[-1].name) == ("job.submitted", "job.ended")
    again = hopline.follow(job_id)
    assert [event for event in again] == watched  # noqa: C416 - from the beginning, also after the end
    assert again.ended
    answer = hopline.wait(job_id)
    assert (answer.status, "Vestby" in answer.text) == ("done", True)
    assert answer.citations[0].document is not None
    assert answer.usage.model_calls > 0
    assert "traverse.plan" in answer.timings
    record = hopline.job(answer.job_id)
    assert (record.job.kind, record.job.collection, record.job.params["max_depth"]) == ("query", bridges, 3)
    assert hopline.jobs(1, collection=bridges)[0].job.id == job_id
    assert job_id not in {job.job.id for job in hopline.jobs(state=JobState.FAILED, collection=bridges)}


def test_a_dropped_watch_gives_its_connection_back(over_http: Hopline, crew: Crew, bridges: str) -> None:
    crew.model.set(chat={"hold": True})
    job_id = over_http.submit_question(BRIDGE_QUESTION, bridges)
    watch = over_http.watch(job_id)
    assert next(watch).name == "job.submitted"
    assert open_streams()
    del watch
    wait_until(lambda: not open_streams(), "the thread of the dropped watch ends")
    over_http.cancel(job_id)


def open_streams() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "hopline-events"]


def test_a_number_that_no_text_states_comes_with_its_calculation(
    hopline: Hopline, crew: Crew, collection: str
) -> None:
    texts = [
        {"name": "alda", "text": "The Alda Bridge is 1,288 metres long."},
        {"name": "skerne", "text": "The Skerne Viaduct is 935 metres long."},
    ]
    hopline.ingest_texts(texts, collection, timeout=180)
    question = "How much longer is the Alda Bridge than the Skerne Viaduct?"
    answer = hopline.ask(question, collection, key=None, timeout=180)
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
        {"name": "notes/holt", "title": "Holt", "text": "Maren Holt was born in Vestby."},
        {"name": "notes/alda", "text": "# Alda\n\nMaren Holt designed the Alda Bridge.", "format": "md"},
    ]
    about = {"tags": ["b"], "date": "2024-05-01"}
    report = hopline.ingest_texts(texts, collection, priority="high", metadata=about, timeout=180)
    assert [(document.uri, document.status) for document in report.documents] == [
        ("notes/holt", "done"),
        ("notes/alda", "done"),
    ]
    assert hopline.job(report.job_id).job.priority == "high"
    held = {document.uri: document for document in hopline.documents(collection)}
    assert held.keys() == {"notes/holt", "notes/alda"}
    assert hopline.collections()[collection] == 2
    holt = held["notes/holt"]
    assert hopline.document_text(holt.id, 0, 10).text == "Maren Holt"
    assert hopline.document(holt.id) == holt
    assert holt.metadata == {"tags": ("b",), "date": date(2024, 5, 1)}
    assert hopline.census(collection).live.documents == 2
    near = hopline.neighbourhood("Maren Holt", collection)
    assert near.centre
    assert {source.uri for fact in near.facts for source in fact.sources} == held.keys()
    assert "Vestby" in hopline.search("Where was Maren Holt born?", collection, 3).chunks[0].chunk.text
    assert hopline.tool("search_memory", collection, question="Where was Maren Holt born?").found
    assert "search_memory" in [tool["function"]["name"] for tool in hopline.tools()]
    assert hopline.schema().source
    assert hopline.merge_elements(collection, dry_run=True, timeout=180)["made"] == 0
    assert [merge.source_name for merge in hopline.merges(collection)] == ["holt"]
    assert list(hopline.name_candidates(collection)) == []
    assert hopline.reindex(collection, timeout=180) > 0
    assert hopline.change_metadata([holt.id], values={"author": "Cy"}, unset=["tags"]) == 1
    assert [document.uri for document in hopline.documents(collection, where="exists(author)")] == [holt.uri]
    removed = hopline.delete_document(holt.id, timeout=180)
    assert removed is not None
    assert removed.id == holt.id
    assert [document.uri for document in hopline.documents(collection)] == ["notes/alda"]


def test_a_collection_refuses_metadata_that_does_not_fit_its_schema(over_http, collection, tmp_path):
    kinds = {"type": "text", "required": True, "allowed": ["offer", "contract"]}
    rules = {"fields": {"kind": kinds, "priority": {"type": "number", "max": 5}}}
    texts = [{"name": name, "text": f"{name} Holt lives in Vestby."} for name in ("Alda", "Tove")]
    assert over_http.ingest_texts(texts[:1], collection, metadata={"kind": "bill"}).status == "done"
    with pytest.raises(InvalidInput, match="1 of 1 document does not fit: Alda") as caught:
        over_http.set_collection_schema(rules, collection)
    assert caught.value.field == "schema"
    assert not over_http.collection_schema(collection)
    assert over_http.set_collection_schema(rules, collection, anyway=True) == 1
    assert over_http.collection_schema(collection).fields["kind"].allowed == ("offer", "contract")

    (tmp_path / "a.txt").write_text("Ida Holt lives in Vestby.", encoding="utf-8")
    (tmp_path / "a.txt.meta.json").write_text('{"kind": "offer", "priority": 6}', encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"text": "Bo Holt lives in Vestby."}\n', encoding="utf-8")
    report = over_http.ingest([tmp_path], collection)
    errors = {Path(document.uri).name: document.error for document in report.documents}
    assert "metadata.priority: got 6, allowed is at most 5" in (errors["a.txt"] or "")
    assert "metadata.kind: got None" in (errors["b.jsonl#1"] or "")
    [alda] = over_http.documents(collection)
    refused: list[tuple[tuple[str, object], Callable[[], Any]]] = [
        (
            ("metadata.kind", "bill"),
            lambda: over_http.ingest_texts(texts[1:], collection, metadata={"kind": "bill"}),
        ),
        (
            ("metadata.kind", "letter"),
            lambda: over_http.change_metadata([alda.id], values={"kind": "letter"}),
        ),
        (("unset", "kind"), lambda: over_http.change_metadata([alda.id], unset=["kind"])),
    ]
    for wrong, call in refused:
        with pytest.raises(InvalidInput) as caught:
            call()
        assert (caught.value.field, caught.value.value) == wrong
    assert over_http.change_metadata([alda.id], values={"kind": "offer"}) == 1
    assert over_http.set_collection_schema(rules, collection) == 0
    over_http.clear_collection_schema(collection)
    assert over_http.change_metadata([alda.id], unset=["kind"]) == 1


WRONG: dict[str, Callable[[Hopline, str], Any]] = {
    "depth": lambda hopline, _there: hopline.submit_question("When?", max_depth=99),
    "unknown parameter": lambda hopline, _there: hopline.submit_question("When?", depth=2),
    "no question": lambda hopline, _there: hopline.submit_question("   "),
    "collection": lambda hopline, _there: hopline.submit_question("When?", "a/b"),
    "census of no collection": lambda hopline, _there: hopline.census("a/b"),
    "limit": lambda hopline, _there: hopline.search("When?", limit=1000),
    "paths": lambda hopline, _there: hopline.submit_documents(["/nowhere/at/all"]),
    "texts": lambda hopline, _there: hopline.submit_texts([{"name": "", "text": "x"}]),
    "no texts": lambda hopline, _there: hopline.submit_texts([]),
    "tool": lambda hopline, _there: hopline.tool("guess"),
    "argument": lambda hopline, _there: hopline.tool("search_memory", query=3),
    "concept": lambda hopline, _there: hopline.submit_concept("  "),
    "level": lambda hopline, there: hopline.topics(there, 3),
    "metadata": lambda hopline, there: hopline.submit_texts(
        [{"name": "x", "text": "x"}], there, metadata={"date": "May"}
    ),
    "no change": lambda hopline, there: hopline.change_metadata([next(hopline.documents(there)).id]),
    "many fields": lambda hopline, there: hopline.change_metadata(
        [next(hopline.documents(there)).id], values={f"f{nth}": nth for nth in range(60)}
    ),
    "filter of no collection": lambda hopline, _there: list(hopline.documents(where="priority = 2")),
    "filter": lambda hopline, there: list(hopline.documents(there, where="date 2024-05-01")),
    "webhook": lambda hopline, _there: hopline.submit_question("When?", webhook="ftp://example.org"),
    "search among no documents": lambda hopline, there: hopline.search("When?", there, documents=[]),
    "scope of nothing": lambda hopline, there: hopline.submit_question("When?", there, where='a = "nobody"'),
    "document of elsewhere": lambda hopline, there: hopline.submit_question("When?", there, documents=["dx"]),
    "time to come": lambda hopline, there: hopline.submit_question("When?", there, known_at="2999-01-01"),
    "replay within nothing": lambda hopline, there: hopline.replay(
        hopline.ask("When was it built?", there, key="to be replayed").job_id, {"where": 'author = "nobody"'}
    ),
    "offset": lambda hopline, there: hopline.document_text(next(hopline.documents(there)).id, 5, 2),
}


def test_bad_input_is_named_the_same_either_way(ways: dict[str, Hopline], crew: Crew, bridges: str) -> None:
    assert crew.model.requests() is not None
    for case, call in WRONG.items():
        refusals = {}
        for name, hopline in ways.items():
            with pytest.raises(InvalidInput) as caught:
                call(hopline, bridges)
            refusals[name] = (caught.value.field, str(caught.value.value))  # an address holds texts only
            assert caught.value.allowed, case
        assert refusals["http"] == refusals["broker"], case


GONE: dict[str, Callable[[Hopline], Any]] = {
    "job": lambda hopline: hopline.job("jx"),
    "cancel": lambda hopline: hopline.cancel("jx"),
    "retry": lambda hopline: hopline.retry("jx"),
    "wait": lambda hopline: hopline.wait("jx"),
    "watch": lambda hopline: list(hopline.watch("jx")),
    "document": lambda hopline: hopline.document("dx"),
    "delete": lambda hopline: hopline.delete_document("dx"),
    "text": lambda hopline: hopline.document_text("dx"),
    "metadata": lambda hopline: hopline.change_metadata(["dx"], values={"author": "Ed"}),
    "merge": lambda hopline: hopline.undo_merge("mx"),
    "a name that leads elsewhere": lambda hopline: hopline.document("../jobs"),
    "dots": lambda hopline: hopline.job(".."),
}


def test_what_is_not_there_is_gone_either_way(hopline: Hopline) -> None:
    for case, call in GONE.items():
        try:
            call(hopline)
        except NotFound:
            continue
        pytest.fail(f"{case} is there")


def test_the_adapters_are_there_over_the_broker_only(ways: dict[str, Hopline]) -> None:
    assert ways["broker"].services
    with pytest.raises(Permanent, match="servers themselves"):
        _ = ways["http"].services
