"""Counting in many threads and processes, and what waits in queues: added up in a real Redis."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis
from doubles.endpoint import refused, said, scripted_endpoints
from fleet.crew import wait_until
from prometheus_client.parser import text_string_to_metric_families

from hopline.errors import Transient
from hopline.models.schedules import NotBegun
from producer.service.health.exposition import exposition
from workers.adapters.openai.model import OpenAIModel
from workers.adapters.redis.client import redis_client
from workers.core.jobs.messages import Message
from workers.core.jobs.work import Event
from workers.core.prompts import Prompt
from workers.critic.schema import FactScore
from workers.ledger.schedules import ScheduleBook
from workers.limits.queue_ages import queue_states
from workers.settings import Settings
from workers.telemetry.counters import count_written
from workers.telemetry.metrics import BUCKETS, COUNTS, KEY, METRICS, Counts, Number, read_counts
from workers.telemetry.presence import had_worker, leave, stay, workers_by_queue
from workers.telemetry.queues import PRIORITIES, QUEUES, messages_before, queue_depths, queue_lists


@pytest.fixture
def empty(client: redis.Redis) -> redis.Redis:
    """A database into which this process has counted nothing."""
    COUNTS.flush(client)  # what the tests before have left in it
    client.flushdb()
    return client


def samples(client: redis.Redis) -> dict[str, dict[tuple[str, ...], float]]:
    """Sample name → labels' values → value."""
    figures: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(exposition(client, client).decode()):
        order = (
            (*METRICS[family.name].labels, "le") if family.name in METRICS else ("queue", "kind", "outcome")
        )
        for sample in family.samples:
            values = tuple(sample.labels[label] for label in order if label in sample.labels)
            figures.setdefault(sample.name, {})[values] = sample.value
    return figures


def test_what_many_processes_count_adds_up_and_falls_into_buckets(empty: redis.Redis) -> None:
    processes = [Counts() for _ in range(4)]

    def work(counts: Counts) -> None:
        for nth in range(100):
            counts.count("hopline_items", "traverse.visit", "done")
            for seconds in (0.0, 0.005, 0.3, 1000.0):
                counts.observe("hopline_item_seconds", "traverse.visit", seconds=seconds)
            if nth % 50 == 0:
                counts.flush(empty)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, processes * 2))
    for counts in processes:
        counts.flush(empty)
    figures = samples(empty)
    assert figures["hopline_items_total"][("traverse.visit", "done")] == 800
    assert figures["hopline_item_seconds_count"][("traverse.visit",)] == 3200
    assert figures["hopline_item_seconds_sum"][("traverse.visit",)] == pytest.approx(800 * 1000.305)
    buckets = figures["hopline_item_seconds_bucket"]
    at = [buckets["traverse.visit", edge] / 800 for edge in ("0.005", "0.25", "0.5", "300.0", "+Inf")]
    assert at == [2, 2, 3, 3, 4]
    assert len(buckets) == len(BUCKETS) + 1


def test_what_cannot_be_flushed_is_kept_for_the_next_time(empty: redis.Redis) -> None:
    counts = Counts()
    counts.count("hopline_items_resent", by=3)
    with pytest.raises(redis.ConnectionError):
        counts.flush(redis_client("redis://127.0.0.1:1/0", patient=False))
    counts.count("hopline_items_resent")
    counts.flush(empty)
    counts.flush(empty)
    assert read_counts(empty) == {Number("hopline_items_resent", ()): 4}


def test_what_another_version_counted_is_passed_over(empty: redis.Redis) -> None:
    empty.hset(KEY, '["hopline_items", "one label too few", ""]', 1)
    empty.hset(KEY, '["hopline_no_more", "x", ""]', 1)
    empty.hset(KEY, "no json", 1)
    assert read_counts(empty) == {}
    assert samples(empty)


def test_every_metric_has_its_help_and_values_of_any_text_are_escaped(empty: redis.Redis) -> None:
    counts = Counts()
    odd = 'a "model"\\of\nmine'
    counts.count("hopline_model_calls", "fast", odd)
    counts.flush(empty)
    text = exposition(empty, empty).decode()
    assert all(f"# HELP {name}" in text for name in METRICS)
    assert samples(empty)["hopline_model_calls_total"][("fast", odd)] == 1


def test_model_calls_are_counted_by_tier_and_model_with_tokens_and_cost(empty: redis.Redis) -> None:
    score = '{"relevance": 0.5, "source_description": "x"}'
    prompt = Prompt(name="test", text="Read the input.")
    with scripted_endpoints() as start:
        url, _ = start(lambda _body: said(score))
        broken, _ = start(lambda _body: refused(500, "no"))
        prices = {"price_fast_in": 1.0, "price_fast_out": 2.0}
        for where in (url, broken):
            settings = Settings(model_url=where, model_fast="swift", model_strong="deep", **prices)
            model = OpenAIModel.from_settings(settings)
            try:
                for tier in ("fast", "strong"):
                    model.ask(prompt, {}, FactScore, tier=tier)
            except Transient:
                continue
    COUNTS.flush(empty)
    figures = samples(empty)
    assert figures["hopline_model_calls_total"] == {("fast", "swift"): 1, ("strong", "deep"): 1}
    assert figures["hopline_model_seconds_count"] == {("fast", "swift"): 1, ("strong", "deep"): 1}
    tokens = figures["hopline_model_tokens_total"]
    assert set(tokens) == {
        (tier, model, way)
        for tier, model in (("fast", "swift"), ("strong", "deep"))
        for way in ("prompt", "completion")
    }
    cost = (tokens[("fast", "swift", "prompt")] + 2 * tokens[("fast", "swift", "completion")]) / 1_000_000
    assert figures["hopline_model_cost_total"] == {("fast", "swift"): pytest.approx(cost)}
    assert figures["hopline_model_failures_total"][("fast", "swift", "ServerFailed")] >= 1


def test_a_worker_is_counted_under_its_queue_until_it_leaves(empty: redis.Redis) -> None:
    for worker in ("one", "two"):
        stay(empty, "bulk", worker)
        stay(empty, "bulk", worker)
    assert workers_by_queue(empty) == {
        "interactive": 0,
        "bulk": 2,
        "ocr": 0,
        "quarantine": 0,
        "submissions": 0,
    }
    leave(empty, "bulk", "one")
    wait_until(lambda: workers_by_queue(empty)["bulk"] == 1, "one has left")
    assert (had_worker(empty, "bulk"), had_worker(empty, "quarantine")) == (True, False)


def test_runs_of_schedules_that_wait_or_were_left_out_are_told(empty: redis.Redis) -> None:
    book, now = ScheduleBook(empty), time.time()
    found = samples(empty)
    assert found["hopline_schedule_runs_not_begun"] == {("missed",): 0, ("skipped",): 0}
    assert found["hopline_schedule_run_waits_seconds"] == {(): 0}
    long_ago = NotBegun(due=now - 9 * 86_400, times=8, outcome="missed", reason="no beat process ran")
    known = NotBegun(due=now - 9 * 86_400, outcome="skipped", reason="it was paused", at=now - 90_000)
    book.change("away", lambda runs: runs.add(now - 600, long_ago))
    book.change("known", lambda runs: runs.add(now - 900, known).waiting(now - 900))
    found = samples(empty)
    assert found["hopline_schedule_runs_not_begun"] == {("missed",): 8, ("skipped",): 0}
    assert 600 <= found["hopline_schedule_run_waits_seconds"][()] < 900, "what is buffered waits for a sync"


def test_sentences_of_answers_and_the_facts_for_them_are_counted(empty: redis.Redis) -> None:
    written = {"state": "done", "sentences": 3, "dropped": 1, "citations": 2, "facts": {"left_out": 4}}
    count_written([Event(name="fact.scored"), Event(name="answer.written", data=written)])
    COUNTS.flush(empty)
    name = "hopline_answer_sentences"
    sentences = {Number(name, ("kept",)): 3, Number(name, ("dropped",)): 1}
    assert read_counts(empty) == sentences | {Number("hopline_answer_facts", ("left_out",)): 4}


def _message(number: int, queue: str = "interactive") -> Message:
    return Message(
        job_id="job", epoch=1, item_id=f"item {number}", step="traverse.visit", queue=queue, priority=number
    )


def test_what_waits_in_every_priority_is_counted_under_its_queue(client, publisher):
    publisher.send([_message(number) for number in range(PRIORITIES)])
    publisher.send([_message(4, "bulk"), _message(4, "bulk")])
    assert queue_depths(client) == {"interactive": PRIORITIES, "bulk": 2, "ocr": 0, "quarantine": 0}
    states, held = queue_states(client)
    assert {queue: state.depth for queue, state in states.items()} == queue_depths(client)
    assert held == 0


def test_the_oldest_message_of_any_priority_gives_the_age(client, publisher):
    publisher.send([_message(7)])
    first = time.time()
    publisher.send([_message(0), _message(7)])
    publisher.chain([_message(1, "quarantine"), _message(2, "quarantine")])
    since_first = time.time() - first  # before they are looked at: who looks may be held up after it
    states = queue_states(client)[0]
    oldest = states["interactive"].oldest_seconds
    assert oldest is not None
    assert oldest >= max(0.0, since_first - 0.001)
    assert states["bulk"].oldest_seconds is None
    assert states["quarantine"].oldest_seconds is not None, "the first of a chain says when it was sent"


def test_what_is_served_before_a_message_is_counted_by_its_priority(client, publisher):
    publisher.send([_message(priority, "bulk") for priority in (3, 3, 5, 8)])
    assert messages_before(client, "bulk", 2) == 0
    assert messages_before(client, "bulk", 3) == 2
    assert messages_before(client, "bulk", 9) == 4
    assert messages_before(client, "interactive", 9) == 0


@pytest.mark.parametrize("text", ["no json", "7", '{"headers": 3}', '{"headers": {"sent_at": "then"}}'])
def test_a_message_that_says_nothing_of_its_time_has_no_age(client: redis.Redis, text: str) -> None:
    client.lpush(queue_lists(QUEUES[0])[3], text)
    states, _ = queue_states(client)
    assert states[QUEUES[0]].depth == 1
    assert states[QUEUES[0]].oldest_seconds is None
