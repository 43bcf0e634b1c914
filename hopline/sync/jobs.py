# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""Jobs: read, follow, cancel, retry and replay them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Unpack

from pydantic import Field, StringConstraints

from hopline.allowed_values import InWords
from hopline.models.events import Event
from hopline.models.jobs import DeadLetters, JobFilter, JobId, JobsActed, Verb
from hopline.models.replays import ReplayCheck
from hopline.models.results import Job, JobPage
from hopline.models.timelines import Timeline
from hopline.operation import Cursor, Header, Wait, operation, operation_of, stream
from hopline.sync.events import follow
from hopline.sync.noun import Noun
from hopline.sync.paging import each

EventId = Annotated[
    str, StringConstraints(pattern=r"^[0-9]{1,15}(-[0-9]{1,15})?$"), InWords("the id of an event")
]
_SECOND = 1.0
_UNCHANGED: Mapping[str, Any] = {}
_ReplayParams = Annotated[
    Mapping[str, Any],
    Field(
        description="Parameters of the question to change; null stands for the default.",
        examples=[{"max_depth": 4}],
    ),
]
_ReplayKey = Annotated[
    str, Field(max_length=200, description="A different key makes another replay with the same parameters.")
]


class Jobs(Noun):
    """Jobs."""

    @operation("GET", "/v1/jobs", right="read")
    def list(
        self,
        *,
        cursor: Cursor = "",
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
        **which: Unpack[JobFilter],
    ) -> JobPage:
        """List jobs, newest first. A key sees its own jobs; an admin key sees all.

        In a list, `outcome` is None; `get` returns a job with its outcome.
        """
        raise NotImplementedError

    def iterate(self, **which: Unpack[JobFilter]) -> Iterator[Job]:
        """Yield all jobs that `list` lists, newest first."""
        return each(lambda cursor: self.list(cursor=cursor, limit=200, **which), lambda page: page.jobs)

    @operation("GET", "/v1/jobs/{job_id}", right="read")
    def get(self, job_id: JobId, *, wait: Wait = 0) -> Job:
        """Show a job; with `wait`, return when it has ended or the seconds have passed.

        Raises:
            NotFound: the job is unknown, or has expired.
        """
        raise NotImplementedError

    def wait(self, job_id: str, *, timeout: float | None = None) -> Job:
        """Wait for a job's end, in several requests if necessary, and return the job.

        A failed job raises no error: its state shows the failure.

        Args:
            job_id: of the job.
            timeout: seconds; None waits without limit.

        Raises:
            NotFound: the job is unknown, or has expired.
            TimeoutError: it has not ended in time; it continues.
            DependencyAway: the API was away for longer than a minute.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            events = follow(self._session, operation_of(self.events), {"job_id": job_id}, timeout=left)
            try:
                for _event in events:
                    pass
            except TimeoutError:
                raise TimeoutError(f"job {job_id} has not ended in {timeout:g} s; it continues") from None
            job = self.get(job_id)
            if job.state.is_terminal:  # else it was retried meanwhile
                return job

    @stream("GET", "/v1/jobs/{job_id}/events", right="read")
    def events(
        self,
        job_id: JobId,
        *,
        after: Annotated[
            EventId | None,
            Header("Last-Event-ID"),
            Field(description="The id of the last event read: the stream continues after it."),
        ] = None,
        follow: Annotated[
            bool, Field(description="If false, the stream ends after the events so far.")
        ] = True,
        names: Annotated[
            str,
            Field(
                max_length=1000,
                description="Only events with these names, separated by commas; * stands for any characters.",
                examples=["answer.*,job.ended"],
            ),
        ] = "",
        heartbeat: Annotated[
            Annotated[float, Field(ge=0.1, le=60)] | None,
            Header("Heartbeat"),
            Field(
                description="Send an event `heartbeat` after every so many seconds of silence. By default, "
                "comments are sent instead, at the interval of the server's setting."
            ),
        ] = None,
    ) -> Iterator[Event]:
        """Stream a job's events from its beginning, or after the last event read, until its end.

        Raises:
            InvalidInput: there is no event with such a name.
            NotFound: the job is unknown, or has expired.
        """
        raise NotImplementedError

    def watch(self, job_id: str, *, timeout: float | None = None) -> Iterator[Event | None]:
        """Yield a job's events from beginning to end, and None about once a second while there is none.

        Args:
            job_id: of the job.
            timeout: seconds; None follows the job without limit.

        Raises:
            NotFound: the job is unknown, or has expired.
            TimeoutError: it has not ended in time; it continues.
            DependencyAway: the API was away for longer than a minute.
        """
        given = {"job_id": job_id, "heartbeat": _SECOND}
        return follow(self._session, operation_of(self.events), given, timeout=timeout)

    @operation("GET", "/v1/jobs/{job_id}/dead-letters", right="read")
    def dead_letters(self, job_id: JobId) -> DeadLetters:
        """Show a job's dead letters, each with its input and error.

        Raises:
            NotFound: the job is unknown, or has expired.
        """
        raise NotImplementedError

    @operation("GET", "/v1/jobs/{job_id}/timeline", right="read")
    def timeline(self, job_id: JobId) -> Timeline:
        """Show when each item of a job waited and ran, how often, and how each attempt ended.

        A job keeps about its newest 2,000 events; if older ones are gone, the timeline is `cut`.

        Raises:
            NotFound: the job is unknown, or has expired.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/jobs/{job_id}", right="submit")
    def cancel(self, job_id: JobId) -> Job:
        """Cancel a job; one that has already ended does not change.

        Raises:
            NotFound: the job is unknown, or has expired.
        """
        raise NotImplementedError

    @operation("POST", "/v1/jobs/{job_id}/retry", right="submit")
    def retry(self, job_id: JobId) -> Job:
        """Retry a job's dead letters; a failed or partial question is asked again as a new job.

        Returns:
            The job that runs now.

        Raises:
            NotFound: the job is unknown, or has expired.
            StateConflict: the job still runs, or it is done and there is nothing to retry.
            TooManyJobs: no more work is taken now.
        """
        raise NotImplementedError

    @operation("POST", "/v1/jobs/{job_id}/replay", right="submit", safe=True)
    def replay(
        self, job_id: JobId, *, params: _ReplayParams = _UNCHANGED, key: _ReplayKey = "", wait: Wait = 0
    ) -> Job:
        """Ask an ended job's question again, as a new job with other parameters; the old job does not change.

        It uses the current documents, prompts and models. Repeating the request returns the same job.

        Raises:
            NotFound: the job is unknown, or has expired.
            InvalidInput: it is not a question's job, or it cannot have such a parameter.
            StateConflict: the job has not ended.
            TooManyJobs: no more work is taken now.
        """
        raise NotImplementedError

    @operation("POST", "/v1/jobs/{job_id}/replay/check", right="submit", safe=True)
    def check_replay(self, job_id: JobId, *, params: _ReplayParams = _UNCHANGED) -> ReplayCheck:
        """Show which parameters a replay of a question would change, without submitting it.

        Raises:
            NotFound: the job is unknown, or has expired.
            InvalidInput: it is not a question's job, or it cannot have such a parameter.
        """
        raise NotImplementedError

    @operation("POST", "/v1/jobs/act", right="submit")
    def act(
        self,
        verb: Annotated[
            Verb,
            Field(
                description="cancel: running jobs; retry: ended jobs with failed items; replay: ended "
                "questions that are not replays themselves."
            ),
        ],
        filter: JobFilter,  # noqa: A002 - as called in the body
        *,
        dry_run: Annotated[
            bool, Field(strict=True, description="Only list the jobs, without acting on them.")
        ] = False,
        params: _ReplayParams = _UNCHANGED,
        key: _ReplayKey = "",
    ) -> JobsActed:
        """Cancel, retry or replay the newest 2,000 jobs that match a filter and allow this, oldest first.

        A key acts on its own jobs, an admin key on all; `matched` is their total number. A refused job does
        not stop the others. Repeating the request continues an interrupted one. Only a replay has `params`
        and a `key`.

        Raises:
            InvalidInput: the filter matches every job, or `params` or `key` is given without a replay.
        """
        raise NotImplementedError
