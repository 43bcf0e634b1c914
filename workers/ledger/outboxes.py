"""Records items delegated to child jobs, and the outboxes of ended jobs."""

from __future__ import annotations

from typing import Literal, cast

import redis

from hopline.models.jobs import JobState, Json
from workers.core.jobs.records import Claim, Config, Moved
from workers.core.jobs.work import Event
from workers.core.redis_keys import ACTIVE, HISTORY, job_key
from workers.ledger.scripts import Scripts
from workers.ledger.wire import encode, milliseconds, plain, read_moved


class OutboxKeeper:
    """The ledger's records of delegated items and of ended jobs' outboxes."""

    client: redis.Redis
    config: Config
    scripts: Scripts

    def delegate(self, claim: Claim, child: str) -> bool:
        """Delegate an item to a child job, whose end finishes it; False if nothing waits for the child."""
        wait = milliseconds(self.config.delegated_seconds)
        reply = self.scripts.call("delegate", claim.job_id, *claim.args(), child, wait)
        return bool(reply[0] != "gone")

    def cancel_child(self, job_id: str, parent_epoch: int, why: str) -> None:
        """End a child that works for this epoch of its parent or an older one."""
        state, outcome = JobState.CANCELLED.value, encode({"reason": why})
        self.scripts.call("end", job_id, "", state, outcome, parent_epoch)

    def finish_child(
        self, claim: Claim, result: Json, error: str, event: Event, *, failed: bool = False
    ) -> Moved:
        """Finish a delegated item by its child's end; an error makes it a dead letter, for a retry."""
        # Not bounded: the child's outcome is in Redis already, and a refusal here would be repeated for ever.
        reply = self.scripts.call(
            "finish_child",
            claim.job_id,
            *claim.args(),
            encode(result),
            plain(error, 2000),
            event.name,
            encode(event.data),
            int(failed),
        )
        return read_moved(reply)

    def note_doubt(self, job_id: str) -> None:
        """Record that a running job was paused for its children's failures, so that it happens once."""
        self.client.hset(job_key(job_id, "job"), "failed:doubted", 1)

    def outbox(self, job_id: str) -> dict[str, str]:
        """Return what an ended job leaves to be done."""
        return cast("dict[str, str]", self.client.hgetall(job_key(job_id, "outbox")))

    def strike(self, job_id: str, epoch: int, entry: str, value: str) -> None:
        """Remove an entry from a job's outbox if it is unchanged since it was read in this epoch."""
        self.scripts.call("strike", job_id, epoch, entry, value)

    def hand_over(self, job_id: str, epoch: int, row: str, most: int) -> Literal["none", "kept", "lost"]:
        """Hand over an ended job's row of history, once for its end in this epoch.

        Args:
            job_id: the job.
            epoch: that it ended in.
            row: as JSON; "" where history is not kept.
            most: rows that may wait to be written; one above these is lost.
        """
        reply = self.scripts.call("hand_over", job_id, epoch, row, most, more_keys=(HISTORY,))
        return cast('Literal["none", "kept", "lost"]', reply[0])

    def leave(self, job_id: str) -> bool:
        """Take an ended job, its outbox empty, out of the index of active jobs; True the first time."""
        return bool(self.scripts.call("leave", job_id, more_keys=(ACTIVE,))[0])

    def forget(self, job_id: str, epoch: int) -> None:
        """Delete a child that ended in this epoch, since its parent has its outcome."""
        self.scripts.call("forget", job_id, epoch)
