"""The same calls over the broker and over HTTP: the same results, the same errors."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from fleet.api import ServedApi, served_api
from fleet.crew import Crew
from fleet.worlds import BRIDGE_QUESTION, write_bridge

from producer import AsyncHopline, Hopline
from producer.reports.ingest import DocumentReport, IngestReport
from producer.service.keys import STORED
from workers.core.errors import InvalidInput, KeyReused, NotFound, Permanent
from workers.core.jobs.work import Event, JobState
from workers.services import Services

BRIDGES = "test-ways-bridges"
PROFILE = """
description = "What the documents tell."

[entities]
Person = "someone"
Structure = "something built"

[relations.DESIGNED]
description = "made the plan of it"
from = ["Person"]
to = ["Structure"]
"""


@pytest.fixture(scope="module")
def api(standing_crew: Crew) -> Iterator[ServedApi]:
    services = Services(standing_crew.settings)
    with served_api(services) as served:
        yield served
    services.redis.delete(STORED)
    services.close()


@pytest.fixture(scope="module")
def ways(standing_crew: Crew, api: ServedApi) -> Iterator[dict[str, Hopline]]:
    with Hopline(api.url, api_key=api.key("submit")) as over_http:
        yield {"broker": standing_crew.client, "http": over_http}


@pytest.fixture(scope="module")
def bridges(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    standing_crew.model.set()
    standing_crew.ingest(write_bridge(tmp_path_factory.mktemp("bridges")), BRIDGES)
    return BRIDGES


@pytest.fixture(params=("broker", "http"))
def hopline(request: pytest.FixtureRequest, ways: dict[str, Hopline], crew: Crew) -> Hopline:
    assert crew.model.requests() is not None  # it does as it should
    return ways[request.param]


def test_a_question_comes_back_as_its_answer(hopline: Hopline, bridges: str) -> None:
    answer = hopline.ask(BRIDGE_QUESTION, bridges, max_depth=3, key=None)
    assert answer.status == "done"
    assert "Vestby" in answer.text
    assert answer.citations[0].document is not None
    assert answer.usage.model_calls > 0
    assert "traverse.plan" in answer.timings
    record = hopline.job(answer.job_id)
    assert (record.job.kind, record.job.collection) == ("query", bridges)
    assert record.job.params["max_depth"] == 3
    assert hopline.wait(answer.job_id) == answer


def test_what_the_documents_do_not_hold_is_not_answered(hopline: Hopline, bridges: str) -> None:
    answer = hopline.ask("Who composed the opera Carmen?", bridges)
    assert answer.status == "abstained"
    assert answer.reason


def test_the_same_key_gives_the_same_job_and_another_question_is_refused(
    hopline: Hopline, bridges: str, collection: str
) -> None:
    key = f"asked once: {collection}, {id(hopline)}"
    first = hopline.submit_question(BRIDGE_QUESTION, bridges, key=key)
    assert hopline.submit_question(BRIDGE_QUESTION, bridges, key=key) == first
    others: list[tuple[str, dict[str, Any]]] = [
        ("Who designed the Alda Bridge?", {}),
        (BRIDGE_QUESTION, {"as_of": "2021-01-01"}),
    ]
    for question, scope in others:
        with pytest.raises(KeyReused) as caught:
            hopline.submit_question(question, bridges, key=key, **scope)
        assert (caught.value.field, caught.value.value) == ("key", key)


def test_a_watch_yields_every_event_once_in_order_and_ends_with_the_job(
    hopline: Hopline, crew: Crew, bridges: str
) -> None:
    crew.model.set(chat={"latency": 0.05})
    job_id = hopline.submit_question(BRIDGE_QUESTION, bridges)
    watched = list(hopline.watch(job_id, timeout=180))
    assert watched == [event for _, event in crew.ledger.events(job_id, limit=10_000)]
    assert (watched[0].name, watched[-1].name) == ("job.submitted", "job.ended")
    again = hopline.follow(job_id)
    assert [event for event in again] == watched  # noqa: C416 - from the beginning, also after the end
    assert again.ended


def test_files_folders_lines_and_what_is_none(hopline: Hopline, collection: str, tmp_path: Path) -> None:
    write_bridge(tmp_path / "texts")
    (tmp_path / "texts" / ".hidden.txt").write_text("Not this one.", encoding="utf-8")
    (tmp_path / "texts" / "photo.png").write_bytes(b"\x89PNG\r\n")
    (tmp_path / "empty.txt").write_text("  \n", encoding="utf-8")
    lines = [{"id": "one", "title": "Tove", "text": "Tove Lindqvist praised Karsund."}, "no document"]
    (tmp_path / "lines.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    named = [tmp_path / "texts", tmp_path / "empty.txt", tmp_path / "lines.jsonl", tmp_path / "nothing"]
    report = hopline.ingest(named, collection, timeout=180)
    assert report.status == "partial"
    good = [document for document in report.documents if document.status == "done"]
    assert sorted(Path(document.uri).name for document in good) == [
        "bridge.md",
        "holt.txt",
        "lines.jsonl#one",
    ]
    assert all(document.facts and document.document_id for document in good)
    failed = {Path(document.uri).name: str(document.error) for document in report.failed}
    assert {"photo.png", "empty.txt", "nothing"} < set(failed)
    assert len(failed) == 4
    assert "unknown suffix" in failed["photo.png"]
    assert "nothing there" in failed["nothing"]
    again = hopline.ingest([tmp_path / "texts"], collection, timeout=180)
    assert {document.status for document in again.documents} == {"unchanged", "failed"}


def test_texts_without_a_file(hopline: Hopline, collection: str) -> None:
    texts = [
        {"name": "notes/holt", "title": "Holt", "text": "Maren Holt was born in Vestby."},
        {"name": "notes/alda", "text": "# Alda\n\nMaren Holt designed the Alda Bridge.", "format": "md"},
    ]
    report = hopline.ingest_texts(texts, collection, priority="high", timeout=180)
    assert [(document.uri, document.status) for document in report.documents] == [
        ("notes/holt", "done"),
        ("notes/alda", "done"),
    ]
    assert hopline.job(report.job_id).job.priority == "high"
    held = list(hopline.documents(collection))
    assert {document.uri for document in held} == {"notes/holt", "notes/alda"}
    assert hopline.collections()[collection] == 2
    passage = hopline.document_text(next(document.id for document in held if document.title == "Holt"), 0, 10)
    assert passage.text == "Maren Holt"
    assert hopline.document(held[0].id) == held[0]
    assert hopline.census(collection).live.documents == 2
    near = hopline.neighbourhood("Maren Holt", collection)
    assert near.centre
    assert {source.uri for fact in near.facts for source in fact.sources} == {"notes/holt", "notes/alda"}


def test_a_profile_is_read_where_the_client_is(hopline: Hopline, collection: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(PROFILE, encoding="utf-8")
    write_bridge(tmp_path / "texts")
    report = hopline.ingest([tmp_path / "texts"], collection, profile=tmp_path / "own.toml", timeout=180)
    assert {document.status for document in report.documents} == {"done"}
    shipped = hopline.ingest([tmp_path / "texts"], collection, profile="narrative", timeout=180)
    assert {document.status for document in shipped.documents} == {"done"}
    with pytest.raises(InvalidInput) as caught:
        hopline.ingest([tmp_path / "texts"], collection, profile="novel")
    assert (caught.value.field, caught.value.value) == ("profile", "novel")


def test_chunk_sizes_are_part_of_what_a_document_is(
    hopline: Hopline, collection: str, tmp_path: Path
) -> None:
    years = (f"Maren Holt painted the tower of Vestby in {year}.\n\n" for year in range(1860, 1880))
    (tmp_path / "holt.txt").write_text("".join(years), encoding="utf-8")

    def ingest(**sizes: int) -> DocumentReport:
        [document] = hopline.ingest([tmp_path / "holt.txt"], collection, timeout=180, **sizes).documents
        return document

    whole, three = ingest(), ingest(chunk_tokens=120, chunk_overlap=0)
    assert (whole.status, whole.chunks, three.status) == ("done", 1, "done")
    assert three.chunks > 1
    assert ingest(chunk_tokens=120, chunk_overlap=0).status == "unchanged"
    [held] = hopline.documents(collection)
    assert (held.version, held.chunk_tokens, held.chunk_overlap) == (2, 120, 0)
    with pytest.raises(InvalidInput) as caught:
        ingest(chunk_tokens=120, chunk_overlap=61)
    assert (caught.value.field, caught.value.value) == ("chunk_overlap", 61)


def test_metadata_of_a_call_goes_before_that_of_each_document(
    hopline: Hopline, collection: str, tmp_path: Path
) -> None:
    (tmp_path / "holt.txt").write_text("Maren Holt painted the tower of Vestby.", encoding="utf-8")
    (tmp_path / "holt.txt.meta.json").write_text('{"author": "Bo", "tags": ["a"]}', encoding="utf-8")
    shared = {"date": "2024-05-01", "tags": ["b"]}
    assert hopline.ingest([tmp_path], collection, metadata=shared, timeout=180).status == "done"
    text = {"name": "alda", "text": "Alda Holt lives in Vestby.", "metadata": {"priority": 2}}
    assert hopline.ingest_texts([text], collection, metadata=shared, timeout=180).status == "done"
    held = {document.uri.rpartition("/")[2]: document.metadata for document in hopline.documents(collection)}
    common = {"date": date(2024, 5, 1), "tags": ("b",)}
    assert held == {"holt.txt": {"author": "Bo", **common}, "alda": {"priority": 2, **common}}
    where = 'tags has "b" and date > 2024-04-30 and not exists(author)'
    [alda] = hopline.documents(collection, where=where)
    assert alda.uri == "alda"
    assert list(hopline.documents(collection, where={"field": "priority", "op": "=", "value": 2})) == [alda]
    edit = {"values": {"author": "Cy", "tags": ["signed"]}, "unset": ["date"]}
    assert hopline.change_metadata(collection=collection, where="priority = 2", **edit) == 1
    assert hopline.document(alda.id).metadata == {"author": "Cy", "priority": 2, "tags": ("signed",)}
    assert hopline.ingest_texts([text], collection, metadata=shared, timeout=180).status == "done"
    assert hopline.document(alda.id).metadata["author"] == "Cy"  # the same ingestion again changes nothing
    assert hopline.change_metadata([alda.id], values={"author": "Di"}) == 1
    with pytest.raises(NotFound):
        hopline.change_metadata([alda.id, "d0"], values={"author": "Ed"})
    with pytest.raises(InvalidInput) as caught:
        hopline.change_metadata([alda.id], values={"priority": "high"})
    assert caught.value.field == "metadata.priority"
    ids = [document.id for document in hopline.documents(collection)]
    with pytest.raises(InvalidInput, match="nothing was changed"):
        hopline.change_metadata(ids, values={f"f{nth}": nth for nth in range(48)})
    with pytest.raises(InvalidInput) as caught:
        hopline.change_metadata([alda.id])
    assert caught.value.field == "set"
    assert hopline.document(alda.id).metadata["author"] == "Di"
    with pytest.raises(InvalidInput, match="at character 6"):
        list(hopline.documents(collection, where="date 2024-05-01"))
    with pytest.raises(InvalidInput) as caught:
        list(hopline.documents(where="priority = 2"))
    assert caught.value.field == "collection"
    with pytest.raises(InvalidInput) as caught:
        hopline.ingest([tmp_path], collection, metadata={"date": "May"})
    assert (caught.value.field, caught.value.value) == ("metadata.date", "May")
    with pytest.raises(InvalidInput) as caught:
        hopline.ingest_texts([{**text, "metadata": {"priority": "high"}}], collection)
    assert caught.value.field == "metadata.priority"


def test_a_collection_refuses_metadata_that_does_not_fit_its_schema(
    hopline: Hopline, collection: str, tmp_path: Path
) -> None:
    assert not hopline.collection_schema(collection)
    kinds = {"type": "text", "required": True, "allowed": ["offer", "contract"]}
    rules = {"fields": {"kind": kinds, "priority": {"type": "number", "max": 5}}}
    texts = [{"name": name, "text": f"{name} Holt lives in Vestby."} for name in ("Alda", "Tove")]
    assert hopline.ingest_texts(texts[:1], collection, metadata={"kind": "bill"}).status == "done"
    with pytest.raises(InvalidInput, match="1 of 1 document does not fit: Alda") as caught:
        hopline.set_collection_schema(rules, collection)
    assert caught.value.field == "schema"
    assert not hopline.collection_schema(collection)
    assert hopline.set_collection_schema(rules, collection, anyway=True) == 1
    assert hopline.collection_schema(collection).fields["kind"].allowed == ("offer", "contract")

    with pytest.raises(InvalidInput) as caught:
        hopline.ingest_texts(texts[1:], collection, metadata={"kind": "bill"})
    assert (caught.value.field, caught.value.value) == ("metadata.kind", "bill")
    (tmp_path / "a.txt").write_text("Ida Holt lives in Vestby.", encoding="utf-8")
    (tmp_path / "a.txt.meta.json").write_text('{"kind": "offer", "priority": 6}', encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"text": "Bo Holt lives in Vestby."}\n', encoding="utf-8")
    report = hopline.ingest([tmp_path], collection)
    errors = {Path(document.uri).name: document.error for document in report.documents}
    assert "metadata.priority: got 6, allowed is at most 5" in (errors["a.txt"] or "")
    assert "metadata.kind: got None" in (errors["b.jsonl#1"] or "")
    [alda] = hopline.documents(collection)
    with pytest.raises(InvalidInput, match="one of: offer, contract"):
        hopline.change_metadata([alda.id], values={"kind": "letter"})
    with pytest.raises(InvalidInput) as caught:
        hopline.change_metadata([alda.id], unset=["kind"])
    assert (caught.value.field, caught.value.value) == ("unset", "kind")
    assert hopline.change_metadata([alda.id], values={"kind": "offer"}) == 1
    assert hopline.set_collection_schema(rules, collection) == 0
    hopline.clear_collection_schema(collection)
    assert hopline.change_metadata([alda.id], unset=["kind"]) == 1


def test_what_was_given_up_is_listed_and_done_again(
    hopline: Hopline, crew: Crew, collection: str, tmp_path: Path
) -> None:
    crew.forget_replies()
    crew.model.set(schemas={"ExtractedFacts": {"fail": {"refusal": 1.0}}})
    report = hopline.ingest([write_bridge(tmp_path) / "holt.txt"], collection, timeout=180)
    assert [document.status for document in report.failed] == ["failed"]
    letters = hopline.dead_letters(report.job_id)
    assert [letter.step for letter in letters] == ["ingest.document"]
    assert letters[0].error
    crew.model.set()
    again = hopline.retry(report.job_id)
    assert (again.job.id, again.state) == (report.job_id, JobState.RUNNING)
    mended = hopline.wait(report.job_id, 180)
    assert isinstance(mended, IngestReport)
    assert [document.status for document in mended.documents] == ["done"]
    names = [event.name for event in hopline.watch(report.job_id)]
    assert names.count("job.ended") == 2
    assert hopline.dead_letters(report.job_id) == []


def test_a_cancelled_question_says_so_and_is_asked_anew(hopline: Hopline, crew: Crew, bridges: str) -> None:
    crew.model.set(chat={"hold": True})
    job_id = hopline.submit_question(BRIDGE_QUESTION, bridges)
    assert hopline.cancel(job_id).state is JobState.CANCELLED
    answer = hopline.wait(job_id, 180)
    assert (answer.status, answer.text) == ("cancelled", "")
    crew.model.set()
    new = hopline.retry(job_id)
    assert new.job.id != job_id
    assert hopline.wait(new.job.id, 180).status == "done"


def test_waiting_longer_than_allowed_is_a_timeout_and_the_job_goes_on(
    hopline: Hopline, crew: Crew, bridges: str
) -> None:
    crew.model.set(chat={"hold": True})
    answer = hopline.ask(BRIDGE_QUESTION, bridges, wait=False)
    assert (answer.status, answer.reason) == ("running", "the job has not ended yet")
    with pytest.raises(TimeoutError, match=answer.job_id):
        hopline.wait(answer.job_id, timeout=0.2)
    assert hopline.cancel(answer.job_id).state is JobState.CANCELLED


def test_jobs_are_listed_newest_first_by_state_kind_and_collection(hopline: Hopline, collection: str) -> None:
    text = {"name": "one", "text": "Maren Holt was born in Vestby."}
    first = hopline.ingest_texts([text], collection).job_id
    second = hopline.ask("Where was Maren Holt born?", collection).job_id
    listed = hopline.jobs(2, collection=collection)
    assert [record.job.id for record in listed] == [second, first]
    assert all(record.outcome is None for record in listed)
    assert [record.job.id for record in hopline.jobs(kind="batch", collection=collection)] == [first]
    assert hopline.jobs(state=JobState.FAILED, collection=collection) == []


def test_a_search_and_the_tools_answer_at_once(hopline: Hopline, bridges: str) -> None:
    search_result = hopline.search("Where was Maren Holt born?", bridges, 3)
    assert "Vestby" in search_result.chunks[0].chunk.text
    names = [tool["function"]["name"] for tool in hopline.tools()]
    assert "search_memory" in names
    result = hopline.tool("search_memory", bridges, question="Where was Maren Holt born?")
    assert result.found
    assert hopline.schema().labels


def test_elements_are_merged_vectors_rebuilt_documents_removed(hopline: Hopline, collection: str) -> None:
    hopline.ingest_texts([{"name": "one", "text": "Maren Holt was born in Vestby."}], collection)
    assert hopline.merge_elements(collection, dry_run=True, timeout=180)["made"] == 0
    assert list(hopline.merges(collection)) == list(hopline.name_candidates(collection)) == []
    assert hopline.reindex(collection, timeout=180) > 0
    (document,) = hopline.documents(collection)
    assert hopline.delete_document(document.id, timeout=180) == document
    assert list(hopline.documents(collection)) == []


def test_topics_are_built_by_a_job_and_listed(hopline: Hopline, collection: str) -> None:
    with pytest.raises(NotFound, match="there is no collection"):
        hopline.topics(collection)
    text = "Maren Holt was born in Vestby. Maren Holt built a bridge in Vestby. Vestby lies on the Sund."
    hopline.ingest_texts([{"name": "one", "text": text}], collection)
    with pytest.raises(NotFound, match=f"hopline topics build -c {collection}"):
        hopline.topics(collection)
    built = hopline.build_topics(collection, timeout=180)
    topic_list = hopline.topics(collection)
    assert topic_list.epoch == built
    assert (topic_list.level, topic_list.parent) == (0, None)
    assert sum(topic.facts for topic in topic_list.topics) == built.facts
    assert topic_list.topics[0].label in text
    within = hopline.topics(collection, parent=topic_list.topics[0].id)
    assert (within.level, within.topics[0].parent) == (1, topic_list.topics[0].id)
    with pytest.raises(NotFound, match="no topic t0"):
        hopline.topics(collection, parent="t0")
    with pytest.raises(InvalidInput, match="level"):
        hopline.topics(collection, 3)
    again = hopline.build_topics(collection, anew=True, timeout=180)
    assert [topic.id for topic in hopline.topics(collection).topics] == [
        topic.id for topic in topic_list.topics
    ]
    assert again.id != built.id


def test_a_concepts_map_is_made_kept_and_has_versions(hopline: Hopline, collection: str) -> None:
    assert hopline.concept_map("entropy", collection).version == 0
    made = hopline.concept("entropy", collection)
    assert made.state == "done"
    assert made.nodes[0].core
    kept = hopline.concept_map("entropy", collection)
    assert kept.version == made.version == 1
    (version,) = hopline.concept_versions("entropy", collection)
    assert version.version == 1
    doubtful = hopline.concept("the", collection)
    assert doubtful.state == "abstained"
    assert doubtful.reason


def _question(hopline: Hopline) -> str:
    """Return the id of a question that has ended."""
    return hopline.ask("When was it built?", BRIDGES, key="to be replayed").job_id


WRONG: dict[str, Callable[[Hopline], Any]] = {
    "depth": lambda hopline: hopline.submit_question("When?", max_depth=99),
    "decay": lambda hopline: hopline.submit_question("When?", decay_rate=1.5),
    "unknown parameter": lambda hopline: hopline.submit_question("When?", depth=2),
    "no question": lambda hopline: hopline.submit_question("   "),
    "collection": lambda hopline: hopline.submit_question("When?", "a/b"),
    "census of no collection": lambda hopline: hopline.census("a/b"),
    "strategy": lambda hopline: hopline.submit_question("When?", strategy="guess"),
    "limit": lambda hopline: hopline.search("When?", limit=1000),
    "paths": lambda hopline: hopline.submit_documents(["/nowhere/at/all"]),
    "texts": lambda hopline: hopline.submit_texts([{"name": "", "text": "x"}]),
    "no texts": lambda hopline: hopline.submit_texts([]),
    "tool": lambda hopline: hopline.tool("guess"),
    "argument": lambda hopline: hopline.tool("search_memory", query=3),
    "concept": lambda hopline: hopline.submit_concept("  "),
    "concept's parameter": lambda hopline: hopline.submit_concept("entropy", tries=0),
    "webhook": lambda hopline: hopline.submit_question("When?", webhook="ftp://example.org"),
    "priority": lambda hopline: hopline.submit_question("When?", priority="now"),
    "search among no documents": lambda hopline: hopline.search("When?", BRIDGES, documents=[]),
    "question about no documents": lambda hopline: hopline.submit_question("When?", BRIDGES, documents=[]),
    "scope of nothing": lambda hopline: hopline.submit_question("When?", BRIDGES, where='author = "nobody"'),
    "document of elsewhere": lambda hopline: hopline.submit_question("When?", BRIDGES, documents=["dx"]),
    "time to come": lambda hopline: hopline.submit_question("When?", BRIDGES, known_at="2999-01-01"),
    "replay within nothing": lambda hopline: hopline.replay(
        _question(hopline), {"where": 'author = "nobody"'}
    ),
    "offset": lambda hopline: hopline.document_text(next(hopline.documents(BRIDGES)).id, 5, 2),
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.usefixtures("bridges")
def test_bad_input_is_named_the_same_either_way(ways: dict[str, Hopline], case: str) -> None:
    refusals = {}
    for name, hopline in ways.items():
        with pytest.raises(InvalidInput) as caught:
            WRONG[case](hopline)
        refusals[name] = (caught.value.field, str(caught.value.value))  # an address holds texts only
        assert caught.value.allowed
    assert refusals["http"] == refusals["broker"]


GONE: dict[str, Callable[[Hopline], Any]] = {
    "job": lambda hopline: hopline.job("jx"),
    "cancel": lambda hopline: hopline.cancel("jx"),
    "retry": lambda hopline: hopline.retry("jx"),
    "wait": lambda hopline: hopline.wait("jx"),
    "watch": lambda hopline: list(hopline.watch("jx")),
    "document": lambda hopline: hopline.document("dx"),
    "delete": lambda hopline: hopline.delete_document("dx"),
    "text": lambda hopline: hopline.document_text("dx"),
    "one collection of two": lambda hopline: hopline.submit_question("When?", [BRIDGES, "nowhere"]),
    "merge": lambda hopline: hopline.undo_merge("mx"),
    "a name that leads elsewhere": lambda hopline: hopline.document("../jobs"),
    "dots": lambda hopline: hopline.job(".."),
}


@pytest.mark.parametrize("case", GONE)
def test_what_is_not_there_is_gone_either_way(hopline: Hopline, case: str) -> None:
    with pytest.raises(NotFound):
        GONE[case](hopline)


def test_the_adapters_are_there_over_the_broker_only(ways: dict[str, Hopline]) -> None:
    assert ways["broker"].services
    with pytest.raises(Permanent, match="servers themselves"):
        _ = ways["http"].services
    with pytest.raises(Permanent, match="servers themselves"):
        _ = ways["http"].publisher


@pytest.mark.parametrize("way", ["broker", "http"])
def test_the_async_client_does_the_same(crew: Crew, api: ServedApi, bridges: str, way: str) -> None:
    options: dict[str, Any] = {"settings": crew.settings}
    if way == "http":
        options = {"url": api.url, "api_key": api.key("submit")}

    async def ask_all() -> tuple[set[str], list[Event]]:
        async with AsyncHopline(**options) as hopline:
            answers = await asyncio.gather(*(hopline.ask(BRIDGE_QUESTION, bridges) for _ in range(5)))
            events = [event async for event in hopline.watch(answers[0].job_id)]
            report = await hopline.ingest_texts([{"name": "one", "text": "Maren Holt."}], f"{bridges}-{way}")
            return {str(answer.status) for answer in answers} | {str(report.status)}, events

    states, events = asyncio.run(ask_all())
    assert states == {"done"}
    assert events[-1].name == "job.ended"
