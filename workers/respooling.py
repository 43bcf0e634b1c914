"""A retry of a job whose results lie in pages: its list begins anew with what is left to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import orjson

from workers.core.errors import InvalidInput
from workers.core.work import Item, JobState, Json
from workers.flows.flow import Flow
from workers.ledger.keys import job_key
from workers.ledger.manifest import ManifestWriter
from workers.ledger.records import JobRecord, Page
from workers.services import Services
from workers.spooling import entry_of, items_at, page_of, read_entries

_MOST = 5000  # results in Redis of an ended job: the window and what was not spooled yet


def retry_pages(services: Services, record: JobRecord, flow: Flow) -> int:
    """Open an ended job again; return its new epoch.

    Done again is what failed, what was under way and what was never begun. All lists and pages are written
    while the job still counts as ended, so a crash in between leaves one that can be retried again.

    Raises:
        InvalidInput: it runs, or nothing is left to do.
    """
    name = record.job.id
    if record.state is JobState.RUNNING:
        raise InvalidInput("job", name, "a job that has ended; this one still runs")
    pages = services.spool.pages(name)
    phase = pages[0].phase
    step = ""
    kept: list[Page] = []
    left = ManifestWriter(services.blobs, record.window)
    for entries in _entries(services, record, flow, pages):
        step = entries[0]["step"]
        whole = [entry for entry in entries if entry["again"] is None]
        kept += [page_of(services, phase, whole)] if whole else []
        for entry in entries:
            if entry["again"] is not None:
                left.add(Item(id=entry["item"], step=step, input=entry["again"]))
    for item in _undone(services, record, phase):
        left.add(item)
    if not left.size:
        raise InvalidInput("job", name, "a job with something left to do; all of this one is done")
    again, done = left.finish(), sum(sum(page.counts.values()) for page in kept)
    epoch = services.spool.reopen(
        name, record.epoch, phase, (again.reference, again.size), (step, done), kept
    )
    if epoch is None:
        raise InvalidInput("job", name, "a job that has ended; this one was just retried")
    return epoch


def _entries(services: Services, record: JobRecord, flow: Flow, pages: list[Page]) -> Iterator[list[Json]]:
    """Yield what is kept of the done items, page by page; at last those whose results are still in Redis."""
    for page in pages:
        yield read_entries(services, page.reference)
    rest = services.spool.take(record.job.id, pages[0].phase, flow.listed_step, most=_MOST)
    if rest:
        yield [entry_of(flow, done, given) for done, given in rest]


def _undone(services: Services, record: JobRecord, phase: int) -> Iterator[Item]:
    """Yield what the phase had under way, and what of its list was never begun."""
    if record.phase != phase:
        return
    client, name = services.ledger.client, record.job.id
    for item, value in client.hscan_iter(job_key(name, "items"), count=500):
        number, step, given = value.split(" ", 2)
        waits = int(number) == phase and step != "flow.advance"
        if waits and not client.hexists(job_key(name, "result"), item):
            yield Item(id=item, step=step, input=orjson.loads(given))
    told = client.hmget(job_key(name, "job"), "manifest", "cursor", "size")
    manifest, cursor, size = cast("tuple[str | None, str | None, str | None]", tuple(told))
    at = int(cursor or 0)
    while manifest and at < int(size or 0):
        page = items_at(services, manifest, at)
        yield from page
        at += len(page)
