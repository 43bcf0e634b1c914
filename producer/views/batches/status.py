"""Prints named batches: a table of all, details of one, and the progress of a listing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from producer.console import harmless, notices, print_indented
from producer.reports.words import counted, lasting, moment, money, number, share
from producer.views.jobs import ago
from producer.views.questions.answers import usage_parts
from producer.views.tables import Listing

if TYPE_CHECKING:
    from rich.console import Console

    from producer.service.batches.status import BatchMode, BatchStatus
    from producer.service.batches.submission import ListingProgress

_STYLES = {"running": "cyan", "done": "green", "partial": "yellow", "paused": "yellow", "failed": "red"}
_SILENT_SECONDS = 5.0  # between two lines, where nothing can be redrawn
_MEGABYTE = 1_000_000


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
    for one in batches:
        table.add(
            one.name,
            _state(one),
            number(one.documents),
            share(one.ended, one.documents),
            number(one.failed) if one.failed else "",
            f"{one.rate:.1f}" if one.rate else "",
            lasting(one.left) if one.left else "",
            f"{ago(one.created)} ago",
            one.collection,
        )
    table.print(console)


def print_status(console: Console, one: BatchStatus) -> None:
    """Print a batch's status."""
    title, *lines = status_texts(one)
    console.print(title)
    for line in lines:
        print_indented(console, line, 2)


def status_texts(one: BatchStatus) -> Iterator[Text]:
    """Yield the lines of a batch's status: a title, then details."""
    yield Text.assemble(("batch ", ""), (harmless(one.name), "bold"), " ") + _state(one)
    for line in _lines(one):
        yield Text(harmless(line))
    for pause in one.pauses:
        yield Text(harmless(f"paused for {ago(pause.since)}: {pause.why}"), "yellow")
    if one.waits_until:
        yield Text(waiting(one.waits_until), "yellow")
    for line in _hints(one):
        yield Text(line, "dim")


def waiting(until: float) -> str:
    """Return until when a batch waits for its hours."""
    return f"its hours begin in {lasting(max(1.0, until - time.time()))}, at {moment(until)}"


def how_far(one: BatchStatus) -> str:
    """Return how many of a batch's documents have ended."""
    return f"{number(one.ended)} of {counted(one.documents, 'document')}, {share(one.ended, one.documents)}"


def _lines(one: BatchStatus) -> Iterator[str]:
    yield f"collection {one.collection} · begun {ago(one.created)} ago · job {one.job_id}"
    if one.sources:
        yield "from " + ", ".join(one.sources)
    by_status = ", ".join(f"{number(count)} {status}" for status, count in sorted(one.counts.items()))
    yield how_far(one) + (f": {by_status}" if by_status else "")
    if one.refused:
        yield f"{number(one.refused)} more were listed but are not documents"
    if one.batch_mode:
        yield _batch_mode_line(one.batch_mode, one.documents)
    if one.rate and one.left is not None:
        yield f"{one.rate:.1f} documents a minute · {lasting(one.left)} left"
    if one.finished:
        yield f"took {lasting(max(0.0, one.finished - one.created))}"
    yield " · ".join([*usage_parts(one.usage), *(["cost: " + money(None)] if one.usage.cost is None else [])])
    limits = {"calls": one.budget.model_calls, "tokens": one.budget.tokens, "cost": one.budget.cost}
    set_limits = [f"{name} {limit:,}" for name, limit in limits.items() if limit is not None]
    if set_limits:
        yield "limits: " + " · ".join(set_limits)
    if one.hours:
        free = f", and until {moment(one.free_until)} at any time" if one.free_until else ""
        yield f"runs between {one.hours} {one.zone or 'UTC'}{free}"


def _hints(one: BatchStatus) -> Iterator[str]:
    command = f"hopline batch {one.name}"
    if one.state == "paused":
        kinds = {pause.kind for pause in one.pauses}
        raised = " --max-cost N, --max-tokens N or --max-calls N" if "budget" in kinds else ""
        if kinds - {"hours"}:
            yield f"`{command} resume{raised}` lets it go on{' in its hours' if 'hours' in kinds else ''}."
        if "hours" in kinds:
            yield f"`{command} resume --now` lets it go on at once, `… --between 20:00-08:00` at other hours."
    elif one.state != "running":
        if one.failed or one.ended < one.documents:
            yield f"`{command} retry` does again what is not in."
        yield f"`{command} report` says what went in, what did not, and why."


def _state(one: BatchStatus) -> Text:
    return Text(one.state, _STYLES.get(one.state, ""))


@contextmanager
def showing(progress: ListingProgress, *, quiet: bool) -> Iterator[None]:
    """Show the progress of a listing."""
    console = notices()
    if quiet:
        yield
    elif console.is_terminal:
        spinner = Spinner("dots")

        def draw() -> Spinner:
            spinner.update(text=Text(f" {_listed(progress)}"))
            return spinner

        with Live(get_renderable=draw, console=console, transient=True, refresh_per_second=8):
            yield
    else:
        with _now_and_then(console, progress):
            yield


@contextmanager
def _now_and_then(console: Console, progress: ListingProgress) -> Iterator[None]:
    done = threading.Event()

    def tell() -> None:
        while not done.wait(_SILENT_SECONDS):
            console.print(_listed(progress), markup=False, soft_wrap=True)

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _listed(progress: ListingProgress) -> str:
    parts = [f"listing: {counted(progress.documents, 'document')}"]
    if progress.refused:
        parts.append(f"{number(progress.refused)} not taken")
    if progress.sent:
        parts.append(f"{progress.sent / _MEGABYTE:,.1f} MB handed to the store")
    return " · ".join(parts)


def _batch_mode_line(mode: BatchMode, documents: int) -> str:
    """Return what is at the provider, and what has come back, in a line."""
    if mode.lines is not None:
        left = mode.lines - mode.kept
        asked = f" · {left:,} asked call by call" if left else ""
        return f"by the provider's batch mode: {mode.kept:,} of {mode.lines:,} lines answered{asked}"
    if mode.batches:
        return f"at the provider: {mode.back:,} of {mode.batches:,} batches are back"
    return f"on the way to the provider: {mode.prepared:,} of {documents:,} documents are prepared"
