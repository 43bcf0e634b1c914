"""Steps ingest.provider_wait and ingest.provider_read: wait for a provider's batch, store its replies."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Annotated, Literal

import orjson
import structlog

from hopline.errors import Deferred
from hopline.events.provider import BatchRead, BatchWaitedFor
from hopline.models.base import Frozen
from hopline.models.jobs import Usage
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.records import IN_FULL
from workers.ingest.provider.lines import REPLIES, Line, get_group, lines_of
from workers.ingest.provider.send import settle

_OVERDUE = 3600.0  # seconds after its completion window that a batch is waited for
_LONGEST = 1800.0  # seconds until a batch that met the provider's limit is tried again
_OK = 200  # HTTP's
_REASONS = 3  # of failed lines, in the outcome

_log = structlog.get_logger()


class WaitInput(Frozen):
    """A batch at the provider."""

    batch: str  # its id
    round: int  # how manieth batch it is that is made of the group, from 1


class WaitResult(Frozen):
    """A batch that the provider is through with."""

    standing: Literal["ended", "full", "refused"]  # full: it met the provider's limit
    status: str  # in the provider's word
    input: str  # ids of its files, "" for none
    output: str
    errors: str
    why: str  # it was refused
    not_before: float  # seconds since the epoch: when a full one may be tried again, else 0


class ReadInput(Frozen):
    """The files of a batch's replies."""

    output: str  # ids, "" for none
    errors: str


class ReadResult(Frozen):
    """What came back of a group's lines."""

    lines: int
    kept: int
    unusable: int  # replies that do not validate
    unreadable: int  # lines that hold no reply
    failed: int
    reasons: dict[str, int]  # the most frequent ones of failed lines
    usage: Annotated[Usage, IN_FULL]


def wait_for_batch(created: WaitInput, ports: Ports) -> Outcome:
    """Check a batch; while it is in progress, defer the item until the next check.

    Raises:
        Deferred: it is not done.
    """
    batch = ports.provider.look(created.batch)
    poll = ports.provider.bounds.poll
    overdue = batch.expires and time.time() > batch.expires + _OVERDUE
    if batch.standing == "working" and not overdue:
        done = f"{batch.completed + batch.failed} of {batch.total} lines are done"
        raise Deferred(f"the provider is processing the batch ({batch.status}): {done}", retry_after=poll)
    if batch.standing == "working":
        _log.warning("batch.overdue", batch=batch.id, status=batch.status)
        ports.provider.cancel(batch.id)
    standing = "ended" if batch.standing == "working" else batch.standing
    pause = min(_LONGEST, poll * 2.0**created.round)
    result = WaitResult(
        standing=standing,
        status=batch.status,
        input=batch.input,
        output=batch.output,
        errors=batch.errors,
        why=batch.why,
        not_before=time.time() + pause if standing == "full" else 0.0,
    )
    event = BatchWaitedFor(
        batch=batch.id, status=batch.status, completed=batch.completed, failed=batch.failed
    )
    return Outcome(result=result, events=(event,))


@dataclass
class _Reading:
    """The results found in the files of a batch so far."""

    ports: Ports
    lines: dict[str, Line]  # by key; those without a reply yet
    usage: Usage = field(default_factory=Usage)
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def take(self, raw: bytes) -> None:
        """Store a line's reply in the cache if it matches its request and is valid."""
        try:
            reply = orjson.loads(raw)
            line = self.lines.pop(reply["custom_id"], None)
            response = reply["response"]
            status, payload = response["status_code"], response["body"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            self.counts["unreadable"] += 1
            return
        if status != _OK or not isinstance(payload, dict) or line is None:
            self.counts["unreadable"] += 1
            return
        value, took = self.ports.provider.read(payload, REPLIES[line.reply], line.bound)
        self.usage = self.usage + took
        self.counts["unusable" if value is None else "kept"] += 1
        if value is not None:
            self.ports.replies.put(line.content, line.key, value.model_dump_json().encode())

    def take_failed(self, raw: bytes) -> None:
        """Count a line that failed, by its reason."""
        self.counts["failed"] += 1
        try:
            reply = orjson.loads(raw)
            error = reply.get("error") or reply["response"]["body"]["error"]
            self.reasons[str(error.get("code") or error.get("message"))[:100]] += 1
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
            self.reasons["unreadable"] += 1


def read_batch(files: ReadInput, ports: Ports) -> Outcome:
    """Store the replies that came back and settle their cost; failed lines are left to normal calls."""
    group = get_group(ports.blobs, ports.job.params["group"])
    lines = {line.key: Line(line.content, line.key, line.reply, line.bound, b"")
             for line in lines_of(ports.blobs, group)}  # fmt: skip
    reading = _Reading(ports, lines)
    for raw in ports.provider.lines(files.output) if files.output else ():
        reading.take(raw)
    for raw in ports.provider.lines(files.errors) if files.errors else ():
        reading.take_failed(raw)
    settle(ports, reading.usage)
    counts = {name: reading.counts[name] for name in ("kept", "unusable", "unreadable", "failed")}
    reasons = dict(reading.reasons.most_common(_REASONS))
    result = ReadResult(lines=group.lines, **counts, reasons=reasons, usage=reading.usage)
    event = BatchRead(lines=group.lines, **counts)
    return Outcome(result=result, events=(event,))
