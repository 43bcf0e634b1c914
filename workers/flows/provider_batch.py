"""Flow of a batch at the provider: upload → create → wait → read → clean; and of stopping one.

One whose creation or waiting was given up is stopped and read as well; its files stay for a retry.
"""

from __future__ import annotations

from pydantic import Field

from workers.core.ids import provider_cancel_job_id
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.work import Done, End, Item, Job, JobState, Json, Phase
from workers.core.model import Frozen
from workers.flows.document import MODEL
from workers.ingest.provider.clear import clean_up, stop_batch
from workers.ingest.provider.fetch import read_batch, wait_for_batch
from workers.ingest.provider.send import create_batch, name_of_intent, upload_lines

_UPLOAD, _CREATE = "ingest.provider_upload", "ingest.provider_create"
_WAIT, _READ, _CLEAN = "ingest.provider_wait", "ingest.provider_read", "ingest.provider_clean"
_STOP = "ingest.provider_stop"
_ROUNDS = 20  # of a batch that the provider's limits do not let in: most of a day
COUNTS = ("lines", "kept", "unusable", "unreadable", "failed")


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
        # What was given up may be at the provider all the same: it is stopped, and what is paid for is read.
        stops = done.step in (_CREATE, _WAIT) and not _count(_STOP, results)
        return _one("stop", _STOP, {"keep": True}) if stops else _end(results, error)
    if done.step == _UPLOAD and done.result["lines"]:
        return _one("create:1", _CREATE, done.result)
    if done.step in (_CREATE, _STOP) and done.result["batch"]:
        turn = _count(_WAIT, results) + 1
        return _one(f"wait:{turn}", _WAIT, {"batch": done.result["batch"], "round": turn})
    if done.step == _WAIT:
        return _after_wait(done, results)
    return _clean(results, refused=False) if done.step == _READ and not error else _end(results, error)


def _after_wait(done: Done, results: Results) -> Phase | End:
    if done.result["standing"] == "ended":
        return _one("read", _READ, {name: done.result[name] for name in ("output", "errors")})
    if error := _first_error(results):
        return _end(results, error)
    turn = _count(_WAIT, results) + 1
    if done.result["standing"] == "full" and turn <= _ROUNDS:
        again = {**_of(_UPLOAD, results), "not_before": done.result["not_before"]}
        return _one(f"create:{turn}", _CREATE, again)
    return _clean(results, refused=True)


def _count(step: str, results: Results) -> int:
    return sum(done.step == step for phase in results.values() for done in phase)


def _first_error(results: Results) -> str | None:
    """Return the error of the first dead letter; None if there is none."""
    return next((done.error for at in sorted(results) for done in results[at] if done.error), None)


def _clean(results: Results, *, refused: bool) -> Phase:
    waited = _of(_WAIT, results)
    files = [waited[name] for name in ("input", "output", "errors")]
    return _one("clean", _CLEAN, {"files": files, "refused": refused})


def _one(item: str, step: str, given: Json) -> Phase:
    return Phase(items=(Item(id=item, step=step, input=given),))


def _of(step: str, results: Results) -> Json:
    """Return the latest result of a step."""
    found = [done.result for at in sorted(results) for done in results[at] if done.step == step]
    return found[-1] if found else {}


def _end(results: Results, error: str | None) -> End:
    """End the job; a batch that the provider refused has failed, one whose lines failed has not."""
    read, waited = _of(_READ, results), _of(_WAIT, results)
    if waited.get("standing") in ("full", "refused") and not error:
        error = f"the provider refused the batch: {waited['why'] or waited['status']}"
    told = {name: read.get(name, 0) for name in COUNTS}
    told |= {"status": waited.get("status", ""), "reasons": read.get("reasons", {})}
    told |= {"usage": read["usage"]} if read else {}
    return End(state=JobState.FAILED if error else JobState.DONE, outcome={**told, "error": error})


_WAITING = {
    _STOP: Step(run=stop_batch, queue="bulk", time_limit=300, needs=MODEL),
    _WAIT: Step(run=wait_for_batch, queue="bulk", needs=MODEL),
    _READ: Step(run=read_batch, queue="bulk", time_limit=3600, needs=MODEL),
    _CLEAN: Step(run=clean_up, queue="bulk", time_limit=300, needs=MODEL),
}
PROVIDER_BATCH = Flow(
    kind="provider_batch",
    params=ProviderBatchParams,
    steps={
        _UPLOAD: Step(run=upload_lines, queue="bulk", time_limit=3600, needs=MODEL),
        _CREATE: Step(run=create_batch, queue="bulk", time_limit=300, needs=MODEL),
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
    """Return the job that stops what another has at the provider, and reads what is paid for."""
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
