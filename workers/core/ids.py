"""Content-derived ids, so that repeating an operation yields the same id."""

from __future__ import annotations

import hashlib
import secrets
import uuid

from workers.core.language.text import normalise

_POINT_NAMESPACE = uuid.UUID("6f1d7a3e-52c4-4a0b-9c57-2f0e3c1b8a94").bytes


def _digest(*parts: str, length: int = 24) -> str:
    joined = "\x1f".join(f"{len(p)}:{p}" for p in parts)
    return hashlib.sha256(joined.encode()).hexdigest()[:length]


def content_hash(text: str) -> str:
    """Return the sha-256 of the text, as 64 hex digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def document_id(collection: str, name: str) -> str:
    """Return the id of the document with this uri or given id."""
    return "d" + _digest(collection, name)


def chunk_id(document: str, text: str, occurrence: int) -> str:
    """Return a chunk's id; occurrence counts equal texts within the document from 0."""
    return "c" + _digest(document, text, str(occurrence))


def fact_id(collection: str, text: str) -> str:
    """Return the id of an atomic fact; texts that normalise to the same are one fact."""
    return "f" + _digest(collection, normalise(text))


def element_id(collection: str, name: str) -> str:
    """Return the id of a key element from its normalised name."""
    return "k" + _digest(collection, name)


def event_id(chunk: str, fact: str, kind: str, name: str) -> str:
    """Return the id of a major event, derived from its place in a chunk."""
    return "e" + _digest(chunk, fact, kind, name)


def merge_id(collection: str, element: str, other: str) -> str:
    """Return the id of the merge of two key elements, whichever becomes the redirect."""
    return "m" + _digest(collection, *sorted((element, other)))


def concept_id(collection: str, key: str) -> str:
    """Return the id of a concept from its normal form."""
    return "n" + _digest(collection, key)


def relation_id(core: str, other: str) -> str:
    """Return the id of the relation between a concept and the core of a map."""
    return "r" + _digest(core, other)


def concept_version_id(concept: str, job: str) -> str:
    """Return the id of the version that a job creates of a concept's map."""
    return "v" + _digest(concept, job)


def topic_id(collection: str, fact: str, level: int, nth: int) -> str:
    """Return the id of a new topic, derived from the fact that names it; nth: its number for this fact."""
    return "t" + _digest(collection, fact, str(level), str(nth))


def topic_epoch_id() -> str:
    """Return a random id for one build of a collection's topics."""
    return "b" + secrets.token_hex(12)


def point_id(graph_id: str) -> str:
    """Return the vector point's UUID for a graph id."""
    # Version 5, as uuid.uuid5 makes it in three times as long: a search names hundreds of points.
    digest = bytearray(hashlib.sha1(_POINT_NAMESPACE + graph_id.encode(), usedforsecurity=False).digest())
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    name = digest.hex()
    return f"{name[:8]}-{name[8:12]}-{name[12:16]}-{name[16:20]}-{name[20:32]}"


def job_id(caller: str | None = None, key: str | None = None) -> str:
    """Return a job's id: random, or the hash of the caller and its idempotency key."""
    if key is None:
        return "j" + secrets.token_hex(12)
    return "j" + _digest(caller or "", key)


def webhook_job_id(job: str, epoch: int) -> str:
    """Return the id of the job that calls a webhook when a job has ended in this epoch."""
    return "w" + _digest("webhook", job, str(epoch))


def reply_id(job: str, epoch: int) -> str:
    """Return the id of the Celery message that reports the end of a job in this epoch."""
    return "r" + _digest("reply", job, str(epoch))


def provider_cancel_job_id(job: str, epoch: int) -> str:
    """Return the id of the job that cancels an ended job's work at the provider."""
    return "x" + _digest("provider", job, str(epoch))


def later_topics_job_id(job: str, epoch: int) -> str:
    """Return the id of the job that builds topics after a job that wrote documents."""
    return "p" + _digest("topics", job, str(epoch))


def child_job_id(parent: str, item: str) -> str:
    """Return the id of the job that an item is delegated to; it starts with its parent's."""
    return f"{parent}.{_digest('child', parent, item, length=12)}"


def parent_of_job(job: str) -> str | None:
    """Return the id of the job that delegated an item to this one; None if there is none."""
    parent, dot, _ = job.rpartition(".")
    return parent if dot else None
