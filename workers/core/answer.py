"""The answer object: the same from the command line, the client and later over HTTP."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from workers.core.model import Frozen
from workers.core.work import JobState, Usage


class CitedDocument(Frozen):
    """Which document a citation leads to."""

    id: str
    title: str
    uri: str


class Citation(Frozen):
    """A marker in the answer, its fact, and the place in a document; quote is its text from start to end."""

    n: int = Field(ge=1)
    kind: Literal["text"] = "text"
    fact_id: str
    fact: str
    score: float
    final_decayed_score: float
    depth: int
    source_description: str
    document: CitedDocument
    chunk_id: str
    start: int
    end: int
    quote: str


class WalkStep(Frozen):
    """A visited node."""

    node_id: str
    name: str
    depth: int
    parent: str | None = None


class Answer(Frozen):
    """What a query ends with."""

    job_id: str
    status: JobState
    text: str = ""  # with [n] markers
    reason: str | None = None  # why there is no (full) answer, in plain words
    citations: tuple[Citation, ...] = ()
    usage: Usage = Usage()
    timings: dict[str, float] = {}  # seconds per step, summed over its items
    walk: tuple[WalkStep, ...] = ()
    details: dict[str, Any] = {}  # a strategy's own: dropped sentences, failures, conflicts, counts
