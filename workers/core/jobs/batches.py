"""Models of a batch: its record, its reasons to pause, and one line per document."""

from __future__ import annotations

from typing import Literal, get_args

from hopline.models.base import Frozen

# user: somebody asked for it; budget: a limit is used up; failures: too many of the first documents failed;
# hours: it is not the time of day that it may run at. The most important one comes first.
PauseKind = Literal["user", "budget", "failures", "hours"]
PAUSE_KINDS: tuple[PauseKind, ...] = get_args(PauseKind)
ASKED: tuple[PauseKind, ...] = ("user", "budget", "failures")  # what lasts until somebody lets the job go on

WHOLE = frozenset({"done", "unchanged"})  # statuses of a document that is in the graph as a whole


class Pause(Frozen):
    """A reason why a job and its children begin nothing new; a job may have one of each kind."""

    kind: PauseKind
    why: str  # a sentence for people: what is wrong and what resumes it
    since: float  # seconds since the epoch


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
