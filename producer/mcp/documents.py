"""MCP: the tool that ingests documents, and documents as resources."""

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
from pydantic import Field

from hopline.errors import InvalidInput, NotFound, refusal
from hopline.models.documents import TextDocument
from hopline.models.ingest_reports import IngestReport
from hopline.models.jobs import Json
from hopline.models.metadata import Metadata
from hopline.models.params import ChunkSizes, EncodingName
from hopline.progress.ingest import IngestProgress
from hopline.visible import visible
from hopline.words import counted
from producer.mcp.offer import Call, Offer, Told, offer, result_of, uncancelled
from producer.mcp.progress import ending, follow
from producer.mcp.questions import COLLECTION
from producer.mcp.texts import report_text

_URI = "hopline://documents/"
_TYPE = "text/plain"  # what is read of any document
_PAGE = 100  # documents
_PARTS = 10  # requests for a text, of 20,000 characters each
TEMPLATE = ResourceTemplate(
    name="document",
    title="A document's text",
    uri_template=f"{_URI}{{id}}",
    description="The text of a document, by its id from answers, passages or lists.",
    mime_type=_TYPE,
)


class IngestTexts(ChunkSizes):
    """Add texts to a collection, so that questions can be asked about them.

    A text with the same name replaces the previous one; the same text again changes nothing.
    """

    texts: tuple[TextDocument, ...] = Field(
        default=(),
        description="Documents: {name, text, title?, format?: txt, md or html, metadata?}.",
        max_length=100,
    )
    collection: str = COLLECTION
    profile: str | None = Field(
        default=None,
        max_length=100_000,
        description="Also extract typed entities, relations and events: narrative, or the text of a TOML "
        "profile.",
    )
    metadata: Metadata = Field(
        default={},
        description="Metadata fields for all these documents: texts, numbers, dates (2024-05-01), lists of "
        "texts; author, date, tags and priority have a fixed meaning.",
    )
    wait: bool = Field(
        default=True,
        description="Wait until they are ingested; otherwise follow progress with the tool job.",
    )


class Ingest(IngestTexts):
    """Add texts and files to a collection, so that questions can be asked about them.

    A document with the same name replaces the previous one; the same content again changes nothing. Reads
    .txt .md .html .json .log .pdf .docx .xlsx .xls .ods .csv .tsv and .jsonl.
    """

    paths: tuple[str, ...] = Field(
        default=(), description="Files and folders on this machine, or addresses such as s3://bucket/folder."
    )
    encoding: EncodingName = ""
    code: bool = Field(
        default=False, description="Also read source code and configuration, split at each definition."
    )


async def ingest(call: Call, arguments: IngestTexts) -> Told:
    """Ingest documents."""
    paths = arguments.paths if isinstance(arguments, Ingest) else ()
    if not arguments.texts and not paths:
        raise InvalidInput(
            "texts", [], "at least one" + (", or a path" if isinstance(arguments, Ingest) else "")
        )
    taken_with: Json = arguments.model_dump(
        include={*ChunkSizes.model_fields, "encoding", "code", "collection", "profile"}
    )
    job_ids = list[str]()
    async with ending(call, job_ids):
        handing_over = call.client.hand_over(
            [*arguments.texts, *paths], metadata=arguments.metadata, **taken_with
        )
        submitted = await uncancelled(handing_over)
        job_ids += submitted.job_ids
        if arguments.wait:
            progress = IngestProgress(documents=submitted.documents)
            for job_id in job_ids:
                await follow(call, job_id, progress, None)
    jobs = [await call.client.jobs.get(job_id) for job_id in job_ids]
    report = IngestReport.of_all(jobs, submitted.refused)
    return Told(text=report_text(report), data={"job_ids": job_ids, **report.model_dump(mode="json")})


def ingest_offer(*, files: bool) -> Offer:
    """Return the tool; it accepts files only if the caller is on this machine."""
    return offer(
        Ingest if files else IngestTexts,
        ingest,
        name="ingest",
        title="Add documents",
        result=result_of(IngestReport, job_ids={"type": "array", "items": {"type": "string"}}),
        scope="submit",
        changes=True,
    )


if TYPE_CHECKING:
    from hopline.aio.client import AsyncHopline
    from hopline.models.documents import Document


async def list_documents(client: AsyncHopline, cursor: str) -> ListResourcesResult:
    """Return a page of the documents that the caller may see.

    Args:
        client: makes requests for the caller.
        cursor: a collection and the cursor of its list, separated by a colon; "" for the first page.

    Raises:
        MCPError: the cursor is not valid.
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
    """Return a document's text; for a long one, the beginning and how to read on.

    Raises:
        MCPError: there is no such document.
    """
    document_id = uri.removeprefix(_URI)
    if not uri.startswith(_URI) or not document_id:
        raise MCPError(INVALID_PARAMS, refusal("uri", repr(uri), TEMPLATE.uri_template))
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
