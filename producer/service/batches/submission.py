"""Submits named batches: lists the sources into a stored manifest, then creates one job."""

from __future__ import annotations

import re
import time
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import orjson
import structlog

from hopline.errors import DependencyAway, InvalidInput, Transient, no_document
from hopline.models.batches import BatchSubmitted
from hopline.models.ingestion import NAME_WORDS
from hopline.models.metadata import Metadata
from hopline.models.params import BulkBounds, ChunkSizes, ReadingOptions
from producer.reports.outcomes import BATCH_KIND
from producer.service.documents import label_of
from producer.service.sources import Listing
from workers.core import ids
from workers.core.jobs.batches import BatchRecord
from workers.core.jobs.manifest import Manifest, ManifestWriter
from workers.core.jobs.params import BatchParams, check_collection, parse_params
from workers.core.jobs.work import Terms
from workers.sources.addresses import InPlace, Keeping, Uploaded
from workers.sources.command_metadata import with_metadata
from workers.sources.documents import list_places
from workers.sources.doubles import FirstPlaces, without_doubles
from workers.sources.formats import Found, Refused

if TYPE_CHECKING:
    from hopline.models.reports import Growth
    from workers.core.jobs.messages import Publisher
    from workers.services import Services

log = structlog.get_logger()

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_REFUSED_KEPT = 50_000  # of what was listed and is no document; more are counted
_REASONS_SHOWN = 3
_HANDING_OVER = 60.0  # seconds after its record was made, in which a batch without a job may still get one


class BatchOrder(BulkBounds, ChunkSizes, ReadingOptions):
    """The parameters of a named batch; checked before anything is listed."""

    name: str
    sources: tuple[str, ...]
    collection: str
    profile: str = ""  # in the blob store
    upload: bool | None = None  # files of this machine go into the blob store; where one is set, unless given
    follow_links: bool = False
    confined: bool = False  # the sources came by a request: neither links nor lists lead out of them
    via: Literal["calls", "batch"] = "calls"
    metadata: Metadata = {}  # of all documents

    def params(self, manifest: Manifest) -> BatchParams:
        """Return the job's parameters."""
        fields = self.model_dump(include={"name", "via", *BulkBounds.model_fields})
        fields |= {
            "label": label_of(self.sources),
            "documents": manifest.size,
            "manifest": manifest.reference,
        }
        return parse_params(BatchParams, fields | {"digest": ids.content_hash(manifest.reference)})


@dataclass
class ListingProgress(Listing):
    """The progress of the listing."""

    documents: int = 0
    refused: int = 0
    most: int | None = None  # documents that may be listed
    until: float | None = None  # when it must be over, by `time.monotonic`

    def check(self, name: str) -> None:
        """Check that the listing may continue.

        Raises:
            InvalidInput: there are too many documents, listing took too long, or the caller no longer waits.
        """
        self.check_left(self.documents)
        if self.most is not None and self.documents + self.refused > self.most:
            allowed = f"sources of {self.most} files: `hopline ingest --batch {name}` takes more"
            raise InvalidInput("sources", f"more than {self.most} files", allowed)
        if self.until is not None and time.monotonic() > self.until:
            allowed = f"sources that are listed in time: `hopline ingest --batch {name}` waits for them"
            raise InvalidInput("sources", f"{self.documents} documents so far", allowed)


@dataclass
class _Refusals:
    kept: list[Refused] = field(default_factory=list)
    count: int = 0

    def add(self, refusal: Refused) -> None:
        self.count += 1
        if len(self.kept) < _REFUSED_KEPT:
            self.kept.append(refusal)

    def stored(self, services: Services) -> str:
        if not self.count:
            return ""
        rows = [{"place": refusal.place, "reason": refusal.reason} for refusal in self.kept]
        if more := self.count - len(self.kept):
            rows.append({"place": "further places", "reason": f"and {more} more that are not documents"})
        return services.blobs.put(orjson.dumps(rows), ".json")


def submit_named_batch(
    services: Services,
    publisher: Publisher,
    order: BatchOrder,
    *,
    terms: Terms | None = None,
    progress: ListingProgress | None = None,
) -> BatchSubmitted:
    """List sources, store the list, and create one job from it; repeating the call gives the same batch.

    Memory use does not grow with the number of documents. After an interruption the same call starts again,
    but does not store data again that is already in the blob store.

    Args:
        services: the servers.
        publisher: sends the first messages.
        order: parameters of the batch.
        terms: caller, priority and notifications.
        progress: updated during the listing.

    Raises:
        InvalidInput: a value is invalid or does not fit the collection's schema, the name is taken, or no
            source contains a document.
        Transient: the blob store failed.
    """
    check_batch(order)
    if order.metadata:
        services.metadata_schemas.read(order.collection).check(order.metadata)
    terms, progress = terms or Terms(), progress or ListingProgress()
    known = services.batches.find(order.name)
    if known and (known.sources, known.collection) != (order.sources, order.collection):
        _refuse_taken(services, known)
    refused = _Refusals()
    try:
        manifest = _list(services, order, refused, progress)
    except Transient as error:
        again = f"{error}; the same command again stores only what is missing"
        raise DependencyAway(again, retry_after=error.retry_after, dependency="disk") from error
    if not manifest.size:
        raise no_document("sources", list(order.sources), refused.kept)
    progress.check_left(manifest.size)
    return _submit(services, publisher, order, manifest, refused, terms)


def check_batch(order: BatchOrder) -> None:
    """Check everything that can be checked without a server.

    Raises:
        InvalidInput: names the field, its value and what is allowed.
    """
    check_batch_name(order.name)
    check_collection(order.collection)
    order.params(Manifest(reference="", size=1))


def check_batch_name(name: str) -> str:
    """Return a batch's name.

    Raises:
        InvalidInput: the name is not valid.
    """
    if not _NAME.fullmatch(name):
        raise InvalidInput("batch", name, NAME_WORDS)
    return name


def _list(services: Services, order: BatchOrder, refused: _Refusals, progress: ListingProgress) -> Manifest:
    options = {*ChunkSizes.model_fields, *ReadingOptions.model_fields}
    taken_with = order.model_dump(include={"confined", "profile", *options})
    from workers.ingest.batch import document_item

    writer = ManifestWriter(services.blobs, services.settings.documents_in_flight)
    keeping = _keeping(services, order)
    listed = list_places(
        services.blobs,
        order.sources,
        keeping,
        follow_links=order.follow_links,
        confined=order.confined,
        code=order.code,
    )
    with closing(FirstPlaces()) as places:
        for entry in without_doubles(with_metadata(listed, order.metadata), places):
            if isinstance(entry, Found):
                document = entry.document.model_copy(update=taken_with)
                writer.add(document_item(writer.size, document))
                progress.documents = writer.size
            else:
                refused.add(entry)
                progress.refused = refused.count
            progress.check(order.name)
    return writer.finish()


def _keeping(services: Services, order: BatchOrder) -> Keeping:
    settings = services.settings
    upload = bool(settings.blob_url) if order.upload is None else order.upload
    if not upload:
        return InPlace()
    return Uploaded(services.blobs, max_bytes=settings.limits.max_document_bytes)


def _submit(
    services: Services,
    publisher: Publisher,
    order: BatchOrder,
    manifest: Manifest,
    refused: _Refusals,
    terms: Terms,
) -> BatchSubmitted:
    params = order.params(manifest).model_dump(mode="json")
    key = f"batch {order.name} {ids.content_hash(orjson.dumps(params).decode())}"
    job_id = ids.job_id(terms.caller, key)
    known = services.batches.find(order.name)
    same = known is not None and known.job_id == job_id
    if known and not same:
        _refuse_taken(services, known)
    if not (known and same and (known.report or services.ledger.job(job_id))):
        # The record comes first: a batch that runs always has one, and the same command again mends the rest.
        from workers.engine.submit import submit_job
        from workers.ingest.batch import first_phase

        if not services.batches.claim(_record(services, order, manifest, refused, job_id), known):
            raise _taken(order.name)
        window = services.settings.documents_in_flight
        phase = first_phase(manifest.reference, manifest.size, window, order.via)
        submit_job(
            services, publisher, BATCH_KIND, order.collection, params, key=key, phase=phase, terms=terms
        )
        same = False
        log.info("batch.submitted", batch=order.name, job_id=job_id, documents=manifest.size)
    return BatchSubmitted(
        name=order.name,
        job_id=job_id,
        documents=manifest.size,
        refused=refused.count,
        examples=tuple((refusal.place, refusal.reason) for refusal in refused.kept[:_REASONS_SHOWN]),
        known=same,
    )


def _record(
    services: Services, order: BatchOrder, manifest: Manifest, refused: _Refusals, job_id: str
) -> BatchRecord:
    before = _growth(services, order.collection)
    counts: dict[str, Any] = {"elements": before.elements, "hubs": before.hubs} if before else {}
    return BatchRecord(
        name=order.name,
        job_id=job_id,
        collection=order.collection,
        sources=order.sources,
        documents=manifest.size,
        refused=refused.stored(services),
        created=time.time(),
        **counts,
    )


def _growth(services: Services, collection: str) -> Growth | None:
    """Return the collection's size; a batch begins even if it cannot be counted now."""
    try:
        return services.graph.growth(collection)
    except Transient as error:
        log.warning("graph.not_counted", collection=collection, error=str(error))
        return None


def _refuse_taken(services: Services, known: BatchRecord) -> None:
    """Refuse a name that another batch has.

    Raises:
        InvalidInput: it has been handed over, has its report, or is being handed over now.
    """
    now = time.time() - known.created < _HANDING_OVER
    if known.report or services.ledger.job(known.job_id, outcome=False) or now:
        raise _taken(known.name)


def _taken(name: str) -> InvalidInput:
    shown = f"`hopline batches show {name}` shows it"
    message = f"there is a batch {name!r} already: {shown}; give this one another name"
    return InvalidInput("batch", name, "a name that no batch has", message=message)
