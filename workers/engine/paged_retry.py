"""Retries a job whose results are in pages: its list restarts with the documents still to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import orjson

from hopline.errors import just_retried, nothing_to_retry, still_running
from hopline.models.jobs import JobState
from workers.core.jobs.flow import Flow
from workers.core.jobs.manifest import ManifestWriter
from workers.core.jobs.records import JobRecord, Page
from workers.core.jobs.result_pages import get_entries
from workers.core.jobs.work import Item
from workers.core.redis_keys import job_key
from workers.engine.result_pages import items_at, page_of, spool_rest
from workers.services import Services


def retry_pages(services: Services, record: JobRecord, flow: Flow) -> int:
    """Open an ended job again; return its new epoch.

    Done again is what failed, what was under way and what was never begun. All lists and pages are written
    while the job still counts as ended, so a crash in between leaves one that can be retried again.

    Raises:
        InvalidInput: it runs, or nothing is left to do; or somebody else retries it.
    """
    name = record.job.id
    if record.state is JobState.RUNNING:
        raise still_running(name)
    phase = _listed_phase(services, record, flow, services.spool.pages(name))
    if not spool_rest(services, record, flow, phase):
        raise just_retried(name)
    pages = services.spool.pages(name)
    step, kept = "", [page for page in pages if page.phase < phase]
    left = ManifestWriter(services.blobs, record.window)
    for page in pages:
        if page.phase != phase:
            continue
        entries = get_entries(services.blobs, page.reference)
        step = entries[0].step
        whole = [entry for entry in entries if entry.again is None]
        kept += [page_of(services, phase, whole)] if whole else []
        for entry in entries:
            if entry.again is not None:
                left.add(Item(id=entry.item, step=step, input=entry.again))
    for item in _undone(services, record, phase):
        step = item.step
        left.add(item)
    if not left.size and not record.dead and record.state is JobState.DONE:
        raise nothing_to_retry(name)
    again, done = left.finish(), sum(sum(page.counts.values()) for page in kept if page.phase == phase)
    epoch = services.spool.reopen(
        name,
        record.epoch,
        phase,
        (again.reference, again.size),
        len(pages),
        _steps_anew(flow, step, done),
        kept,
    )
    if epoch is None:
        raise just_retried(name)
    return epoch


def _listed_phase(services: Services, record: JobRecord, flow: Flow, pages: list[Page]) -> int:
    """Return the phase whose list restarts: the last one before all remaining work."""
    name = record.job.id
    # Where a retry kept no page and nothing was admitted since, it is the one that the job is in.
    listed = {page.phase for page in pages} | ({record.phase} if _list_of(services, name)[0] else set())
    for value in _items(services, name).values():
        number, step, _ = value.split(" ", 2)
        if step in flow.listed_steps:
            listed.add(int(number))
    left = {page.phase for page in pages if page.dead}
    left |= {letter.phase for letter in services.ledger.dead_letters(name)}
    first = min(left, default=record.phase)
    return max((number for number in listed if number <= first), default=record.phase)


def _steps_anew(flow: Flow, step: str, done: int) -> list[tuple[str, int]]:
    """Return the steps that restart, in flow order, and how many items of each stay done."""
    steps = list(flow.steps)
    later = steps[steps.index(step) + 1 :] if step in flow.steps else []
    return [(step, done), *((later_step, 0) for later_step in later)]


def _undone(services: Services, record: JobRecord, phase: int) -> Iterator[Item]:
    """Yield what the phase had under way, and what of its list was never begun."""
    client, name = services.ledger.client, record.job.id
    done = set(cast("list[str]", client.hkeys(job_key(name, "result"))))
    for item, value in _items(services, name).items():
        number, step, input_json = value.split(" ", 2)
        if int(number) == phase and step != "flow.advance" and item not in done:
            yield Item(id=item, step=step, input=orjson.loads(input_json))
    if record.phase != phase:
        return  # its list was admitted to the end
    manifest, at, size = _list_of(services, name)
    while manifest and at < size:
        page = items_at(services, manifest, at)
        yield from page
        at += len(page)


def _list_of(services: Services, name: str) -> tuple[str, int, int]:
    """Return the list of the job's phase, "" for none; how far it was admitted; its size."""
    fields = services.ledger.client.hmget(job_key(name, "job"), "manifest", "cursor", "size")
    manifest, cursor, size = cast("tuple[str | None, str | None, str | None]", tuple(fields))
    return manifest or "", int(cursor or 0), int(size or 0)


def _items(services: Services, name: str) -> dict[str, str]:
    """Return a job's items that are in Redis: id -> phase, step and input."""
    pairs = services.ledger.client.hscan_iter(job_key(name, "items"), count=500)
    return dict(cast("Iterator[tuple[str, str]]", pairs))
