"""Waits for a job; Ctrl-C cancels the job."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from hopline.commands.console import notice
from hopline.commands.exits import Exit

if TYPE_CHECKING:
    from types import FrameType

    from hopline import Hopline
    from hopline.models.events import Event
    from hopline.models.results import Job


def outcome_of(client: Hopline, job: Job, *, partly: bool = False) -> dict[str, Any]:
    """Wait for a job and return its outcome; Ctrl-C cancels the job after asking.

    Args:
        client: the client that submitted the job.
        job: the submitted job.
        partly: accept a partial outcome, which says what is missing.

    Raises:
        Permanent: the job did not succeed; the message says why.
    """
    from hopline.errors import Permanent
    from hopline.models.jobs import JobState

    with cancelling(client.jobs.cancel, job.id, ask_first=True):
        ended = client.jobs.wait(job.id)
    if ended.state is not JobState.DONE and not (partly and ended.state is JobState.PARTIAL):
        raise Permanent(f"job {ended.id} is {ended.state}: {ended.why or 'no reason recorded'}")
    return ended.model_dump(mode="json", include={"outcome"})["outcome"] or {}


def happening(client: Hopline, job_id: str, *, timeout: float | None = None) -> Iterator[list[Event]]:
    """Yield lists of a job's events until it ends; an empty list means about a second without events.

    Raises:
        KeyboardInterrupt: Ctrl-C was pressed inside `cancelling`, and its exception was dropped.
        TimeoutError: the job has not ended in time.
    """
    for event in client.jobs.watch(job_id, timeout=timeout):
        raise_dropped_interrupt()
        yield [event] if event else []


def waits_for(client: Hopline, job_id: str) -> str:
    """Return what a job that has not started is waiting for: its turn in the queue, or a worker."""
    from hopline.models.jobs import NOBODY_BEGAN

    return client.jobs.get(job_id).waits_for or NOBODY_BEGAN


@contextmanager
def cancelling(cancel: Callable[[str], Job], *job_ids: str, ask_first: bool = False) -> Iterator[None]:
    """Cancel the jobs on Ctrl-C, after asking if requested and a person is there to answer."""
    try:
        with _noting_interrupts():
            yield
    except KeyboardInterrupt:
        question = "Cancel the job too?" if len(job_ids) == 1 else "Cancel the jobs too?"
        if ask_first and sys.stdin.isatty() and not typer.confirm(question, err=True):
            for job_id in job_ids:
                shown = f"`hopline jobs show {job_id}` shows it, `hopline jobs cancel {job_id}` ends it"
                notice(f"Job {job_id} goes on: {shown}.")
        else:
            _cancel_all(cancel, job_ids)
        raise typer.Exit(Exit.INTERRUPTED) from None


def _cancel_all(cancel: Callable[[str], Job], job_ids: Sequence[str]) -> None:
    """Cancel every job, even if some cannot be cancelled; raise the first error at the end."""
    errors: list[Exception] = []
    for job_id in job_ids:
        try:
            job = cancel(job_id)
        except Exception as error:  # noqa: BLE001 - raised below
            errors.append(error)
            notice(f"Job {job_id} may go on: `hopline jobs cancel {job_id}` ends it.")
        else:
            ended_before = job.state != "cancelled"
            notice(f"Job {job_id} had ended: {job.state}." if ended_before else f"Cancelled job {job_id}.")
    if errors:
        raise errors[0] from None


def raise_dropped_interrupt() -> None:
    """Raise the KeyboardInterrupt of a Ctrl-C inside `cancelling`, if Python dropped it."""
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(handler, _Interrupts) and handler.came:
        raise KeyboardInterrupt


class _Interrupts:
    """Handles SIGINT as Python does, and records it.

    Python drops an exception that a handler raises while a finaliser or a garbage collector callback runs.
    """

    came = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Record the Ctrl-C, then raise KeyboardInterrupt."""
        self.came = True
        signal.default_int_handler(number, frame)


@contextmanager
def _noting_interrupts() -> Iterator[None]:
    """Record each Ctrl-C inside the block, so that a dropped one can be raised later."""
    is_main = threading.current_thread() is threading.main_thread()  # only the main thread gets signals
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # a shell makes its background processes ignore it
        return
    signal.signal(signal.SIGINT, _Interrupts())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
