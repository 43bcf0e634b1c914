"""Assistants over MCP: the official client, over stdio to a real process and over HTTP to the real API."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fleet.api import ServedApi, served_api
from fleet.crew import Crew, wait_until
from fleet.worlds import BRIDGE_QUESTION, write_bridge
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from producer.service.keys import STORED
from workers.ledger.records import JobRecord
from workers.services import Services

BRIDGES = "test-mcp-bridges"
OWN = {"ask", "search", "neighbourhood", "document_text", "collections", "ingest", "job", "cancel"}
OWN |= {"estimate", "schedules", "schedule_runs"}
GRAPH = {"search_memory", "lookup_knowledge", "find_connection", "text2cypher"}
MAREN = {"name": "notes/holt", "title": "Holt", "text": "Maren Holt was born in Vestby."}

Talk = Callable[[Client], Awaitable[Any]]


@pytest.fixture(scope="module")
def api(standing_crew: Crew) -> Iterator[ServedApi]:
    services = Services(standing_crew.settings)
    with served_api(services) as served:
        yield served
    services.redis.delete(STORED)
    services.close()


@pytest.fixture(scope="module")
def bridges(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    standing_crew.model.set()
    standing_crew.ingest(write_bridge(tmp_path_factory.mktemp("bridges")), BRIDGES)
    return BRIDGES


@asynccontextmanager
async def over_http(url: str, key: str | None, mode: str = "auto") -> AsyncIterator[Client]:
    shown = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=shown, timeout=180, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(environment: dict[str, str], *words: str, mode: str = "auto") -> AsyncIterator[Client]:
    command = [sys.executable, "-m", "producer.cli", "mcp", *words]
    started = StdioServerParameters(command=command[0], args=command[1:], env=os.environ | environment)
    async with Client(stdio_client(started), mode=mode) as client:
        yield client


def _seldom(way: str) -> Any:
    return pytest.param(way, marks=pytest.mark.long)


@pytest.fixture(params=["stdio", "http", _seldom("stdio to the API"), _seldom("older http")])
def talk(request: pytest.FixtureRequest, crew: Crew, api: ServedApi) -> Callable[[Talk], Any]:
    """Have a talk with the server in one of the ways to it."""
    key = api.key("submit")

    def opened() -> Any:
        if request.param.endswith("http"):  # most assistants still speak the protocol with a handshake
            return over_http(api.url, key, "auto" if request.param == "http" else "legacy")
        if request.param.endswith("stdio"):
            return over_stdio(crew.environment, mode="auto" if request.param == "stdio" else "legacy")
        return over_stdio({"HOP_KEY": key}, "--url", api.url, "--api-key-from-env", "HOP_KEY")

    async def held(what: Talk) -> Any:
        async with opened() as client:
            return await what(client)

    return lambda what: asyncio.run(held(what))


def words(result: CallToolResult) -> str:
    return "\n".join(getattr(block, "text", "") for block in result.content)


def good(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, words(result)
    content: dict[str, Any] = result.structured_content
    return content


def test_a_question_is_answered_with_citations_and_progress(
    talk: Callable[[Talk], Any], crew: Crew, bridges: str
) -> None:
    crew.model.set(chat={"latency": 0.02})
    lines: list[str] = []

    async def progress(_now: float, _all: float | None, line: str | None) -> None:
        lines.append(str(line))

    async def ask(client: Client) -> tuple[CallToolResult, CallToolResult]:
        arguments = {"question": BRIDGE_QUESTION, "collection": bridges, "strategy": "graph"}
        answer = await client.call_tool("ask", arguments, progress_callback=progress)
        return answer, await client.call_tool("job", {"job_id": good(answer)["job_id"]})

    answer, job = talk(ask)
    content = good(answer)
    assert content["status"] == "done"
    assert "Vestby" in content["text"]
    assert content["citations"][0]["document"]["title"]
    assert "Vestby" in words(answer)
    assert "[1]" in words(answer)
    assert any(line.startswith("depth 0:") for line in lines), lines
    assert lines[0] == f"job {content['job_id']}"
    assert good(job)["state"] == "done"
    assert good(job)["outcome"]["text"] == content["text"]


def test_every_tool_is_listed_with_its_arguments_and_can_be_called(
    talk: Callable[[Talk], Any], bridges: str, collection: str
) -> None:
    calls: dict[str, dict[str, Any]] = {
        "collections": {},
        "ingest": {"texts": [MAREN], "collection": collection},
        "search": {"question": "Where was Maren Holt born?", "collection": bridges, "limit": 2},
        "neighbourhood": {"name": "Maren Holt", "collection": bridges},
        "search_memory": {"question": "Where was Maren Holt born?", "collection": bridges},
        "lookup_knowledge": {"entity": "Maren Holt", "collection": bridges},
    }

    async def call_all(client: Client) -> tuple[list[Any], dict[str, CallToolResult]]:
        listed = (await client.list_tools()).tools
        return listed, {name: await client.call_tool(name, arguments) for name, arguments in calls.items()}

    listed, results = talk(call_all)
    tools = {tool.name: tool for tool in listed}
    assert set(tools) >= OWN | GRAPH
    assert "respond" not in tools
    assert all(tool.description and tool.input_schema["type"] == "object" for tool in listed)
    changing = {tool.name for tool in listed if not tool.annotations.read_only_hint}
    assert changing == {"ask", "ingest", "cancel"}
    assert "collection" in tools["lookup_knowledge"].input_schema["properties"]
    assert bridges in good(results["collections"])["collections"]
    (document,) = good(results["ingest"])["documents"]
    assert (document["uri"], document["status"]) == ("notes/holt", "done")
    assert "born in Vestby" in words(results["search"])
    assert good(results["neighbourhood"])["facts"]
    assert "Vestby" in words(results["neighbourhood"])
    for name in ("search_memory", "lookup_knowledge"):
        assert good(results[name])["tool"] == name
        assert "Maren Holt" in words(results[name])


@pytest.mark.parametrize(
    ("name", "arguments", "field"),
    [
        ("ask", {"question": "When?", "max_depth": 99}, "max_depth"),
        ("ask", {}, "question"),
        ("ask", {"question": "When?", "depth": 2}, "depth"),
        ("search", {"question": "When?", "collection": "a/b"}, "collection"),
        ("ingest", {"texts": []}, "texts"),
        ("ingest", {"texts": [{"text": "x"}]}, "texts.0.name"),
        ("lookup_knowledge", {"entity": "Maren", "guess": 1}, "guess"),
        ("job", {"job_id": ""}, "job_id"),
    ],
)
def test_a_wrong_argument_is_named_with_what_is_allowed(
    crew: Crew, api: ServedApi, name: str, arguments: dict[str, Any], field: str
) -> None:
    async def call() -> CallToolResult:
        async with over_http(api.url, api.key("submit")) as client:
            return await client.call_tool(name, arguments)

    assert crew.client
    result = asyncio.run(call())
    assert result.is_error
    refusal = result.structured_content
    assert refusal["field"] == field or field in words(result)
    assert refusal["allowed"]


@pytest.mark.parametrize("talk", ["http"], indirect=True)
def test_what_is_not_there_is_said(talk: Callable[[Talk], Any]) -> None:
    async def look(client: Client) -> tuple[CallToolResult, CallToolResult]:
        with pytest.raises(MCPError, match="guess"):
            await client.call_tool("guess", {})
        job = await client.call_tool("job", {"job_id": "jx"})
        return job, await client.call_tool("neighbourhood", {"name": "Nobody", "collection": "nowhere"})

    job, nobody = talk(look)
    assert job.is_error
    assert "no job jx" in words(job)
    assert "knows nothing of that name" in words(nobody)


def test_files_of_the_machine_are_taken_over_stdio_only(
    crew: Crew, api: ServedApi, collection: str, tmp_path: Path
) -> None:
    arguments = {"paths": [str(write_bridge(tmp_path))], "collection": collection}

    async def ingest() -> tuple[CallToolResult, CallToolResult]:
        async with over_stdio(crew.environment) as near, over_http(api.url, api.key("submit")) as far:
            return await near.call_tool("ingest", arguments), await far.call_tool("ingest", arguments)

    near, far = asyncio.run(ingest())
    assert {document["status"] for document in good(near)["documents"]} == {"done"}
    assert far.is_error
    assert "paths" in words(far)


@pytest.mark.parametrize("talk", ["stdio", "http", _seldom("older stdio")], indirect=True)
def test_a_call_that_is_cancelled_ends_its_job(talk: Callable[[Talk], Any], crew: Crew, bridges: str) -> None:
    crew.model.set(chat={"hold": True})
    before = {record.job.id for record in crew.client.jobs(collection=bridges)}

    def started() -> list[JobRecord]:
        return [record for record in crew.client.jobs(collection=bridges) if record.job.id not in before]

    async def leave(client: Client) -> None:
        arguments = {"question": BRIDGE_QUESTION, "collection": bridges}
        asking = asyncio.create_task(client.call_tool("ask", arguments))
        await asyncio.to_thread(wait_until, started, "the job runs")
        asking.cancel()
        await asyncio.to_thread(wait_until, lambda: started()[0].ended, "the job has ended")

    talk(leave)
    assert [record.state for record in started()] == ["cancelled"]


def test_a_key_opens_mcp_as_it_opens_the_api(crew: Crew, api: ServedApi, bridges: str) -> None:
    assert crew.client
    question = {"question": BRIDGE_QUESTION, "collection": bridges}

    async def call(key: str, name: str, arguments: dict[str, Any]) -> CallToolResult:
        async with over_http(api.url, key) as client:
            return await client.call_tool(name, arguments)

    answer = good(asyncio.run(call(api.key("submit"), "ask", question)))
    reader = api.key("read")
    refused = asyncio.run(call(reader, "ask", question))
    assert refused.is_error
    assert "lacks the scope 'submit'" in words(refused)
    assert good(asyncio.run(call(reader, "search", question)))["chunks"]
    others = asyncio.run(call(reader, "job", {"job_id": answer["job_id"]}))
    assert others.is_error
    assert "no job" in words(others)
    elsewhere = api.key("submit", collections=("other",))
    assert asyncio.run(call(elsewhere, "search", question)).is_error
    assert good(asyncio.run(call(elsewhere, "collections", {})))["collections"] == {}


@pytest.mark.parametrize("key", [None, "hop_000000000000_" + "x" * 43])
def test_without_a_key_that_opens_there_is_no_mcp(api: ServedApi, key: str | None) -> None:
    assert api.key("read")  # from now on one is needed
    with api.client(key) as http:
        shown = http.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert shown.status_code == 401
    assert shown.headers["content-type"] == "application/problem+json"
    assert "Bearer" in shown.headers["www-authenticate"]


def test_nothing_but_the_protocol_goes_to_stdout(crew: Crew) -> None:
    hello = (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        '"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "producer.cli", "mcp"],
        input=hello,
        env=os.environ | crew.environment,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    (line,) = done.stdout.splitlines()
    assert '"serverInfo"' in line
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "wrong",
    [
        ("--api-key-from-env", "HOP_KEY"),
        ("--url", "nowhere"),
        ("--url", "http://h", "--api-key-from-env", "NONE"),
    ],
)
def test_options_that_do_not_fit_end_it_with_a_usage_error(crew: Crew, wrong: tuple[str, ...]) -> None:
    done = crew.run("mcp", *wrong)
    assert done.returncode == 2
    assert done.stdout == ""
