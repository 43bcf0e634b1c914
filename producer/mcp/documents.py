"""MCP tool that ingests documents."""

from __future__ import annotations

from pydantic import Field

from hopline.errors import InvalidInput
from hopline.models.documents import TextDocument
from hopline.models.ingest_reports import IngestReport
from hopline.models.jobs import Json
from hopline.models.metadata import Metadata
from hopline.models.params import ChunkSizes, EncodingName
from hopline.progress.ingest import IngestProgress
from producer.mcp.offer import Call, Offer, Told, offer, result_of, uncancelled
from producer.mcp.progress import ending, follow
from producer.mcp.questions import COLLECTION
from producer.mcp.texts import report_text


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
    .md .html .json .log .pdf .docx .xlsx .xls .ods .csv .tsv and .jsonl.
    """

    paths: tuple[str, ...] = Field(
        default=(), description="Files and folders of this machine, or addresses such as s3://bucket/folder."
    )
    encoding: EncodingName = ""


async def ingest(call: Call, arguments: IngestTexts) -> Told:
    """Bring documents in."""
    paths = arguments.paths if isinstance(arguments, Ingest) else ()
    if not arguments.texts and not paths:
        raise InvalidInput(
            "texts", [], "one at least" + (", or a path" if isinstance(arguments, Ingest) else "")
        )
    taken_with: Json = arguments.model_dump(
        include={*ChunkSizes.model_fields, "encoding", "collection", "profile"}
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
    """Return the tool; with files of this machine only where whoever calls sits at it."""
    return offer(
        Ingest if files else IngestTexts,
        ingest,
        name="ingest",
        title="Add documents",
        result=result_of(IngestReport, job_ids={"type": "array", "items": {"type": "string"}}),
        scope="submit",
        changes=True,
    )
