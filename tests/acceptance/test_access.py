"""Who gets which answer: by real workers, over HTTP, the clients, MCP and the command line."""

import asyncio
import json
import secrets
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fleet.api import ServedApi
from fleet.crew import Crew
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

from hopline import Hopline
from hopline.errors import AccessDenied, NotFound
from hopline.models.answers import Answer
from hopline.transport import ACT_AS_HEADER
from producer.service.keys import STORED

OPEN = "The Menai Company signed the bridge contract. The notice period of the bridge contract is 180 days.\n"
LEGAL = (
    "The Menai Company amended the bridge contract. The notice period of the bridge contract is 270 days.\n"
)
QUESTION = "What is the notice period of the bridge contract?"
ANN = ("user:ann", "group:legal")


@pytest.fixture(scope="module")
def collection(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two contracts that differ; the second is for some only."""
    name, folder = f"access-{secrets.token_hex(4)}", tmp_path_factory.mktemp("access")
    (folder / "open.txt").write_text(OPEN, encoding="utf-8")
    (folder / "legal.md").write_text(f"---\nallow: group:legal\n---\n{LEGAL}", encoding="utf-8")
    standing_crew.ingest(folder, name)
    return name


@pytest.fixture(scope="module")
def hidden(standing_crew: Crew, collection: str) -> str:
    """The id of the second."""
    documents = standing_crew.client.documents.iterate(collection=collection)
    return next(document.id for document in documents if document.uri.endswith("legal.md"))


def cited(answer: Answer) -> set[str]:
    return {Path(citation.document.uri).name for citation in answer.citations if citation.document}


@pytest.mark.parametrize("strategy", ["graph", pytest.param("reader", marks=pytest.mark.long)])
def test_an_answer_rests_on_what_its_key_sees(api: ServedApi, collection: str, strategy: str) -> None:
    for principals, document, days in ((ANN, "legal.md", "270"), (("user:bo",), "open.txt", "180")):
        with Hopline(api.url, api_key=api.key("submit", principals=principals)) as client:
            answer = client.ask(QUESTION, collection=collection, strategy=strategy)
            assert document in cited(answer)
            assert days in answer.text
            if principals != ANN:
                assert cited(answer) == {"open.txt"}
                events = str([event.data for event in client.jobs.events(answer.job_id)])
                assert not [
                    word for word in ("270 days", "amended") if word in answer.model_dump_json() + events
                ]
            for citation in answer.citations:
                assert citation.document is not None
                text = client.documents.text(citation.document.id).text
                assert getattr(citation, "quote", "") in text


def test_a_service_asks_for_its_users(api: ServedApi, collection: str, hidden: str) -> None:
    key = api.key("submit", "act-as")
    with Hopline(api.url, api_key=key, act_as="user:bo") as bo, Hopline(api.url, api_key=key) as service:
        answer = bo.ask(QUESTION, collection=collection)
        assert cited(answer) == {"open.txt"}
        assert cited(service.with_options(act_as=ANN).ask(QUESTION, collection=collection)) >= {"legal.md"}
        for asked in (bo, service.with_options(act_as="user:bo")):
            found = asked.queries.search(QUESTION, collection=collection)
            assert {Path(chunk.document.uri).name for chunk in found.chunks} == {"open.txt"}
        for asked, size in ((bo, 1), (service, 2)):
            sizes = {each.name: each.documents for each in asked.collections.list().collections}
            assert sizes[collection] == size
        with pytest.raises(NotFound):
            bo.documents.get(hidden)
        with pytest.raises(NotFound):
            service.with_options(act_as="user:eve").jobs.get(answer.job_id)
        (shown,) = bo.documents.iterate(collection=collection)
        for document, error in ((hidden, NotFound), (shown.id, AccessDenied)):
            with pytest.raises(error):
                bo.documents.delete(document)


def test_a_document_that_is_taken_away_is_gone_with_the_next_question(crew, api, collection, hidden):
    with Hopline(api.url, api_key=api.key("submit", principals=("user:cy", "group:legal"))) as client:
        answer = client.ask(QUESTION, collection=collection)
        assert "legal.md" in cited(answer)
        crew.client.documents.change_metadata([hidden], set={"allow": ["user:ann"]})
        try:
            assert cited(client.ask(QUESTION, collection=collection)) == {"open.txt"}
            gone = client.jobs.get(answer.job_id).outcome
            assert isinstance(gone, Answer)
            assert (gone.text, gone.citations) == ("", ())
            # The same source again does not open it: its front matter says what it said before.
            crew.ingest([crew.client.documents.get(hidden).uri], collection)
            assert crew.client.documents.get(hidden).metadata["allow"] == ("user:ann",)
        finally:
            crew.client.documents.change_metadata([hidden], set={"allow": ["group:legal"]})


@pytest.mark.usefixtures("crew")
def test_assistants_get_what_their_key_sees(api: ServedApi, collection: str, hidden: str) -> None:
    key = api.key("submit", "act-as")

    async def calls() -> dict[str, CallToolResult]:
        shown = {"Authorization": f"Bearer {key}", ACT_AS_HEADER: "user:bo"}
        async with (
            httpx2.AsyncClient(headers=shown, timeout=180, trust_env=False) as http,
            Client(streamable_http_client(f"{api.url}/mcp", http_client=http)) as assistant,
        ):
            names = [tool.name for tool in (await assistant.list_tools()).tools]
            arguments: dict[str, dict[str, Any]] = {
                "ask": {"question": QUESTION, "collection": collection},
                "search": {"question": QUESTION, "collection": collection},
                "collections": {},
                "ingest": {"texts": [{"name": "x", "text": "A bridge."}], "collection": collection},
                "neighbourhood": {"name": "bridge contract", "collection": collection},
                "document_text": {"document": hidden},
                "job": {"job_id": "j0"},
                "cancel": {"job_id": "j0"},
                "estimate": {"sources": ["file:///etc"]},
                "schedules": {},
                "schedule_runs": {"name": "nightly"},
            }
            assert set(names) == set(arguments), "a tool that nobody has looked at: what does it show?"
            return {name: await assistant.call_tool(name, arguments[name]) for name in names}

    results = asyncio.run(calls())
    answered = {name for name, result in results.items() if not result.is_error}
    assert answered == {"ask", "search", "collections"}
    text = json.dumps({name: result.model_dump(mode="json") for name, result in results.items()})
    assert "180" in text
    assert "270 days" not in text
    assert "legal.md" not in text
    assert results["collections"].structured_content["collections"][collection] == 1


def test_the_command_line_shows_what_somebody_else_would_see(crew: Crew, collection: str) -> None:
    result = crew.run("ask", QUESTION, "-c", collection, "--as", "user:bo", "--json")
    assert cited(Answer.read_stored(json.loads(result.stdout))) == {"open.txt"}
    output = crew.run("search", QUESTION, "-c", collection, "--as", "user:bo", "--json").stdout
    assert ("open.txt" in output, "legal.md" in output) == (True, False)
    assert crew.run("ask", QUESTION, "-c", collection, "--as", "bo").returncode == 2
    made = crew.run("keys", "create", "ann", "--as", "user:ann,group:legal", "--yes", "--json")
    key = json.loads(made.stdout)
    try:
        assert key["principals"] == list(ANN)
        assert "user:ann" in crew.run("keys", "list").stdout
        changed = crew.run("keys", "change", key["id"], "--as", "user:ann")
        assert changed.stderr.endswith("sees what is allowed to user:ann.\n")
        changed = crew.run("keys", "change", key["id"], "--everything")
        assert changed.stderr.endswith("sees everything.\n")
    finally:
        crew.redis.hdel(STORED, key["id"])
