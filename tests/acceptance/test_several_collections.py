"""A question over several collections: by real workers, over HTTP, MCP and the command line's client."""

import asyncio
import secrets
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fleet.api import ServedApi
from fleet.crew import Crew
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from hopline import Hopline
from hopline.errors import AccessDenied, InvalidInput, NoDocuments, NotFound
from hopline.models.answers import Answer
from hopline.models.jobs import JobState

CONTRACT = "The Clifton Suspension Bridge was designed by Isambard Kingdom Brunel. Its toll is one pound.\n"
LETTER = "Isambard Kingdom Brunel was born in Portsmouth. Isambard Kingdom Brunel smoked cigars.\n"
HIDDEN = "---\nallow: group:legal\n---\nIsambard Kingdom Brunel was born in Dublin.\n"
QUESTION = "Where was the designer of the Clifton Suspension Bridge born?"


@pytest.fixture(scope="module")
def both(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """One with who designed a bridge, and one with where he was born: as everyone may know, or some."""
    texts = ({"contract.txt": CONTRACT}, {"letter.txt": LETTER, "hidden.md": HIDDEN})
    names = tuple(f"{kind}-{secrets.token_hex(4)}" for kind in ("contracts", "letters"))
    for name, files in zip(names, texts, strict=True):
        folder = tmp_path_factory.mktemp(name)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        standing_crew.ingest(folder, name)
    return names[0], names[1]


def cited(answer: Answer) -> set[tuple[str, str]]:
    return {
        (Path(citation.document.uri).name, citation.document.collection)
        for citation in answer.citations
        if citation.document
    }


@pytest.mark.parametrize(
    "strategy", ["graph", *(pytest.param(name, marks=pytest.mark.long) for name in ("reader", "survey"))]
)
def test_an_answer_cites_documents_of_both(crew: Crew, both: tuple[str, str], strategy: str) -> None:
    bo = crew.client.with_options(act_as="user:bo")
    answer = bo.ask(QUESTION, collection=both, strategy=strategy, where="not exists(nothing)")
    assert ("letter.txt", both[1]) in cited(answer), answer
    assert cited(answer) <= {("contract.txt", both[0]), ("letter.txt", both[1])}
    assert answer.scope["collections"] == list(both)
    assert "Portsmouth" in answer.text
    assert "Dublin" not in answer.model_dump_json()
    job = crew.client.jobs.get(answer.job_id)
    assert (job.collection, job.params["collections"]) == (both[0], list(both))


def test_each_collection_must_be_the_keys_and_exist(crew, api, both):
    contracts, letters = both
    with Hopline(api.url, api_key=api.key("submit", principals=("group:legal",))) as lawyer:
        answer = lawyer.ask(QUESTION, collection=both)
        assert {name for _file, name in cited(answer)} >= {letters}
        assert answer.scope["collections"] == list(both)
        with pytest.raises(NotFound, match=f"no collection nope-{letters}"):
            lawyer.ask(QUESTION, collection=[contracts, f"nope-{letters}"])
        with pytest.raises(InvalidInput, match="strategy"):
            lawyer.ask(QUESTION, collection=both, strategy="tools")
    limited = Hopline(api.url, api_key=api.key("submit", collections=(contracts,)))
    with limited, pytest.raises(AccessDenied, match=f"may not use collection {letters}"):
        limited.ask(QUESTION, collection=both)
    with pytest.raises(NoDocuments, match="no collection nope"):
        crew.service.questions.require_documents([contracts, "nope"], "graph")


@pytest.mark.usefixtures("crew")
def test_an_assistant_names_several(api: ServedApi, both: tuple[str, str]) -> None:
    async def ask() -> Any:
        headers = {"Authorization": f"Bearer {api.key('submit', principals=('user:bo',))}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=180, trust_env=False) as http,
            Client(streamable_http_client(f"{api.url}/mcp", http_client=http)) as assistant,
        ):
            return await assistant.call_tool("ask", {"question": QUESTION, "collection": list(both)})

    result = asyncio.run(ask())
    assert not result.is_error
    assert result.structured_content["status"] in {JobState.DONE, JobState.PARTIAL}
    assert f"collection {both[1]}, " in result.content[0].text
    assert "Dublin" not in str(result)
