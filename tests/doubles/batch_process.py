"""A worker's process as a small batch sees it: the real services and runner; a document is one model call."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pytest

from doubles.blobs import MemoryBlobs
from doubles.stepped import SteppedRedis, stop_before
from hopline.errors import DependencyAway, Permanent, Transient
from hopline.models.jobs import JobState, Json, Usage
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.messages import Message
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.work import End, Item, Job, Outcome, Phase
from workers.core.models.metered_model import Meter
from workers.engine.runner import Runner
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.ingest.batch import BATCH
from workers.ledger.ledger import Ledger
from workers.ledger.pauses import Pauses
from workers.ledger.spool import Spool
from workers.services import Services
from workers.settings import Settings

UNREADABLE = "it cannot be read"  # why documents fail
STUMBLES = "the flow stumbles"  # why a batch does not go on
_SPOOLED = 3  # results of a batch that leave Redis together
_SETTINGS = Settings(
    _env_file=None,
    lease_seconds=10,
    resend_seconds=5,
    backoff_seconds=1,
    max_attempts=3,
    topics_after_ingest="never",  # there is no graph to ask for them
)


@dataclass
class Stumbles:
    """How often the flow of batches will not know how to go on."""

    left: int = 0

    def advance(self, phase: int, results: Results, job: Job) -> Phase | End:
        if self.left:
            self.left -= 1
            raise Transient(STUMBLES)
        return BATCH.advance(phase, results, job)


@dataclass
class World:
    """What lies outside the processes and outlives them."""

    redis: SteppedRedis
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    mail: list[Message] = field(default_factory=list)  # on its way to the workers
    fates: deque[str] = field(default_factory=deque)  # of the readings to come; then all go well
    stumbles: Stumbles = field(default_factory=Stumbles)
    readings: int = 0  # of documents, that were begun
    lives: list[tuple[str, int]] = field(default_factory=list)  # job and epoch of each creation

    def send(self, messages: Sequence[Message]) -> None:
        stop_before("send")
        self.mail += messages

    def chain(self, *chains: Sequence[Message]) -> None:
        raise AssertionError(f"no chain here: {chains}")

    def chord(self, header: Sequence[Message], body: Message) -> None:
        raise AssertionError(f"no chord here: {header} {body}")


@dataclass(frozen=True)
class _Ports:
    job: Job
    meter: Meter
    world: World


class _Services(Services):
    def __init__(self, world: World) -> None:
        super().__init__(_SETTINGS)
        self._world = world
        self.__dict__ |= {"redis": world.redis, "hasty_redis": world.redis, "blobs": world.blobs}
        self.__dict__ |= {"pauses": Pauses(world.redis, fresh_seconds=0.0)}
        self.__dict__ |= {"spool": Spool(self.ledger, _SPOOLED)}

    @cached_property
    def ledger(self) -> Ledger:
        """The ledger; the world is told of each life that a job begins in it."""
        ledger, world = super().ledger, self._world
        submit = ledger.submit

        def submit_and_tell(job: Job, phase: Phase, **more: Any) -> int:
            epoch = submit(job, phase, **more)
            if epoch:
                world.lives.append((job.id, epoch))
            return epoch

        ledger.submit = submit_and_tell  # type: ignore[method-assign]
        return ledger

    def ports(self, job: Job, meter: Meter, *_: object) -> _Ports:  # type: ignore[override]
        return _Ports(job, meter, self._world)


class Process:
    """What a worker remembers goes with it when it is killed."""

    def __init__(self, world: World, *, quarantine: bool = False) -> None:
        self.services = _Services(world)
        self.runner = Runner(self.services, world, quarantine)
        self.watchdog = Watchdog(self.runner.driver, 1.0)
        self.saw_ended: set[tuple[str, str]] = set()  # job and epoch, at the watchdog's last whole look


def _read(_given: Json, ports: _Ports) -> Outcome:
    world = ports.world
    stop_before("reading")
    world.readings += 1
    fate, call = world.fates.popleft() if world.fates else "", f"call {world.readings}"
    ports.meter.reserve(call, 10)
    ports.meter.settle(call, Usage(model_calls=1, prompt_tokens=5, completion_tokens=5))
    match fate:
        case "torn":
            raise Permanent(UNREADABLE)
        case "slips":
            raise Transient(UNREADABLE)
        case "model is away":
            raise DependencyAway("the model is away")
    return Outcome(result={"empty": fate == "empty"})


def _advance(_phase: int, results: Results, job: Job) -> End:
    (done,) = results[0]
    failed = bool(done.error) or done.result["empty"]
    outcome = {"uri": job.params["uri"], "status": "failed" if failed else "done"}
    return End(
        state=JobState.FAILED if failed else JobState.DONE,
        outcome=outcome | ({"error": UNREADABLE} if failed else {}),
    )


def _cut(_results: Results, _job: Job, reason: str) -> End:
    return End(state=JobState.FAILED, outcome={"reason": reason})


_DOCUMENT = Flow(
    kind="document",
    params=DocumentParams,
    steps={"ingest.load": Step(run=_read, queue="bulk")},
    first=lambda _job: Phase(items=(Item(id="load", step="ingest.load"),)),
    advance=_advance,
    cut_short=_cut,
)


def make_batches_small(patch: pytest.MonkeyPatch) -> Stumbles:
    """Let documents be one step, and reports be empty; return what makes their flow stumble."""
    report = {"ingest.report": Step(run=lambda _given, _ports: Outcome(), queue="bulk")}
    stumbles = Stumbles()
    batch = replace(BATCH, steps={**BATCH.steps, **report}, advance=stumbles.advance)
    patch.setitem(registry.FLOWS, "batch", batch)
    patch.setitem(registry.FLOWS, "document", _DOCUMENT)
    return stumbles
