"""Validates submissions and creates jobs from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from producer.reports.ingest import DocumentReport, Submitted
from producer.reports.outcomes import BATCH_KIND, QUERY_KIND
from producer.service.sources import expand_sources
from workers.core.errors import no_document
from workers.core.ids import content_hash
from workers.core.jobs.params import (
    UNSIZED,
    ChunkSizes,
    DocumentParams,
    QueryParams,
    check_collection,
    parse_params,
)
from workers.core.jobs.work import Json, Terms
from workers.engine.submit import submit_job
from workers.flows.batch import documents_phase
from workers.ingest.profile.profile import load_profile, put_profile
from workers.webhooks.address import check_webhook

if TYPE_CHECKING:
    from producer.service.texts import TextDocument
    from workers.core.jobs.messages import Publisher
    from workers.ledger.records import JobRecord
    from workers.services import Services


def submit_question(
    services: Services,
    publisher: Publisher,
    question: str,
    collection: str,
    key: str | None,
    params: Json,
    terms: Terms | None = None,
) -> JobRecord:
    """Submit a query; return what is recorded of its job.

    Args:
        services: where the ledger is.
        publisher: sends the first messages.
        question: what to ask.
        collection: whose documents to answer from.
        key: idempotency key.
        params: fields of QueryParams; None stands for the default.
        terms: for whom, how soon, and who is told.

    Raises:
        InvalidInput: before anything was written.
    """
    told = check_question(services, question, collection, params, terms)
    return submit_job(services, publisher, QUERY_KIND, collection, told, key=key, terms=terms)


def check_question(
    services: Services, question: str, collection: str, params: Json, terms: Terms | None
) -> Json:
    """Return the parameters of a query's job; see `submit_question`.

    Raises:
        InvalidInput: names the field, what was given and what is allowed.
    """
    given = {name: value for name, value in params.items() if value is not None}
    told = parse_params(QueryParams, {**given, "question": question.strip()}).model_dump(mode="json")
    check_collection(collection)
    if terms and terms.webhook:
        check_webhook(terms.webhook, services.settings)
    return told


def submit_documents(
    services: Services,
    publisher: Publisher,
    paths: Sequence[str | Path],
    collection: str,
    key: str | None,
    *,
    profile: str | Path | None = None,
    sizes: ChunkSizes = UNSIZED,
    terms: Terms | None = None,
) -> Submitted:
    """Submit a batch of the documents at some paths.

    A profile is read here and travels by reference: workers on other machines do not see the file.

    Files go through the blob store where one is configured: workers on other machines may not see the paths.

    Raises:
        InvalidInput: no document lies at any of the paths, or the profile is wrong.
    """
    check_collection(collection)
    read = load_profile(profile) if profile else None
    found = expand_sources(paths, services.blobs, upload=bool(services.settings.blob_url))
    if not found.documents:
        raise no_document("paths", [str(path) for path in paths], found.refused)
    given = sizes.model_dump()
    if read:
        given["profile"] = put_profile(services.blobs, read)
    documents = tuple(one.model_copy(update=given) for one in found.documents)
    record = submit_batch(services, publisher, documents, collection, key, label=labelled(paths), terms=terms)
    return Submitted(
        job_id=record.job.id,
        documents=len(found.documents),
        refused=tuple(
            DocumentReport(uri=one.place, status="failed", error=one.reason) for one in found.refused
        ),
    )


def submit_batch(
    services: Services,
    publisher: Publisher,
    documents: Sequence[DocumentParams],
    collection: str,
    key: str | None,
    *,
    label: str,
    terms: Terms | None = None,
) -> JobRecord:
    """Submit documents as one batch; the same key stands for the same list of documents.

    Raises:
        InvalidInput: before anything was written.
    """
    digest = content_hash(orjson.dumps([one.model_dump(mode="json") for one in documents]).decode())
    told = {"documents": len(documents), "label": label, "digest": digest}
    phase = documents_phase(documents, services.settings.documents_in_flight)
    return submit_job(services, publisher, BATCH_KIND, collection, told, key=key, phase=phase, terms=terms)


def submit_texts(
    services: Services,
    publisher: Publisher,
    texts: Sequence[TextDocument],
    collection: str,
    key: str | None,
    *,
    profile: str | Path | None = None,
    sizes: ChunkSizes = UNSIZED,
    terms: Terms | None = None,
) -> Submitted:
    """Submit texts as one batch over the broker; they travel through the blob store.

    Raises:
        InvalidInput: before any job was made.
    """
    check_collection(collection)
    read = load_profile(profile) if profile else None
    taken_with = {"profile": put_profile(services.blobs, read) if read else "", **sizes.model_dump()}
    documents: dict[str, DocumentParams] = {}
    refused = []
    for text in texts:
        if text.name in documents:
            why = f"the name {text.name!r} was given before"
            refused.append(DocumentReport(uri=text.name, status="failed", error=why))
            continue
        source = "blob:" + services.blobs.put(text.text.encode("utf-8"), f".{text.format}")
        told = {"uri": text.name, "source": source, "format": text.format, "title": text.title}
        documents[text.name] = parse_params(DocumentParams, {**told, **taken_with})
    given = tuple(documents.values())
    label = labelled(documents)
    record = submit_batch(services, publisher, given, collection, key, label=label, terms=terms)
    return Submitted(job_id=record.job.id, documents=len(given), refused=tuple(refused))


def labelled(names: Iterable[str | Path]) -> str:
    """Return what a batch is called after its first documents or paths."""
    joined = ", ".join(map(str, names))
    return joined if len(joined) <= 200 else joined[:199] + "…"  # noqa: PLR2004 - BatchParams.label
