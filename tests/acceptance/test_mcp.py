"""Assistants over MCP: the official client, over stdio to a real process and over HTTP to the real API."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fleet.api import ServedApi
from fleet.crew import Crew, wait_until
from fleet.worlds import BRIDGE_QUESTION, write_bridge
from mcp import Client, MCPError, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from hopline.models.results import Job

OWN = {"ask", "search", "neighbourhood", "document_text", "collections", "ingest", "job", "cancel"}
OWN |= {"estimate", "schedules", "schedule_runs"}
GRAPH = {"search_memory", "lookup_knowledge", "find_connection", "text2cypher"}
MAREN = {"name": "notes/holt", "title": "Holt", "text": "Maren Holt was born in Vestby."}

Talk = Callable[[Client], Awaitable[Any]]


@asynccontextmanager
async def over_http(url: str, key: str, mode: str = "auto") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=180, trust_env=False) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(environment: dict[str, str], *words: str, mode: str = "auto") -> AsyncIterator[Client]:
    command = [sys.executable, "-m", "hopline", "mcp", *words]
    started = StdioServerParameters(command=command[0], args=command[1:], env=os.environ | environment)
    async with Client(stdio_client(started), mode=mode) as client:
        yield client


def _seldom(way: str) -> Any:
    return pytest.param(way, marks=pytest.mark.long)


WAYS = ["stdio", "http", _seldom("stdio to the API"), _seldom("older http"), _seldom("older stdio")]


@pytest.fixture(params=WAYS)
def talk(request: pytest.FixtureRequest, crew: Crew, api: ServedApi) -> Callable[[Talk], Any]:
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


def test_a_line_over_stdio_that_has_a_field_twice_is_answered_and_not_done() -> None:
    twice = '{"jsonrpc": "2.0", "id": 1, "method": "ping", "method": "tools/list"}'
    deep = "[" * 200_000
    line = '{"jsonrpc": "2.0", "id": 2, "method": "ping"}'
    command = [sys.executable, "-m", "hopline", "mcp", "--url", "http://127.0.0.1:1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(f"{twice}\n{deep}\n{line}\n")
        server.stdin.flush()
        answers = [server.stdout.readline() for _ in range(3)]
        server.stdin.close()
    first, lost, second = map(json.loads, answers)
    assert (first["id"], "appears twice" in first["error"]["message"]) == (1, True)
    assert (lost["id"], "nested too deep" in lost["error"]["message"]) == (None, True)
    assert second["id"] == 2, "who comes after is served"


def words(result: CallToolResult) -> str:
    return "\n".join(getattr(block, "text", "") for block in result.content)


def good(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, words(result)
    content: dict[str, Any] = result.structured_content
    return content


def test_an_assistant_finds_its_tools_asks_and_hears_of_progress_brings_documents_and_cancels(
    request: pytest.FixtureRequest,
    talk: Callable[[Talk], Any],
    crew: Crew,
    bridges: str,
    collection: str,
    tmp_path: Path,
) -> None:
    crew.model.set(chat={"latency": 0.02})
    reads_files = not request.node.callspec.params["talk"].endswith("http")  # those of its own machine
    lines: list[str] = []

    async def progress(_now: float, _all: float | None, line: str | None) -> None:
        lines.append(str(line))

    async def ask(client: Client) -> None:
        listed = (await client.list_tools()).tools
        assert {tool.name for tool in listed} >= OWN | GRAPH
        assert "respond" not in {tool.name for tool in listed}
        assert all(tool.description and tool.input_schema["type"] == "object" for tool in listed)
        changing = {tool.name for tool in listed if not tool.annotations.read_only_hint}
        assert changing == {"ask", "ingest", "cancel"}
        arguments = {"question": BRIDGE_QUESTION, "collection": bridges, "strategy": "graph"}
        answer = await client.call_tool("ask", arguments, progress_callback=progress)
        content = good(answer)
        assert (content["status"], "Vestby" in content["text"]) == ("done", True)
        assert content["citations"][0]["document"]["title"]
        assert "Vestby" in words(answer)
        assert "[1]" in words(answer)
        assert any(line.startswith("at the start:") for line in lines), lines
        assert lines[0] == f"job {content['job_id']}"
        job = good(await client.call_tool("job", {"job_id": content["job_id"]}))
        assert (job["state"], job["outcome"]["text"]) == ("done", content["text"])
        ingested = good(await client.call_tool("ingest", {"texts": [MAREN], "collection": collection}))
        assert [(each["uri"], each["status"]) for each in ingested["documents"]] == [("notes/holt", "done")]
        arguments = {"paths": [str(write_bridge(tmp_path))], "collection": collection}
        files = await client.call_tool("ingest", arguments)
        assert files.is_error is not reads_files
        if reads_files:
            assert {document["status"] for document in good(files)["documents"]} == {"done"}
        else:
            assert "paths" in words(files)
        await cancel(client)

    async def cancel(client: Client) -> None:
        crew.model.set(chat={"hold": True})
        before = {job.id for job in crew.client.jobs.list(collection=bridges).jobs}

        def started() -> list[Job]:
            return [job for job in crew.client.jobs.list(collection=bridges).jobs if job.id not in before]

        arguments = {"question": BRIDGE_QUESTION, "collection": bridges}
        asking = asyncio.create_task(client.call_tool("ask", arguments))
        await asyncio.to_thread(wait_until, started, "the job runs")
        asking.cancel()
        await asyncio.to_thread(wait_until, lambda: started()[0].ended, "the job has ended")
        assert [job.state for job in started()] == ["cancelled"]

    talk(ask)


@pytest.mark.parametrize("talk", ["http"], indirect=True)
def test_what_reads_can_be_called_and_a_mistake_is_said(talk: Callable[[Talk], Any], bridges: str) -> None:
    calls: dict[str, dict[str, Any]] = {
        "collections": {},
        "search": {"question": "Where was Maren Holt born?", "collection": bridges, "limit": 2},
        "neighbourhood": {"name": "Maren Holt", "collection": bridges},
        "search_memory": {"question": "Where was Maren Holt born?", "collection": bridges},
        "lookup_knowledge": {"entity": "Maren Holt", "collection": bridges},
    }
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("ask", {"question": "When?", "max_depth": 99}, "max_depth"),
        ("ask", {}, "question"),
        ("search", {"question": "When?", "collection": "a/b"}, "collection"),
        ("ingest", {"texts": [{"text": "x"}]}, "texts.0.name"),
        ("lookup_knowledge", {"entity": "Maren", "guess": 1}, "guess"),
        ("job", {"job_id": ""}, "job_id"),
    ]

    async def call_all(client: Client) -> tuple[dict[str, CallToolResult], list[CallToolResult]]:
        with pytest.raises(MCPError, match="guess"):
            await client.call_tool("guess", {})
        results = {name: await client.call_tool(name, arguments) for name, arguments in calls.items()}
        return results, [await client.call_tool(name, arguments) for name, arguments, _field in wrong]

    results, refusals = talk(call_all)
    assert bridges in good(results["collections"])["collections"]
    assert "born in Vestby" in words(results["search"])
    assert good(results["neighbourhood"])["facts"]
    for name in ("search_memory", "lookup_knowledge"):
        assert good(results[name])["tool"] == name
        assert "Maren Holt" in words(results[name])
    for result, (_name, _arguments, field) in zip(refusals, wrong, strict=True):
        assert result.is_error
        assert result.structured_content["field"] == field or field in words(result)
        assert result.structured_content["allowed"]


def test_a_key_opens_mcp_as_it_opens_the_api(crew: Crew, api: ServedApi, bridges: str) -> None:
    question = {"question": BRIDGE_QUESTION, "collection": bridges}
    job = crew.client.queries.submit(**question).id

    async def call(key: str, name: str, arguments: dict[str, Any]) -> CallToolResult:
        async with over_http(api.url, key) as client:
            return await client.call_tool(name, arguments)

    reader, elsewhere = api.key("read"), api.key("submit", collections=("other",))
    refused = asyncio.run(call(reader, "ask", question))
    assert refused.is_error
    assert "lacks the scope 'submit'" in words(refused)
    assert good(asyncio.run(call(reader, "search", question)))["chunks"]
    others = asyncio.run(call(reader, "job", {"job_id": job}))
    assert others.is_error
    assert f"no job {job}" in words(others)
    assert asyncio.run(call(elsewhere, "search", question)).is_error
    assert good(asyncio.run(call(elsewhere, "collections", {})))["collections"] == {}


@pytest.mark.long
def test_nothing_but_the_protocol_goes_to_stdout(crew: Crew) -> None:
    hello = (
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        '"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "hopline", "mcp"],
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
