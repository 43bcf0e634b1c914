"""Budgets on a real Redis: what is refused and why, what is set again, and that a batch pauses for it."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from doubles.ledger_play import Play, one
from doubles.memory_redis import services_over

from hopline.errors import Conflict, InvalidInput
from hopline.models.jobs import Budget, JobState, PauseKind, Usage
from workers.core.errors import BudgetExceeded
from workers.core.ids import child_job_id
from workers.core.jobs.work import Item, Job, Phase
from workers.core.redis_keys import job_key
from workers.engine.runner import waits_for_budget
from workers.ledger.budget import JobMeter

pytestmark = pytest.mark.memory_too


def play_within(client: redis.Redis, **limits: float) -> Play:
    play = Play(client)
    budget = Budget.model_validate(limits)
    play.ledger.submit(Job(id=play.name, kind="tree", collection="test"), one("root"), budget=budget)
    return play


def meter(play: Play, call_seconds: float = 60.0) -> JobMeter:
    return JobMeter(play.ledger.scripts, play.name, call_seconds)


def refusal(play: Play, tokens: int, cost: float | None = None, **more: float) -> BudgetExceeded:
    with pytest.raises(BudgetExceeded) as refused:
        meter(play, **more).reserve("refused", tokens, cost)
    return refused.value


@pytest.mark.parametrize("version", ["this one", "the one before"])
def test_what_calls_in_flight_have_booked_may_leave_room(client: redis.Redis, version: str) -> None:
    play = play_within(client, tokens=1000)
    if version == "this one":
        meter(play).reserve("a", 600)
    else:
        client.hset(job_key(play.name, "calls"), "a", f"600 20 1 {client.time()[0] * 1000}")
        client.hset(job_key(play.name, "job"), mapping={"booked_calls": 1, "booked_tokens": 600})
    assert refusal(play, 600).room_soon
    meter(play).settle("a", Usage(model_calls=1, prompt_tokens=300, completion_tokens=90))
    meter(play).reserve("b", 600)


def test_what_does_not_fit_without_them_leaves_none(client: redis.Redis) -> None:
    play = play_within(client, tokens=1000)
    meter(play).reserve("a", 600)
    assert not refusal(play, 1001).room_soon
    meter(play).settle("a", Usage(model_calls=1, prompt_tokens=500, completion_tokens=0))
    meter(play).reserve("b", 400)
    assert not refusal(play, 600).room_soon


def test_a_batch_at_the_provider_is_booked_as_its_calls_and_not_waited_for(client: redis.Redis) -> None:
    play = play_within(client, model_calls=10)
    meter(play).reserve("batch", 100, calls=10)
    assert not refusal(play, 100).room_soon
    meter(play).settle("batch", Usage(model_calls=7, prompt_tokens=70))
    meter(play).reserve("a", 100)
    assert play.view().job["booked_calls"] == "8"


@pytest.mark.usefixtures("own_server")  # counts the server's commands
def test_what_is_lost_leaves_the_bookings_however_much_it_is_and_counts_as_spent(client: redis.Redis) -> None:
    play = play_within(client, model_calls=1000)
    calls, hour_ago = job_key(play.name, "calls"), client.time()[0] * 1000 - 3_600_000
    client.hset(calls, mapping={f"{n:016x}": f"60 20 1 {hour_ago}" for n in range(1000)})
    client.hset(job_key(play.name, "job"), mapping={"booked_calls": 1000, "booked_tokens": 60_000})
    client.config_resetstat()
    answers = {refusal(play, 1).room_soon for _ in range(200)}
    assert "cmdstat_hvals" not in client.info("commandstats")
    assert answers == {True, False}  # until all of them have been looked at
    assert not refusal(play, 1).room_soon
    assert client.hlen(calls) == 0
    assert play.view().job["booked_calls"] == "1000"


def test_what_a_provider_s_batch_of_the_version_before_booked_is_neither_waited_for_nor_lost(client):
    play = play_within(client, tokens=1000)
    hour_ago = client.time()[0] * 1000 - 3_600_000
    client.hset(job_key(play.name, "calls"), "job.0a1b.group.1", f"600 20 1 {hour_ago}")
    client.hset(job_key(play.name, "job"), mapping={"booked_calls": 1, "booked_tokens": 600})
    assert not refusal(play, 600).room_soon
    meter(play).settle("job.0a1b.group.1", Usage(model_calls=1, prompt_tokens=300), epoch=1)
    meter(play).reserve("a", 600)
    assert refusal(play, 600).room_soon


def test_a_call_that_settles_after_it_was_written_off_is_in_the_usage(client: redis.Redis) -> None:
    play = play_within(client, tokens=5000)
    meter(play, 0.0).reserve("slow", 600, 0.5)
    for call in range(5):
        meter(play, 0.0).reserve(f"{call}", 10)  # looks for what is lost
    assert "written_off:slow" in play.view().job
    meter(play).settle("slow", Usage(model_calls=1, prompt_tokens=90, completion_tokens=10, cost=0.02))
    for call in range(5):
        meter(play).settle(f"{call}", Usage())
    job = play.view().job
    assert (job["spent_prompt"], job["spent_completion"], job["spent_cost"]) == ("90", "10", "20000")
    assert (job["booked_tokens"], job["booked_cost"], job["unawaited_tokens"]) == ("100", "20000", "0")
    assert "written_off:slow" not in job


def test_a_clock_that_was_set_back_makes_no_booking_young_for_an_hour(client: redis.Redis) -> None:
    play = play_within(client, tokens=1000)
    meter(play).reserve("a", 600)
    ahead = client.time()[0] * 1000 + 3_600_000
    client.hset(job_key(play.name, "calls"), "a", f"600  1 {ahead}")
    assert refusal(play, 600).room_soon
    assert not refusal(play, 600, call_seconds=0.0).room_soon


def test_a_booking_that_outlives_its_worker_is_made_and_settled_once_in_an_epoch(client: redis.Redis) -> None:
    play = play_within(client, tokens=1000)
    meter(play, 0.0).reserve("batch", 900, calls=5, epoch=1)
    assert not refusal(play, 200).room_soon  # nobody waits for it, and it is not lost
    meter(play).settle("batch", Usage(model_calls=4, prompt_tokens=300), epoch=1)
    with pytest.raises(Conflict, match="settled"):  # a twin that had stood still
        meter(play).reserve("batch", 500, calls=5, epoch=1)
    assert play.view().job["booked_tokens"] == "300"
    meter(play).reserve("batch", 500, calls=5, epoch=2)  # it is retried
    assert play.view().job["booked_calls"] == "9"


def test_a_booking_that_was_settled_before_it_was_made_is_not_made(client: redis.Redis) -> None:
    play = play_within(client, tokens=1000)
    meter(play).settle("batch", Usage(), epoch=1)  # the job was stopped
    with pytest.raises(Conflict):
        meter(play).reserve("batch", 500, calls=5, epoch=1)


def test_a_limited_cost_lets_no_call_of_unknown_price_pass_and_counts_fractions(client: redis.Redis) -> None:
    play = play_within(client, cost=0.5)
    refused = refusal(play, 10)
    assert "price is unknown" in str(refused)
    assert not refused.room_soon
    assert "0.5 of cost is used up" in str(refusal(play, 10, 0.51))
    for call in range(2):  # each as one of the smallest costs that are counted
        meter(play).reserve(f"{call}", 10, 0.0000001)
    refusal(play, 10, 0.499999)
    meter(play).reserve("a", 10, 0.499998)


def test_limits_are_raised_and_the_others_stay(client: redis.Redis) -> None:
    play = play_within(client, tokens=1000, model_calls=2)
    meter(play).reserve("a", 900)
    assert "1000 tokens" in str(refusal(play, 200))
    play.ledger.raise_budget(play.name, Budget(tokens=5000))
    meter(play).reserve("b", 200)
    assert "2 model calls" in str(refusal(play, 200))
    assert play.record().budget == Budget(model_calls=2, tokens=5000)


def test_a_limit_below_what_is_spent_is_refused_and_none_is_set(client: redis.Redis) -> None:
    play = play_within(client, tokens=1000, cost=1, model_calls=5)
    meter(play).reserve("a", 900, 0.25)
    for budget, field in (
        (Budget(tokens=900), "max_tokens"),
        (Budget(tokens=9000, cost=0.25), "max_cost"),
        (Budget(model_calls=1), "max_calls"),
    ):
        with pytest.raises(InvalidInput) as refused:
            play.ledger.raise_budget(play.name, budget)
        assert refused.value.field == field
    assert play.record().budget == Budget(tokens=1000, cost=1, model_calls=5)


def test_the_limits_of_an_ended_job_stay(client: redis.Redis) -> None:
    play = play_within(client, tokens=1000)
    play.ledger.end(play.name, 1, JobState.DONE, {})
    with pytest.raises(Conflict):
        play.ledger.raise_budget(play.name, Budget(tokens=2000))


class Night:
    """A batch with a budget, and one of its documents."""

    def __init__(self, client: redis.Redis) -> None:
        self.services = services_over(client)
        self.play = Play(client)
        self.job = self._submit(self.play.name, "batch", {"documents": 1}, Budget(tokens=1000))
        child = child_job_id(self.job.id, "0:a")
        self.document = Job(id=child, kind="document", collection="test", root=self.job.id)

    def _submit(self, name: str, kind: str, params: dict[str, int], budget: Budget) -> Job:
        job = Job(id=name, kind=kind, collection="test", root=name, params=params)
        phase = Phase(items=(Item(id="0:a", step="ingest.document"),))
        self.services.ledger.submit(job, phase, budget=budget)
        return job

    def refused(self, tokens: int = 2000) -> BudgetExceeded:
        with pytest.raises(BudgetExceeded) as refused:
            self.services.meter(self.document).reserve("call", tokens)
        return refused.value


@pytest.fixture
def night(client: redis.Redis) -> Night:
    return Night(client)


def test_a_batch_pauses_once_and_its_documents_wait(night: Night) -> None:
    with ThreadPoolExecutor(4) as pool:
        refusals = [pool.submit(night.refused) for _ in range(4)]
        waits = [
            pool.submit(waits_for_budget, night.services, night.document, refusal.result())
            for refusal in refusals
        ]
    assert all(wait.result() for wait in waits)
    pause = night.services.pauses.of(night.document.id)
    assert (pause.kind, pause.why) == ("budget", "the limit of 1000 tokens is used up")


def test_a_batch_whose_calls_in_flight_may_leave_room_does_not_pause(night: Night) -> None:
    night.services.meter(night.document).reserve("other", 700)
    assert waits_for_budget(night.services, night.document, night.refused(700))
    assert night.services.pauses.of(night.job.id) is None


def test_a_refusal_from_before_the_limit_was_raised_pauses_nothing(night: Night) -> None:
    late = night.refused()
    assert waits_for_budget(night.services, night.document, late)
    night.services.ledger.raise_budget(night.job.id, Budget(tokens=5000))
    night.services.pauses.resume(night.job.id)
    assert waits_for_budget(night.services, night.document, late)
    assert night.services.pauses.of(night.job.id) is None


def test_a_limit_that_is_raised_while_its_refusal_is_looked_at_leaves_no_pause(night, monkeypatch):
    late = night.refused()
    pause = night.services.pauses.pause
    paused: list[bool] = []

    def raised_just_before(root: str, kind: PauseKind, why: str, **more: Any) -> bool:
        night.services.ledger.raise_budget(night.job.id, Budget(tokens=5000))
        assert not night.services.pauses.resume(night.job.id)  # there is none yet
        paused.append(pause(root, kind, why, **more))
        return paused[-1]

    monkeypatch.setattr(night.services.pauses, "pause", raised_just_before)
    assert waits_for_budget(night.services, night.document, late)
    assert paused == [False]  # not for a moment either: who waits for the batch would see it
    assert night.services.pauses.of(night.job.id) is None


def test_a_user_who_pauses_while_a_late_refusal_is_taken_back_is_obeyed(night, monkeypatch):
    late, pause = night.refused(), night.services.pauses.pause

    def paused_just_after(root: str, kind: PauseKind, why: str, **more: Any) -> bool:
        night.services.ledger.raise_budget(night.job.id, Budget(tokens=5000))
        new = pause(root, kind, why, **more)
        pause(root, "user", "asked for")
        return new

    monkeypatch.setattr(night.services.pauses, "pause", paused_just_after)
    assert waits_for_budget(night.services, night.document, late)
    assert [pause.kind for pause in night.services.pauses.reasons(night.job.id)] == ["user"]


def test_a_question_does_not_wait_for_a_budget(night: Night) -> None:
    play = Play(night.services.redis)
    query = Job(id=play.name, kind="query", collection="test", root=play.name, params={"question": "Who?"})
    night.services.ledger.submit(query, Phase(items=(Item(id="plan", step="traverse.plan"),)))
    assert not waits_for_budget(night.services, query, night.refused())
    assert night.services.pauses.of(query.id) is None
