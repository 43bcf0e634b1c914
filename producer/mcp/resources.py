"""Documents as MCP resources: listed collection by collection, read as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from hopline.errors import InvalidInput, NotFound
from hopline.visible import visible
from hopline.words import counted

if TYPE_CHECKING:
    from hopline.aio.client import AsyncHopline
    from hopline.models.documents import Document

_URI = "hopline://documents/"
_TYPE = "text/plain"  # what is read of any document
_PAGE = 100  # documents
_PARTS = 10  # requests for a text, of 20,000 characters each
TEMPLATE = ResourceTemplate(
    name="document",
    title="A document's text",
    uri_template=f"{_URI}{{id}}",
    description="The text of a document, by the id that answers, passages and lists name.",
    mime_type=_TYPE,
)


async def list_documents(client: AsyncHopline, cursor: str) -> ListResourcesResult:
    """Return a page of the documents that the caller may see.

    Args:
        client: asks as the caller.
        cursor: a collection and the cursor of its list, with a colon between them; "" begins.

    Raises:
        MCPError: it is none.
    """
    names = [each.name for each in (await client.collections.list()).collections]
    name, _, place = cursor.partition(":")
    if not cursor and not names:
        return ListResourcesResult(resources=[])
    name = name or names[0]
    try:
        page = await client.documents.list(collection=name, cursor=place, limit=_PAGE)
    except InvalidInput as error:
        raise MCPError(INVALID_PARAMS, str(error)) from error
    following = (
        f"{name}:{page.next}" if page.next else next((f"{each}:" for each in names if each > name), None)
    )
    return ListResourcesResult(resources=list(map(_resource, page.documents)), next_cursor=following)


def _resource(document: Document) -> Resource:
    return Resource(
        uri=f"{_URI}{document.id}",
        name=visible(document.uri),
        title=visible(document.title) or None,
        description=f"{document.collection}: {counted(document.facts, 'fact')}",
        mime_type=_TYPE,
    )


async def read_document(client: AsyncHopline, uri: str) -> ReadResourceResult:
    """Return a document's text; of a long one the beginning, and how to read on.

    Raises:
        MCPError: there is no such document.
    """
    document_id = uri.removeprefix(_URI)
    if not uri.startswith(_URI) or not document_id:
        raise MCPError(INVALID_PARAMS, f"uri: got {uri!r}, allowed is {TEMPLATE.uri_template}")
    parts, end = list[str](), 0
    try:
        for _ in range(_PARTS):
            passage = await client.documents.text(document_id, start=end)
            parts.append(passage.text)
            end = passage.end
            if end >= passage.length:
                break
        else:
            parts.append(f"\n… (characters 0 to {end} of {passage.length}: the tool document_text reads on)")
    except NotFound as error:
        raise MCPError(INVALID_PARAMS, str(error)) from error
    return ReadResourceResult(
        contents=[TextResourceContents(uri=uri, mime_type=_TYPE, text=visible("".join(parts)))]
    )
