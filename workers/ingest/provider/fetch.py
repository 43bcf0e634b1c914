"""Steps ingest.provider_wait and ingest.provider_read: wait for a provider's batch, store its replies."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field

import orjson
import structlog

from workers.core.errors import DependencyAway
from workers.core.jobs.work import Event, Json, Outcome, Usage
from workers.core.ports import Ports
from workers.ingest.provider.lines import REPLIES, Line, get_group, lines_of
from workers.ingest.provider.send import settle

_OVERDUE = 3600.0  # seconds after its completion window that a batch is waited for
_LONGEST = 1800.0  # seconds until a batch that met the provider's limit is tried again
_OK = 200  # HTTP's
_REASONS = 3  # of failed lines, in the outcome

_log = structlog.get_logger()


def wait_for_batch(given: Json, ports: Ports) -> Outcome:
    """Check a batch; while it is in progress, defer the item until the next check.

    Input: {batch, round}. Result: {standing: ended, full or refused, status, input, output, errors, why,
    not_before: where it is full, when it may be tried again}.

    Raises:
        DependencyAway: it is not done.
    """
    batch = ports.provider.look(given["batch"])
    poll = ports.provider.bounds.poll
    overdue = batch.expires and time.time() > batch.expires + _OVERDUE
    if batch.standing == "working" and not overdue:
        done = f"{batch.completed + batch.failed} of {batch.total} lines are done"
        raise DependencyAway(f"the provider works on it ({batch.status}): {done}", retry_after=poll)
    if batch.standing == "working":
        _log.warning("batch.overdue", batch=batch.id, status=batch.status)
        ports.provider.cancel(batch.id)
    standing = "ended" if batch.standing == "working" else batch.standing
    result = {
        "standing": standing,
        **batch.model_dump(include={"status", "input", "output", "errors", "why"}),
        "not_before": time.time() + min(_LONGEST, poll * 2.0 ** given["round"])
        if standing == "full"
        else 0.0,
    }
    told = {"batch": batch.id, "status": batch.status, "completed": batch.completed, "failed": batch.failed}
    return Outcome(result=result, events=(Event(name="batch.waited_for", data=told),))


@dataclass
class _Reading:
    """What was found in the files of a batch so far."""

    ports: Ports
    asked: dict[str, Line]
    usage: Usage = field(default_factory=Usage)
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def take(self, raw: bytes) -> None:
        """Store a line's reply in the cache if it matches its request and is valid."""
        try:
            told = orjson.loads(raw)
            line = self.asked.pop(told["custom_id"], None)
            response = told["response"]
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
            told = orjson.loads(raw)
            error = told.get("error") or told["response"]["body"]["error"]
            self.reasons[str(error.get("code") or error.get("message"))[:100]] += 1
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
            self.reasons["unreadable"] += 1


def read_batch(given: Json, ports: Ports) -> Outcome:
    """Store the replies that came back and settle their cost; failed lines are left to normal calls.

    Input: {output, errors: files of the provider, "" for none}. Result: {lines, kept, unusable: replies that
    do not validate, unreadable: lines that hold none, failed, reasons, usage}.
    """
    group = get_group(ports.blobs, ports.job.params["group"])
    asked = {line.key: Line(line.content, line.key, line.reply, line.bound, b"")
             for line in lines_of(ports.blobs, group)}  # fmt: skip
    reading = _Reading(ports, asked)
    for raw in ports.provider.lines(given["output"]) if given["output"] else ():
        reading.take(raw)
    for raw in ports.provider.lines(given["errors"]) if given["errors"] else ():
        reading.take_failed(raw)
    settle(ports, reading.usage)
    counts = {name: reading.counts[name] for name in ("kept", "unusable", "unreadable", "failed")}
    told = {"lines": group.lines, **counts}
    result = {
        **told,
        "reasons": dict(reading.reasons.most_common(_REASONS)),
        "usage": reading.usage.model_dump(),
    }
    return Outcome(result=result, events=(Event(name="batch.read", data=told),))
