"""What the ledger promises of a retry of dead letters; on a real Redis."""

from contextlib import suppress

import pytest
import redis
from doubles.ledger_moves import begun, to_leaves, with_dead_leaf
from doubles.ledger_play import ADVANCE, CONFIG, Play, Sent

from hopline.errors import InvalidInput
from hopline.models.jobs import JobState, Parent
from workers.core.redis_keys import job_key
from workers.ledger.retry import retry_dead_letters

pytestmark = pytest.mark.memory_too


def test_a_retried_job_does_its_dead_letters_and_the_later_phases_again_and_nothing_else(play: Play) -> None:
    with_dead_leaf(play)
    before = play.view()
    assert retry_dead_letters(play.ledger, play.name) == 2
    after = play.view()
    assert after.result.keys() == {"root", "advance:1", "leaf 1", "leaf 2"}
    assert (after.state, after.phase, after.epoch) == ("running", 1, 2)
    assert after.indexed
    assert not any(after.expiring.values())
    assert not after.dead
    play.play_on()
    view = play.view()
    assert view.state == "done"
    assert view.result["leaf 1"] == before.result["leaf 1"]
    record = play.record()
    assert record.items == record.done == {"tree.root": 1, "tree.leaf": 3, "tree.write": 1}


def test_children_that_failed_before_a_retry_count_no_more(play: Play, client: redis.Redis) -> None:
    with_dead_leaf(play)
    failed = {"failed:tree.leaf": 1, "failed:doubted": 1}
    client.hset(job_key(play.name, "job"), mapping=failed)
    retry_dead_letters(play.ledger, play.name)
    job = play.view().job
    assert ("failed:tree.leaf" in job, job["failed:doubted"]) == (False, "1")


def test_dead_letters_of_two_phases_are_retried_from_the_earlier_one(play: Play) -> None:
    play.on_the_way.clear()
    to_leaves(play)
    play.ledger.fail(begun(play, "leaf 0"), "broken", permanent=True)
    play.play_on(lambda item: item != "write")
    assert play.view().dead.keys() == {"leaf 0", "write"}
    retry_dead_letters(play.ledger, play.name)
    assert play.view().phase == 1
    play.play_on()
    assert play.view().state == "done"
    assert not play.view().dead


@pytest.mark.parametrize("closed", [False, True])
def test_an_advance_that_was_given_up_is_retried_and_nothing_that_is_done(play, closed):
    play.on_the_way.clear()
    leaves = to_leaves(play)
    for leaf in leaves[1:]:
        play.finish(begun(play, leaf))
    if closed:
        play.close(1, 1, "enough")
        play.on_the_way.clear()
    lease = begun(play, "advance:2") if closed else begun(play, leaves[0])
    lease = lease if closed else lease.on(play.finish(lease).advance)
    assert play.ledger.fail(lease, "broken", permanent=True).verdict == "dead"
    play.play_on()
    assert play.view().state == "failed"
    done = {item: text for item, text in play.view().result.items() if item.startswith("leaf")}
    assert retry_dead_letters(play.ledger, play.name) == 2
    view = play.view()
    assert (view.phase, list(view.due), view.dead) == (1, leaves[:1] if closed else ["advance:2"], {})
    play.play_on()
    assert play.view().state == "done"
    assert done.items() <= play.view().result.items()


def test_a_job_that_is_taken_out_of_the_index_while_a_killed_worker_retries_it_is_in_it(play, monkeypatch):
    with_dead_leaf(play)
    call = play.ledger.scripts.call

    def be_overtaken_and_killed(name: str, *args: str | int, **more: str) -> object:
        if name != "retry":
            return call(name, *args, **more)
        play.ledger.leave(play.name)
        call(name, *args, **more)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, suppress(KeyboardInterrupt):
        patch.setattr(play.ledger.scripts, "call", be_overtaken_and_killed)
        retry_dead_letters(play.ledger, play.name)
    assert play.view().indexed
    play.play_on()
    assert play.view().state == "done"


def end_now(play: Play, state: JobState = JobState.CANCELLED) -> None:
    play.ledger.end(play.name, 1, state, {})
    play.ledger.hand_over(play.name, 1, "{}", 10)


def test_a_retry_forgets_the_lost_leases_and_attempts_of_what_it_does_again(play: Play) -> None:
    with_dead_leaf(play)
    for epoch in (2, 3, 4):
        retry_dead_letters(play.ledger, play.name)
        for _ in range(2):
            begun(play, "leaf 0", epoch=epoch)
            play.wait(11)
        play.ledger.fail(begun(play, "leaf 0", epoch=epoch), "broken", permanent=True)
        advance = next(item for item in play.view().due if item.startswith(ADVANCE))
        play.wait(11)
        for _ in range(2):
            begun(play, advance, epoch=epoch)
            play.wait(11)
        play.play_on()
        assert play.view().state == "partial", "two losses each time never add up to quarantine"


def test_a_retried_item_that_had_failed_before_the_job_was_cancelled_has_all_its_attempts(play: Play) -> None:
    play.on_the_way.clear()
    to_leaves(play)
    play.ledger.fail(begun(play, "leaf 0"), "broken", permanent=True)
    for _ in range(CONFIG.max_attempts - 1):
        play.ledger.fail(begun(play, "leaf 1"), "not yet")
        play.wait(5)
    end_now(play)
    retry_dead_letters(play.ledger, play.name)
    for _ in range(CONFIG.max_attempts - 1):
        assert play.ledger.fail(begun(play, "leaf 1", epoch=2), "not yet").verdict == "again"
        play.wait(5)


def test_a_retry_that_died_half_way_leaves_an_ended_job_that_can_be_retried(play: Play) -> None:
    with_dead_leaf(play)
    later = ["advance:2", "write", "advance:3"]
    play.ledger.scripts.call("prepare_retry", play.name, 1, 1, "leaf 0", *later)
    assert play.begin(Sent(play.name, 1, "leaf 0"))[1].verdict == "gone"
    assert all(play.view().expiring.values())
    assert retry_dead_letters(play.ledger, play.name) == 2
    play.play_on()
    assert play.view().state == "done"


def test_a_retry_whose_reply_was_lost_answers_the_same_and_an_older_one_changes_nothing(play: Play) -> None:
    with_dead_leaf(play)
    assert retry_dead_letters(play.ledger, play.name) == 2
    assert play.ledger.scripts.call("retry", play.name, 1, 1, "") == ["open", "2"]
    assert play.ledger.scripts.call("prepare_retry", play.name, 1, 0, "leaf 1") == ["gone"]
    assert "leaf 1" in play.view().result


def test_a_child_that_has_not_told_an_older_epoch_of_its_parent_is_retried_for_the_new_one(play):
    play.on_the_way.clear()
    to_leaves(play)
    play.delegate(begun(play, "leaf 0"))
    (child,) = play.children
    play.ledger.fail(begun(play, job_id=child), "broken", permanent=True)
    first = play.view(child).epoch
    play.ledger.end(child, first, JobState.PARTIAL, {})
    now = Parent(job_id=play.name, epoch=2, item_id="leaf 0")
    with pytest.raises(InvalidInput, match="is still reporting its end"):
        retry_dead_letters(play.ledger, child, now)
    assert play.ledger.hand_over(child, first, "{}", 10) == "kept"
    with pytest.raises(InvalidInput, match="retried just now"):
        retry_dead_letters(play.ledger, child, now)  # its parent is not in that epoch
    assert play.ledger.dead_letters(child)
    play.ledger.end(play.name, 1, JobState.PARTIAL, {})
    play.watch()
    assert retry_dead_letters(play.ledger, play.name) == 2
    with pytest.raises(InvalidInput, match="retried just now"):
        retry_dead_letters(play.ledger, child, now, epoch=first + 1)
    assert retry_dead_letters(play.ledger, child, now, epoch=first) == first + 1
    assert not play.ledger.outbox(child)


def test_a_job_that_was_cancelled_between_two_phases_opens_the_next(play: Play) -> None:
    play.on_the_way.clear()
    for leaf in to_leaves(play):
        play.finish(begun(play, leaf))
    end_now(play)
    assert retry_dead_letters(play.ledger, play.name) == 2
    play.play_on()
    assert play.view().state == "done"


@pytest.mark.parametrize(("dead", "closed", "ended"), [
    (False, False, JobState.CANCELLED),
    (False, False, JobState.PARTIAL),
    (True, False, JobState.CANCELLED),
    (True, True, JobState.CANCELLED),
    (True, True, None),
])  # fmt: skip
def test_a_retry_does_what_was_cut_off_and_goes_on_where_the_list_was_left(client, dead, closed, ended):
    play = Play(client, leaves=9)
    play.submit()
    play.on_the_way.clear()
    assert len(to_leaves(play)) < 9
    if dead:
        play.ledger.fail(begun(play, "leaf 0"), "broken", permanent=True)
    play.finish(begun(play, "leaf 1"))
    begun(play, "leaf 2")
    if closed:
        play.close(1, 1, "enough")
    if ended:
        end_now(play, ended)
    else:
        play.play_on()
    assert retry_dead_letters(play.ledger, play.name) == 2
    play.play_on()
    view = play.view()
    assert view.state == "done"
    assert sum(item.startswith("leaf") for item in view.result) == 9, "no admitted item, no page is lost"


def test_what_cannot_be_retried_is_refused_in_words(play: Play) -> None:
    with pytest.raises(InvalidInput, match=f"^job {play.name} still runs: wait for its end"):
        retry_dead_letters(play.ledger, play.name)
    play.play_on()
    with pytest.raises(InvalidInput, match="has nothing to retry"):
        retry_dead_letters(play.ledger, play.name)
    with pytest.raises(InvalidInput, match=r"^there is no job no-such-job"):
        retry_dead_letters(play.ledger, "no-such-job")
    assert play.ledger.scripts.call("retry", "no-such-job", 1, 0, "") == ["gone"]
    assert play.view("no-such-job").state is None
