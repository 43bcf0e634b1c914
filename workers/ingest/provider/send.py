"""Steps ingest.provider_upload and ingest.provider_create: create a provider batch from a group.

Both look for what they are to make before they make it, by the job's intent: a name that no other group has.
So a crash between making and recording makes nothing twice.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated

from hopline.errors import Conflict, Deferred, Permanent
from hopline.events.provider import BatchCreated, BatchUploaded
from hopline.models.base import Frozen
from hopline.models.jobs import Usage
from workers.core.errors import BudgetExceeded
from workers.core.jobs.work import NoInput, Outcome
from workers.core.models.provider import ProviderFile
from workers.core.ports import Ports
from workers.core.records import IN_FULL
from workers.ingest.provider.lines import Group, Line, get_group, lines_of

_SKEW = 3600.0  # seconds that the provider's clock may be behind


def intent_of(ports: Ports) -> str:
    """Return what names a job's file and batch at the provider."""
    params = ports.job.params
    return str(params.get("intent") or name_of_intent(ports.job.id, params["group"], params["turn"]))


def name_of_intent(job_id: str, group: str, turn: int) -> str:
    """Return what names the file and the batch of a job and its group: nothing else has this name.

    turn: which time the group is sent, where a retry sends it again.
    """
    return f"{job_id}.{group[:12]}.{turn}"


def settle(ports: Ports, usage: Usage) -> None:
    """Replace a job's reservation by its batch's usage, so that a duplicate of the batch is not booked."""
    params = ports.job.params
    # A job that stops another's batch has that one's intent, and its epoch as the turn.
    epoch = params["turn"] if params.get("intent") else ports.job.epoch
    ports.provider.settle(intent_of(ports), usage, epoch)


def oldest(group: Group) -> float:
    """Return since when a group's file may be there."""
    return group.since - _SKEW


@dataclass
class _Counted:
    """The lines of a group without cached replies, and their upper bound on usage."""

    group: Group
    ports: Ports
    bound: Usage = field(default_factory=Usage)

    def wanted(self) -> Iterator[Line]:
        for line in lines_of(self.ports.blobs, self.group):
            if self.ports.replies.get(line.content, line.key) is None:
                self.bound = self.bound + line.bound
                yield line

    def requests(self) -> Iterator[bytes]:
        return (line.request() for line in self.wanted())


class UploadResult(Frozen):
    """The group's file of requests at the provider; without lines there is none."""

    lines: int
    file: str = ""  # its id
    created: float | None = None  # by the provider's clock
    bound: Annotated[Usage | None, IN_FULL] = None  # the most that they take


class CreateInput(Frozen):
    """A file of requests."""

    file: str  # its id
    created: float  # by the provider's clock
    lines: int
    bound: Annotated[Usage, IN_FULL]  # the most that they take
    not_before: float = 0.0  # seconds since the epoch: of one that met the provider's limit


class CreateResult(Frozen):
    """A batch at the provider."""

    batch: str  # its id


def upload_lines(_input: NoInput, ports: Ports) -> Outcome:
    """Write the group's file of requests, and reserve its possible usage.

    Raises:
        Conflict: the job that pays ended meanwhile, or its batch was stopped: the file is deleted.
    """
    group = get_group(ports.blobs, ports.job.params["group"])
    counted = _Counted(group, ports)
    if not any(True for _ in counted.wanted()):
        return Outcome(result=UploadResult(lines=0))
    counted = _Counted(group, ports)
    name, since = intent_of(ports), oldest(group)
    files = ports.provider.find_files(name, since)
    if files:
        # It was written by an attempt whose end nobody recorded, which may have held more lines than now.
        counted.bound = sum((line.bound for line in lines_of(ports.blobs, group)), Usage())
        file = files[0]
    else:
        file = ports.provider.upload(name, counted.requests())
        try:
            with suppress(BudgetExceeded):  # as its creation will tell
                ports.provider.reserve(name, counted.bound, ports.job.epoch)
        except Conflict:  # whoever stopped the batch may have seen no file yet
            ports.provider.delete(file.id)
            raise
    lines = counted.bound.model_calls
    result = UploadResult(lines=lines, file=file.id, created=file.created, bound=counted.bound)
    event = BatchUploaded(file=file.id, lines=lines)
    return Outcome(result=result, events=(event,))


def create_batch(uploaded: CreateInput, ports: Ports) -> Outcome:
    """Create the batch, booked as the most that it can take on the job that pays.

    Raises:
        Deferred: it is too early, or the provider takes no further batch now.
        BudgetExceeded: it does not fit into what is left.
        Permanent: the provider refuses it; nothing stays booked.
        Conflict: the job that pays has ended, or what was booked is settled: another attempt has got further.
    """
    early = uploaded.not_before - time.time()
    if early > 0:
        raise Deferred("the provider's limit is reached; the batch will be sent later", retry_after=early)
    intent, bound = intent_of(ports), uploaded.bound
    ports.provider.reserve(intent, bound, ports.job.epoch)
    file = ProviderFile(id=uploaded.file, created=uploaded.created)
    try:
        batch = ports.provider.create(intent, file)
    except Permanent:
        if not ports.provider.find(intent, file.created):  # nor one of an attempt that was lost
            settle(ports, Usage())
        raise
    try:
        ports.provider.reserve(intent, bound, ports.job.epoch)  # this only asks whether it still stands
    except Conflict:
        ports.provider.cancel(batch.id)
        raise
    event = BatchCreated(batch=batch.id, lines=bound.model_calls)
    return Outcome(result=CreateResult(batch=batch.id), events=(event,))
