"""Step ingest.prepare: writes the requests of one document for the provider's batch mode.

The document is read and split as its own job will do it later, and nothing is written to the graph. What goes
wrong here is left to that job, which reports it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import cast

import structlog
from pydantic import BaseModel

from hopline.errors import Permanent
from hopline.models.documents import Chunk
from workers.core import ids
from workers.core.errors import DependencyRefuses
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.ingest.chunking.split import chunks_of
from workers.ingest.load import INDEXED
from workers.ingest.provider.lines import Line, PrepareResult, line_of, prepared_of, put_lines
from workers.ingest.reading.read import read_text
from workers.ingest.reading.scans.extra import can_recognise
from workers.ingest.reading.source import open_document
from workers.ingest.requests import Asked, ask_once, extraction_request, find_reply, worth_asking
from workers.ingest.sync.fingerprint import is_of_version, version_hash

_log = structlog.get_logger()


def prepare_document(document: DocumentParams, ports: Ports) -> Outcome:
    """Write a request line for each chunk without a cached reply.

    Raises:
        Transient: it cannot be read now.
        DependencyRefuses: so does the call that shows the form of request.
        BudgetExceeded: the call that shows the form of request does not fit into what is left.
    """
    job = ports.job.model_copy(update={"kind": "document", "params": document.model_dump(mode="json")})
    own = replace(ports, job=job)
    try:
        parts = put_lines(ports.blobs, _lines(document, own))
    except DependencyRefuses:
        raise
    except Permanent as error:
        _log.info("document.not_prepared", uri=document.uri, reason=str(error))
        return Outcome(result=PrepareResult(parts=(), why=str(error)[:300]))
    return Outcome(result=prepared_of(ports.blobs, parts))


def _lines(params: DocumentParams, ports: Ports) -> Iterator[Line]:
    for question in _questions(params, ports):
        if find_reply(ports, question) is not None:
            continue
        if not ports.provider.knows_form:
            ports.provider.learn(partial(ask_once, ports, question))
            if find_reply(ports, question) is not None:
                continue
        request = ports.provider.request(
            question.prompt, question.material, question.reply, max_tokens=question.max_tokens
        )
        yield line_of(question.content, question.key, question.reply, request)


def _questions(params: DocumentParams, ports: Ports) -> Iterator[Asked[BaseModel]]:
    """Yield the requests that the document's own job will make."""
    title, chunks = _split(params, ports)
    for chunk in chunks:
        if worth_asking(chunk):
            terms = {"profile": params.profile, "known_as": params.known_as}
            yield cast("Asked[BaseModel]", extraction_request(ports, title, chunk, **terms))


def _split(params: DocumentParams, ports: Ports) -> tuple[str, list[Chunk]]:
    """Return a document's title and chunks; none if the graph has this version already."""
    with open_document(params, ports) as file:
        read = read_text(file, params, ports.limits)
    if read.pictured and can_recognise():  # which its own job has done first
        return read.title, []
    document_id = ids.document_id(ports.job.collection, params.name or params.uri)
    known = ports.graph.store.document(document_id)
    version = version_hash(read.text, params, ports.limits)
    if known and known.status == INDEXED and is_of_version(known, version):
        return read.title, []
    chunks, _chapters = chunks_of(document_id, read.text, params, ports)
    return read.title, chunks
