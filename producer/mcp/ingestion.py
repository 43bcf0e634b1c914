"""MCP tools around ingestion from places: schedules, estimates."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from pydantic import Field

from hopline.models.base import Frozen
from hopline.models.estimates import Estimate
from hopline.models.params import ChunkSizes, EncodingName
from hopline.models.schedules import Scheduled, ScheduleList, ScheduleRuns
from hopline.trees import place_of
from hopline.words import counted
from producer.mcp.offer import Call, Offer, Told, offer, result_of

if TYPE_CHECKING:
    from hopline.models.schedules import NotBegun, ScheduleRun

_SAMPLE = 200  # documents that are read, as over HTTP


class ListSchedules(Frozen):
    """List the schedules of syncs: sources, next run, and the state of the last sync."""


class ListScheduleRuns(Frozen):
    """List the syncs that a schedule started, newest first: when each began, how it ended and why.

    Also lists the times at which the schedule was due but started none, with the reasons.
    """

    name: str = Field(max_length=100, description="Name of the schedule, as listed by the tool schedules.")
    limit: int = Field(default=20, ge=1, le=100, description="Maximum number to list.")


class EstimateDocuments(ChunkSizes):
    """Estimate what ingesting documents would take: model calls, tokens, cost and hours.

    Nothing is stored and no model is called.
    """

    sources: tuple[str, ...] = Field(
        min_length=1,
        max_length=100,
        description="Files, folders or addresses that hopline can read, such as s3://bucket/folder.",
    )
    via: Literal["calls", "batch"] = Field(
        default="calls", description="batch: the model provider's batch interface, slower and cheaper."
    )
    encoding: EncodingName = ""
    code: bool = Field(default=False, description="Also count source code and configuration.")


async def list_schedules(call: Call, _arguments: ListSchedules) -> Told:
    """List schedules."""
    schedules = (await call.client.schedules.list()).schedules
    lines = [_schedule_line(each) for each in schedules] or ["There are no schedules."]
    return Told(
        text="\n".join(lines), data={"schedules": [each.model_dump(mode="json") for each in schedules]}
    )


async def list_schedule_runs(call: Call, arguments: ListScheduleRuns) -> Told:
    """List the syncs that a schedule started."""
    page = await call.client.schedules.runs(arguments.name, limit=arguments.limit)
    lines = [_run_line(run) for run in page.runs] or [f"The schedule {arguments.name} has begun nothing yet."]
    lines += map(_not_begun_line, page.not_begun)
    return Told(text="\n".join(lines), data=page.model_dump(mode="json"))


async def estimate_documents(call: Call, arguments: EstimateDocuments) -> Told:
    """Estimate documents."""
    sizes = arguments.model_dump(include={*ChunkSizes.model_fields, "encoding", "code"}, exclude_none=True)
    sources = tuple(map(place_of, arguments.sources)) if call.files else arguments.sources
    patient = call.client.with_options(timeout=None)  # where paths are read, it may take long
    estimate = await patient.estimates.make(sources, sample=_SAMPLE, via=arguments.via, **sizes)
    return Told(text=_estimate_text(estimate), data=estimate.model_dump(mode="json"))


def _schedule_line(scheduled: Scheduled) -> str:
    schedule, last = scheduled.schedule, "none yet"
    if scheduled.last_job:
        last = f"job {scheduled.last_job} {scheduled.last_state or 'expired'}"
    what = f"{', '.join(schedule.sync.sources)} into {schedule.collection}"
    times = f"{schedule.every} ({schedule.zone})"
    unbegun = "".join(
        f"; {count} {outcome}"
        for count, outcome in ((scheduled.missed, "missed"), (scheduled.skipped, "skipped"))
        if count
    )
    return f"{schedule.name}: {what}, {times}, {_due(scheduled)}; last sync: {last}{unbegun}"


def _run_line(run: ScheduleRun) -> str:
    reason = f": {run.reason}" if run.reason else ""
    return f"job {run.job_id}: begun {_moment(run.created)}, {run.state}{reason}"


def _not_begun_line(each: NotBegun) -> str:
    times = f"{each.times} times from {_moment(each.due)}" if each.times > 1 else _moment(each.due)
    return f"due {times}: {each.outcome}, {each.reason}"


def _due(scheduled: Scheduled) -> str:
    if scheduled.schedule.paused:
        return "paused"
    return "never due" if scheduled.due is None else f"due next {_moment(scheduled.due)}"


def _moment(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M UTC}"


def _estimate_text(estimate: Estimate) -> str:
    total, spent = estimate.total, estimate.spending
    parts = [f"{counted(total.documents, 'document')}, about {counted(round(total.calls), 'model call')}"]
    replies = f"{spent.reply_tokens.low:,.0f} to {spent.reply_tokens.high:,.0f}"
    parts.append(f"tokens: {spent.prompt_tokens:,.0f} of prompts, {replies} of replies")
    cost = f"unknown, {'; '.join(spent.unknown)}"
    if spent.total:
        cost = f"{spent.total.low:,.2f} to {spent.total.high:,.2f} {estimate.prices.currency}".rstrip()
    parts.append(f"cost: {cost}")
    if estimate.decides and estimate.decides.high is not None:
        parts.append(f"hours: up to {estimate.decides.high:,.1f}, by {estimate.decides.limit}")
    return "\n".join([*parts, *estimate.notes])


INGESTION: tuple[Offer, ...] = (
    offer(
        ListSchedules,
        list_schedules,
        name="schedules",
        title="List schedules",
        result=result_of(ScheduleList, ("schedules",)),
        scope="admin",
    ),
    offer(
        ListScheduleRuns,
        list_schedule_runs,
        name="schedule_runs",
        title="List what a schedule began",
        result=result_of(ScheduleRuns),
        scope="admin",
    ),
    offer(
        EstimateDocuments,
        estimate_documents,
        name="estimate",
        title="Estimate documents",
        result=result_of(Estimate),
        scope="admin",
    ),
)
