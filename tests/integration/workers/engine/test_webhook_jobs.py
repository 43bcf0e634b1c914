"""A job's end calls its webhook: over a real Redis and a real receiver; only the broker is the test's own."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from doubles.broker import Broker
from doubles.receiver import Receiver
from standardwebhooks import Webhook
from typer.testing import CliRunner

from producer.cli import app
from producer.service.keys import ApiKeys
from producer.service.service import Service
from workers.adapters.webhook.secret import webhook_secret
from workers.core.errors import InvalidInput, Permanent
from workers.core.ids import webhook_job_id
from workers.core.jobs.flow import Flow, Results, Step
from workers.core.jobs.work import ChildJob, Done, End, Event, Item, Job, JobState, Outcome, Phase, Terms
from workers.core.records import Frozen
from workers.engine.driver import Delivery
from workers.engine.outbox import work_off
from workers.engine.runner import Runner
from workers.engine.submit import cancel_job, retry_job, submit_job
from workers.engine.watchdog import Watchdog
from workers.flows import registry
from workers.ledger.keys import ACTIVE, job_key
from workers.ledger.records import JobRecord, Wanted
from workers.services import Services
from workers.settings import Settings

CALLER = "0123456789ab"
PATIENCE = 120.0  # seconds until a wait is given up


@dataclass
class Post:
    """Jobs that end at once, workers, and a receiver."""

    services: Services
    receiver: Receiver
    broker: Broker = field(default_factory=Broker)

    def __post_init__(self) -> None:
        self.runner = Runner(self.services, self.broker)
        self.watchdog = Watchdog(self.runner.driver, 0.1)

    def submit(self, kind: str = "plain", webhook: str | None = None) -> JobRecord:
        terms = Terms(caller=CALLER, webhook=webhook or self.receiver.url, request_id="r1")
        return submit_job(self.services, self.broker, kind, "default", {}, terms=terms)

    def play(self, *job_ids: str) -> None:
        """Deliver, and skip every wait, until these jobs have ended and left nothing to be done."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self.broker.deliver(self.runner)
            if all(self.services.redis.zscore(ACTIVE, job_id) is None for job_id in job_ids):
                return
            for job_id in job_ids:
                self.skip_waits(job_id)
            self.watchdog.look_once()
            time.sleep(0.005)  # a lease of a worker that died has to run out
        raise AssertionError("still not over")

    def skip_waits(self, job_id: str) -> None:
        client = self.services.redis
        client.delete(job_key(job_id, "hold"))
        for item in client.zrange(job_key(job_id, "due"), 0, -1):
            client.zadd(job_key(job_id, "due"), {item: 1})

    def told(self, job_id: str, epoch: int = 1) -> JobRecord:
        """Return the job that tells of another's end, ended itself."""
        name = webhook_job_id(job_id, epoch)
        self.play(job_id, name)
        record = self.services.ledger.job(name)
        assert record is not None
        return record


class NoParams(Frozen):
    pass


def _over(_phase: int, results: Results, _job: Job) -> End:
    done: list[Done] = list(results.get(0, ()))
    failed = any(item.error for item in done)
    return End(
        state=JobState.PARTIAL if failed else JobState.DONE, outcome={"text": "what only its owner may read"}
    )


def _flow(kind: str, run) -> Flow:
    return Flow(
        kind=kind,
        params=NoParams,
        steps={f"{kind}.do": Step(run=run)},
        first=lambda _job: Phase(items=(Item(id="do", step=f"{kind}.do"),)),
        advance=_over,
        cut_short=lambda results, job, _why: _over(0, results, job),
    )


@pytest.fixture
def post(empty_redis: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Post]:
    receiver = Receiver()
    receiver.start()
    settings = Settings(
        redis_url=empty_redis, webhook_private=True, webhook_http=True, webhook_attempts=4, lease_seconds=0.3
    )
    services = Services(settings)
    monkeypatch.setitem(registry.FLOWS, "plain", _flow("plain", lambda _given, _ports: Outcome()))
    child = ChildJob(kind="plain", params={})
    monkeypatch.setitem(
        registry.FLOWS, "outer", _flow("outer", lambda _given, _ports: Outcome(delegate=child))
    )
    yield Post(services, receiver)
    services.close()
    receiver.stop()


def test_the_end_of_a_job_is_told_once_signed_and_in_ids_only(post: Post) -> None:
    record = post.submit()
    webhook_job = post.told(record.job.id)
    assert webhook_job.state is JobState.DONE
    assert webhook_job.outcome == {"job_id": record.job.id, "status": 204}
    (got,) = post.receiver.got
    secret = webhook_secret(post.services.redis, post.services.settings, CALLER)
    body = Webhook(secret).verify(got.body, got.headers)
    ended = post.services.ledger.job(record.job.id)
    assert ended is not None
    assert body == {
        "type": "job.ended",
        "job_id": record.job.id,
        "kind": "plain",
        "collection": "default",
        "state": "done",
        "epoch": 1,
        "ended": ended.ended,
        "request_id": "r1",
    }
    assert got.headers["webhook-id"] == webhook_job.job.id


def test_each_api_key_has_a_secret_of_its_own_that_stays(post: Post) -> None:
    client, settings = post.services.redis, post.services.settings
    mine, others = webhook_secret(client, settings, CALLER), webhook_secret(client, settings, "ba9876543210")
    assert mine != others
    assert mine == webhook_secret(client, settings, CALLER)
    own_settings = settings.model_copy(
        update={"webhook_secret": Settings(webhook_secret="x" * 32).webhook_secret}
    )
    assert webhook_secret(client, own_settings, CALLER) not in (mine, others)


def test_a_cancelled_job_tells_of_its_end_too(post: Post) -> None:
    record = post.submit()
    cancel_job(post.services, record.job.id)
    post.told(record.job.id)
    assert [json.loads(got.body)["state"] for got in post.receiver.got] == ["cancelled"]


def test_a_job_without_a_webhook_tells_nobody(post: Post) -> None:
    record = submit_job(post.services, post.broker, "plain", "default", {})
    post.play(record.job.id)
    assert post.services.ledger.job(webhook_job_id(record.job.id, 1)) is None


def test_a_job_inside_a_job_tells_nobody(post: Post) -> None:
    record = post.submit("outer")
    post.told(record.job.id)
    assert [json.loads(got.body)["kind"] for got in post.receiver.got] == ["outer"]


def test_the_job_that_tells_is_not_among_those_of_users(post: Post) -> None:
    record = post.submit()
    webhook_job = post.told(record.job.id)
    for wanted in (Wanted(), Wanted(caller=CALLER)):
        page, _ = post.services.ledger.page(wanted, limit=200)
        names = {job.job.id for job in page}
        assert record.job.id in names
        assert webhook_job.job.id not in names
    assert webhook_job.job.caller == CALLER  # who may look at it all the same


def test_a_receiver_that_fails_is_called_again_with_the_same_id(post: Post) -> None:
    post.receiver.answers = [(500, {}), (503, {}), (200, {})]
    record = post.submit()
    webhook_job = post.told(record.job.id)
    assert webhook_job.outcome == {"job_id": record.job.id, "status": 200}
    assert {got.headers["webhook-id"] for got in post.receiver.got} == {webhook_job.job.id}
    assert len(post.receiver.got) == 3


def test_a_receiver_that_never_takes_it_makes_a_dead_letter_that_can_be_retried(post: Post) -> None:
    post.receiver.answers = [(500, {})] * 4
    record = post.submit()
    webhook_job = post.told(record.job.id)
    assert webhook_job.state is JobState.FAILED
    assert webhook_job.dead == 1
    assert len(post.receiver.got) == 4
    retry_job(post.services, post.broker, webhook_job.job.id)
    post.play(webhook_job.job.id)
    again = post.services.ledger.job(webhook_job.job.id)
    assert again is not None
    assert again.state is JobState.DONE
    assert len(post.receiver.got) == 5


def test_a_receiver_that_is_gone_is_given_up_at_once(post: Post) -> None:
    post.receiver.answers = [(410, {})]
    record = post.submit()
    assert post.told(record.job.id).state is JobState.FAILED
    assert len(post.receiver.got) == 1


def test_a_wait_of_hours_that_a_receiver_asks_for_is_kept(post: Post) -> None:
    post.receiver.answers = [(503, {"Retry-After": "7200"})]
    record = post.submit()
    name = webhook_job_id(record.job.id, 1)
    post.broker.deliver(post.runner)
    held = None
    deadline = time.monotonic() + PATIENCE
    while held is None and time.monotonic() < deadline:
        post.watchdog.look_once()
        post.broker.deliver(post.runner)
        held = post.services.redis.hget(job_key(name, "hold"), "deliver")
    since, till = map(int, str(held).split())
    assert till - since == 7_200_000


def test_an_address_that_turns_out_to_be_private_is_never_called(post: Post) -> None:
    careful = post.services.settings.model_copy(update={"webhook_private": False})
    services = Services(careful)
    record = post.submit(webhook=f"http://localhost:{post.receiver.port}/")
    post.broker.queued.clear()  # workers of other settings do it: they look at the address again
    other = Post(services, post.receiver)
    webhook_job = other.told(record.job.id)
    assert webhook_job.state is JobState.FAILED
    assert "not public" in (webhook_job.outcome or {})["error"]
    assert not post.receiver.got
    services.close()


def test_a_crash_between_ordering_a_call_and_striking_it_off_makes_no_second_one(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = post.submit()
    with monkeypatch.context() as crashing:
        crashing.setattr(post.services.ledger, "strike", _crash)
        with pytest.raises(SystemExit):
            post.broker.deliver(post.runner)
    for _ in range(3):
        work_off(post.services, record.job.id)
    post.told(record.job.id)
    assert len(post.receiver.got) == 1


def test_a_worker_that_dies_after_the_call_and_before_its_record_leaves_it_to_another(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = post.submit()
    post.broker.deliver(post.runner)
    name = webhook_job_id(record.job.id, 1)
    with monkeypatch.context() as crashing:
        crashing.setattr(post.services.ledger, "finish", _crash)
        with pytest.raises(SystemExit):
            post.runner.run(name, 1, "deliver", Delivery())
    webhook_job = post.told(record.job.id)
    assert webhook_job.state is JobState.DONE
    assert webhook_job.leases_lost == 1
    assert [got.headers["webhook-id"] for got in post.receiver.got] == [name, name]


def test_a_retried_job_tells_of_its_second_end_by_another_id(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = _flow("plain", _fail)
    with monkeypatch.context() as failing:
        failing.setitem(registry.FLOWS, "plain", broken)
        record = post.submit()
        first = post.told(record.job.id)
    retry_job(post.services, post.broker, record.job.id)
    second = post.told(record.job.id, epoch=2)
    assert first.job.id != second.job.id
    bodies = [json.loads(got.body) for got in post.receiver.got]
    assert [(body["state"], body["epoch"]) for body in bodies] == [("partial", 1), ("done", 2)]


def test_a_retry_right_after_the_end_does_not_swallow_its_call(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker that ended the job dies before it works its outbox off, and the user retries at once."""
    with monkeypatch.context() as failing:
        failing.setitem(registry.FLOWS, "plain", _flow("plain", _fail))
        record = post.submit()
        failing.setattr("workers.engine.driver.work_off", _crash)
        with pytest.raises(SystemExit):
            post.broker.deliver(post.runner)
    assert "webhook" in post.services.ledger.outbox(record.job.id)
    retry_job(post.services, post.broker, record.job.id)
    post.told(record.job.id, epoch=1)
    post.told(record.job.id, epoch=2)
    assert sorted(json.loads(got.body)["epoch"] for got in post.receiver.got) == [1, 2]


def test_what_happens_to_a_call_can_be_followed_like_any_job(post: Post) -> None:
    record = post.submit()
    webhook_job = post.told(record.job.id)
    events = [event for _, event in post.services.ledger.events(webhook_job.job.id)]
    assert Event(name="webhook.sent", data={"status": 204}) in events


def _crash(*_args: object, **_named: object) -> None:
    raise SystemExit(secrets.token_hex(2))


def _fail(_given, _ports) -> Outcome:
    raise Permanent("it cannot be done")


def test_a_webhook_that_may_not_be_called_is_refused_before_anything_is_written(post: Post) -> None:
    careful = Services(post.services.settings.model_copy(update={"webhook_private": False}))
    before = set(post.services.redis.scan_iter())
    with pytest.raises(InvalidInput, match="webhook"):
        submit_job(careful, post.broker, "plain", "default", {}, terms=Terms(webhook=post.receiver.url))
    assert set(post.services.redis.scan_iter()) <= before  # locks of the tests before expire meanwhile
    careful.close()


def test_the_command_line_shows_the_secret_that_signs(post: Post, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = post.services.settings
    monkeypatch.setattr("producer.commands.keys._service", lambda: Service(services=post.services))
    run = CliRunner()
    made = json.loads(run.invoke(app, ["keys", "create", "hooks", "--yes", "--json"]).stdout)
    try:
        assert made["webhook_secret"] == webhook_secret(post.services.redis, settings, made["id"])
        shown = run.invoke(app, ["keys", "webhook-secret", made["id"]])
        assert shown.stdout.strip() == made["webhook_secret"]
        assert run.invoke(app, ["keys", "webhook-secret", "no-such-key"]).exit_code
    finally:
        ApiKeys(post.services.redis).revoke(made["id"])
