"""MCP tools over what a test plays in memory, through the official client."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any, cast

import anyio
import httpx2
import pytest
from doubles.desk import ANSWER, WALKED, Desk, SentMessages
from doubles.desk_streams import ServiceInMemory
from doubles.history import Ends, row
from mcp import Client, MCPError
from mcp.types import CallToolResult

from hopline import AsyncHopline, Hopline
from hopline.errors import DependencyAway
from hopline.models.answers import Answer
from hopline.models.documents import Chunk, Document
from hopline.models.graph import Passage
from hopline.models.jobs import JobState
from hopline.models.search import Found, FoundChunk
from producer.local_application import LocalApplication
from producer.mcp.server import Toolset, graph_offers, make_server
from producer.mcp.texts import answer_text
from workers.adapters.named_files import NamedFiles
from workers.app import application_for
from workers.history.books import JOBS
from workers.history.pending_rows import PendingRows
from workers.history.search import HistorySearch
from workers.tools.toolbox import Toolbox

Talk = Callable[[Callable[[Client], Awaitable[Any]]], Any]
Call = Callable[..., CallToolResult]


@pytest.fixture
def application(desk: Desk) -> Iterator[LocalApplication]:
    desk.toolbox = Toolbox()  # type: ignore[attr-defined] - as the services' own
    application = LocalApplication(service=ServiceInMemory(desk, SentMessages()), via="mcp")
    yield application
    application.close()


@pytest.fixture
def talk(application: LocalApplication) -> Talk:
    async def held(what: Callable[[Client], Awaitable[Any]]) -> Any:
        api = AsyncHopline("http://localhost", api_key="", transport=application.async_transport())
        async with Client(make_server(Toolset(lambda _context: api, files=True))) as assistant:
            return await what(assistant)

    return lambda what: asyncio.run(held(what))


@pytest.fixture
def call(talk: Talk) -> Call:
    """Call a tool with these arguments."""
    return lambda tool, **arguments: talk(lambda assistant: assistant.call_tool(tool, arguments))


def words(result: CallToolResult) -> str:
    return "\n".join(getattr(block, "text", "") for block in result.content)


def test_an_answer_comes_with_its_citations_and_the_lines_of_its_progress(desk: Desk, talk: Talk) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    lines: list[str | None] = []

    async def note(_now: float, _all: float | None, line: str | None) -> None:
        lines.append(line)

    arguments = {"question": "When was the bridge opened?", "collection": "bridges", "max_depth": 2}
    result = talk(lambda assistant: assistant.call_tool("ask", arguments, progress_callback=note))
    assert not result.is_error
    assert result.structured_content["text"] == ANSWER["text"]
    assert result.structured_content["citations"][0]["document"]["uri"] == "/texts/bridge.txt"
    assert "[1] The [red] Bridge (/texts/bridge.txt): “The bridge was" in words(result)
    (record,) = desk.ledger.records.values()
    assert lines == [f"job {record.job.id}", "at the start: bridge, 2 facts", "2 facts to score"]
    assert (record.job.collection, record.job.params["max_depth"]) == ("bridges", 2)


def test_schedules_and_what_documents_would_take_are_told(desk, application, call, tmp_path, monkeypatch):
    beat = cast("Any", application_for(desk.settings))
    beat.redbeat_redis = desk.redis
    monkeypatch.setattr("workers.app.application_for", lambda _settings: beat)
    client = Hopline("http://localhost", api_key="", transport=application.transport())
    client.schedules.set("nightly", ["/archive"], "reports", every="0 2 * * *")
    client.schedules.pause("nightly")
    result = call("schedules")
    assert words(result) == "nightly: /archive into reports, 0 2 * * * (UTC), paused; last sync: none yet"
    assert result.structured_content["schedules"][0]["schedule"]["name"] == "nightly"
    ended = row(1, kind="sync", collection="reports", reason="cut off", params={"schedule": "nightly"})
    Ends(desk.redis).put(ended)
    pending, files = PendingRows(desk.redis, JOBS), NamedFiles(str(tmp_path / "blobs"))
    desk.history_search = HistorySearch(pending, files)  # type: ignore[attr-defined]
    result = call("schedule_runs", name="nightly")
    assert words(result) == "job j1: begun 2026-09-21 15:13 UTC, done: cut off"
    assert result.structured_content["runs"][0]["job_id"] == "j1"
    (tmp_path / "a.txt").write_text("A bridge stands in Conwy.", encoding="utf-8")
    result = call("estimate", sources=[str(tmp_path)])
    assert "1 document, about 1 model call" in words(result)
    assert result.structured_content["total"]["calls"] == 1


@pytest.mark.parametrize("files", [True, False])
def test_only_an_assistant_at_this_machine_names_files_from_its_own_folder(
    *, files: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Any] = []

    def refuse(request: httpx2.Request) -> httpx2.Response:
        if request.url.path == "/v1/estimates":
            seen.append(json.loads(request.content)["sources"])
        return httpx2.Response(422, json={"title": "wrong", "detail": "wrong"})

    async def estimate(sources: list[str]) -> CallToolResult:
        api = AsyncHopline("http://api", transport=httpx2.MockTransport(refuse))
        async with Client(make_server(Toolset(lambda _context: api, files=files))) as assistant:
            return await assistant.call_tool("estimate", {"sources": sources})

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", "/people/ann")
    given = ["docs/../a.md", "~/b.md", "s3://c/d"]
    asyncio.run(estimate(given))
    assert seen == [[f"{tmp_path}/a.md", "/people/ann/b.md", "s3://c/d"] if files else given]
    told = words(asyncio.run(estimate(["~nobody99/x"])))
    assert ("the home folder of" in told) == files
    assert len(seen) == 2 - files


def test_tools_say_what_they_do_and_another_is_an_error_of_the_protocol(talk: Talk) -> None:
    tools = talk(lambda assistant: assistant.list_tools()).tools
    assert {tool.name for tool in tools if not tool.annotations.read_only_hint} == {"ask", "ingest", "cancel"}
    own = {tool.name: tool.input_schema["properties"] for tool in tools}
    assert "paths" in own["ingest"]
    assert all("collection" in own[name] for name in ("ask", "search", "lookup_knowledge"))
    results = {tool.name: tool.output_schema["properties"] for tool in tools}
    assert results["ask"].keys() >= {"job_id", "status", "text", "citations"}
    assert results["lookup_knowledge"].keys() >= {"items", "cypher"}

    async def guess(assistant: Client) -> None:
        with pytest.raises(MCPError, match=r"name is 'guess', but must be one of: ask, search"):
            await assistant.call_tool("guess", {})

    talk(guess)


def test_an_answer_is_told_as_a_reader_sees_it_and_none_with_the_reason(desk: Desk, call: Call) -> None:
    hidden = "\x1b\U000e0041\U000e0042"
    outcome = {**ANSWER, "text": f"It was opened in{hidden} 1890 [1].", "reason": f"so{hidden}"}
    desk.ledger.play["query"] = (WALKED, JobState.DONE, outcome)
    result = call("ask", question="When was the bridge opened?", collection="bridges")
    assert result.structured_content["text"] == "It was opened in 1890 [1]."
    assert not set(f"{words(result)}{result.structured_content}") & set(hidden)
    desk.ledger.play["query"] = ([], JobState.ABSTAINED, {"reason": "the documents do not say"})
    result = call("ask", question="Who?")
    assert (result.is_error, words(result)) == (False, "No answer: the documents do not say")
    partial = {**ANSWER, "reason": "Nothing was found for: Who paid?", "missing": ["Who paid?", "Who left?"]}
    desk.ledger.play["query"] = ([], JobState.PARTIAL, partial)
    told = "Partial: Nothing was found for: Who paid?\n\nNot found: Who left?\n\n"
    assert told in words(call("ask", question="Who?"))
    unchecked = {"unchecked_sentences": [{"sentence": "Tang led it [1].", "why": "translated"}]}
    desk.ledger.play["query"] = ([], JobState.DONE, {**ANSWER, "details": unchecked})
    assert "\n\nTranslated, names not checked: “Tang led it [1].”\n\n" in words(call("ask", question="Who?"))


def test_a_call_that_is_cancelled_ends_its_job(desk: Desk, talk: Talk) -> None:
    async def leave(assistant: Client) -> None:
        # As a server cancels a request: by its scope. A task of asyncio would also break what scopes shield.
        async with asyncio.timeout(120), anyio.create_task_group() as asking:
            asking.start_soon(assistant.call_tool, "ask", {"question": "Who?"})
            await until(lambda: bool(desk.ledger.records))
            asking.cancel_scope.cancel()
        assert all(record.ended for record in desk.ledger.records.values())

    async def until(true: Callable[[], bool]) -> None:
        while not true():  # noqa: ASYNC110 - the ledger has no event to wait for
            await asyncio.sleep(0.01)

    talk(leave)
    assert [record.state for record in desk.ledger.records.values()] == ["cancelled"]


@pytest.mark.parametrize(("name", "arguments", "field"), [
    ("ask", {"question": "When?", "max_depth": 99}, "max_depth"),
    ("ask", {}, "question"),
    ("ask", {"question": "When?", "depth": 2}, "depth"),
    ("ask", {"question": "When?", "collection": "a/b"}, "collection"),
    ("search", {"question": "When?", "collection": []}, "collection"),
    ("ingest", {}, "texts"),
    ("ingest", {"texts": [{"text": "x"}]}, "texts.0.name"),
    ("ingest", {"texts": [{"name": "n", "text": "x"}], "chunk_tokens": 9}, "chunk_tokens"),
    ("lookup_knowledge", {"entity": "Holt", "guess": 1}, "guess"),
])  # fmt: skip
def test_a_wrong_argument_is_named_with_what_is_allowed(desk, call, name, arguments, field):
    result = call(name, **arguments)
    assert result.is_error
    assert result.structured_content["field"] == field
    assert result.structured_content["allowed"]
    assert words(result).startswith(f"{field} is ")
    assert desk.ledger.records == {}


@pytest.mark.parametrize(("name", "arguments", "told"), [
    ("ask", {"question": "Who?", "collection": "nope"}, "there is no collection nope; did you mean"),
    ("ingest", {"paths": ["/nowhere"]}, "nothing to ingest: /nowhere: nothing there"),
])  # fmt: skip
def test_what_is_not_there_is_told_in_a_sentence_at_once(desk, call, name, arguments, told):
    result = call(name, **arguments)
    assert result.is_error
    assert words(result).startswith(told)
    assert desk.ledger.records == {}


def test_a_server_that_is_away_is_told(desk: Desk, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: object, **_given: object) -> None:
        raise DependencyAway("Neo4j at bolt://user:secret@db does not answer")

    monkeypatch.setattr(desk.graph, "collections", away, raising=False)
    result = call("collections")
    assert result.is_error
    assert "does not answer" in words(result)
    assert "secret" not in words(result)


def test_documents_of_this_machine_and_texts_go_in_together(desk: Desk, call: Call, tmp_path: Path) -> None:
    done = {"uri": "one", "document_id": "d1", "status": "done", "chunks": 1, "facts": 2}
    desk.ledger.play["batch"] = ([], JobState.DONE, {"documents": [done]})
    (tmp_path / "two.txt").write_text("Two.", encoding="utf-8")
    result = call("ingest", texts=[{"name": "one", "text": "One."}], paths=[str(tmp_path)])
    assert not result.is_error
    assert len(result.structured_content["job_ids"]) == 2
    assert "- one: done: 1 chunk, 2 facts" in words(result)


def test_a_profile_is_a_name_or_a_text_and_no_file_is_read(desk: Desk, call: Call, tmp_path: Path) -> None:
    desk.ledger.play["batch"] = ([], JobState.DONE, {"documents": []})
    texts, own = [{"name": "one", "text": "One."}], '[entities]\nParty = "who signs"\n'
    path = tmp_path / "own.toml"
    path.write_text(own, encoding="utf-8")
    assert not call("ingest", texts=texts, profile=own).is_error
    assert any(b"who signs" in stored for stored in desk.stored.values())
    for place in (path, "/etc/hostname", "~/own.toml"):
        refused = call("ingest", texts=texts, profile=str(place))
        assert refused.structured_content["field"] == "profile"
        assert refused.structured_content["allowed"] == "one of: narrative"


def test_a_graph_tool_whose_name_is_taken_gets_a_prefix_and_its_own_collection_is_left_to_it() -> None:
    described = Toolbox().descriptions()
    names = [offer.name for offer in graph_offers(described, {"search_memory"})]
    assert "graph_search_memory" in names
    assert "respond" not in names
    assert len(names) == len(described) - 1
    schema = {"type": "object", "properties": {"collection": {"type": "integer"}}, "required": []}
    description = {"function": {"name": "count", "description": "Counts.", "parameters": schema}}
    (offer,) = graph_offers([description], ())
    assert offer.schema == schema


def test_searches_and_documents_are_told_with_where_they_are_from(desk, call, monkeypatch):
    searches = []
    document = Document(id="d1", collection="notes", uri="u", title="A note", content_hash="")

    def search(_self: object, *call: object) -> Found:
        searches.append(call)
        chunk = Chunk(id="c1", index=0, text="Six weeks.", start=0, end=10, tokens=2, content_hash="")
        chunk = chunk.model_copy(update={"places": '{"line":3}'})
        return Found(question="?", chunks=(FoundChunk(chunk=chunk, document=document, score=0.5),))

    monkeypatch.setattr("producer.service.questions.Questions.search", search)
    result = call("search", question="How long?", collection=["bridges", "notes"], as_of="2020-12-31")
    assert words(result).startswith("1. A note (collection notes, u, line 3, characters 0 to 10)")
    arguments = {"question": "How long?", "collection": "notes"}
    assert words(call("search", **arguments)).startswith("1. A note (u, ")
    call("search", **arguments, translations=["Wie lange?"])
    call("search", **arguments, where='tags has "contract"')
    tagged = '{"field": "tags", "op": "has", "value": "contract"}'
    assert searches == [
        ("How long?", ["bridges", "notes"], 5, {"as_of": date(2020, 12, 31), "translations": ()}, None),
        ("How long?", ["notes"], 5, {"translations": ()}, None),
        ("How long?", ["notes"], 5, {"translations": ("Wie lange?",)}, None),
        ("How long?", ["notes"], 5, {"where": tagged, "translations": ()}, None),
    ]
    calls = []

    def text(_self: object, *place: Any) -> Passage:
        *read, then = place
        calls.append((*read, then.known_at))
        return Passage(document=document, start=0, end=10, length=10, text="Six weeks.")

    monkeypatch.setattr("producer.service.documents.Documents.text", text)
    desk.graph.held["d1"] = document
    result = call("document_text", document="d1", end=10, known_at="2026-03-01")
    assert words(result) == "A note (u, characters 0 to 10 of 10)\nSix weeks."
    assert result.structured_content["text"] == "Six weeks."
    assert calls == [("d1", 0, 10, datetime.combine(date(2026, 3, 1), time.max, UTC))]


def test_a_citation_of_an_earlier_version_says_which() -> None:
    document = ANSWER["citations"][0]["document"] | {"version": 2, "until": "2026-03-01T18:00:00+00:00"}
    citation = ANSWER["citations"][0] | {"document": document}
    text = answer_text(
        Answer.read_stored({**ANSWER, "job_id": "j1", "status": "done", "citations": [citation]})
    )
    assert "(version 2, current until 2026-03-01T18:00:00+00:00, /texts/bridge.txt)" in text


def test_a_citation_says_where_in_the_file_its_quote_stands() -> None:
    citation = ANSWER["citations"][0] | {"place": {"words": "page 12, table 2, row Rent", "page": 12}}
    text = answer_text(
        Answer.read_stored({**ANSWER, "job_id": "j1", "status": "done", "citations": [citation]})
    )
    assert "(/texts/bridge.txt, page 12, table 2, row Rent)" in text


def test_a_fact_of_a_graph_is_cited_with_the_tool_that_found_it() -> None:
    known = {
        name: value
        for name, value in ANSWER["citations"][0].items()
        if name not in ("document", "chunk_id", "start", "end", "quote")
    }
    found = {"kind": "graph", "fact": "born: 1964", "tool": "movies", "arguments": {"year": 1999}}
    citation = known | found
    answer = {"text": "In 1964 [1].", "citations": [citation], "job_id": "j1", "status": "done"}
    text = answer_text(Answer.read_stored(answer))
    assert text.endswith("Citations:\n[1] born: 1964 (movies(year=1999))")


def test_a_job_that_has_not_ended_says_what_it_waits_for(desk: Desk, call: Call) -> None:
    desk.ledger.play["query"] = (WALKED, JobState.DONE, ANSWER)
    call("ask", question="Who?")
    ((job_id, record),) = desk.ledger.records.items()
    still = {"state": JobState.RUNNING, "ended": None, "closed_for": "its budget is spent"}
    desk.ledger.records[job_id] = record.model_copy(update=still | {"waits_for": "the model is away"})
    told = words(call("job", job_id=job_id))
    assert "\nClosed early: its budget is spent\nWaits: the model is away" in told
    running = answer_text(Answer(job_id="j1", status=JobState.RUNNING))
    assert running == "Ask for it with the tool job, job_id j1."
