"""A job's end calls its webhook: over a ledger and a real receiver; only the broker is the test's own."""

import json
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import redis
from doubles.databases import address_of
from doubles.memory_redis import services_over
from doubles.receiver import Receiver
from doubles.single_worker import SingleWorker, short_flow
from standardwebhooks import Webhook
from typer.testing import CliRunner

from hopline.cli import app
from hopline.errors import Permanent
from hopline.models.jobs import JobState
from hopline.models.times import timestamp
from workers.adapters.webhook.secret import webhook_secret
from workers.core.ids import webhook_job_id
from workers.core.jobs.flow import Results
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import ChildJob, End, Event, Job, Outcome, Terms
from workers.core.redis_keys import ACTIVE, job_key
from workers.engine.driver import Delivery
from workers.engine.outbox import work_off
from workers.engine.submit import cancel_job, retry_job
from workers.flows import registry
from workers.settings import Settings

CALLER = "0123456789ab"


@dataclass
class Post(SingleWorker):
    """Jobs that end at once, workers, and a receiver."""

    receiver: Receiver = field(default_factory=Receiver)

    def post(self, kind: str = "plain", webhook: str = "") -> str:
        """Submit a job whose end is told."""
        webhook = webhook or self.receiver.url
        return self.submit(kind, Terms(caller=CALLER, webhook=webhook, request_id="r1"))

    def finish(self, *jobs: str) -> None:
        """Deliver until nothing of these is left to do; every wait and each dead worker's lease is over."""
        for _ in range(100):
            self.broker.deliver(self.runner)
            if all(self.services.redis.zscore(ACTIVE, job) is None for job in jobs):
                return
            for job in jobs:
                self.skip_waits(job)
                self.lose_leases(job)
            self.watchdog.look_once()
        raise AssertionError("still not over")

    def told(self, job: str, epoch: int = 1) -> JobRecord:
        """Return the job that tells of another's end, ended itself."""
        name = webhook_job_id(job, epoch)
        self.finish(job, name)
        return self.record(name)

    def bodies(self, *fields: str) -> list[tuple[object, ...]]:
        """Return some fields of all that was received."""
        return [tuple(json.loads(got.body)[name] for name in fields) for got in self.receiver.got]


def _over(_phase: int, results: Results, _job: Job) -> End:
    failed = any(item.error for item in results.get(0, ()))
    return End(
        state=JobState.PARTIAL if failed else JobState.DONE, outcome={"text": "what only its owner may read"}
    )


def _fail(_given: object, _ports: object) -> Outcome:
    raise Permanent("it cannot be done")


def _crash(*_args: object, **_named: object) -> None:
    raise SystemExit(secrets.token_hex(2))


PLAIN = short_flow("plain", lambda _given, _ports: Outcome(), advance=_over)
BROKEN = short_flow("plain", _fail, advance=_over)
OUTER = short_flow(
    "outer", lambda _given, _ports: Outcome(delegate=ChildJob(kind="plain", params={})), advance=_over
)


@pytest.fixture
def post(client: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> Iterator[Post]:
    receiver = Receiver()
    receiver.start()
    services = services_over(client, webhook_private=True, webhook_http=True, webhook_attempts=4)
    for flow in (PLAIN, OUTER):
        monkeypatch.setitem(registry.FLOWS, flow.kind, flow)
    yield Post(services, receiver=receiver)
    services.close()
    receiver.stop()


def test_the_end_of_a_job_is_told_once_signed_and_in_ids_only(post: Post) -> None:
    job = post.post()
    telling = post.told(job)
    assert telling.state is JobState.DONE
    assert telling.outcome == {"job_id": job, "status": 204}
    (got,) = post.receiver.got
    secret = webhook_secret(post.services.redis, post.services.settings, CALLER)
    ended = timestamp(post.record(job).ended)
    assert Webhook(secret).verify(got.body, got.headers) == {
        "type": "job.ended", "job_id": job, "kind": "plain", "collection": "default", "state": "done",
        "epoch": 1, "ended": ended.isoformat().replace("+00:00", "Z"), "request_id": "r1",
    }  # fmt: skip
    assert got.headers["webhook-id"] == telling.job.id
    events = [event for _, event in post.ledger.events(telling.job.id)]
    assert Event(name="webhook.sent", data={"status": 204}) in events


def test_each_api_key_has_a_secret_of_its_own_that_stays(post: Post) -> None:
    client, settings = post.services.redis, post.services.settings
    mine, others = webhook_secret(client, settings, CALLER), webhook_secret(client, settings, "ba9876543210")
    assert mine != others
    assert mine == webhook_secret(client, settings, CALLER)
    own_secret = Settings(webhook_secret="a secret of its own, 32 letters and more").webhook_secret
    own_settings = settings.model_copy(update={"webhook_secret": own_secret})
    assert webhook_secret(client, own_settings, CALLER) not in (mine, others)


@pytest.mark.parametrize("kind", ["plain", "outer"])
def test_a_cancelled_job_tells_of_its_end_too_and_a_job_inside_a_job_of_none(post: Post, kind: str) -> None:
    job = post.post(kind)
    if kind == "plain":
        cancel_job(post.services, job)
    post.told(job)
    assert post.bodies("kind", "state") == [(kind, "cancelled" if kind == "plain" else "done")]


def test_a_job_without_a_webhook_tells_nobody(post: Post) -> None:
    job = post.submit("plain")
    post.finish(job)
    assert post.ledger.job(webhook_job_id(job, 1)) is None


@pytest.mark.parametrize(("answers", "calls", "state"), [
    ([500, 503, 200], 3, JobState.DONE), ([500] * 4, 4, JobState.FAILED), ([410], 1, JobState.FAILED),
], ids=["at last", "never", "gone"])  # fmt: skip
def test_a_receiver_that_fails_is_called_again_with_the_same_id(post, answers, calls, state):
    post.receiver.answers = [(status, {}) for status in answers]
    telling = post.told(post.post())
    assert (telling.state, telling.dead, len(post.receiver.got)) == (state, state is JobState.FAILED, calls)
    assert {got.headers["webhook-id"] for got in post.receiver.got} == {telling.job.id}
    if telling.dead:
        retry_job(post.services, post.broker, telling.job.id)
        post.finish(telling.job.id)
        assert post.record(telling.job.id).state is JobState.DONE
        assert len(post.receiver.got) == calls + 1


def test_a_wait_of_hours_that_a_receiver_asks_for_is_kept(post: Post) -> None:
    post.receiver.answers = [(503, {"Retry-After": "7200"})]
    name = webhook_job_id(post.post(), 1)
    post.broker.deliver(post.runner)
    post.skip_waits(name)
    post.watchdog.look_once()
    post.broker.deliver(post.runner)
    since, till = map(int, post.services.redis.hget(job_key(name, "hold"), "deliver").split())
    assert till - since == 7_200_000


def test_a_crash_between_ordering_a_call_and_striking_it_off_makes_no_second_one(post, monkeypatch):
    job = post.post()
    with monkeypatch.context() as crashing:
        crashing.setattr(post.ledger, "strike", _crash)
        with pytest.raises(SystemExit):
            post.broker.deliver(post.runner)
    for _ in range(3):
        work_off(post.services, job)
    post.told(job)
    assert len(post.receiver.got) == 1


def test_a_worker_that_dies_after_the_call_and_before_its_record_leaves_it_to_another(post, monkeypatch):
    job = post.post()
    name = webhook_job_id(job, 1)
    post.broker.deliver_one(post.runner, post.broker.queued.popleft())
    with monkeypatch.context() as crashing:
        crashing.setattr(post.ledger, "finish", _crash)
        with pytest.raises(SystemExit):
            post.runner.run(name, 1, "deliver", Delivery())
    telling = post.told(job)
    assert (telling.state, telling.leases_lost) == (JobState.DONE, 1)
    assert [got.headers["webhook-id"] for got in post.receiver.got] == [name, name]


def test_a_retried_job_tells_of_its_second_end_by_another_id(post, monkeypatch):
    with monkeypatch.context() as failing:
        failing.setitem(registry.FLOWS, "plain", BROKEN)
        job = post.post()
        first = post.told(job)
    retry_job(post.services, post.broker, job)
    assert first.job.id != post.told(job, epoch=2).job.id
    assert post.bodies("state", "epoch") == [("partial", 1), ("done", 2)]


def test_a_retry_right_after_the_end_does_not_swallow_its_call(post, monkeypatch):
    """The worker that ended the job dies before it works its outbox off, and the user retries at once."""
    with monkeypatch.context() as failing:
        failing.setitem(registry.FLOWS, "plain", BROKEN)
        job = post.post()
        failing.setattr("workers.engine.driver.work_off", _crash)
        with pytest.raises(SystemExit):
            post.broker.deliver(post.runner)
    assert "webhook" in post.ledger.outbox(job)
    retry_job(post.services, post.broker, job)
    post.told(job, epoch=1)
    post.told(job, epoch=2)
    assert sorted(post.bodies("epoch")) == [(1,), (2,)]


@pytest.fixture
def command_line(post: Post, redis_url: str) -> CliRunner:
    assert redis_url  # commands are given a server's address
    return CliRunner(env={"HOPLINE_REDIS_URL": address_of(post.services.redis)})


def test_the_command_line_shows_the_secret_that_signs(post: Post, command_line: CliRunner) -> None:
    client, run = post.services.redis, command_line
    made = json.loads(run.invoke(app, ["keys", "create", "hooks", "--yes", "--json"]).stdout)
    assert made["webhook_secret"] == webhook_secret(client, post.services.settings, made["id"])
    shown = run.invoke(app, ["keys", "webhook-secret", made["id"]])
    assert shown.stdout.strip() == made["webhook_secret"]
    assert run.invoke(app, ["keys", "webhook-secret", "no-such-key"]).exit_code
