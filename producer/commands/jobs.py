"""hopline jobs, job, cancel, retry."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from producer.commands.client import AsJson, open_client
from producer.commands.completion import complete_job
from producer.commands.ids import whole_job_id
from producer.console import answers, notice, print_json
from producer.exits import Exit
from producer.reports.words import counted

if TYPE_CHECKING:
    from producer.client.hopline import Hopline
    from producer.progress.reader import ReadingProgress
    from workers.core.jobs.work import Event
    from workers.ledger.records import JobRecord

JobId = Annotated[
    str,
    typer.Argument(
        help="A job's id or a prefix of it; `hopline jobs` lists them.",
        show_default=False,
        autocompletion=complete_job,
    ),
]


def jobs(
    limit: Annotated[int, typer.Option(min=1, max=2000, help="How many to list.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the newest jobs."""
    with open_client() as client:
        records = client.jobs(limit)
    if as_json:
        print_json(json.dumps({"jobs": [record.model_dump(mode="json") for record in records]}))
        return
    from producer.views.jobs import print_jobs

    print_jobs(answers(), records)


def job(
    job_id: JobId,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Show when each item waited and ran, as a waterfall.")
    ] = False,
    every: Annotated[
        bool, typer.Option("--every", help="With --timeline: a line for each item, however many.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a job: its state, items per step, dead letters with reasons, timings, usage.

    Exit codes: 1 where it has failed, else 0.

    Of a question under way it shows how far it has come, of an answered one how it was answered.

    [bold]Examples[/bold]

      hopline job j0a1b2c3d4e5f60718293a4b --json | jq .outcome

      hopline job j0a1b2c3d4e5f60718293a4b --timeline
    """
    with open_client() as client:
        job_id = whole_job_id(client, job_id)
        record = client.job(job_id)
        if timeline:
            _show_timeline(client, record, every=every, as_json=as_json)
            return
        dead = client.dead_letters(job_id)
        reading = _so_far(client, record)
    if as_json:
        told = record.model_dump(mode="json")
        told |= {"job_id": record.job.id, "dead_letters": [letter.model_dump(mode="json") for letter in dead]}
        print_json(json.dumps(told))
    else:
        from producer.views.jobs import print_job

        print_job(answers(), record, dead, reading)
    if str(record.state) == "failed":
        raise typer.Exit(Exit.FAILED)


def _show_timeline(client: Hopline, record: JobRecord, *, every: bool, as_json: bool) -> None:
    from producer.progress.timeline import timeline_of

    watch = client.follow(record.job.id)
    entries: list[tuple[str, Event]] = []
    while not watch.ended:
        batch = watch.poll_entries(block=0)
        if not batch and record.ended is None:
            break
        entries += batch
    found = timeline_of(entries)
    if as_json:
        print_json(json.dumps({"job_id": record.job.id, **found.model_dump(mode="json")}))
        return
    from producer.views.timeline import print_timeline

    print_timeline(answers(), found, every=every)


def _so_far(client: Hopline, record: JobRecord) -> ReadingProgress:
    """Return a running job's progress from its events; an ended one has it in its outcome."""
    from producer.progress.reader import ReadingProgress
    from workers.core.events.catalogue import read_event

    reading = ReadingProgress()
    if record.ended is None:
        watch = client.follow(record.job.id)
        while batch := watch.poll(block=0):
            for event in batch:
                reading.add(read_event(event))
    return reading


def cancel(job_id: JobId) -> None:
    """Cancel a job. One that has ended already stays as it is."""
    with open_client() as client:
        job_id = whole_job_id(client, job_id)
        record = client.cancel(job_id)
    notice(f"Job {job_id} is {record.state}.")


def retry(job_id: JobId) -> None:
    """Retry a job's dead letters. A question is asked again, as a new job."""
    with open_client() as client:
        job_id = whole_job_id(client, job_id)
        before = len(client.dead_letters(job_id))
        record = client.retry(job_id)
    if record.job.id == job_id:
        again = f"{counted(before, 'item')} {'is' if before == 1 else 'are'} being done again"
        notice(f"{again}; `hopline job {job_id}` shows progress.")
    else:
        notice(f"Asked anew; `hopline job {record.job.id}` shows how it stands.")
    print_json(record.job.id)
