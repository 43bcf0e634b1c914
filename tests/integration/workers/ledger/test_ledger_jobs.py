"""What the ledger promises of whole jobs: submit, end, children, retry, money, expiry; on a real Redis."""

import itertools
import json
from collections.abc import Callable
from contextlib import suppress

import pytest
import redis
from doubles.ledger_moves import begun
from doubles.ledger_play import CONFIG, Play, one
from redis.client import Pipeline

from hopline.errors import Conflict
from hopline.models.jobs import JobState, Usage
from workers.core.jobs.work import Event, Job, Phase
from workers.core.redis_keys import ACTIVE, PARTS, job_key
from workers.ledger.budget import JobMeter
from workers.ledger.queries import ends_untold

pytestmark = pytest.mark.memory_too


def test_a_job_that_another_version_describes_with_one_more_field_is_the_same(play, client):
    spec = json.loads(play.view().job["spec"])
    client.hset(job_key(play.name, "job"), "spec", json.dumps(spec | {"tenant": "", "params": {"more": 1}}))
    assert not play.submit()


def test_a_job_without_items_is_advanced_by_the_watchdog(client: redis.Redis) -> None:
    play = Play(client)
    play.ledger.submit(Job(id=play.name, kind="tree", collection="test"), Phase(items=()))
    assert [due.item_id for due in play.ledger.look([play.name])[0].send] == ["advance:1"]


def test_an_ended_job_stays_ended_and_late_calls_find_it_gone(play: Play) -> None:
    claim = begun(play)
    meter = JobMeter(play.ledger.scripts, play.name)
    meter.reserve("call", 10)
    assert play.ledger.end(play.name, 1, JobState.CANCELLED, {"reason": "enough"})
    assert not play.ledger.end(play.name, 1, JobState.DONE, {})
    late: list[Callable[[], str]] = [
        lambda: play.finish(claim).verdict,
        lambda: play.ledger.fail(claim, "late").verdict,
        lambda: play.ledger.open_phase(claim, one("more")).verdict,
        lambda: play.ledger.close(play.name, 1, 0, "late").verdict,
        lambda: play.ledger.admit(play.name, 1, 0, ()).verdict,
        lambda: play.ledger.begin(claim).verdict,
        lambda: play.ledger.finish_child(claim, {}, "", Event(name="child.ended")).verdict,
    ]
    assert {call() for call in late} == {"gone"}
    assert not play.ledger.defer(claim, 1, "late")
    assert not play.ledger.delegate(claim, "child")
    assert play.ledger.renew([claim]) == [False]
    with pytest.raises(Conflict):
        meter.reserve("another", 1)
    meter.settle("call", Usage(model_calls=1, prompt_tokens=5, completion_tokens=1))
    play.ledger.strike(play.name, 1, "parent", "")
    view = play.view()
    assert (view.state, view.job["outcome"]) == ("cancelled", '{"reason":"enough"}')
    assert not view.due
    play.work_off(play.name)
    assert all(play.view().expiring.values()), "nothing is left without expiry"


def test_a_running_job_never_leaves_the_index_even_if_who_asks_it_to_is_killed(play, monkeypatch):
    trips = itertools.count()

    def killed_after_the_first(send: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **more: object) -> object:
            if next(trips):
                raise KeyboardInterrupt
            return send(*args, **more)

        return call

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        for sender, name in ((redis.Redis, "execute_command"), (Pipeline, "execute")):
            patch.setattr(sender, name, killed_after_the_first(getattr(sender, name)))
        play.ledger.leave(play.name)
    assert play.view().indexed


@pytest.mark.usefixtures("redis_url")  # measures the server's memory
def test_an_ended_job_expires_from_when_everybody_was_told_of_it(play: Play, client: redis.Redis) -> None:
    play.ledger.end(play.name, 1, JobState.CANCELLED, {})
    play.ledger.leave(play.name)
    view = play.view()
    assert view.outbox
    assert not any(view.expiring.values()), "however long no worker runs"
    play.work_off(play.name)
    assert all(play.view().expiring.values())
    client.pexpire(job_key(play.name, "job"), 1000)
    play.ledger.leave(play.name)
    assert client.pttl(job_key(play.name, "job")) <= 1000, "whoever looks at it later does not keep it"


def test_an_end_of_which_not_all_are_told_is_counted_after_ten_minutes(play, client):
    before = ends_untold(client)
    play.ledger.end(play.name, 1, JobState.CANCELLED, {})
    assert ends_untold(client) == before
    client.hincrby(job_key(play.name, "job"), "ended", -601_000)
    assert ends_untold(client) == before + 1
    play.work_off(play.name)
    assert ends_untold(client) == before


@pytest.mark.usefixtures("redis_url")  # asks it for the size of keys
def test_of_a_finished_job_of_300_items_only_its_own_few_keys_remain_and_they_expire(client):
    play = Play(client, leaves=300)
    play.submit()
    play.play_on(rounds=400)
    assert play.view().state == "done"
    assert play.view().job["done:tree.leaf"] == "300"
    kept = set(client.scan_iter(f"*{play.name}*", count=10_000))
    allowed = {job_key(play.name, part) for part in ("job", "items", "result", "events")}
    assert kept <= allowed, "no due, leases, holds, counters of single items, calls"
    assert all(0 < client.pttl(key) <= CONFIG.keep_seconds * 1000 for key in kept)
    assert client.xlen(job_key(play.name, "events")) < 2200
    assert sum(client.memory_usage(key) or 0 for key in kept) < 300_000
    assert client.zscore(ACTIVE, play.name) is None


def test_a_childs_outcome_of_any_size_is_kept(play: Play) -> None:
    claim = begun(play)
    big = {"failed_chunks": ["x" * 1000] * 1000}
    assert play.ledger.finish_child(claim, big, "all of it", Event(name="child.ended")).verdict == "recorded"


def test_what_a_job_waited_for_is_over_once_a_child_of_it_has_ended(play: Play) -> None:
    play.ledger.defer(begun(play), 5.0, "the graph is away")
    assert play.record().waits_for == "the graph is away"
    play.wait(6)
    play.ledger.finish_child(begun(play), {}, "", Event(name="child.ended"))
    assert play.record().waits_for is None


def test_a_child_is_forgotten_with_all_its_keys(play: Play, client: redis.Redis) -> None:
    play.ledger.forget(play.name, 1)
    assert play.view().state == "running", "a running job is not forgotten"
    play.play_on()
    play.ledger.forget(play.name, 1)
    assert not any(client.exists(job_key(play.name, part)) for part in PARTS)


def test_a_child_that_is_created_again_knows_nothing_of_its_life_before(play: Play) -> None:
    claim = begun(play)
    play.delegate(claim)
    (child,) = play.children
    first, hand = play.view(child).epoch, play.begin(play.on_the_way.pop())[0]
    play.ledger.end(child, None, JobState.CANCELLED, {})
    play.ledger.forget(child, first)
    play.delegate(claim)
    assert play.finish(hand).verdict == play.ledger.fail(hand, "late").verdict == "gone"
    play.ledger.end(child, None, JobState.CANCELLED, {})
    play.ledger.forget(child, first)
    assert play.view(child).state == "cancelled", "what forgets the first life leaves the second"
