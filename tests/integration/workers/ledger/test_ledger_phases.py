"""What the scripts promise of a phase: closing, caps, manifests, on a real Redis."""

from __future__ import annotations

import pytest
import redis
from doubles.ledger_moves import begun, to_leaves, verdict
from doubles.ledger_play import Play

from workers.core.jobs.work import Item, Phase
from workers.ledger.records import Moved

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


def test_a_lease_that_is_lost_after_the_close_does_not_hold_the_phase_open(play: Play) -> None:
    play.leaves = 1
    begun(play, *to_leaves(play))
    play.ledger.close(play.name, 1, 1, "enough")
    play.wait(11)
    assert [due.item_id for due in play.watch()[0].send] == ["advance:2"]


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
