"""Models of jobs and items that flows, steps, the ledger and the runner share."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    InstanceOf,
)

from hopline.allowed_values import InWords
from hopline.models.base import Frozen, Sparse
from hopline.models.events import EventData
from hopline.models.jobs import JobState, Json, Priority
from hopline.models.tags import Tags
from hopline.models.times import STORED


def as_json(data: Frozen | Json) -> Json:
    """Return a model as JSON without default values; JSON stays unchanged.

    A field without a default is always written, because a worker of the previous version needs it.
    """
    if not isinstance(data, Frozen):
        return data
    return data.model_dump(mode="json", exclude_defaults=True, context=STORED)


# A frozen model, or JSON, kept as JSON.
Stored = Annotated[Json, BeforeValidator(as_json)]


class Item(Frozen):
    """One unit of work inside a job."""

    id: str
    step: str  # the name of its step, which is its task's name: traverse.visit
    input: Stored = {}  # of the model that its Step names
    delay: float = 0.0  # seconds until the watchdog looks at it, where a chain or chord delivers it


class NoInput(Frozen):
    """The input of a step that needs only its job."""


class Event(Frozen):
    """An event as it is sent and stored."""

    name: str
    data: Stored = {}

    @classmethod
    def of(cls, data: EventData) -> Event:
        """Return the event with this data."""
        return cls(name=str(data.event), data=data)


def _sent(event: Any) -> Any:
    return Event.of(event) if isinstance(event, EventData) else event


Sent = Annotated[Event, BeforeValidator(_sent)]  # an event, or its data


class ChildJob(Frozen):
    """A job that an item is delegated to; the end of the job finishes the item."""

    kind: str
    params: Json


class ChildResult(Frozen):
    """The outcome of a delegated item's job; written with all its fields."""

    state: JobState | None = None  # None where the item was given up and its job left no end
    outcome: Json = {}  # of the child's flow
    job_id: str = ""
    ended: float = 0.0  # seconds since the epoch
    seconds: float = 0.0  # from its creation to its end


class GivenBack(Frozen):
    """Names an item reserved but did not read; others may read them once the item's result is recorded."""

    reader: str  # under which name it was taken
    names: tuple[str, ...]


class Outcome(Frozen):
    """The return value of a step. The runner meters usage, so that no step can forget to."""

    result: InstanceOf[Frozen] | Json = {}  # of the model that its Step names
    children: tuple[Item, ...] = ()
    events: tuple[Sent, ...] = ()
    delegate: ChildJob | None = None
    close: str | None = None  # why the phase may end early: what is begun is finished, the rest is dropped
    given_back: GivenBack | None = None
    notes: tuple[str, ...] = ()  # that the job's other items may read, once the result is recorded


# Of a queue that is neither ours nor a key of Celery's; our keys hold a colon, which no such name has.
_QUEUE = re.compile(r"(?!unacked|celery[-.e])[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_OURS = frozenset({"interactive", "bulk", "ocr", "quarantine", "submissions"})


def _foreign_queue(name: str) -> str:
    if name in _OURS or not _QUEUE.fullmatch(name):
        raise ValueError("a queue of your own: 1 to 100 letters, digits, '.', '_' or '-', none of hopline's")
    return name


class ReplyTo(Frozen):
    """A caller's Celery task that is called when a job has ended."""

    task: Annotated[
        str,
        Field(pattern=r"^[\x21-\x7e]{1,200}$", examples=["reports.on_answer"]),
        InWords("a task's name: 1 to 200 letters, digits and signs, without blanks"),
    ]
    queue: Annotated[
        str,
        AfterValidator(_foreign_queue),
        Field(examples=["reports"]),
    ]


class Job(Sparse):
    """The data of a job that its items may use; only `epoch` changes while the job exists."""

    LEFT_OUT = frozenset({"tags"})

    id: str
    kind: str  # the flow's name
    collection: str
    params: Json = {}
    epoch: int = 1
    root: str = ""  # the job that pays for this one's model calls; itself unless it is a child
    caller: str = ""  # the id of the API key that submitted it; none where it came over the broker
    priority: Priority = "normal"  # among what waits in a queue
    webhook: str = ""  # the address that is notified of its end
    reply: ReplyTo | None = None  # the task that is called at its end
    limited: bool = False  # to its collection: its caller may not see others
    principals: tuple[str, ...] | None = None  # whom it reads for, see `hopline.principals`; None: everything
    acted_by: str = ""  # the API key that asked for these principals, which are not its own
    tags: dict[str, str] = {}  # by which those who submitted it find it again
    # Of the request that submitted it; both are kept beside the spec: a repeated one has others.
    request_id: str = ""
    trace: str = ""  # see `core.jobs.traces`; "" where it belongs to none

    @property
    def collections(self) -> tuple[str, ...]:
        """All the collections that the job reads, its own first."""
        return tuple(self.params.get("collections") or (self.collection,))


class Terms(Frozen):
    """A job's caller, priority and notifications; child jobs inherit them."""

    caller: str = ""
    priority: Priority = "normal"
    webhook: str = ""
    reply: ReplyTo | None = None
    limited: bool = False  # the caller may see some collections only
    principals: tuple[str, ...] | None = None  # what they may see is read; None: everything
    acted_by: str = ""  # who asks in their name, where they are others
    tags: Tags = {}  # by which they find it again
    request_id: str = ""
    trace: str = ""  # that the job belongs to, as a traceparent


class End(Frozen):
    """The end of a job, as decided by its flow."""

    state: JobState
    outcome: Json


class Listed(Frozen):
    """Items whose list is already in the blob store."""

    reference: str  # of the manifest
    size: int  # how many there are
    step: str  # that they are done by, whatever step the list names


class Phase(Frozen):
    """Items that must all be finished before the job moves on."""

    items: tuple[Item, ...] = ()
    listed: Listed | None = None  # in place of items
    # At most this many items of a step are ever admitted while the phase grows by children.
    caps: dict[str, int] = {}
    # At most this many are in flight at a time; the rest wait in a paged manifest.
    window: int = 200
    subjects: int | None = None  # what the items are about, where one is about several: facts to score


class Done(Frozen):
    """A finished item of a phase with its result; `error` is set if it failed and has a degraded result."""

    item_id: str
    step: str
    result: Json
    error: str | None = None

    @cached_property
    def models(self) -> dict[type[Frozen], Frozen]:
        """Parsed models of the result, cached because a flow reads each result many times."""
        return {}
