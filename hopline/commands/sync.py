"""hopline sync."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.spinner import Spinner
from rich.text import Text

from hopline.commands.ask import report_submitted
from hopline.commands.client import connected
from hopline.commands.completion import complete_job
from hopline.commands.console import answers, harmless, notice, print_indented, print_json
from hopline.commands.exits import exit_of_state
from hopline.commands.filters import read_duration
from hopline.commands.ids import whole_job_id
from hopline.commands.intake import (
    ChunkOverlap,
    ChunkTokens,
    Code,
    Encoding,
    Reread,
    given,
    read_profile,
    refuse_own_places,
)
from hopline.commands.options import AsJson, Collection, Key, Quiet, Tag
from hopline.commands.waiting import cancelling, happening
from hopline.errors import plain_error
from hopline.views.tables import Listing
from hopline.views.words import usage_parts

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from hopline import Hopline
    from hopline.models.events import Event
    from hopline.models.syncs import SyncReport
    from hopline.progress.sync import SyncProgress


_KINDS = ("new", "changed", "moved", "removed", "unchanged", "doubtful")
_SHOWN = 8  # addresses of each kind


def sync(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE…",
            help="Folders, patterns, .jsonl files or addresses such as s3://bucket/folder.",
            show_default=False,
        ),
    ] = None,
    collection: Collection = "default",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the differences without changing anything.")
    ] = False,
    between: Annotated[
        str,
        typer.Option(
            help="Run every night, only during these hours, such as 22:00-06:00.", show_default=False
        ),
    ] = "",
    every: Annotated[
        str | None,
        typer.Option(help='Repeat at these times, in cron syntax: "0 2 * * *".', show_default=False),
    ] = None,
    as_json: AsJson = False,
    zone: Annotated[
        str,
        typer.Option(help="Time zone of the hours, such as Europe/Berlin. (default UTC)", show_default=False),
    ] = "",
    name: Annotated[
        str | None,
        typer.Option(help="Name of the schedule. (default: the collection's name)", show_default=False),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="JOB",
            help="Resume a sync that used up its budget, with these new limits.",
            show_default=False,
            autocompletion=complete_job,
        ),
    ] = None,
    profile: Annotated[
        str | None,
        typer.Option(help="Profile as for `hopline ingest`; always use the same one.", show_default=False),
    ] = None,
    chunk_tokens: ChunkTokens = None,
    chunk_overlap: ChunkOverlap = None,
    encoding: Encoding = None,
    code: Code = False,
    reread: Reread = False,
    most_removed: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="Largest share of the sources' documents that may be removed; the sync stops if more would "
            "be.",
        ),
    ] = 0.5,
    max_cost: Annotated[
        float | None, typer.Option(help="Pause before the sync's cost exceeds this.", show_default=False)
    ] = None,
    max_calls: Annotated[
        int | None, typer.Option(help="Maximum number of model calls.", show_default=False)
    ] = None,
    overlap_policy: Annotated[
        Literal["skip", "buffer_one", "cancel_other"] | None,
        typer.Option(
            help="If the previous sync is still running when the next one is due: skip the next, start it "
            "afterwards, or cancel the previous one. (default skip)",
            show_default=False,
        ),
    ] = None,
    catchup_window: Annotated[
        str | None,
        typer.Option(
            metavar="DURATION",
            help="How late a sync may start, such as 30min, 12h or 7d; after that it counts as missed. "
            "(default 365d)",
            show_default=False,
        ),
    ] = None,
    now: Annotated[
        bool,
        typer.Option("--now", help="With --resume: run at once, even outside its hours."),
    ] = False,
    wait: Annotated[
        bool,
        typer.Option("--wait/--no-wait", help="Wait for the end; --no-wait prints the job's id and returns."),
    ] = True,
    key: Key = None,
    tag: Tag = None,
    quiet: Quiet = False,
) -> None:
    """Sync a collection with its sources: new, changed, moved and removed documents.

    Workers compare the sources' files by hash with those that the graph was made from. Only changed chunks
    are sent to the model again; a moved document costs no call. Documents that no longer exist in the
    sources are removed, unless their source cannot be read. Exit codes: 0 in sync, 4 some documents are
    not, 1 the job failed, 2 usage.

    [bold]Examples[/bold]

      hopline sync reports/ -c reports --dry-run

      hopline sync reports/ -c reports

      hopline sync reports/ -c reports --between 22:00-06:00 --zone Europe/Berlin

      hopline sync s3://bucket/notes -c notes --every "30 */4 * * *"
    """
    if now and not resume:
        raise typer.BadParameter("used with --resume JOB", param_hint="--now")
    if not sources and not resume:
        raise typer.BadParameter("name a source", param_hint="SOURCE…")
    policy = _policy(overlap_policy, catchup_window, repeats=every is not None or bool(between))
    from hopline.models.tags import parse_tags
    from hopline.trees import place_of

    bounds = given(
        max_cost=max_cost,
        max_calls=max_calls,
        chunk_tokens=chunk_tokens,
        chunk_overlap=chunk_overlap,
        encoding=encoding or "",
        reread=reread or None,
        code=code or None,
    )
    order: dict[str, Any] = {"most_removed": most_removed, "profile": read_profile(profile), **bounds}
    order |= {"tags": parse_tags(tag or ()), "collection": collection}
    places = tuple(map(place_of, sources or ()))
    with connected() as client:
        repeats = every is not None or bool(between)
        refuse_own_places(
            client, places, "sync it again and again" if repeats else "compare it with its graph"
        )
        if places and repeats:
            order |= {"every": every, **given(hours=between, zone=zone), **policy}
            _schedule(client, name or collection, places, order, as_json=as_json)
            return
        if resume:
            job_id = client.syncs.resume(
                whole_job_id(client, resume), max_calls=max_calls, max_cost=max_cost, now=now
            ).id
        else:
            urgency: Literal["normal", "low"] = "normal" if wait else "low"
            job_id = client.syncs.submit(places, priority=urgency, key=key, dry_run=dry_run, **order).id
        if not wait:
            report_submitted(job_id, as_json=as_json)
            return
        report = follow_sync(client, job_id, quiet=quiet or as_json)
    if as_json:
        print_json(report.model_dump_json())
    else:
        print_sync(answers(), report)
        if dry_run and report.changes:
            notice("Run it without --dry-run to apply these changes.")
    raise typer.Exit(exit_of_state(report.status))


def _policy(overlap_policy: str | None, catchup_window: str | None, *, repeats: bool) -> dict[str, Any]:
    """Return the given fields of a schedule's policy."""
    fields = {"overlap_policy": overlap_policy, "catchup_window": catchup_window}
    policy: dict[str, Any] = {field: value for field, value in fields.items() if value is not None}
    if policy and not repeats:
        option = "--" + next(iter(policy)).replace("_", "-")
        raise typer.BadParameter("used with --every or --between", param_hint=option)
    if catchup_window:
        policy["catchup_window"] = read_duration(catchup_window, "catchup_window").total_seconds()
    return policy


def _schedule(
    client: Hopline, name: str, places: tuple[str, ...], order: dict[str, Any], *, as_json: bool
) -> None:
    """Save a schedule of syncs, and print when the next one is due."""
    from hopline.commands.schedules import UNWATCHED
    from hopline.views.schedules import due_in_words, flat

    saved = client.schedules.set(name, places, **order)
    if as_json:
        print_json(json.dumps(flat(saved)))
        return
    notice(f"Schedule {name}: due next at {due_in_words(saved)}. `hopline schedules` shows all.")
    if not client.schedules.list().watched:
        notice(UNWATCHED)


def _telling_pauses(client: Hopline, job_id: str) -> Iterator[list[Event]]:
    """Yield events as they arrive; print once why a sync pauses, and how to resume it."""
    reasons: set[str] = set()
    for events in happening(client, job_id):
        for pause in () if events else client.jobs.get(job_id).pauses:
            if pause.why not in reasons:
                reasons.add(pause.why)
                now = " --now" if pause.kind == "hours" else ""
                notice(f"Paused: {pause.why}. `hopline sync --resume {job_id}{now}` resumes it.")
        yield events


def follow_sync(client: Hopline, job_id: str, *, quiet: bool) -> SyncReport:
    """Show a sync's progress until it ends; return its report."""
    from hopline.models.syncs import SyncReport
    from hopline.progress.sync import SyncProgress
    from hopline.views.live import follow

    progress = SyncProgress()
    with cancelling(client.jobs.cancel, job_id, ask_first=True):
        follow(_telling_pauses(client, job_id), progress, sync_view(progress), quiet=quiet)
    return SyncReport.of(client.jobs.get(job_id))


def sync_view(progress: SyncProgress) -> Callable[[], RenderableType]:
    """Return a view that shows a sync's progress in one line."""
    spinner = Spinner("dots")

    def draw() -> RenderableType:
        spinner.update(text=Text(f" {progress.line}"))
        return spinner

    return draw


def print_sync(console: Console, report: SyncReport) -> None:
    """Print the result of a sync."""
    print_indented(console, Text(harmless(summary(report)), "bold"), 0)
    if report.error:
        print_indented(console, Text(harmless(report.error), "red"), 0)
    for kind in _KINDS:
        examples = report.examples.get(kind, ())
        for uri in examples[:_SHOWN]:
            print_indented(console, Text(f"{kind:9} {harmless(uri)}"), 2)
        more = report.counts.get(kind, 0) - min(len(examples), _SHOWN)
        if examples and more > 0:
            print_indented(console, Text(f"{kind:9} … and {more} more", "dim"), 2)
    if report.failed:
        table = Listing("document", "what became of it", wide="what became of it", title="Not in step")
        for document in report.failed:
            outcome = f"{document.status}: {plain_error(document.error or 'no reason recorded')}"
            table.add(document.uri, outcome)
        table.print(console)


def summary(report: SyncReport) -> str:
    """Return a line of counts: differences, documents written and removed, and model usage."""
    differences = [f"{report.counts[kind]} {kind}" for kind in _KINDS if report.counts.get(kind)]
    parts = [", ".join(differences) or "nothing found"]
    if report.refused:
        parts.append(f"{report.refused} no documents")
    if report.dry_run:
        return " · ".join([*parts, "a dry run: nothing was changed"])
    if report.documents:
        written = (f"{count} {status}" for status, count in sorted(report.documents.items()))
        parts.append("written: " + ", ".join(written))
    if report.removals:
        gone = (f"{count} {status}" for status, count in sorted(report.removals.items()))
        parts.append("taken away: " + ", ".join(gone))
    return " · ".join([*parts, *usage_parts(report.usage), f"job {report.job_id}: {report.status}"])
