"""What the scripts promise of a phase: closing, caps, manifests, on a real Redis."""

import pytest
import redis
from doubles.ledger_moves import begun, to_leaves, verdict
from doubles.ledger_play import Play

from workers.core.jobs.records import Moved
from workers.core.jobs.work import Item, Phase

pytestmark = pytest.mark.memory_too


def test_a_closed_phase_keeps_what_is_being_done_drops_the_rest_and_goes_on(play: Play) -> None:
    play.leaves = 2
    working, waiting = to_leaves(play)
    claim = begun(play, working)
    for _ in range(2):
        assert play.ledger.close(play.name, 1, 1, "the deadline has passed").verdict == "closed"
    assert verdict(play, waiting) == "gone"
    assert play.finish(claim.model_copy(update={"item_id": waiting})).verdict == "gone"
    moved = play.finish(claim, Item(id="twig", step="tree.twig"))
    assert (moved.added, moved.advance) == ((), "advance:2")
    record = play.record()
    assert (record.dropped, record.closed_for) == (1, "the deadline has passed")


LATE = " (hopline waited until the deadline)"


def test_what_waits_at_the_deadline_is_given_up_with_the_reason(play: Play) -> None:
    play.leaves = 3
    deferred, failed, untouched = to_leaves(play)
    play.ledger.defer(begun(play, deferred), 30, "the model does not answer")
    play.ledger.fail(begun(play, failed), "it came too late")
    assert play.record().waits_for == "it came too late"
    play.ledger.close(play.name, 1, 1, "the deadline has passed", late=True)
    letters = {letter.item_id: letter.error for letter in play.ledger.dead_letters(play.name)}
    assert letters == {
        deferred: "the model does not answer" + LATE,
        failed: "it came too late" + LATE,
        untouched: "it came too late" + LATE,
    }
    assert play.record().dropped == 0


def test_what_begins_to_wait_after_the_deadline_tells_why_and_later_phases_too(play: Play) -> None:
    play.leaves = 1
    (leaf,) = to_leaves(play)
    claim = begun(play, leaf)
    play.ledger.close(play.name, 1, 1, "the deadline has passed", late=True)
    play.ledger.defer(claim, 30, "the model does not answer")
    play.wait(31)
    play.watch()
    assert [letter.error for letter in play.ledger.dead_letters(play.name)] == [
        "the model does not answer" + LATE
    ]


def test_where_something_was_done_since_the_rest_that_never_waited_is_dropped(play: Play) -> None:
    play.leaves = 3
    deferred, done, untouched = to_leaves(play)
    play.ledger.defer(begun(play, deferred), 30, "the model does not answer")
    play.finish(begun(play, done))
    assert play.record().waits_for is None
    play.ledger.close(play.name, 1, 1, "the deadline has passed", late=True)
    assert [letter.item_id for letter in play.ledger.dead_letters(play.name)] == [deferred]
    assert (play.record().dropped, verdict(play, untouched)) == (1, "gone")


def test_a_phase_closed_early_for_another_reason_gives_nothing_up(play: Play) -> None:
    play.leaves = 1
    (leaf,) = to_leaves(play)
    play.ledger.defer(begun(play, leaf), 30, "the model does not answer")
    play.ledger.close(play.name, 1, 1, "found")
    assert (play.record().dropped, play.record().dead) == (1, 0)


def test_a_closed_phase_is_empty_soon_although_its_items_wait_for_long(play: Play) -> None:
    begun_root = begun(play)
    lease = begun_root.model_copy(update={"item_id": play.finish(begun_root).advance})
    many = tuple(Item(id=f"leaf {n}", step="tree.leaf", delay=100) for n in range(450))
    play.ledger.open_phase(lease, Phase(items=many))
    play.ledger.close(play.name, 1, 1, "enough")
    assert len(play.view().due) == 150, "one call handles some hundreds"
    play.watch()
    assert list(play.view().due) == ["advance:2"]


def test_the_deadline_closes_the_phase_and_the_hard_deadline_cuts_the_job(client: redis.Redis) -> None:
    play = Play(client, timeout=600)
    play.submit()
    for seconds, attention in ((0, "none"), (601, "close"), (5, "cut")):
        play.wait(seconds)
        assert play.ledger.look([play.name])[0].attention == attention


def test_no_more_items_of_a_step_are_admitted_than_its_cap_in_that_phase_alone(play: Play) -> None:
    play.leaves = 1
    claim = begun(play, *to_leaves(play))
    twigs = [Item(id=f"twig {n}", step="tree.twig") for n in range(5)]
    assert len(play.finish(claim, *twigs).added) == 3
    for twig in twigs[:3]:
        moved: Moved = play.finish(begun(play, twig.id))
    lease = claim.model_copy(update={"item_id": moved.advance})
    later = tuple(Item(id=f"late {n}", step="tree.twig") for n in range(5))
    play.wait(11)
    assert len(play.ledger.open_phase(lease, Phase(items=later)).added) == 5


def test_a_manifest_whose_admitting_worker_died_goes_on_by_the_watchdog(play: Play) -> None:
    play.leaves = 7
    for item in to_leaves(play):
        play.finish(begun(play, item))
    play.on_the_way.clear()
    play.play_on()
    assert sum(item.startswith("leaf") for item in play.view().result) == 7
