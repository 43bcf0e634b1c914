"""A small batch over the real ledger, done by the real code, which stops or dies before any call to Redis."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from traceback import format_exception

import redis
from celery.exceptions import Ignore, Retry

from doubles.batch_process import STUMBLES, UNREADABLE, Process, World
from doubles.ledger_view import View, pass_time, view
from doubles.ledger_witness import check_expiry, check_order
from doubles.stepped import WHOLE, Actor
from hopline.errors import Conflict, InvalidInput
from hopline.models.jobs import Budget, JobState, Json
from workers.core.ids import child_job_id
from workers.core.jobs.batches import ASKED
from workers.core.jobs.manifest import ManifestWriter
from workers.core.jobs.messages import Message
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.records import JobRecord
from workers.core.redis_keys import ACTIVE, PAUSED, job_key
from workers.engine.driver import Delivery
from workers.engine.hours import keep_hours, set_hours
from workers.engine.submit import cancel_job, retry_job, submit_job
from workers.ingest.batch import document_item, listed_phase
from workers.services import Services

WINDOW = 4
LIMIT = 2  # model calls, where they are limited; each resume allows as many more
COMMANDS = ("pause", "resume", "resume now", "other hours", "cancel or retry", "cancel documents")
_LIFTS = frozenset(("resume", "resume now", "cancel", "retry"))  # a user's pause
_ANSWERS = (Ignore, Retry, InvalidInput, Conflict)  # what a message and a command may end with
_DIED = "its worker died"
_CANCELLED = "cancelled by the user"


class Deed(Actor):
    """What one process does: an item, a look of the watchdog, a user's command.

    Args:
        what: is done.
        act: does it.
        process: where.
        pause: the user's pause that holds when it begins, counted from 1; 0 for none.
    """

    def __init__(self, what: str, act: Callable[[], object], process: Process, pause: int) -> None:
        super().__init__(what, act)
        self.process, self.pause = process, pause


class BatchPlay:
    """A batch, its documents, and those who work on it.

    Args:
        client: reads everything and moves clocks; nobody stops it.
        world: what the processes share.
        documents: how many.
        params: of the batch: name, hours, max_calls.
    """

    def __init__(self, client: redis.Redis, world: World, documents: int, params: Json) -> None:
        self.client, self.world, self.documents = client, world, documents
        self.workers = [Process(world), Process(world)]
        self.quarantine = Process(world, quarantine=True)
        self.under_way: list[Deed] = []
        self.faults: list[str] = []  # what nobody may see
        self.pause = 0  # the user's pause that holds for certain
        self.now = datetime(2026, 1, 1, 12, tzinfo=UTC)  # by the clock on the wall
        self.limit = params.get("max_calls", 0)
        self._pauses = 0
        self._orphans: set[tuple[str, str, str]] = set()  # leases that were there when somebody was killed
        self._ends: dict[tuple[str, int], tuple[str, str]] = {}  # job, epoch -> state, outcome
        self.name = self._submit(params)

    def _submit(self, params: Json) -> str:
        writer, services = ManifestWriter(self.world.blobs, WINDOW), self.workers[0].services
        items = [
            document_item(at, DocumentParams(uri=f"/{at}", source=f"/{at}", format="txt"))
            for at in range(self.documents)
        ]
        for item in items:
            writer.add(item)
        listed = writer.finish()
        batch_params = params | {"documents": self.documents, "manifest": listed.reference}
        phase = listed_phase(listed.reference, listed.size, WINDOW)
        name = submit_job(services, self.world, "batch", "test", batch_params, phase=phase).job.id
        self.children = [child_job_id(name, item.id) for item in items]
        return name

    # who does what --------------------------------------------------------------------------------

    def deliver(self, message: Message, worker: int, calls: int = WHOLE) -> Deed:
        """Let a worker begin what a message asks for."""
        process = self.quarantine if message.queue == "quarantine" else self.workers[worker]
        run, what = process.runner.run, (message.job_id, message.epoch, message.item_id)
        return self._begin(f"item {message.item_id}", lambda: run(*what, Delivery()), process, calls)

    def watch(self, worker: int = 0, calls: int = WHOLE) -> Deed:
        """Let a watchdog see to the hours and look at all jobs."""
        process, now, ended = self.workers[worker], self.now, self.ended()
        ended_before, process.saw_ended = process.saw_ended, set()

        def look() -> None:
            keep_hours(process.services, now)
            process.watchdog.look_once()

        deed = self._begin("watchdog", look, process, calls)
        if deed.is_over:
            process.saw_ended = ended & self.ended()
            if twice := ended_before & process.saw_ended:
                self.faults.append(f"looked at twice, and not worked off: {twice}")
        return deed

    def command(self, command: str, calls: int = WHOLE) -> Deed:
        """Let the user do something, in a process of its own: cancel what runs, retry what has ended."""
        process, now = Process(self.world), self.now
        if command == "cancel or retry":
            command = "cancel" if self.record().state is JobState.RUNNING else "retry"
        if command in _LIFTS:
            self.pause = 0
        return self._begin(command, lambda: self._obey(command, process.services, now), process, calls)

    def _obey(self, command: str, services: Services, now: datetime) -> None:
        match command:
            case "cancel":
                cancel_job(services, self.name)
            case "cancel documents":
                records = services.ledger.jobs_by_id(self.children)
                running = [record.job.id for record in records if record.state is JobState.RUNNING]
                for document in running:
                    cancel_job(services, document)
            case "retry":
                retry_job(services, self.world, self.name)
            case "pause":
                services.pauses.pause(self.name, "user", "asked for")
            case _:
                self._let_go_on(command, services, now)

    def _let_go_on(self, command: str, services: Services, now: datetime) -> None:
        """Resume as a client does, or only set other hours."""
        if self.limit:
            self.limit += LIMIT
            services.ledger.raise_budget(self.name, Budget(model_calls=self.limit))
        if command == "resume now":
            set_hours(services, self.name, None, "", at_once=True, now=now)
        if command == "other hours":
            set_hours(services, self.name, "10:00-20:00", "", at_once=False, now=now)
        else:
            services.pauses.resume(self.name, *ASKED)

    def _begin(self, what: str, act: Callable[[], object], process: Process, calls: int) -> Deed:
        deed = Deed(what, act, process, self.pause)
        self.under_way.append(deed)
        self.go_on(deed, calls)
        return deed

    def go_on(self, deed: Deed, calls: int = WHOLE) -> None:
        """Let somebody who stopped make so many calls more."""
        before = self.world.readings
        deed.go_on(calls)
        if self.world.readings > before and deed.pause and deed.pause == self.pause:
            self.faults.append("a document was begun though the user's pause held")
        if deed.is_over:
            self.under_way.remove(deed)
            self._note_end(deed)

    def _note_end(self, deed: Deed) -> None:
        if deed.error and not isinstance(deed.error, _ANSWERS):
            self.faults.append(f"{deed.name}: " + "".join(format_exception(deed.error)))
        lifted = any(other.name in _LIFTS for other in self.under_way)
        if deed.name == "pause" and not lifted and self.record().state is JobState.RUNNING:
            self._pauses += 1
            self.pause = self.pause or self._pauses

    def kill(self, deed: Deed) -> None:
        self._orphans |= self._leases()
        for other in [other for other in self.under_way if other.process is deed.process]:
            other.kill()
            self.under_way.remove(other)
        if deed.process is self.quarantine:
            self.quarantine = Process(self.world, quarantine=True)
        self.workers = [
            Process(self.world) if process is deed.process else process for process in self.workers
        ]

    def work(self, count: int) -> None:
        """Let the workers do the oldest messages in turn; where there is none, a watchdog looks."""
        for nth in range(count):
            if self.world.mail:
                self.deliver(self.world.mail.pop(0), nth % 2)
            else:
                self.wait(6)
                self.watch()

    # time and the end -----------------------------------------------------------------------------

    def wait(self, seconds: float) -> None:
        """Let time pass for all jobs."""
        for job_id in self._jobs():
            pass_time(self.client, job_id, seconds)

    def play_on(self, rounds: int = 80) -> None:
        """Let everybody work until nothing is left to do.

        The user lets a batch that runs go on where it pauses; what has ended is left to the watchdog.
        """
        for _ in range(rounds):
            self.work(len(self.world.mail))
            if not self.world.mail and not self.client.zcard(ACTIVE):
                return
            if self.record().state is JobState.RUNNING:
                self.now += timedelta(hours=5)
                self.command("resume")
            self.wait(400)
            self.watch()
            self.check()
        raise AssertionError(f"not at its end after {rounds} rounds: {self.view()}")

    def record(self) -> JobRecord:
        """Return the batch, which nobody forgets."""
        record = self.workers[0].services.ledger.job(self.name)
        assert record is not None
        return record

    def ended(self) -> set[tuple[str, str]]:
        """Return the jobs that have ended and are not worked off yet, each with its epoch."""
        pipeline, indexed = self.client.pipeline(), self.client.zrange(ACTIVE, 0, -1)
        for job_id in indexed:
            pipeline.hmget(job_key(job_id, "job"), "state", "epoch")
        states = zip(indexed, pipeline.execute(), strict=True)
        return {(job_id, epoch) for job_id, (state, epoch) in states if state not in (None, "running")}

    def _leases(self) -> set[tuple[str, str, str]]:
        """Return the leases that there are: job, item, token."""
        views = {job_id: self.view(job_id) for job_id in self._jobs()}
        return {
            (job_id, item, token)
            for job_id, view in views.items()
            for item, (token, _expiry) in view.lease.items()
        }

    def _jobs(self) -> list[str]:
        """Return the batch and those of its documents that are known in this moment."""
        pipeline, names = self.client.pipeline(), [self.name, *self.children]
        for name in names:
            pipeline.exists(job_key(name, "job"))
        return [name for name, there in zip(names, pipeline.execute(), strict=True) if there]

    def view(self, job_id: str | None = None) -> View:
        return view(self.client, job_id or self.name)

    # what must always hold ------------------------------------------------------------------------

    def check(self) -> None:
        """Look at the batch and at its documents."""
        assert not self.faults, "\n".join(self.faults)
        assert len(set(self.world.lives)) == len(self.world.lives), "an epoch is used once"
        batch = self.view()
        for job_id in self._jobs():
            self._check_job(job_id, batch if job_id == self.name else self.view(job_id))
        self._check_pause(batch)
        self._check_letters(batch)
        self._check_counts(batch)
        if not self.under_way:
            assert not self._leases() - self._orphans, "what is leased is being done"

    def _check_job(self, job_id: str, view: View) -> None:
        if view.state in (None, "running"):
            check_order(view)
            return
        # What is to be done again may be due: whoever retries makes it so before the job runs.
        assert not view.expiring.keys() & {"lease", "hold", "child"}, "nobody works on it"
        check_expiry(view)
        end = (view.job["state"], view.job["outcome"])
        assert self._ends.setdefault((job_id, view.epoch), end) == end, "the first end wins"

    def _check_pause(self, batch: View) -> None:
        if batch.state != "running":
            self.pause = 0
        reasons = self.workers[0].services.pauses.reasons(self.name)
        assert not self.pause or "user" in {reason.kind for reason in reasons}, "a user's pause holds"

    def _check_letters(self, batch: View) -> None:
        """A document fails because it cannot be read, is cancelled, or kills its workers.

        The batch itself fails because its flow stumbles, or kills its workers.
        """
        errors = {json.loads(letter)["error"] for letter in batch.dead.values()}
        known = (UNREADABLE, f"Transient: {STUMBLES}", _CANCELLED)
        strange = {error for error in errors if error not in known and not error.startswith(_DIED)}
        assert not strange, f"given up for {strange}"

    def _check_counts(self, batch: View) -> None:
        calls, limit, done = (
            int(batch.job.get(name, 0)) for name in ("booked_calls", "limit_calls", "done:ingest.document")
        )
        assert not limit or calls <= limit, "no budget is passed"
        assert done <= self.documents, "a document is counted once"
        if batch.state in ("done", "partial", "failed"):
            outcome = json.loads(batch.job["outcome"])
            if outcome.get("reason", "").startswith(f"the flow could not go on: {_DIED}"):
                return  # whoever was to count them died of it as well
            counts = outcome["counts"]
            assert sum(counts.values()) == self.documents, f"counts add up: {counts}"
            assert counts.keys() <= {"done", "failed", "cancelled"}, f"each document has its end: {counts}"

    def check_end(self) -> None:
        """Nothing is left of what has ended, and a retry brings what is missing."""
        self.play_on()
        if self.record().state is not JobState.DONE:
            self.world.fates.clear()
            self.world.stumbles.left = 0
            retried = self.command("retry")
            assert not retried.error, "what is not done can be done again"
            self.play_on()
        batch = self.view()
        assert batch.state == "done", f"{batch.state}: {batch.job['outcome']}"
        assert json.loads(batch.job["outcome"])["counts"] == {"done": self.documents}, batch.job["outcome"]
        names = [event.name for _, event in self.workers[0].services.ledger.events(self.name)]
        assert names.count("job.ended") == batch.epoch, "each life of the batch ended once"
        assert not self.client.hlen(PAUSED), "a pause ends with its batch"
