"""Flow of a batch at the provider: upload → create → wait → read → clean; and of stopping one.

One whose creation or waiting was given up is stopped and read as well; its files stay for a retry.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from hopline.events.provider import BatchStopped
from hopline.models.base import Frozen
from hopline.models.jobs import JobState, Usage
from workers.core.ids import provider_cancel_job_id
from workers.core.jobs.flow import Flow, Record, Results, Step, done_of, result_of
from workers.core.jobs.work import End, Item, Job, NoInput, Outcome, Phase, as_json
from workers.core.ports import Ports
from workers.ingest.flow import MODEL
from workers.ingest.provider.fetch import (
    ReadInput,
    ReadResult,
    WaitInput,
    WaitResult,
    read_batch,
    wait_for_batch,
)
from workers.ingest.provider.lines import get_group
from workers.ingest.provider.send import (
    CreateInput,
    CreateResult,
    UploadResult,
    create_batch,
    intent_of,
    name_of_intent,
    oldest,
    settle,
    upload_lines,
)

_UPLOAD, _CREATE = "ingest.provider_upload", "ingest.provider_create"
_WAIT, _READ, _CLEAN = "ingest.provider_wait", "ingest.provider_read", "ingest.provider_clean"
_STOP = "ingest.provider_stop"
_ROUNDS = 20  # of a batch that the provider's limits do not let in: most of a day
COUNTS = ("lines", "kept", "unusable", "unreadable", "failed")


class CleanInput(Frozen):
    """What is left of a batch."""

    files: tuple[str, ...]  # ids of its files, "" for none
    refused: bool  # nothing was answered, so that nothing is paid


class CleanResult(Frozen):
    """What was deleted."""

    removed: int  # files


class StopInput(Frozen):
    """How a batch is stopped."""

    keep: bool = False  # the file of requests stays, for a retry


class StopResult(Frozen):
    """A cancelled batch, whose finished replies are still read because they are paid for."""

    batch: str  # its id, "" if there is none


def clean_up(batch: CleanInput, ports: Ports) -> Outcome:
    """Delete a batch's files at the provider, so that no texts remain there."""
    if batch.refused:
        settle(ports, Usage())
    group = get_group(ports.blobs, ports.job.params["group"])
    written = [file.id for file in ports.provider.find_files(intent_of(ports), oldest(group))]
    files = {file for file in (*batch.files, *written) if file}
    for file in files:
        ports.provider.delete(file)
    return Outcome(result=CleanResult(removed=len(files)))


def stop_batch(stop: StopInput, ports: Ports) -> Outcome:
    """Cancel the batch of a cancelled or failed job at the provider; if there is none, delete its files."""
    intent, since = intent_of(ports), oldest(get_group(ports.blobs, ports.job.params["group"]))
    batches = ports.provider.find(intent, since)
    for batch in batches:
        ports.provider.cancel(batch.id)
    if batches:
        event = BatchStopped(batch=batches[0].id)
        return Outcome(result=StopResult(batch=batches[0].id), events=(event,))
    settle(ports, Usage())  # first: whoever is uploading a file now deletes it then
    for file in () if stop.keep else ports.provider.find_files(intent, since):
        ports.provider.delete(file.id)
    return Outcome(result=StopResult(batch=""))


class ProviderBatchParams(Frozen):
    """Lines that go to the provider together."""

    group: str = Field(min_length=1, max_length=200)  # blob
    # Which time it is sent: a retry of the whole sends it again. Of a job that stops another: its epoch.
    turn: int = 1
    intent: str = Field(default="", max_length=200)  # of the job that is stopped; its own unless set


def _advance(phase: int, results: Results, _job: Job) -> Phase | End:
    done = next(iter(results.get(phase, ())), None)
    if done is None:
        return _end(results, "it was stopped before it was done")
    error = _first_error(results)
    if done.error:
        # The provider may still have an abandoned batch: stop it, and read the replies that were paid for.
        stops = done.step in (_CREATE, _WAIT) and not done_of(results, _STOP)
        return _only("stop", _STOP, StopInput(keep=True)) if stops else _end(results, error)
    if done.step == _UPLOAD:
        uploaded = UploadResult.read_stored(done.result)
        return _create(uploaded, results) if uploaded.lines else _end(results, error)
    if done.step in (_CREATE, _STOP):
        kind: type[CreateResult | StopResult] = CreateResult if done.step == _CREATE else StopResult
        batch = kind.read_stored(done.result).batch
        return _wait(batch, results) if batch else _end(results, error)
    if done.step == _WAIT:
        return _after_wait(WaitResult.read_stored(done.result), results)
    return _clean(results, refused=False) if done.step == _READ and not error else _end(results, error)


def _after_wait(waited: WaitResult, results: Results) -> Phase | End:
    if waited.standing == "ended":
        return _only("read", _READ, ReadInput(output=waited.output, errors=waited.errors))
    if error := _first_error(results):
        return _end(results, error)
    uploaded = _last(results, _UPLOAD, UploadResult)
    if waited.standing == "full" and uploaded and len(done_of(results, _WAIT)) < _ROUNDS:
        return _create(uploaded, results, waited.not_before)
    return _clean(results, refused=True)


def _create(uploaded: UploadResult, results: Results, not_before: float = 0.0) -> Phase:
    turn = len(done_of(results, _WAIT)) + 1
    file = CreateInput(**as_json(uploaded), not_before=not_before)
    return _only(f"create:{turn}", _CREATE, file)


def _wait(batch: str, results: Results) -> Phase:
    turn = len(done_of(results, _WAIT)) + 1
    return _only(f"wait:{turn}", _WAIT, WaitInput(batch=batch, round=turn))


def _first_error(results: Results) -> str | None:
    """Return the error of the first dead letter; None if there is none."""
    return next((done.error for at in sorted(results) for done in results[at] if done.error), None)


def _clean(results: Results, *, refused: bool) -> Phase:
    waited = _last(results, _WAIT, WaitResult)
    files = (waited.input, waited.output, waited.errors) if waited else ()
    return _only("clean", _CLEAN, CleanInput(files=files, refused=refused))


def _only(item: str, step: str, record: Frozen) -> Phase:
    return Phase(items=(Item(id=item, step=step, input=record),))


def _last(results: Results, step: str, kind: type[Record]) -> Record | None:
    """Return the latest result of a step; None if there is none, or the step failed."""
    done = done_of(results, step)
    return result_of(done[-1], kind) if done else None


def _end(results: Results, error: str | None) -> End:
    """End the job; a batch that the provider refused has failed, one whose lines failed has not."""
    read, waited = _last(results, _READ, ReadResult), _last(results, _WAIT, WaitResult)
    if waited and waited.standing in ("full", "refused") and not error:
        error = f"the provider refused the batch: {waited.why or waited.status}"
    outcome = {name: getattr(read, name, 0) for name in COUNTS}
    outcome |= {"status": waited.status if waited else "", "reasons": read.reasons if read else {}}
    outcome |= {"usage": read.usage.model_dump()} if read else {}
    return End(state=JobState.FAILED if error else JobState.DONE, outcome={**outcome, "error": error})


_WAITING: Mapping[str, Step[Any]] = {
    _STOP: Step(
        stop_batch,
        StopInput,
        StopResult,
        activity="stopping the provider's batch",
        queue="bulk",
        time_limit=300,
        needs=MODEL,
    ),
    _WAIT: Step(
        wait_for_batch,
        WaitInput,
        WaitResult,
        activity="waiting for the provider's batch",
        queue="bulk",
        needs=MODEL,
    ),
    _READ: Step(
        read_batch,
        ReadInput,
        ReadResult,
        activity="reading the provider's batch",
        queue="bulk",
        time_limit=3600,
        needs=MODEL,
    ),
    _CLEAN: Step(
        clean_up,
        CleanInput,
        CleanResult,
        activity="removing files at the provider",
        queue="bulk",
        time_limit=300,
        needs=MODEL,
    ),
}
PROVIDER_BATCH = Flow(
    kind="provider_batch",
    params=ProviderBatchParams,
    steps={
        _UPLOAD: Step(
            upload_lines,
            NoInput,
            UploadResult,
            activity="uploading to the provider",
            queue="bulk",
            time_limit=3600,
            needs=MODEL,
        ),
        _CREATE: Step(
            create_batch,
            CreateInput,
            CreateResult,
            activity="creating the provider's batch",
            queue="bulk",
            time_limit=300,
            needs=MODEL,
        ),
        **_WAITING,
    },
    first=lambda _job: Phase(items=(Item(id="upload", step=_UPLOAD),)),
    advance=_advance,
    cut_short=lambda results, _job, reason: _end(results, reason),
)
PROVIDER_CANCEL = Flow(
    kind="provider_cancel",
    params=ProviderBatchParams,
    steps=_WAITING,
    first=lambda _job: Phase(items=(Item(id="stop", step=_STOP, delay=0.001),)),
    advance=_advance,
    cut_short=lambda results, _job, reason: _end(results, reason),
)


def cancel_job_of(job: Job) -> Job:
    """Return the job that stops another's batches at the provider, and reads replies already paid for."""
    group, turn = job.params["group"], job.params["turn"]
    intent = name_of_intent(job.id, group, turn)
    params = ProviderBatchParams(group=group, turn=job.epoch, intent=intent)
    return Job(
        id=provider_cancel_job_id(job.id, job.epoch),
        kind=PROVIDER_CANCEL.kind,
        collection=job.collection,
        params=params.model_dump(mode="json"),
        root=job.root,
        caller=job.caller,
    )
