"""Documents as resources of the MCP server, as different callers see them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, made_document, write
from fleet.api import ServedApi
from mcp import Client, MCPError

from hopline import AsyncHopline
from producer.mcp.server import Toolset, make_server
from workers.core.metadata.changes import MetadataChange
from workers.services import Services

NOTES, OTHER = "resources-a", "resources-b"
CURIE_ID, BOHR_ID = made_document(NOTES, "curie.txt")[0].id, made_document(OTHER, "bohr.txt")[0].id


@pytest.fixture(scope="module", autouse=True)
def _documents(services: Services) -> Iterator[None]:
    write(services.graph, NOTES, "curie.txt", [CURIE], [PRIZE])
    write(services.graph, OTHER, "bohr.txt", [BOHR])
    services.graph.store.change_metadata([BOHR_ID], MetadataChange(values={"allow": ["group:legal"]}))
    yield
    for document in (CURIE_ID, BOHR_ID):
        services.graph.store.delete_document(document)


def talk(api: ServedApi, key: str, what: Callable[[Client], Awaitable[Any]]) -> Any:
    async def held() -> Any:
        async with (
            AsyncHopline(api.url, api_key=key) as hopline,
            Client(make_server(Toolset(lambda _context: hopline))) as assistant,
        ):
            return await what(assistant)

    return asyncio.run(held())


async def _listed(assistant: Client) -> list[str]:
    uris, cursor = list[str](), None
    while True:
        page = await assistant.list_resources(cursor=cursor)
        uris += [each.uri for each in page.resources if each.uri.endswith((CURIE_ID, BOHR_ID))]
        cursor = page.next_cursor
        if cursor is None:
            return uris


def test_an_assistant_lists_and_reads_the_documents_of_all_collections(api: ServedApi) -> None:
    async def read(assistant: Client) -> tuple[list[str], str, list[str]]:
        text = await assistant.read_resource(f"hopline://documents/{CURIE_ID}")
        templates = await assistant.list_resource_templates()
        names = [template.uri_template for template in templates.resource_templates]
        return await _listed(assistant), text.contents[0].text, names

    listed, text, templates = talk(api, api.key("read"), read)
    assert listed == [f"hopline://documents/{CURIE_ID}", f"hopline://documents/{BOHR_ID}"]
    assert (CURIE[0] in text, PRIZE[0] in text) == (True, True)
    assert templates == ["hopline://documents/{id}"]


def test_an_assistant_sees_no_document_that_its_key_may_not(api: ServedApi) -> None:
    async def read_hidden(assistant: Client) -> list[str]:
        for uri in (f"hopline://documents/{BOHR_ID}", "hopline://documents/none", "file:///etc/passwd"):
            with pytest.raises(MCPError):
                await assistant.read_resource(uri)
        return await _listed(assistant)

    seen = [f"hopline://documents/{CURIE_ID}"]
    assert talk(api, api.key("read", principals=("user:ann",)), read_hidden) == seen
    assert talk(api, api.key("read", collections=(NOTES,)), read_hidden) == seen
