"""Texts that are handed over as documents, without a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from producer.report import DocumentReport, Submitted
from producer.submission import labelled, submit_batch
from workers.core.errors import InvalidInput
from workers.core.model import Frozen
from workers.core.params import DocumentParams, parse_params
from workers.ingest.profile import load_profile, put_profile
from workers.submit import check_collection

if TYPE_CHECKING:
    from workers.core.publishing import Publisher
    from workers.core.work import Json, Terms
    from workers.services import Services


class TextDocument(Frozen):
    """A document's text; the same name again replaces it."""

    name: str = Field(min_length=1, max_length=500)  # names the document within its collection
    text: str = Field(min_length=1, max_length=5_000_000)
    title: str = Field(default="", max_length=500)  # taken from the text unless given
    format: Literal["txt", "md", "html"] = "txt"


def checked_texts(texts: Sequence[TextDocument | Json]) -> list[TextDocument]:
    """Return texts that were given as such or as {name, text, title?, format?}.

    Raises:
        InvalidInput: there is none, or one is wrong; names the field, its value and what is allowed.
    """
    if not texts:
        raise InvalidInput("texts", [], "one text at least")
    return [one if isinstance(one, TextDocument) else parse_params(TextDocument, one) for one in texts]


def submit_texts(
    services: Services,
    publisher: Publisher,
    texts: Sequence[TextDocument],
    collection: str,
    key: str | None,
    profile: str | Path | None = None,
    terms: Terms | None = None,
) -> Submitted:
    """Submit texts as one batch over the broker; they travel through the blob store.

    Raises:
        InvalidInput: before any job was made.
    """
    check_collection(collection)
    read = load_profile(profile) if profile else None
    reference = put_profile(services.blobs, read) if read else ""
    documents: dict[str, DocumentParams] = {}
    refused = []
    for text in texts:
        if text.name in documents:
            why = f"the name {text.name!r} was given before"
            refused.append(DocumentReport(uri=text.name, status="failed", error=why))
            continue
        source = "blob:" + services.blobs.put(text.text.encode("utf-8"), f".{text.format}")
        told = {"uri": text.name, "source": source, "format": text.format, "title": text.title}
        documents[text.name] = parse_params(DocumentParams, {**told, "profile": reference})
    given = tuple(documents.values())
    label = labelled(documents)
    record = submit_batch(services, publisher, given, collection, key, label=label, terms=terms)
    return Submitted(job_id=record.job.id, documents=len(given), refused=tuple(refused))
