"""Submits, cancels and retries jobs, for producers and for the runner."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

import orjson
import structlog
from redis.exceptions import ResponseError

from hopline.errors import (
    KeyReused,
    StateConflict,
    just_retried,
    nothing_to_retry,
    still_running,
    unknown_job,
)
from hopline.models.base import Frozen
from hopline.models.jobs import JobState, Json, Parent, Priority
from workers.core import ids
from workers.core.jobs.flow import Flow, only_item
from workers.core.jobs.manifest import Manifest, ManifestWriter, stow
from workers.core.jobs.messages import Message, Publisher
from workers.core.jobs.params import check_collection, parse_params, read_input
from workers.core.jobs.records import JobRecord, Page
from workers.core.jobs.result_pages import get_entries
from workers.core.jobs.work import Item, Job, Phase, Terms
from workers.core.redis_keys import job_key
from workers.engine.hours import keep_hours_of
from workers.engine.memory_limit import is_full
from workers.engine.outbox import work_off
from workers.engine.result_pages import items_at, page_of, spool_rest
from workers.engine.session_history import history, session_home, session_of
from workers.engine.traces import trace_below
from workers.flows.registry import flow_of
from workers.ledger.retry import retry_dead_letters
from workers.services import Services
from workers.telemetry.metrics import COUNTS
from workers.webhooks.address import check_webhook

log = structlog.get_logger()

# Added to a third of the step's own, which is 0, 3, 6 or 9.
_PRIORITIES: dict[Priority, int] = {"high": 0, "normal": 3, "low": 6}


def submit_job(
    services: Services,
    publisher: Publisher,
    kind: str,
    collection: str,
    params: Json | Frozen,
    *,
    key: str | None = None,
    phase: Phase | None = None,
    terms: Terms | None = None,
) -> JobRecord:
    """Create a job and send its first messages.

    Args:
        services: services with the ledger.
        publisher: sends the messages.
        kind: the flow's name.
        collection: collection that the job works on.
        params: parameters of the flow: an instance of its class, or JSON to be validated by it.
        key: an idempotency key; the same caller and key give the same job.
        phase: the first phase, if the flow does not create it (a batch's documents).
        terms: caller, priority and notifications.

    Raises:
        InvalidInput: a parameter is invalid, or the key was used for another request.
    """
    flow, terms = flow_of(kind, dict(params)), terms or Terms()
    checked = parse_params(flow.params, params) if isinstance(params, dict) else params
    if terms.webhook:
        check_webhook(terms.webhook, services.settings)
    if services.tracer is not None:
        terms = terms.model_copy(update={"trace": services.tracer.opened(terms.trace)})
    name = ids.job_id(terms.caller, key)
    job = Job(
        id=name,
        kind=kind,
        collection=check_collection(collection),
        params=checked.model_dump(mode="json"),
        root=name,
        **terms.model_dump(),
    )
    try:
        create(services, publisher, flow, job, checked, phase=phase)
    except KeyReused:
        raise KeyReused(name if key is None else key) from None  # the ledger knows the job's id alone
    record = services.ledger.job(name)
    if record is None:
        raise unknown_job(name)
    return record


def create(
    services: Services,
    publisher: Publisher,
    flow: Flow,
    job: Job,
    params: Frozen,
    *,
    phase: Phase | None = None,
    parent: Parent | None = None,
) -> None:
    """Create a job in the ledger, then send its first messages; every part may be repeated.

    Nothing is sent for a job that already existed, or for a child that no item waits for.

    Args:
        services: services with the ledger.
        publisher: sends the messages.
        flow: the job's flow.
        job: the job to create.
        params: its parameters, as an instance of the flow's class.
        phase: the first phase, if the flow does not create it.
        parent: the item that the job's end finishes.
    """
    session, replayed = session_of(job), job.params.get("replay_of")
    first = phase or flow.first(job)
    if session:
        turns = _replayed_history(services, job, session) if replayed else _history(services, job, session)
        first = first.model_copy(update={"items": tuple(_with_history(i, turns) for i in first.items)})
    first, manifest = first_page(services, first)
    epoch = services.ledger.submit(
        job,
        first,
        manifest=manifest,
        budget=flow.budget(params),
        timeout=flow.timeout(params),
        parent=parent,
        session=None if replayed else session,  # what follows in a session knows of no replay
    )
    if not epoch:
        return
    job = job.model_copy(update={"epoch": epoch})
    COUNTS.count("hopline_jobs_submitted", job.kind)
    if job.params.get("hours"):
        keep_hours_of(services, job.id)  # before any worker hears of it
    if flow.chain:
        publisher.chain(messages_for(flow, job, [(only_item(step), step) for step in flow.chain]))
    else:
        publisher.send(messages_for(flow, job, [(item.id, item.step) for item in first.items]))


def _history(services: Services, job: Job, session: str) -> list[dict[str, str]]:
    """Return the session's exchanges, including one that ended only a moment ago."""
    last = services.sessions.follow(session_home(job), session, job.id)
    before = services.ledger.job(last) if last else None
    if before is not None and before.state is not JobState.RUNNING:
        work_off(services, before.job.id)
    return history(services, job, session)


def _replayed_history(services: Services, job: Job, session: str) -> list[dict[str, str]]:
    """Return the replayed job's earlier exchanges, as far as this one may know them."""
    before = services.ledger.job(job.params["replay_of"], outcome=False)
    if before is None:
        return []
    first = flow_of(before.job.kind, before.job.params).first(before.job).items
    known = services.ledger.input_of(before.job.id, first[0].id).get("history", ()) if first else ()
    return [turn for turn in history(services, job, session) if turn in known]


def first_page(services: Services, phase: Phase) -> tuple[Phase, Manifest | None]:
    """Return the phase as it can be opened, and the manifest; a single item needs no blob store."""
    if phase.listed:
        manifest = Manifest(reference=f"{phase.listed.reference}#{phase.listed.step}", size=phase.listed.size)
        return phase.model_copy(update={"items": items_at(services, manifest.reference, 0)}), manifest
    return stow(services.blobs, phase) if len(phase.items) > 1 else (phase, None)


def message_priority(job: Priority, step: int) -> int:
    """Return a message's priority, 0 to 9, from its job's and its step's; 0 is served first."""
    return _PRIORITIES[job] + step // 3


def messages_for(flow: Flow, job: Job, items: list[tuple[str, str]]) -> list[Message]:
    """Return the messages for these (item id, step) pairs, each with its queue."""
    return [
        Message(
            job_id=job.id,
            epoch=job.epoch,
            item_id=item,
            step=step,
            queue=flow.queue_of(step),
            priority=message_priority(job.priority, flow.priority_of(step)),
            caller=job.caller,
            collection=job.collection,
        )
        for item, step in items
    ]


def cancel_job(services: Services, job_id: str) -> bool:
    """Cancel a job with its children; False if it had already ended.

    Raises:
        InvalidInput: there is no such job.
    """
    if (services.ledger.job(job_id) or services.ledger.ended_child(job_id)) is None:
        raise unknown_job(job_id)
    ended = services.ledger.end(job_id, None, JobState.CANCELLED, {"reason": "cancelled by the user"})
    try:
        services.pauses.drop(job_id)
        work_off(services, job_id)
    except ResponseError as error:
        if not is_full(error):
            raise
        log.warning("outbox.left", job_id=job_id, why=str(error))  # for the watchdog, when there is room
    return ended


def retry_job(services: Services, publisher: Publisher, job_id: str) -> JobRecord:
    """Retry a job's dead letters; a query becomes a new job that refers to the old one.

    Raises:
        InvalidInput: there is no such job, it is still running, or there is nothing to retry.
    """
    record = services.ledger.job(job_id) or services.ledger.ended_child(job_id)
    if record is not None and record.job.kind == "query":
        if record.state is JobState.RUNNING:
            raise still_running(job_id)
        if record.state in (JobState.DONE, JobState.ABSTAINED) and not record.dead:
            raise nothing_to_retry(job_id, asks=True)
        key = _retry_key(record)
        kept = read_input(flow_of("query", record.job.params).params, record.job.params)
        params = kept.model_dump(mode="json") | {"retry_of": job_id}
        terms = Terms.model_validate(record.job.model_dump(include=set(Terms.model_fields)))
        # Not for those that its key has lost: it would find their earlier answers in its session.
        trace = trace_below(record)
        principals = services.key_principals.of_job(record.job)
        terms = terms.model_copy(update={"principals": principals, "trace": trace})
        return submit_job(services, publisher, "query", record.job.collection, params, key=key, terms=terms)
    if record is not None and record.parent is not None:
        # Its model calls are booked on the job it belongs to, which has its line in the report, too.
        whole = record.parent.job_id
        message = f"job {job_id} is part of job {whole}: retry that one, `hopline jobs retry {whole}`"
        raise StateConflict("job", job_id, f"the job it belongs to: {whole}", message=message)
    services.pauses.drop(job_id)
    work_off(services, job_id)  # its end is reported before it begins again
    if record is not None and record.paged:
        epoch = retry_pages(services, record, flow_of(record.job.kind, record.job.params))
    else:
        epoch = retry_dead_letters(services.ledger, job_id)
    again = services.ledger.job(job_id)
    if again is None:
        raise unknown_job(job_id)
    flow = flow_of(again.job.kind, again.job.params)
    due = [due for look in services.ledger.look([job_id]) for due in look.send]
    job = again.job.model_copy(update={"epoch": epoch})
    publisher.send(messages_for(flow, job, [(item.item_id, item.step) for item in due]))
    return again


def retried_as(record: JobRecord) -> str:
    """Return the id of the job that a retry runs: a new one for a query, else the same."""
    if record.job.kind == "query":
        return ids.job_id(record.job.caller, _retry_key(record))
    return record.job.id


def _retry_key(record: JobRecord) -> str:
    return f"retry of {record.job.id}, epoch {record.epoch}"


def _with_history(item: Item, turns: list[dict[str, str]]) -> Item:
    return item.model_copy(update={"input": {**item.input, "history": turns}})


def retry_pages(services: Services, record: JobRecord, flow: Flow) -> int:
    """Open an ended job again; return its new epoch.

    Items that failed, were in progress or never started are run again. All lists and pages are written while
    the job still counts as ended, so after a crash in between it can be retried again.

    Raises:
        InvalidInput: the job is running, nothing is left to do, or somebody else retries it.
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
    """Yield the phase's running items, and those of its list that never began."""
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
