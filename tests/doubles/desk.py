# ruff: noqa: ARG002 - doubles take what the real ones take
"""What the client needs of servers, in memory: a ledger whose jobs a test plays, documents, blobs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import BinaryIO

from fakeredis import FakeRedis, FakeServer
from redis.exceptions import ConnectionError as RedisConnectionError

from doubles.graph import MemoryKept
from doubles.graph_parts import Whole
from doubles.library import ScriptedModel
from doubles.vectors import MemoryVectors
from hopline.events.jobs import ItemBegun, PhaseOpened
from hopline.events.questions import FactScored, VisitFinished
from hopline.models.documents import Document
from hopline.models.jobs import Budget, DeadLetter, JobState, Json, Pause, Usage
from workers.adapters.redis.key_principals import KeyPrincipals
from workers.core.jobs.messages import Message
from workers.core.jobs.records import JobRecord, Wanted
from workers.core.jobs.work import Event, Job, Phase
from workers.core.originals import NoOriginals
from workers.core.scope import Scope
from workers.history.audit_book import AuditBook
from workers.ledger.conversations import Conversations
from workers.ledger.metadata_schemas import MetadataSchemas
from workers.ledger.sessions import Sessions
from workers.ledger.stores import CollectionTitles
from workers.limits.breakers import Breakers
from workers.limits.work_pauses import WorkPauses
from workers.settings import Settings


class PlayedLedger:
    """Jobs whose events and ends a test plays.

    Args:
        play: per kind of job the events and the (state, outcome) that follow its submission.
    """

    def __init__(self) -> None:
        self.records: dict[str, JobRecord] = {}
        self.streams: dict[str, list[Event]] = {}
        self.phases: dict[str, Phase] = {}
        self.dead: dict[str, list[DeadLetter]] = {}
        self.play: dict[str, tuple[list[Event], JobState, Json]] = {}
        self.outages = 0  # so many of the next reads fail

    def submit(self, job: Job, phase: Phase, **_more: object) -> int:
        if job.id in self.records:
            return 0
        begun: Json = {"state": JobState.RUNNING, "phase": 0, "epoch": 1, "created": time.time()}
        begun["has_begun"] = False
        counts: Json = {"items": {"traverse.plan": 1}, "timings": {"traverse.plan": 0.5}, "done": {}}
        lost: Json = {"leases_lost": 0, "dead": 0, "dropped": 0, "closed_for": None}
        used = Usage(model_calls=3, prompt_tokens=100, completion_tokens=20)
        ends: Json = {"usage": used, "budget": Budget(), "ended": None, "outcome": None}
        self.records[job.id] = JobRecord(job=job, **begun, **counts, **lost, **ends)
        self.streams[job.id] = [Event(name="job.submitted")]
        self.phases[job.id] = phase
        if job.kind in self.play:
            events, state, outcome = self.play[job.kind]
            self.streams[job.id] += events
            self.end(job.id, None, state, outcome)
        return 1

    def end(self, job_id: str, epoch: int | None, state: JobState, outcome: Json) -> bool:
        record = self.records[job_id]
        if record.state is not JobState.RUNNING:
            return False
        ended = {"state": state, "outcome": outcome, "ended": record.created + 2.0}
        self.records[job_id] = record.model_copy(update=ended)
        self.streams[job_id].append(Event(name="job.ended", data={"state": state.value}))
        return True

    def reopen(self, job_id: str) -> None:
        again = {"state": JobState.RUNNING, "outcome": None, "ended": None, "epoch": 2}
        self.records[job_id] = self.records[job_id].model_copy(update=again)
        self.streams[job_id].append(Event(name="job.retried"))

    def job(self, job_id: str, *, outcome: bool = True) -> JobRecord | None:
        self._fail_in_an_outage()
        return self.records.get(job_id)

    def jobs_by_id(self, job_ids: Sequence[str]) -> list[JobRecord]:
        return [record for name in job_ids if (record := self.job(name))]

    def jobs(self, *, limit: int = 50) -> list[JobRecord]:
        return list(reversed(self.records.values()))[:limit]

    def page(self, wanted: Wanted, *, before: str = "", limit: int = 50) -> tuple[list[JobRecord], str]:
        records = [record for record in self.jobs(limit=len(self.records)) if wanted.fits(record)]
        end = int(before or 0) + limit
        return records[int(before or 0) : end], str(end) if end < len(records) else ""

    def events(self, job_id: str, after: str = "0", *, block: float | None = None) -> list[tuple[str, Event]]:
        self._fail_in_an_outage()
        stream = self.streams.get(job_id, [])
        return [(str(at), event) for at, event in enumerate(stream, 1) if at > int(after)]

    def exists(self, job_id: str) -> bool:
        return job_id in self.records

    def input_of(self, job_id: str, item_id: str) -> Json:
        return next((item.input for item in self.phases[job_id].items if item.id == item_id), {})

    def dead_letters(self, job_id: str) -> list[DeadLetter]:
        return self.dead.get(job_id, [])

    def outbox(self, job_id: str) -> dict[str, str]:
        return {}

    def leave(self, job_id: str) -> None:
        pass

    def _fail_in_an_outage(self) -> None:
        if self.outages:
            self.outages -= 1
            raise RedisConnectionError("connection refused")


class HeldDocuments(Whole):
    def __init__(self) -> None:
        self.held: dict[str, Document] = {}
        self.missing = {"nope"}  # collections without documents
        self.kept = MemoryKept()

    def document(self, document_id: str) -> Document | None:
        return self.held.get(document_id)

    def documents(self, collection: str | None, *, after: str = "", limit: int = 100) -> list[Document]:
        documents = [document for name, document in sorted(self.held.items()) if name > after]
        return [document for document in documents if collection in (None, document.collection)][:limit]

    def has_documents(self, collection: str) -> bool:
        return collection not in self.missing

    def collections(self) -> dict[str, int]:
        return {"bridges": 2, "notes": 1}

    def migrate(self) -> int:
        return 7


class EveryScope:
    """Scopes that hold a document each."""

    def documents_in(self, collection: str, scope: Scope) -> frozenset[str]:
        del collection
        return frozenset(scope.documents or ["d1"])

    def among(self, collection: str, ids: Iterable[str], scope: Scope) -> frozenset[str]:
        return frozenset(ids)


class SentMessages:
    """A publisher that keeps what it was given."""

    def __init__(self) -> None:
        self.sent: list[Message] = []

    def send(self, messages: Sequence[Message]) -> None:
        self.sent += messages

    def chain(self, *chains: Sequence[Message]) -> None:
        for messages in chains:
            self.send(messages)


@dataclass
class Desk:
    """Services as the client uses them."""

    settings: Settings = field(default_factory=lambda: Settings(_env_file=None))
    ledger: PlayedLedger = field(default_factory=PlayedLedger)
    graph: HeldDocuments = field(default_factory=HeldDocuments)
    scopes: EveryScope = field(default_factory=EveryScope)
    vectors: MemoryVectors = field(default_factory=MemoryVectors)
    model: ScriptedModel = field(default_factory=ScriptedModel)
    stored: dict[str, bytes] = field(default_factory=dict)
    closed: bool = False
    tracer: None = None
    originals: NoOriginals = field(default_factory=NoOriginals)
    redis: FakeRedis = field(default_factory=lambda: FakeRedis(server=FakeServer(), decode_responses=True))

    @property
    def hasty_redis(self) -> FakeRedis:
        return self.redis

    @cached_property
    def broker_redis(self) -> FakeRedis:
        return self.redis

    def foreign_ports(self) -> None:
        """Return no tools' database of its own."""

    @cached_property
    def metadata_schemas(self) -> MetadataSchemas:
        return MetadataSchemas(self.redis)

    @cached_property
    def breakers(self) -> Breakers:
        return Breakers(self.redis)

    @cached_property
    def audit(self) -> AuditBook:
        return AuditBook(self.redis, kept=True)

    @property
    def blobs(self) -> Desk:
        return self

    @cached_property
    def sessions(self) -> Sessions:
        return Sessions(self.redis)

    @cached_property
    def conversations(self) -> Conversations:
        return Conversations(self.redis, days=90.0)

    @property
    def pauses(self) -> Desk:
        return self

    @property
    def work_pauses(self) -> WorkPauses:
        return WorkPauses(self.redis)

    @property
    def collection_titles(self) -> CollectionTitles:
        return CollectionTitles(self.redis)

    @property
    def key_principals(self) -> KeyPrincipals:
        return KeyPrincipals(self.redis)

    def drop(self, root: str) -> None: ...

    def reasons(self, job_id: str) -> tuple[Pause, ...]:
        return ()

    def put(self, data: bytes, suffix: str = "") -> str:
        reference = f"b{len(self.stored)}{suffix}"
        self.stored[reference] = data
        return reference

    def put_file(self, file: BinaryIO, suffix: str = "") -> str:
        file.seek(0)
        return self.put(file.read(), suffix)

    def close(self) -> None:
        self.closed = True


PLACED = {"n": 1, "fact_id": "f1", "depth": 1, "chunk_id": "c1", "start": 10, "end": 52}
SCORED = {"score": 0.9, "final_decayed_score": 0.72}
CITED: Json = {
    "document": {"id": "d1", "title": "The [red] Bridge", "uri": "/texts/bridge.txt"},
    **PLACED,
    **SCORED,
    "fact": "The bridge was opened in 1890.",
    "source_description": "A text on the bridge",
    "quote": "The bridge was \x1b[31mopened in 1890\nby a prince.",
}
ANSWER: Json = {
    "text": "The bridge was opened in 1890 [1].",
    "reason": None,
    "citations": [CITED],
    "walk": [
        {"node_id": "k1", "name": "bridge", "depth": 0, "parent": None},
        {"node_id": "k2", "name": "prince", "depth": 1, "parent": "k1"},
    ],
    "details": {"facts": 5, "evidence": 4},
}

WALKED = [
    Event.of(ItemBegun(item="plan", step="traverse.plan")),
    Event.of(VisitFinished(node_id="k1", node="bridge", parent=None, depth=0, facts=2)),
    Event.of(PhaseOpened(phase=3, items=2, step="critic.score_fact")),
    Event.of(FactScored(fact="The bridge was opened in 1890.", score=0.9, scored_by="critic")),
    Event(name="something.new", data={}),
]


def texts(folder: Path, *names: str) -> list[Path]:
    """Write short texts; return their paths."""
    paths = [folder / name for name in names]
    for path in paths:
        path.write_text(f"{path.stem} is a bridge.", encoding="utf-8")
    return paths
