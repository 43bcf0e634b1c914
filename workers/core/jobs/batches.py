"""Models of a batch: its record, its reasons to pause, and one line per document."""

from __future__ import annotations

from typing import get_args

from hopline.models.base import Frozen
from hopline.models.jobs import PauseKind

PAUSE_KINDS: tuple[PauseKind, ...] = get_args(PauseKind)
ASKED: tuple[PauseKind, ...] = ("user", "budget", "failures")  # what lasts until somebody lets the job go on


class BatchRecord(Frozen):
    """A named batch; the record is kept after its job has expired."""

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
