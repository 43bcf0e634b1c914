"""No sixty seconds at an endpoint's door hold more than it allows, and little of that is left unused."""

from collections.abc import Iterator

import pytest
import redis
from doubles.databases import own_redis
from doubles.door import Door, own_clock
from fleet.cases import cases
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workers.core.models.permits import Cost
from workers.limits.rate_limiter import LineLimits

CHUNK = Cost(prompt=1500, completion=4096)
BURSTS = st.lists(st.tuples(st.floats(0, 150), st.integers(1, 60)), max_size=4)


@pytest.fixture(scope="module")
def client(redis_url: str) -> Iterator[redis.Redis]:
    with own_clock():
        yield own_redis(redis_url)


@settings(max_examples=cases(15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rpm=st.one_of(st.none(), st.integers(5, 300)),
    tpm=st.one_of(st.none(), st.integers(20_000, 300_000)),
    callers=st.integers(0, 40),
    bursts=BURSTS,
    latency=st.floats(0.05, 8.0),
    seed=st.integers(0, 1000),
)
def test_no_minute_holds_more_than_is_allowed(client, rpm, tpm, callers, bursts, latency, seed):
    door = Door(client, LineLimits(rpm=rpm, tpm=tpm, calls=50), latency=latency, seed=seed)
    door.keep_calling("bulk", CHUNK, callers)
    for at, size in bursts:
        for _ in range(size):
            door.call(at, "interactive", Cost(prompt=600, completion=512))
    door.play(180 if rpm or tpm else 20)
    requests, tokens = door.most_in_a_minute()
    assert rpm is None or requests <= rpm
    # A prompt's tokens are estimated: what was thought too little is made up for with the next calls.
    assert tpm is None or tokens <= 1.01 * tpm


@pytest.mark.parametrize(("limits", "cost", "least"), [
    (LineLimits(rpm=300), Cost(prompt=10, completion=10), 0.93),
    (LineLimits(tpm=60_000), CHUNK, 0.86),  # though each call is a tenth of it
])  # fmt: skip
def test_workers_use_a_limit_nearly_whole(client, limits, cost, least):
    door = Door(client, limits)
    door.keep_calling("bulk", cost, 128)
    door.play(300)
    requests_or_tokens, limit = (0, limits.rpm) if limits.rpm else (1, limits.tpm)
    assert limit is not None
    assert door.most_in_a_minute()[requests_or_tokens] <= limit
    assert door.per_minute(60, 300)[requests_or_tokens] >= least * limit


@pytest.mark.long
def test_a_question_waits_for_no_bulk_call_while_the_limit_is_used_up(client: redis.Redis) -> None:
    door = Door(client, LineLimits(rpm=600))
    door.keep_calling("bulk", Cost(prompt=10, completion=10), 128)
    for at in range(60, 240, 10):
        for _ in range(5):
            door.call(at, "interactive", Cost(prompt=10, completion=10))
    door.play(300)
    assert door.most_in_a_minute()[0] <= 600
    assert sorted(door.waits)[int(0.9 * len(door.waits))] < 0.1


def test_calls_in_flight_stay_within_their_bound_and_bulk_leaves_its_share_free(client: redis.Redis) -> None:
    door = Door(client, LineLimits(calls=16), latency=0.2, late=0.0)
    door.keep_calling("bulk", Cost(prompt=10, completion=10), 24)
    for at in range(3, 12):
        for _ in range(4):
            door.call(float(at), "interactive", Cost(prompt=10, completion=10))
    door.play(12)
    assert door.most_flying == 16
    assert max(door.waits) < 0.1
    assert door.per_minute(3, 12)[0] / 60 >= 0.75 * 12 / 0.2


def test_those_who_are_sent_back_come_when_there_is_room_and_not_before(client: redis.Redis) -> None:
    door = Door(client, LineLimits(rpm=120))
    door.keep_calling("bulk", Cost(prompt=10, completion=10), 200)
    door.play(600)
    assert door.per_minute(60, 600)[0] >= 0.92 * 120
    assert door.sent_back < 2.5 * len(door.came)


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_is_set_makes_nobody_wait_longer(client: redis.Redis, hours: int) -> None:
    door = Door(client, LineLimits(rpm=60, tpm=100_000, calls=20), latency=0.5)
    door.keep_calling("bulk", Cost(prompt=1000, completion=100), 30)
    door.play(90)
    door.set_clock(hours * 3600.0)
    door.play(240)
    assert next(at for at, _, _ in door.came if at >= 90) < 95
    assert door.per_minute(100, 240)[0] >= 0.9 * 60
    assert door.most_flying <= 20
    if hours < 0:
        assert door.most_in_a_minute()[0] <= 60


def test_an_endpoint_that_asked_to_wait_is_left_alone_so_long_whatever_the_clock_does(client):
    door = Door(client, LineLimits(rpm=600))
    door.call(0.0, "bulk", Cost(prompt=10))
    door.play(1)
    door.refuse(retry_after=60.0)
    door.set_clock(-3600.0)
    for at in (10.0, 70.0):
        door.call(at, "interactive", Cost(prompt=10))
    door.play(200)
    assert 60.0 <= door.came[-1][0] <= 75.0
    assert len(door.came) == 3
