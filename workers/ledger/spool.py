"""Moves a large job's results out of Redis in pages, so that Redis stores only the window in flight."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import cast

from hopline.models.jobs import JobState, Json
from workers.core.jobs.records import Page
from workers.core.jobs.work import Done
from workers.core.redis_keys import ACTIVE, job_key
from workers.ledger.ledger import Ledger
from workers.ledger.queries import done_of, input_in

SPOOLED_AT = 400  # results of a job in Redis
_SCANNED = 500  # results that one round trip brings


class Spool:
    """Pages of jobs' results.

    Args:
        ledger: where the results are stored.
        at: number of results of a job that are moved out of Redis together; fewer are not moved.
        named: number of pages that an item's input or an outcome lists directly; more are stored as a list.
    """

    def __init__(self, ledger: Ledger, at: int = SPOOLED_AT, named: int = 500) -> None:
        self._ledger = ledger
        self.at = at
        self.named = named

    def take(
        self, job_id: str, phase: int, steps: Collection[str], *, sought: bool = False
    ) -> list[tuple[Done, Json]]:
        """Return finished items of a phase and of these steps, as many as form a page, each with its input.

        Args:
            job_id: the job.
            phase: phase of the items.
            steps: steps of the items.
            sought: search all results; otherwise only some, so that the cost does not grow with other
                results.
        """
        client = self._ledger.client
        pairs = client.hscan_iter(job_key(job_id, "result"), count=_SCANNED)
        results = (done_of(*pair) for pair in cast("Iterator[tuple[str, str]]", pairs))
        among = results if sought else islice(results, 2 * self.at)
        fitting = (item for number, item in among if number == phase and item.step in steps)
        done = list({item.item_id: item for item in islice(fitting, self.at)}.values())
        if not done:
            return []
        stored = client.hmget(job_key(job_id, "items"), [item.item_id for item in done])
        return list(zip(done, map(input_in, cast("list[str | None]", stored)), strict=True))

    def store(
        self,
        job_id: str,
        epoch: int,
        page: Page,
        items: Sequence[str],
        state: JobState = JobState.RUNNING,
    ) -> bool:
        """Replace these items by a page; False if another page did, or the job's state or epoch changed."""
        reply = self._ledger.scripts.call(
            "spool", job_id, epoch, state, page.model_dump_json(), page.dead, *items
        )
        return bool(reply[0] == "spooled")

    def pages(self, job_id: str) -> list[Page]:
        """Return a job's pages, oldest first."""
        stored = cast("list[str]", self._ledger.client.lrange(job_key(job_id, "pages"), 0, -1))
        return [Page.read_stored(text) for text in stored]

    def reopen(
        self,
        job_id: str,
        epoch: int,
        phase: int,
        manifest: tuple[str, int],
        seen: int,
        steps: Sequence[tuple[str, int]],
        pages: Sequence[Page],
    ) -> int | None:
        """Reopen an ended job with its remaining work; return the new epoch, None if it is running.

        Args:
            job_id: the job.
            epoch: the epoch it ended in.
            phase: the phase that starts again.
            manifest: reference and size of the list.
            seen: number of pages the job had when they were read.
            steps: steps that start again, the list's own first, with the number of items of each that stay
                finished.
            pages: pages of results of this phase and of those before it.
        """
        texts = [page.model_dump_json() for page in pages]
        anew = [part for step in steps for part in step]
        reply = self._ledger.scripts.call(
            "reopen", job_id, epoch, phase, *manifest, seen, len(steps), *anew, *texts, more_keys=(ACTIVE,)
        )
        return None if reply[0] == "gone" else int(reply[1])
