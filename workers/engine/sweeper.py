"""The sweeper: a thread that removes unneeded data, hourly and in one worker at a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import islice
from typing import cast

import structlog

from hopline.errors import Permanent
from workers.core.jobs.work import Job
from workers.core.ports import Ports
from workers.core.redis_keys import SWEPT, job_key
from workers.ingest.delete import remove_superseded
from workers.ingest.originals import sweep_originals
from workers.ingest.versions import tidy_versions
from workers.services import Services

log = structlog.get_logger()

_HOUR, _DAY = 3600, 86400
_SCANNED = 500  # keys that one round trip brings
_DOCUMENTS = 100  # with something to remove, that one query brings


def sweep_blobs(services: Services) -> None:
    """Start the thread."""
    threading.Thread(target=_sweep_hourly, args=(services,), name="sweeper", daemon=True).start()


def _days_wanted(services: Services) -> float:
    """Return for how many days a kept job may still need the blobs that were stored last.

    A job may need everything stored since it began, and everything prepared for it, because it can be retried
    until it is deleted, however long it ran.
    """
    days = services.settings.blob_days
    oldest = min(_begun(services), default=time.time())
    return max(days, (time.time() - oldest) / _DAY + days / 2)


def _begun(services: Services) -> Iterator[float]:
    """Yield when each kept job began, in seconds since the epoch; its children began later."""
    keys = cast("Iterator[str]", services.redis.scan_iter(match=job_key("*", "job"), count=_SCANNED))
    roots = (key for key in keys if "." not in key)
    while page := list(islice(roots, _SCANNED)):
        pipeline = services.redis.pipeline(transaction=False)
        for key in page:
            pipeline.hget(key, "created")
        yield from (int(created) / 1000 for created in pipeline.execute() if created)


def want_reports(services: Services) -> int:
    """Store the reports of all named batches again, so that none is swept; return their number."""
    wanted = 0
    for record in services.batches.all():
        try:
            if record.report:
                services.blobs.put(services.blobs.get(record.report), ".json")
                wanted += 1
        except Permanent as error:  # it is lost, and the others are not
            log.warning("report.lost", batch=record.name, error=str(error))
    return wanted


def sweep_once(services: Services) -> None:
    """Remove unused blobs, and replies above their limits."""
    settings = services.settings
    services.store_marker.renew()
    log.info("replies.swept", count=services.replies.sweep(settings.reply_days, settings.reply_bytes))
    log.info("recognised.swept", count=services.recognised.sweep(settings.ocr_days, settings.ocr_bytes))
    want_reports(services)
    log.info("blobs.swept", count=services.blobs.sweep(_days_wanted(services)))


def sweep_versions(services: Services) -> None:
    """Remove versions of documents that need not be kept any more."""
    log.info("versions.swept", count=tidy_versions(services, services.settings.keeping))


def sweep_files(services: Services) -> None:
    """Remove originals that no version of a document needs and whose remover died."""
    log.info("originals.swept", count=sweep_originals(services))


def sweep_superseded(services: Services) -> None:
    """Remove data left by superseded document versions after a worker died."""
    documents = chunks = 0
    while some := services.graph.store.superseded(_DOCUMENTS):
        for document_id, collection in some:
            ports = Ports(
                job=Job(id="sweep", kind="delete", collection=collection),
                graph=services.graph,
                vectors=services.vectors,
                model=services.model,
                blobs=services.blobs,
                limits=services.settings.limits,
            )
            chunks += remove_superseded(ports, document_id, collection)
        documents += len(some)
    log.info("superseded.swept", documents=documents, chunks=chunks)


def sweep_all(services: Services) -> None:
    """Run all sweeps one after another, even if one fails: they need different servers."""
    for sweep in (sweep_once, sweep_versions, sweep_superseded, sweep_files):
        try:
            sweep(services)
        except Exception:
            log.exception("blobs.not_swept", sweep=sweep.__name__)


def _sweep_hourly(services: Services) -> None:
    pause = threading.Event()
    while not pause.wait(_HOUR / 2):
        try:
            if services.store_marker.is_seen() and services.redis.set(SWEPT, "1", nx=True, ex=_HOUR):
                sweep_all(services)
        except Exception:
            log.exception("blobs.not_swept")
