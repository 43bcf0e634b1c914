"""Formats the results of MCP tools as text that an assistant can quote."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.models.jobs import JobState
from hopline.models.results import Job
from hopline.titles import ShownTitles
from hopline.views.words import place_words
from hopline.words import counted

if TYPE_CHECKING:
    from hopline.models.answers import Answer, AnyCitation
    from hopline.models.graph import Neighbourhood, Passage
    from hopline.models.ingest_reports import IngestReport
    from hopline.models.search import Found

_QUOTE = 500  # characters
_OPENINGS = {
    JobState.ABSTAINED: "No answer: ",
    JobState.PARTIAL: "Partial: ",
    JobState.FAILED: "Failed: ",
    JobState.CANCELLED: "Cancelled: ",
    JobState.QUEUED: "Still queued: ",
    JobState.RUNNING: "Still running: ",
}


def answer_text(answer: Answer) -> str:
    """Return an answer with its citations."""
    parts = [answer.text] if answer.text else []
    if answer.reason:
        parts.append(_OPENINGS.get(answer.status, "") + answer.reason)
    parts += [f"Not found: {part}" for part in answer.also_missing]
    parts += [f"Not the whole table: {table}." for table in answer.tables_in_part]
    parts += [f"Translated, names not checked: “{sentence}”" for sentence in answer.unchecked]
    if not answer.status.is_terminal:
        parts.append(f"Ask for it with the tool job, job_id {answer.job_id}.")
    if answer.citations:
        parts.append("Citations:\n" + "\n".join(_citation(citation) for citation in answer.citations))
    return "\n\n".join(parts)


def _citation(citation: AnyCitation) -> str:
    place = citation.stated if citation.kind == "graph" else citation
    if place is None:
        arguments = ", ".join(f"{name}={value}" for name, value in getattr(citation, "arguments", {}).items())
        return f"[{citation.n}] {citation.fact} ({getattr(citation, 'tool', 'graph')}({arguments}))"
    document = place.document
    of = f"collection {document.collection}, " if document.collection else ""
    of += (
        f"version {document.version}, current until {document.until.isoformat()}, " if document.until else ""
    )
    where = f"{of}{document.uri}{place_words(place.place)}"
    return f"[{citation.n}] {document.title} ({where}): “{_short(place.quote)}”"


def search_result_text(result: Found, *, named: bool = False) -> str:
    """Return a search's chunks with their places, best first, and their collections if named."""
    if not result.chunks:
        return "Nothing found: the collection is not there, or nothing in it speaks of that."
    parts = []
    for rank, hit in enumerate(result.chunks, 1):
        of = f"collection {hit.document.collection}, " if named else ""
        place = f"{of}{hit.document.uri}{place_words(hit.place)}"
        place += f", characters {hit.chunk.start} to {hit.chunk.end}"
        parts.append(f"{rank}. {hit.document.title} ({place})\n{hit.chunk.text.strip()}")
    return "\n\n".join(parts)


def neighbourhood_text(near: Neighbourhood) -> str:
    """Return the facts around a key element, each with a sentence that states it."""
    if near.centre is None:
        return f"Collection {near.collection} knows nothing of that name."
    centre = near.elements[0]
    parts = [
        f"{centre.name}: in {counted(centre.degree, 'fact')}"
        + (", of which some follow" if near.more else "")
    ]
    titles = ShownTitles(source for fact in near.facts for source in fact.sources[:1])
    for fact in near.facts:
        places = "; ".join(f"{titles.of(source)}: “{_short(source.quote)}”" for source in fact.sources[:1])
        parts.append(f"- {fact.text}" + (f" ({places})" if places else ""))
    if near.candidates:
        parts.append("The name may also mean: " + ", ".join(candidate.name for candidate in near.candidates))
    return "\n".join(parts)


def passage_text(passage: Passage) -> str:
    """Return an excerpt of a document with its position."""
    document = passage.document
    place = f"{document.uri}, characters {passage.start} to {passage.end} of {passage.length}"
    return f"{document.title} ({place})\n{passage.text}"


def report_text(report: IngestReport) -> str:
    """Return the result for each document."""
    lines = [f"Ingestion {report.job_id} is {report.status}."]
    for document in report.documents:
        detail = document.error or f"{counted(document.chunks, 'chunk')}, {counted(document.facts, 'fact')}"
        lines.append(
            f"- {document.uri}: {document.status}" + (f": {detail}" if document.status != "unchanged" else "")
        )
    return "\n".join(lines)


def job_text(job: Job) -> str:
    """Return the status of a job."""
    done, items = sum(job.done.values()), sum(job.items.values())
    line = f"Job {job.id}: {job.kind} over {job.collection}, {job.state}"
    lines = [
        f"{line}, {done} of {counted(items, 'item')} done" + (f", {job.dead} given up" if job.dead else "")
    ]
    if job.closed_for:
        lines.append(f"Closed early: {job.closed_for}")
    if job.waits_for:
        lines.append(f"Waits: {job.waits_for}")
    return "\n".join(lines)


def _short(quote: str) -> str:
    joined = " ".join(quote.split())
    return joined if len(joined) <= _QUOTE else joined[: _QUOTE - 1] + "…"
