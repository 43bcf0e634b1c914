"""Tenants share a queue by their weights, over the real Redis and one in memory."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

import orjson
import pytest
import redis
from celery.exceptions import Retry
from doubles.broker import Broker
from doubles.databases import own_redis
from doubles.ledger_view import pass_time
from doubles.memory_redis import memory_redis, services_over
from doubles.shared_queue import NORMAL, SharedQueue
from fleet.crew import wait_until
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from workers.core.jobs.messages import Message
from workers.core.jobs.work import Item, Job
from workers.core.jobs.work import Phase as JobPhase
from workers.core.redis_keys import ACTIVE, WATCHDOG
from workers.engine.driver import Delivery
from workers.engine.runner import Runner
from workers.engine.submit import message_priority
from workers.engine.watchdog import Backlogs, Watchdog
from workers.ingest.flow import DOCUMENT
from workers.limits.fair_queue import let_out, put_args, put_source, refund_turn
from workers.limits.queue_ages import oldest_sent, queue_states
from workers.telemetry.queues import (
    FAIR_HELD,
    HELD,
    WEIGHTS,
    count_lists,
    fair_keys,
    messages_before,
    queue_depths,
    queue_lists,
)

_LISTS = 2  # messages that lie in the lists
LOADING = message_priority("normal", DOCUMENT.steps["ingest.load"].priority)


@pytest.fixture(params=("memory", "redis"))
def client(request: pytest.FixtureRequest) -> redis.Redis:
    if request.param == "memory":
        return memory_redis()
    return own_redis(request.getfixturevalue("redis_url"))


@pytest.fixture
def queue(client: redis.Redis) -> SharedQueue:
    return SharedQueue(client)


@pytest.mark.parametrize("weights", [(1, 2, 5), (0.5, 1)], ids=lambda weights: ":".join(map(str, weights)))
def test_shares_follow_the_weights_within_a_twentieth_as_long_as_all_have_work(queue, weights):
    named = {f"tenant{nth}": weight for nth, weight in enumerate(weights)}
    queue.weigh(**named)
    for name in named:
        queue.put(name, 130)
    queue.work(_LISTS)  # they were let out before the others came
    begun = queue.work(160)
    for name, weight in named.items():
        assert begun[name] / 160 == pytest.approx(weight / sum(weights), rel=0.05)


def test_ten_messages_are_begun_at_once_beside_ten_thousand(queue):
    queue.put("many", 200)
    queue.work(40)
    queue.put("few", 10)
    begun = queue.work(_LISTS + 2 * 10)
    assert begun["few"] == 10, "they wait for what lies in the lists, and for as many of the other"


def test_who_comes_late_is_soon_given_its_share_of_what_workers_hold(queue):
    queue.threads = 32
    queue.put("many", 200)
    queue.work(40)
    queue.put("few", 10)
    assert queue.work(_LISTS + 10)["few"] == 10, "half of 32 are more than ten"


def test_who_comes_while_all_threads_are_busy_is_given_spare_ones(queue):
    queue.threads, queue.spare = 40, 10
    queue.put("many", 200)
    while queue.take():
        pass
    assert queue.taken == ["many"] * 40, "who was there is given none"
    queue.put("few", 10)
    while queue.take():
        pass
    assert queue.taken[40:] == ["few"] * 10, "before what lies in the lists"
    assert queue.held[40:] == sorted(queue.held[40:]), "the oldest first"
    queue.finish(10)
    assert queue.take() == 0, "what was lent is given back"


def test_who_has_had_its_share_is_given_no_spare_threads(queue):
    queue.threads, queue.spare = 8, 50
    queue.put("many", 200)
    queue.work(40)
    queue.put("late", 200)
    while queue.take():
        pass
    assert Counter(tenant for tenant, _ in queue.held)["late"] <= queue.threads / 2 + 1
    begun = queue.work(60)
    assert begun["late"] / begun.total() == pytest.approx(0.5, rel=0.1)


def test_what_workers_hold_of_other_queues_brings_nobody_forward(queue, client):
    client.hset(HELD, mapping={f"question {nth}": "" for nth in range(250)})
    queue.put("many", 200)
    queue.work(40)
    queue.put("late", 200)
    assert queue.work(100)["late"] == pytest.approx(50, abs=6)


def test_what_a_dead_worker_held_of_the_queue_is_forgotten(queue, client):
    queue.put("a", 8)
    queue.take()
    client.delete(HELD)  # given back, by whoever found it
    let_out(client)
    assert client.scard(FAIR_HELD) == 0


@pytest.mark.parametrize(("threads", "comes", "rounds", "most"), [(8, 4, 30, 0.55), (32, 1, 60, 0.65)])
def test_who_comes_again_and_again_is_given_little_more_than_its_share(queue, threads, comes, rounds, most):
    queue.threads = threads
    queue.put("many", 250)
    queue.work(40)
    begun = Counter[str]()
    for _ in range(rounds):
        queue.put("often", comes)
        begun += queue.work(comes * 3 // 2)
    assert begun["often"] / begun.total() <= most


@pytest.mark.parametrize(("weight", "threads"), [(1, 1), (1, 32), (4, 8)])
def test_who_waits_has_its_share_beside_new_tenants_of_which_one_always_waits(queue, client, threads, weight):
    queue.threads = threads
    queue.weigh(old=weight)
    queue.put("old", 300)
    queue.work(40)
    for number in range(250):
        while client.zcard("hop:fair:bulk:turns:2") < 2:
            queue.put(f"new{number}")
        queue.work(1)
    share = weight / (weight + 1)
    assert queue.taken[-120:].count("old") / 120 == pytest.approx(share, rel=0.2)


def test_a_new_tenant_with_each_turn_starves_nobody_who_waits(queue):
    queue.put("old", 100)
    for number in range(200):
        queue.put(f"new{number}")
        queue.work(1)
    waited = [later - before for before, later in pairwise(places(queue, "old"))]
    assert max(waited) <= 2 * (200**0.5) + queue.threads + _LISTS, "as many others wait by then, each as long"
    assert queue.taken[-60:].count("old") >= 1


def places(queue: SharedQueue, tenant: str) -> list[int]:
    """Return when a tenant's messages were taken, counted in messages."""
    return [at for at, taken in enumerate(queue.taken) if taken == tenant]


def test_who_comes_after_a_stream_of_others_is_served_as_soon_as_before_it(queue):
    queue.threads = 32
    queue.put("old", 900)
    for number in range(100):
        queue.put(f"new{number}")
        queue.work(1)
    queue.work(500)
    queue.put("few", 10)
    assert queue.work(_LISTS + 14)["few"] == 10


def test_a_turn_of_work_that_was_put_off_is_given_back(queue, client):
    queue.put("a", 100)
    queue.put("b", 100)
    queue.work(20)
    for _ in range(10):
        refund_turn(client, message_of("b"))
    assert queue.work(_LISTS + 10)["b"] >= 10
    assert queue.work(40)["b"] == pytest.approx(20, abs=3), "as ever from then on"


def test_a_worker_gives_back_the_turn_of_an_item_whose_work_is_paused(queue, client):
    services = services_over(client)
    job = Job(id="j1", kind="document", collection="few")
    services.ledger.submit(job, JobPhase(items=(Item(id="load", step="ingest.load"),)))
    queue.put("few", 10, priority=LOADING)
    [start] = [start for _, start in client.zrange("hop:fair:bulk:turns:2", 0, -1, withscores=True)]
    services.work_pauses.pause("step", "ingest.load")
    with pytest.raises(Retry):
        Runner(services, Broker()).run("j1", 1, "load", Delivery())
    assert client.zscore("hop:fair:bulk:turns:2", "collection few") == start - 1
    services.close()


def message_of(collection: str) -> Message:
    fields = {"job_id": "j", "epoch": 1, "item_id": "i", "step": "s", "queue": "bulk", "priority": NORMAL}
    return Message(**fields, collection=collection)


def test_a_key_is_one_tenant_unless_a_collection_has_a_weight_of_its_own(queue):
    queue.weigh(legal=2)
    queue.put("a", 100, key="first")
    for collection in ("b", "c", "legal"):
        queue.put(collection, 100, key="second")
    begun = queue.work(100)
    assert begun["first"] == pytest.approx(25, abs=3), "beside two shares of legal and one of the rest"


def test_a_changed_weight_holds_at_once(queue):
    queue.put("a", 150)
    queue.put("b", 150)
    queue.work(100)
    queue.weigh(b=4)
    assert queue.work(100)["b"] == pytest.approx(80, abs=5)


def test_jobs_of_higher_priority_go_first_whoever_they_are_of(queue):
    queue.put("a", 30, priority=8)
    queue.put("b", 30, priority=5)
    queue.put("a", 30, priority=2)
    queue.threads = 100
    queue.work(90)
    assert queue.taken == ["a"] * 30 + ["b"] * 30 + ["a"] * 30


def test_of_a_tenant_the_most_urgent_goes_first_and_then_the_oldest(queue, client):
    queue.put("a", 20, priority=5)
    queue.put("a", 1, priority=3)
    queue.threads = 30
    while queue.take():
        pass
    lay = range(1, _LISTS + 1)
    assert [int(tag) for _, tag in queue.held] == [*lay, 21, *range(_LISTS + 1, 21)]
    assert client.llen(queue_lists("bulk")[5]) == 0


def test_messages_of_nobody_and_those_given_back_are_served_beside_the_shared(queue, client):
    queue.put("a", 20)
    client.lpush(queue_lists("bulk")[NORMAL], *(queue._text("old") for _ in range(50)))
    client.lpush(queue_lists("bulk")[8], *(queue._text("low") for _ in range(50)))
    queue.put("urgent", 1, priority=0)
    queue.threads = 200
    assert queue.work(121) == {"a": 20, "old": 50, "low": 50, "urgent": 1}
    assert queue.taken[0] == "urgent", "what lies below it does not hold it up"


def test_who_has_nothing_waiting_leaves_nothing_behind(queue, client):
    for number in range(30):
        queue.put(f"tenant{number}", 3)
    queue.work(90)
    assert queue.left == []
    queue.put("long", 200)
    for number in range(60):
        queue.put(f"tenant{number}")
        queue.work(3)
    assert client.zcard("hop:fair:bulk:rested:2") < 40


def test_a_worker_that_dies_between_taking_and_booking_holds_nothing_up(queue, client):
    queue.put("a", 20)
    for _ in range(_LISTS):
        queue.take(dies=True)
    assert queue.take() == 0
    client.zadd(ACTIVE, {"j1": time.time()})
    Watchdog(Runner(services_over(client), Broker()).driver, 1.0).look_once()
    queue.threads = 20
    assert queue.work(20) == {"a": 20 - _LISTS}, "the watchdog lets the next out"


def test_what_workers_of_a_version_before_took_is_followed_up_though_one_of_them_leads(queue, client):
    queue.put("a", 20)
    lying = queue_lists("bulk")[NORMAL]
    client.set(WATCHDOG, "of the version before")
    client.delete(lying)
    watchdog = Watchdog(Runner(services_over(client), Broker()).driver, 0.01)
    watchdog.start()
    try:
        wait_until(lambda: client.llen(lying) == _LISTS, "the next messages are let out")
    finally:
        watchdog.stop()


@pytest.fixture
def sent(client: redis.Redis) -> Iterator[Callable[[], list[str]]]:
    """What the watchdog sends again of a job of the collection "few", whose message was sent long ago."""
    services, broker = services_over(client), Broker()
    job = Job(id="j1", kind="document", collection="few")
    services.ledger.submit(job, JobPhase(items=(Item(id="load", step="ingest.load"),)))
    watchdog = Watchdog(Runner(services, broker).driver, 1.0)

    def look() -> list[str]:
        pass_time(client, "j1", 60)
        watchdog.look_once()
        items = [parcel.message.item_id for parcel in broker.queued]
        broker.queued.clear()
        return items

    yield look
    services.close()


@pytest.mark.parametrize("waiting", [1, 40])
def test_a_lost_message_is_sent_again_while_older_ones_of_others_wait(queue, sent, waiting):
    queue.put("many", waiting, priority=LOADING)
    assert sent() == ["load"]


def test_what_waits_behind_an_older_one_of_its_tenant_is_not_sent_again(queue, sent):
    queue.put("many", 40, priority=LOADING)
    queue.put("few", priority=LOADING)
    for _ in range(3):
        assert sent() == []
    queue.work(41)
    assert sent() == ["load"], "it was taken, and lost"


def test_what_was_let_out_is_not_sent_again(client, sent):
    fields = {"job_id": "j1", "epoch": 1, "item_id": "load", "step": "ingest.load", "queue": "bulk"}
    message = Message(**fields, priority=LOADING, collection="few")
    headers = {"sent_at": 1, "argsrepr": "('j1', 1, 'load')"}
    args = put_args([(message, orjson.dumps({"headers": headers}))])
    client.eval(put_source(), len(fair_keys()), *fair_keys(), *args)
    assert client.llen(queue_lists("bulk")[LOADING]) == 1
    assert sent() == []


@pytest.mark.parametrize("just_now", [False, True])
def test_where_not_all_tenants_are_looked_at_the_others_may_wait(queue, client, just_now):
    queue.sent_at = time.time() if just_now else 0
    for number in range(_LISTS + 5):
        queue.put(f"tenant{number}", priority=LOADING)
    backlogs = Backlogs(client, 60, most_tenants=3)
    assert not backlogs.is_empty
    assert backlogs.of("j1", ("collection few",))["ingest.load"]["normal"] == 0


def test_messages_that_somebody_deleted_hold_nobody_up(queue, client):
    queue.put("a", 20)
    queue.put("b", 20)
    client.delete(f"hop:fair:bulk:of:{NORMAL}:collection a")
    assert queue.work(40)["b"] == 20
    assert queue.left == [], "the queue's length forgets them, too"


def test_where_the_last_ones_messages_were_deleted_the_next_share_as_ever(queue, client):
    queue.put("gone", 60)
    queue.work(40)
    client.delete(f"hop:fair:bulk:of:{NORMAL}:collection gone")
    queue.work(20)
    assert queue_depths(client)["bulk"] == 0
    queue.put("a", 60)
    queue.put("b", 60)
    assert queue.work(40)["b"] >= 15


def test_the_length_and_age_of_the_queue_are_those_of_all_that_waits(queue, client):
    queue.put("a", 20)
    queue.put("b", 5, priority=8)
    assert queue_depths(client)["bulk"] == 25
    assert [client.llen(name) for name in count_lists("bulk")[-3:]] == [0, 20 - _LISTS, 5]
    assert messages_before(client, "bulk", 5) == 20
    assert messages_before(client, "bulk", 2) == 0
    oldest = oldest_sent(client)
    assert oldest.lists["bulk"] == {5: 1}
    assert oldest.tenants == {"collection a": {5: _LISTS + 1}, "collection b": {8: 21}}
    assert min(oldest.of_queue("bulk")) == 1
    client.delete(queue_lists("bulk")[5])
    client.lpush(queue_lists("bulk")[5], queue._text("newer"))
    assert min(oldest_sent(client).of_queue("bulk")) == _LISTS + 1, "the oldest of those that wait by tenant"


def test_a_message_that_does_not_say_when_it_was_sent_hides_no_others_age(queue, client):
    queue.put("a", _LISTS + 1)
    for collection, headers in (("silent", {}), ("odd", {"sent_at": "noon"}), ("b", {"sent_at": 9})):
        written = [(message_of(collection), orjson.dumps({"headers": headers}))]
        client.eval(put_source(), len(fair_keys()), *fair_keys(), *put_args(written))
    client.delete(queue_lists("bulk")[NORMAL])
    times = {tenant: at for tenant, at in oldest_sent(client).tenants.items() if at}
    assert times == {"collection a": {NORMAL: _LISTS + 1}, "collection b": {NORMAL: 9}}


def test_of_very_many_tenants_some_are_looked_at(queue, client):
    def looked_at() -> tuple[int, bool]:
        oldest = oldest_sent(client, most_tenants=20, at_once=8)
        return len(oldest.tenants), oldest.has_all_tenants

    for number in range(20 + _LISTS):
        queue.put(f"tenant{number}")
    assert looked_at() == (20, True)
    queue.put("further", 2)
    assert looked_at() == (20, False)
    state = queue_states(client)[0]["bulk"]
    assert (state.depth, state.oldest_seconds is not None) == (20 + _LISTS + 2, True)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    weights=st.lists(st.integers(1, 8), min_size=2, max_size=4),
    backlogs=st.lists(st.integers(1, 30), min_size=4, max_size=4),
    threads=st.integers(1, 12),
)
def test_everything_is_served_once_and_nobody_starves(client, weights, backlogs, threads):
    client.flushdb()
    queue = SharedQueue(client, threads)
    named = {f"tenant{nth}": weight for nth, weight in enumerate(weights)}
    queue.weigh(**named)
    put = dict(zip(named, backlogs, strict=False))
    for name, number in put.items():
        queue.put(name, number)
    queue.work(sum(put.values()))
    assert Counter(queue.taken) == put
    assert queue.left == []
    for name, weight in named.items():
        places = [at for at, taken in enumerate(queue.taken) if taken == name]
        waits = [later - before for before, later in pairwise(places)]
        assert max(waits, default=0) <= sum(weights) / weight + len(weights) + threads + _LISTS


@settings(
    max_examples=5,
    phases=[Phase.generate],  # making a failure shorter takes minutes
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    weight=st.integers(1, 4),
    coming=st.lists(
        st.tuples(st.integers(0, 2), st.integers(1, 3), st.integers(1, 4)), min_size=30, max_size=60
    ),
    threads=st.integers(1, 12),
)
def test_nobody_who_waits_starves_however_others_come(client, weight, coming, threads):
    """With each turn some tenants come, with so many messages each and a weight of their own."""
    client.flushdb()
    queue = SharedQueue(client, threads)
    queue.weigh(old=weight)
    put = Counter(old=200)
    queue.put("old", 200)
    most, heaviest = 0, 0
    for nth, (tenants, messages, heavy) in enumerate(coming):
        for number in range(tenants):
            name = f"new{nth}-{number}"
            queue.weigh(**{name: heavy})
            queue.put(name, messages)
            put[name] += messages
        queue.work(1)
        waiting = [name.removeprefix("collection ") for name in client.zrange("hop:fair:bulk:turns:2", 0, -1)]
        named = [float(client.hget(WEIGHTS, f"collection {name}") or 1) for name in waiting]
        most, heaviest = max(most, len(named)), max(heaviest, sum(named))
    begun = len(queue.taken)
    waits = [later - before for before, later in pairwise([-1, *places(queue, "old"), begun])]
    assert max(waits) <= heaviest / weight + most + threads + _LISTS, "a turn of each beside it"
    queue.work(sum(put.values()) - begun)
    assert Counter(queue.taken) == put
    assert queue.left == []
