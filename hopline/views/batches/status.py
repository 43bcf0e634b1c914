"""Prints named batches: a table of all, and details of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from rich.text import Text

from hopline.commands.console import harmless, print_indented
from hopline.models.times import seconds_between
from hopline.views.tables import Listing
from hopline.views.words import ago, lasting, moment, money, number, share, usage_parts
from hopline.words import counted

if TYPE_CHECKING:
    from rich.console import Console

    from hopline.models.batches import BatchMode, BatchStatus

_STYLES = {"running": "cyan", "done": "green", "partial": "yellow", "paused": "yellow", "failed": "red"}


def print_batches(console: Console, batches: Sequence[BatchStatus]) -> None:
    """Print batches, newest first."""
    if not batches:
        console.print("There is no named batch; `hopline ingest SOURCE… --batch NAME` makes one.")
        return
    table = Listing(
        "batch",
        "state",
        "documents",
        "in",
        "failed",
        "a minute",
        "left",
        "begun",
        "collection",
        spare=("begun", "a minute", "left", "collection"),
        right=("documents", "in", "failed", "a minute"),
    )
    for batch in batches:
        table.add(
            batch.name,
            _state(batch),
            number(batch.documents),
            share(batch.ended, batch.documents),
            number(batch.failed) if batch.failed else "",
            f"{batch.rate:.1f}" if batch.rate else "",
            lasting(batch.left) if batch.left else "",
            f"{ago(batch.created)} ago",
            batch.collection,
        )
    table.print(console)


def print_status(console: Console, batch: BatchStatus) -> None:
    """Print a batch's status."""
    title, *lines = status_texts(batch)
    console.print(title)
    for line in lines:
        print_indented(console, line, 2)


def status_texts(batch: BatchStatus) -> Iterator[Text]:
    """Yield the lines of a batch's status: a title, then details."""
    yield Text.assemble(("batch ", ""), (harmless(batch.name), "bold"), " ") + _state(batch)
    for line in _lines(batch):
        yield Text(harmless(line))
    for pause in batch.pauses:
        yield Text(harmless(f"paused for {ago(pause.since)}: {pause.why}"), "yellow")
    if batch.waits_until:
        yield Text(waiting(batch.waits_until, batch.zone), "yellow")
    for line in _hints(batch):
        yield Text(line, "dim")


def waiting(until: datetime, zone: str) -> str:
    """Return until when a batch waits for its hours, in the zone that they were given in."""
    left = max(1.0, seconds_between(datetime.now(UTC), until))
    return f"its hours begin in {lasting(left)}, at {moment(until, zone)}"


def how_far(batch: BatchStatus) -> str:
    """Return how many of a batch's documents have ended."""
    return (
        f"{number(batch.ended)} of {counted(batch.documents, 'document')},"
        f" {share(batch.ended, batch.documents)}"
    )


def _lines(batch: BatchStatus) -> Iterator[str]:
    yield f"collection {batch.collection} · begun {ago(batch.created)} ago · job {batch.job_id}"
    if batch.sources:
        yield "from " + ", ".join(batch.sources)
    by_status = ", ".join(f"{number(count)} {status}" for status, count in sorted(batch.counts.items()))
    yield how_far(batch) + (f": {by_status}" if by_status else "")
    if batch.refused:
        yield f"{number(batch.refused)} more were listed but are not documents"
    if batch.batch_mode:
        yield _batch_mode_line(batch.batch_mode, batch.documents)
    if batch.rate and batch.left is not None:
        yield f"{batch.rate:.1f} documents a minute · {lasting(batch.left)} left"
    if batch.finished:
        yield f"took {lasting(seconds_between(batch.created, batch.finished))}"
    yield " · ".join(
        [*usage_parts(batch.usage), *(["cost: " + money(None)] if batch.usage.cost is None else [])]
    )
    limits = {"calls": batch.budget.model_calls, "tokens": batch.budget.tokens, "cost": batch.budget.cost}
    set_limits = [f"{name} {limit:,}" for name, limit in limits.items() if limit is not None]
    if set_limits:
        yield "limits: " + " · ".join(set_limits)
    if batch.hours:
        free = f", and until {moment(batch.free_until, batch.zone)} at any time" if batch.free_until else ""
        yield f"runs between {batch.hours} {batch.zone or 'UTC'}{free}"


def _hints(batch: BatchStatus) -> Iterator[str]:
    name = batch.name
    if batch.state == "paused":
        kinds = {pause.kind for pause in batch.pauses}
        raised = " --max-cost N, --max-tokens N or --max-calls N" if "budget" in kinds else ""
        if kinds - {"hours"}:
            when = " in its hours" if "hours" in kinds else ""
            yield f"`hopline batches resume {name}{raised}` lets it go on{when}."
        if "hours" in kinds:
            at_once = f"`hopline batches resume {name} --now` lets it go on at once"
            yield f"{at_once}, `… --between 20:00-08:00` at other hours."
    elif batch.state != "running":
        if batch.failed or batch.ended < batch.documents:
            yield f"`hopline batches retry {name}` does again what is not in."
        yield f"`hopline batches report {name}` says what went in, what did not, and why."


def _state(batch: BatchStatus) -> Text:
    return Text(batch.state, _STYLES.get(batch.state, ""))


def _batch_mode_line(mode: BatchMode, documents: int) -> str:
    """Return the progress at the provider on one line."""
    if mode.lines is not None:
        left = mode.lines - mode.kept
        rest = f" · {left:,} asked call by call" if left else ""
        return f"by the provider's batch mode: {mode.kept:,} of {mode.lines:,} lines answered{rest}"
    if mode.batches:
        return f"at the provider: {mode.back:,} of {mode.batches:,} batches are back"
    return f"on the way to the provider: {mode.prepared:,} of {documents:,} documents are prepared"
