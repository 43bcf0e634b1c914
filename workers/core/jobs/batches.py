"""Models of a batch: its record, its reasons to pause, and one line per document."""

from __future__ import annotations

from typing import get_args

from hopline.models.base import Frozen
from hopline.models.batches import PauseKind

PAUSE_KINDS: tuple[PauseKind, ...] = get_args(PauseKind)
ASKED: tuple[PauseKind, ...] = ("user", "budget", "failures")  # what lasts until somebody lets the job go on


class FailedChunk(Frozen):
    """A chunk without extraction: a dead letter, or cut off by a closed phase."""

    index: int  # from 0
    error: str


class DocumentLine(Frozen):
    """What became of one document of a batch; a report is made of these."""

    uri: str
    title: str = ""
    document_id: str = ""
    status: str = "failed"  # done, unchanged, partial, failed, cancelled
    chunks: int = 0
    facts: int = 0
    kept: int = 0  # chunks whose reply was in the store: no model was asked
    seconds: float = 0.0  # from its job's creation to its end
    ended: float = 0.0  # seconds since the epoch
    error: str | None = None
    failed_chunks: tuple[FailedChunk, ...] = ()  # some of them
    entities: int = 0  # of a profile
    relations: int = 0
    events: int = 0


class BatchRecord(Frozen):
    """A named batch, kept when its job has expired."""

    name: str
    job_id: str
    collection: str
    sources: tuple[str, ...] = ()  # as they were named
    documents: int = 0
    refused: str = ""  # blob: what was listed and is no document, a JSON list of {place, reason}
    created: float = 0.0  # seconds since the epoch
    elements: int | None = None  # key elements of the collection before it began; None where not counted
    hubs: dict[str, int] = {}  # name -> degree of the collection's largest hubs before it began
    report: str = ""  # blob of the finished report, a JSON object; "" until it has ended
