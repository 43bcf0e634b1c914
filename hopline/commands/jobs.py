"""hopline jobs: list, show; cancel, retry, replay one job, or many by filter."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopline.commands.client import connected
from hopline.commands.completion import complete_job
from hopline.commands.console import agree, answers, notice, print_json
from hopline.commands.exits import Exit
from hopline.commands.filters import MOST_JOBS, filtered, read_filter
from hopline.commands.ids import whole_job_id
from hopline.commands.nouns import noun
from hopline.commands.options import AsJson, DryRun, Yes
from hopline.errors import InvalidInput
from hopline.models.jobs import JobFilter, JobState
from hopline.words import counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hopline import Hopline
    from hopline.models.jobs import JobsActed, Verb
    from hopline.models.results import Job
    from hopline.progress.reader import ReadingProgress

OneJob = Annotated[
    str | None,
    typer.Argument(
        help="Id of a job, or a prefix of it. (default: all jobs that match the options)",
        show_default=False,
        autocompletion=complete_job,
    ),
]
_PAST: dict[Verb, str] = {"cancel": "cancelled", "retry": "retried", "replay": "replayed"}
JobId = Annotated[
    str,
    typer.Argument(
        help="Id of a job, or a prefix of it; `hopline jobs` lists them.",
        show_default=False,
        autocompletion=complete_job,
    ),
]

app = noun("Jobs: list them, show one, cancel, retry or replay one or many.")


@app.command(name="list")
@filtered(JobFilter)
def list_jobs(
    limit: Annotated[int, typer.Option(min=1, max=MOST_JOBS, help="Maximum number to list.")] = 20,
    as_json: AsJson = False,
    **which: Any,
) -> None:
    """List the newest jobs.

    [bold]Example[/bold]

      hopline jobs --state failed --since 7d
    """
    meant = read_filter(JobFilter, which)
    with connected() as client:
        listed = list(islice(client.jobs.iterate(**meant), limit))
    if as_json:
        print_json(json.dumps({"jobs": [job.model_dump(mode="json") for job in listed]}))
        return
    from hopline.views.jobs import print_jobs

    print_jobs(answers(), listed)


@app.command()
def show(
    job_id: JobId,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Show when each task waited and ran, as a waterfall.")
    ] = False,
    every: Annotated[
        bool,
        typer.Option("--every", help="With --timeline: show a line for every task, however many there are."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a job: its state, items per step, dead letters with reasons, timings, usage.

    Exit codes: 0 shown, 1 shown, but the job failed, 3 no such job, 2 usage.

    For a question in progress it shows the progress so far; for an answered one, how the answer was found.

    [bold]Examples[/bold]

      hopline jobs show j0a1b2c3d4e5f60718293a4b --json | jq .outcome

      hopline jobs show j0a1b2c3d4e5f60718293a4b --timeline
    """
    with connected() as client:
        shown = client.jobs.get(whole_job_id(client, job_id))
        if timeline:
            _show_timeline(client, shown, every=every, as_json=as_json)
            return
        dead = client.jobs.dead_letters(shown.id).dead_letters
        reading = _so_far(client, shown)
    if as_json:
        view = shown.model_dump(mode="json")
        view |= {"job_id": shown.id, "dead_letters": [letter.model_dump(mode="json") for letter in dead]}
        print_json(json.dumps(view))
    else:
        from hopline.views.jobs import print_job

        print_job(answers(), shown, dead, reading)
    if shown.state == "failed":
        raise typer.Exit(Exit.FAILED)


def _show_timeline(client: Hopline, job: Job, *, every: bool, as_json: bool) -> None:
    timeline = client.jobs.timeline(job.id)
    if as_json:
        print_json(json.dumps({"job_id": job.id, **timeline.model_dump(mode="json")}))
        return
    from hopline.views.timeline import print_timeline

    print_timeline(answers(), timeline, job.usage, every=every)


def _so_far(client: Hopline, job: Job) -> ReadingProgress:
    """Return a running job's progress from its events; an ended one has it in its outcome."""
    from hopline.events.catalogue import read_event
    from hopline.progress.reader import ReadingProgress

    reading = ReadingProgress()
    if job.ended is None:
        for event in client.jobs.events(job.id, follow=False):
            reading.add(read_event(event))
    return reading


@app.command()
@filtered(JobFilter, without=("state",))
def cancel(
    job_id: OneJob = None,
    dry_run: DryRun = False,
    yes: Yes = False,
    **which: Any,
) -> None:
    """Cancel a job, or all running jobs that match the options, after asking. Ended jobs stay as they are.

    [bold]Example[/bold]

      hopline jobs cancel --kind query -c reports --dry-run
    """
    meant = read_filter(JobFilter, which)
    if job_id is None:
        act_on_each(meant, "cancel", dry_run=dry_run, yes=yes)
        return
    check_only_one(also=bool(meant) or dry_run)
    with connected() as client:
        job_id = whole_job_id(client, job_id)
        ended = client.jobs.cancel(job_id)
        ended_before = ended.state is not JobState.CANCELLED
    notice(f"Job {job_id} had ended: {ended.state}." if ended_before else f"Cancelled job {job_id}.")


@app.command()
@filtered(JobFilter)
def retry(
    job_id: OneJob = None,
    dry_run: DryRun = False,
    **which: Any,
) -> None:
    """Retry the failed items of a job, or of all jobs that match the options.

    A question that failed or was answered in part is asked again as a new job. A successful job has nothing
    to retry; `hopline jobs replay` asks its question again.

    [bold]Example[/bold]

      hopline jobs retry --state failed --since 2026-11-20 --dry-run
    """
    meant = read_filter(JobFilter, which)
    if job_id is None:
        act_on_each(meant, "retry", dry_run=dry_run)
        return
    check_only_one(also=bool(meant) or dry_run)
    with connected() as client:
        job_id = whole_job_id(client, job_id)
        before = len(client.jobs.dead_letters(job_id).dead_letters)
        runs = client.jobs.retry(job_id)
    if runs.id == job_id:
        again = f"{counted(before, 'item')} {'is' if before == 1 else 'are'} being done again"
        notice(f"{again}; `hopline jobs show {job_id}` shows progress.")
    else:
        notice(f"Asked again; `hopline jobs show {runs.id}` shows its progress.")
    print_json(runs.id)


def check_only_one(*, also: bool) -> None:
    """Refuse an id together with options that select jobs."""
    if also:
        raise InvalidInput("JOB_ID", "an id and options that select jobs", "one of the two")


def act_on_each(
    meant: JobFilter,
    verb: Verb,
    *,
    dry_run: bool,
    params: Mapping[str, object] | None = None,
    key: str | None = None,
    as_json: bool = False,
    yes: bool = True,
) -> None:
    """Act on each selected job; print the ids and their number, as text or as JSON.

    Args:
        meant: filter that selects the jobs.
        verb: the action.
        dry_run: only list the jobs.
        params: changed parameters of a replay.
        key: idempotency key of a replay.
        as_json: print as JSON.
        yes: do not ask for confirmation.

    Raises:
        InvalidInput: no option selects jobs, or there is no terminal to ask on.
    """
    if not meant:
        raise InvalidInput("JOB_ID", None, "a job's id, or options that select jobs: --kind, --tag, --since")
    with connected() as client:
        if not yes and not dry_run and (count := client.jobs.act(verb, meant, dry_run=True).matched):
            agree(f"{verb.capitalize()} {counted(count, 'job')}?", yes=False)
        acted = client.jobs.act(verb, meant, dry_run=dry_run, params=params or {}, key=key or "")
        if dry_run and not as_json:
            _show_meant(client, meant, acted)
            return
    if as_json:
        print_json(acted.model_dump_json())
        return
    for job_id in acted.jobs:
        print_json(job_id)
    for refused in acted.refused:
        notice(f"{refused.id}: {refused.reason}")
    notice(f"{acted.done} of {counted(acted.matched, 'job')} {_PAST[verb]}.")


def _show_meant(client: Hopline, meant: JobFilter, acted: JobsActed) -> None:
    from hopline.views.jobs import print_jobs

    print_jobs(answers(), _jobs_of(client, meant, acted))
    at_once = f", the newest {len(acted.jobs)} at once" if acted.matched > len(acted.jobs) else ""
    notice(f"Would {acted.verb} {counted(acted.matched, 'job')}{at_once}; nothing was done.")


def _jobs_of(client: Hopline, meant: JobFilter, acted: JobsActed) -> list[Job]:
    """Return the jobs that the action applies to, newest first, however many other jobs are between them."""
    meant_ids = set(acted.jobs)
    listed = (job for job in client.jobs.iterate(**meant) if job.id in meant_ids)
    return list(islice(listed, len(meant_ids)))
