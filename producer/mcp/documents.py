"""MCP tool that ingests documents."""

from __future__ import annotations

from pydantic import Field

from hopline.errors import InvalidInput
from hopline.models.documents import TextDocument
from hopline.models.ingest_reports import Submitted
from hopline.models.jobs import Json
from hopline.models.metadata import Metadata
from hopline.models.params import ChunkSizes
from hopline.progress.ingest import IngestProgress
from producer.mcp.offer import Call, Offer, Told, offer
from producer.mcp.progress import ending, follow
from producer.mcp.questions import COLLECTION
from producer.mcp.texts import report_text
from producer.reports.outcomes import report_of_all
from workers.ingest.profile.profile import ProfileText


class IngestTexts(ChunkSizes):
    """Bring texts into a collection, so that questions can be asked of them.

    A text of the same name replaces the one before; the same text again changes nothing.
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
        description="Also take typed entities, relations and events: narrative, or a profile's TOML as text.",
    )
    metadata: Metadata = Field(
        default={},
        description="Fields of all these documents: texts, numbers, dates (2024-05-01), lists of texts; "
        "author, date, tags and priority are well known.",
    )
    wait: bool = Field(default=True, description="Wait until they are in; else ask the tool job.")


class Ingest(IngestTexts):
    """Bring texts and files into a collection, so that questions can be asked of them.

    A document of the same name replaces the one before; the same content again changes nothing. Reads .txt
    .md .html .pdf .docx and .jsonl.
    """

    paths: tuple[str, ...] = Field(
        default=(), description="Files and folders of this machine, or addresses such as s3://bucket/folder."
    )


async def ingest(call: Call, arguments: IngestTexts) -> Told:
    """Bring documents in."""
    paths = arguments.paths if isinstance(arguments, Ingest) else ()
    if not arguments.texts and not paths:
        raise InvalidInput(
            "texts", [], "one at least" + (", or a path" if isinstance(arguments, Ingest) else "")
        )
    client, where = call.client, arguments.collection
    taken_with: Json = arguments.model_dump(include=set(ChunkSizes.model_fields))
    taken_with["metadata"] = arguments.metadata
    taken_with["profile"] = ProfileText(arguments.profile) if arguments.profile else None
    job_ids, handed = list[str](), list[Submitted]()
    async with ending(call, job_ids):
        if arguments.texts:
            handed.append(await call.make(client.submit_texts, arguments.texts, where, **taken_with))
            job_ids += handed[-1].job_ids
        if paths:
            handed.append(await call.make(client.submit_documents, paths, where, **taken_with))
            job_ids += handed[-1].job_ids
        if arguments.wait:
            progress = IngestProgress(documents=sum(submitted.documents for submitted in handed))
            for job_id in job_ids:
                await follow(call, job_id, progress, None)
    records = [await call.do(client.job, job_id) for job_id in job_ids]
    report = report_of_all(records, [refused for submitted in handed for refused in submitted.refused])
    return Told(text=report_text(report), data={"job_ids": job_ids, **report.model_dump(mode="json")})


def ingest_offer(*, files: bool) -> Offer:
    """Return the tool; with files of this machine only where whoever calls sits at it."""
    if files:
        return offer(Ingest, ingest, name="ingest", title="Add documents", scope="submit", changes=True)
    return offer(IngestTexts, ingest, name="ingest", title="Add documents", scope="submit", changes=True)
