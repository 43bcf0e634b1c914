"""All that the ledger holds of a job, and a clock that a test moves: time passes without waiting for it."""

from dataclasses import dataclass
from typing import Any

import redis

from workers.core.redis_keys import ACTIVE, PARTS, job_key


@dataclass(frozen=True)
class View:
    """A job's keys as they stand at one moment; `expiring` tells which of the existing ones expire."""

    job: dict[str, str]
    items: dict[str, tuple[int, str]]  # item -> phase, step
    due: dict[str, float]
    lease: dict[str, tuple[str, int]]  # item -> token, expiry
    hold: dict[str, tuple[int, int]]  # item -> from, till
    tries: dict[str, int]
    lost: dict[str, int]
    sent: dict[str, int]  # item -> times it was looked at; "item at" -> when it was sent
    result: dict[str, str]
    dead: dict[str, str]
    child: dict[str, str]
    outbox: dict[str, str]
    reads: dict[str, str]  # name -> reader
    expiring: dict[str, bool]
    indexed: bool
    now: int  # ms

    @property
    def state(self) -> str | None:
        return self.job.get("state")

    @property
    def epoch(self) -> int:
        return int(self.job.get("epoch", 0))

    @property
    def phase(self) -> int:
        return int(self.job.get("phase", 0))

    @property
    def closed(self) -> bool:
        return self.job.get("closing") == self.job.get("phase")

    def held(self) -> set[str]:
        """Items that are not to be begun yet; a hold from the future is one of a clock that was set back."""
        return {item for item, (since, till) in self.hold.items() if since <= self.now < till}

    def leased(self) -> set[str]:
        """Items with a valid lease."""
        return {item for item, (_, expiry) in self.lease.items() if expiry > self.now}

    def advances_free(self) -> set[str]:
        """Advance items that are due now, that nobody has a lease on, and that nothing holds back."""
        busy = set(self.lease) | self.held()
        free = {item for item, due in self.due.items() if due <= self.now and item not in busy}
        return {item for item in free if self.items[item][1] == "flow.advance"}

    def undone(self) -> set[str]:
        """Items that were admitted and are neither done nor due: what a close dropped, or an end left."""
        left = set(self.items) - set(self.result) - set(self.due)
        return {item for item in left if self.items[item][1] != "flow.advance" or self.state == "running"}

    def is_unfinished(self) -> bool:
        """Whether a retry finds something to do: what failed, or what the end cut off."""
        cut_off = {item for item in self.undone() if self.items[item][0] == self.phase}
        more = int(self.job.get("cursor", "0")) < int(self.job.get("size", "0"))
        return bool(self.dead or cut_off or more) or self.state == "cancelled"


def view(client: redis.Redis, job_id: str) -> View:
    """Read everything in one transaction."""
    hashes = ("job", "items", "lease", "hold", "tries", "lost", "sent", "result", "dead", "child", "outbox")
    hashes = (*hashes, "reads")
    pipeline = client.pipeline()
    for part in hashes:
        pipeline.hgetall(job_key(job_id, part))
    pipeline.zrange(job_key(job_id, "due"), 0, -1, withscores=True)
    pipeline.zscore(ACTIVE, job_id)
    pipeline.time()
    for part in PARTS:
        pipeline.pttl(job_key(job_id, part))
    replies = pipeline.execute()
    contents: dict[str, Any] = dict(zip(hashes, replies, strict=False))
    due, indexed, clock, *ttls = replies[len(hashes) :]
    counts = {part: _numbers(contents[part]) for part in ("tries", "lost", "sent")}
    return View(
        job=contents["job"],
        items={item: _phase_and_step(value) for item, value in contents["items"].items()},
        due=dict(due),
        lease={item: (v.split()[0], int(v.split()[1])) for item, v in contents["lease"].items()},
        hold={
            item: (int(v.split()[0]), int(v.split()[1]))
            for item, v in contents["hold"].items()
            if not item.endswith(" why")
        },
        result=contents["result"],
        dead=contents["dead"],
        child=contents["child"],
        outbox=contents["outbox"],
        reads={name: reader for name, reader in contents["reads"].items() if not name.startswith("*")},
        expiring={part: ttl >= 0 for part, ttl in zip(PARTS, ttls, strict=True) if ttl != -2},
        indexed=indexed is not None,
        now=clock[0] * 1000 + clock[1] // 1000,
        **counts,
    )


def pass_time(client: redis.Redis, job_id: str, seconds: float) -> None:
    """Let everything that the job is timed by lie so much earlier; a negative number sets the clock back."""
    shift = round(seconds * 1000)
    now = view(client, job_id)
    pipeline = client.pipeline()
    for item in now.due:
        pipeline.zincrby(job_key(job_id, "due"), -shift, item)
    for item, (token, expiry) in now.lease.items():
        pipeline.hset(job_key(job_id, "lease"), item, f"{token} {expiry - shift}")
    for item, (since, till) in now.hold.items():
        pipeline.hset(job_key(job_id, "hold"), item, f"{since - shift} {till - shift}")
    for item, at in now.sent.items():
        if item.endswith(" at"):
            pipeline.hset(job_key(job_id, "sent"), item, at - shift)
    for name in ("deadline", "hard_deadline"):
        if name in now.job:
            pipeline.hincrby(job_key(job_id, "job"), name, -shift)
    pipeline.execute()


def _numbers(values: dict[str, str]) -> dict[str, int]:
    return {name: int(value) for name, value in values.items()}


def _phase_and_step(value: str) -> tuple[int, str]:
    phase, step, _ = value.split(" ", 2)
    return int(phase), step
