"""Stores a very large job's item list and result pages in the blob store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hopline.models.jobs import JobState, Json
from workers.core.jobs.flow import PAGE, Flow, Results
from workers.core.jobs.manifest import load_page
from workers.core.jobs.records import JobRecord, Page
from workers.core.jobs.result_pages import (
    Entry,
    PageResult,
    fold_pages,
    get_entries,
    put_entries,
    unfold_pages,
)
from workers.core.jobs.work import Done, Item, Job, as_json
from workers.services import Services

_SHOWN = 200  # documents of a large job that its outcome lists


def spool_results(services: Services, job: Job, flow: Flow, phase: int, *, least: int | None = None) -> None:
    """Store results of a phase as pages while at least `least` are in Redis; by default a whole page."""
    if flow.line is None:
        return
    least = services.spool.at if least is None else least
    while len(taken := services.spool.take(job.id, phase, flow.listed_steps)) >= max(1, least):
        if not _store(services, job, flow, phase, taken, JobState.RUNNING):
            return


def spool_rest(services: Services, record: JobRecord, flow: Flow, phase: int) -> bool:
    """Store all results of an ended job's phase as pages; False if another process does so, or retried it."""
    job = record.job.model_copy(update={"epoch": record.epoch})
    while taken := services.spool.take(job.id, phase, flow.listed_steps, sought=True):
        if not _store(services, job, flow, phase, taken, record.state):
            return False
    return True


def _store(
    services: Services,
    job: Job,
    flow: Flow,
    phase: int,
    taken: Sequence[tuple[Done, Json]],
    state: JobState,
) -> bool:
    page = page_of(services, phase, [entry_of(flow, done, item_input) for done, item_input in taken])
    return services.spool.store(job.id, job.epoch, page, [done.item_id for done, _ in taken], state)


def entry_of(flow: Flow, done: Done, item_input: Json) -> Entry:
    """Return the stored entry of a finished item with this input."""
    assert flow.line is not None  # noqa: S101 - the caller looked
    line = flow.line(done)
    again = item_input if line.again else None
    return Entry(item=done.item_id, step=done.step, status=line.status, line=line.data, again=again)


def page_of(services: Services, phase: int, entries: Sequence[Entry]) -> Page:
    """Store the results of items of a phase; return the page that replaces them."""
    counts = Counter(entry.status for entry in entries)
    dead = sum(entry.again is not None for entry in entries)
    reference = put_entries(services.blobs, entries)
    return Page(phase=phase, reference=reference, counts=dict(counts), dead=dead)


def results_of(services: Services, job: Job, flow: Flow, phase: int) -> Results:
    """Return a job's results for its flow; a phase with pages is returned as pages."""
    pages = services.spool.pages(job.id) if flow.line else []
    if flow.line and (pages or job.params.get("name")):  # the report of a named one is made of pages
        spool_results(services, job, flow, phase, least=1)
        pages = services.spool.pages(job.id)
    results = services.ledger.results(job.id)
    for number in {page.phase for page in pages}:
        named = _named(services, [page for page in pages if page.phase == number])
        results.setdefault(number, []).extend(named)
    return results


def _named(services: Services, pages: list[Page]) -> list[Done]:
    """Return a phase's pages, or a reference to their list if they exceed an item's input."""
    results = [PageResult(reference=page.reference, counts=page.counts) for page in pages]
    references = [page.reference for page in pages]
    if len(references) > services.spool.named:
        counts: Counter[str] = Counter()
        for page in pages:
            counts.update(page.counts)
        results = [PageResult(reference=fold_pages(services.blobs, references), counts=dict(counts))]
    return [
        Done(item_id=f"page:{nth}", step=PAGE, result=as_json(result)) for nth, result in enumerate(results)
    ]


def outcome_shown(services: Services, flow: Flow, outcome: Json) -> Json:
    """Return an outcome with sample lines from its pages: those that a retry would run again."""
    shown = list(outcome.get(flow.shows, []))
    for page in unfold_pages(services.blobs, outcome.get("pages", ())):
        if len(shown) >= _SHOWN:
            break
        shown += [entry.line for entry in get_entries(services.blobs, page) if entry.again is not None]
    return {**outcome, flow.shows: shown[:_SHOWN]} if "pages" in outcome else outcome


def items_at(services: Services, manifest: str, cursor: int) -> tuple[Item, ...]:
    """Return the items admitted at this cursor; the manifest's name may give their step after a #."""
    reference, _, step = manifest.partition("#")
    items = load_page(services.blobs, reference, cursor)
    return tuple(item.model_copy(update={"step": step}) for item in items) if step else items
