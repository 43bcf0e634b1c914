"""What each script promises of an item, on a real Redis."""

from collections.abc import Callable

import pytest
import redis
from doubles.ledger_moves import begun, lose, to_leaves, verdict
from doubles.ledger_play import CONFIG, Play, Sent

from hopline.errors import InvalidInput
from hopline.models.jobs import Usage
from workers.core.jobs.records import Claim
from workers.core.jobs.work import Event, Item, Outcome, Phase
from workers.ledger.budget import JobMeter
from workers.ledger.ledger import Ledger

pytestmark = pytest.mark.memory_too


def play_with(client: redis.Redis, **config: float) -> Play:
    """Return a play whose job has other times."""
    play = Play(client)
    play.ledger = Ledger(client, CONFIG.model_copy(update=config))
    play.submit()
    return play


def test_an_item_is_leased_for_as_long_as_its_worker_takes_to_renew(play: Play) -> None:
    slow = Ledger(play.client, play.ledger.config.model_copy(update={"lease_seconds": 600.0}))
    claim = Claim(job_id=play.name, epoch=1, item_id="root", token="slow")
    assert slow.begin(claim).verdict == "go"
    for _ in range(2):
        play.wait(500)
        assert verdict(play) == "busy"
        assert slow.renew([claim]) == [True]
    play.wait(601)
    assert verdict(play) == "go"


def test_a_worker_with_shorter_leases_does_not_shorten_those_of_others(play: Play) -> None:
    leaves = to_leaves(play)
    slow = Ledger(play.client, play.ledger.config.model_copy(update={"lease_seconds": 600.0}))
    held = Claim(job_id=play.name, epoch=1, item_id=leaves[0], token="slow")
    assert slow.begin(held).verdict == verdict(play, leaves[1]) == "go"
    play.wait(500)
    assert verdict(play, leaves[0]) == "busy"


def test_a_finish_whose_reply_was_lost_counts_its_time_its_events_and_its_children_once(play: Play) -> None:
    claim = begun(play)
    for _ in range(2):
        play.finish(claim, Item(id="bud", step="tree.twig"))
    record = play.record()
    assert record.timings == {"tree.root": 0.5}
    assert record.items == {"tree.root": 1, "tree.twig": 1}
    assert [e.name for _, e in play.ledger.events(play.name)].count("leaf.grown") == 1


def test_a_phase_says_how_many_things_its_items_are_about(play: Play) -> None:
    first = Phase(items=(Item(id="score:a+b", step="s"), Item(id="score:c", step="s")), subjects=3)
    claim = begun(play)
    lease = claim.model_copy(update={"item_id": play.finish(claim).advance})
    drained = play.ledger.open_phase(lease, Phase(items=(), subjects=0)).advance
    play.ledger.open_phase(lease.model_copy(update={"item_id": drained}), first)
    opened = [event for _, event in play.ledger.events(play.name) if event.name == "phase.opened"]
    about = [(event.data["items"], event.data.get("subjects"), event.data["step"]) for event in opened]
    assert about == [(0, 0, ""), (2, 3, "s")]


def test_a_worker_does_not_renew_a_lease_that_another_has_by_now(play: Play) -> None:
    late = begun(play)
    play.wait(11)
    current = begun(play)
    assert play.ledger.renew([late, current]) == [False, True]
    assert play.view().lease["root"][0] == current.token


def test_a_clock_that_was_set_back_makes_no_lease_last_longer_than_one(play: Play) -> None:
    begun(play)
    play.wait(-100_000)
    assert verdict(play) == "busy"
    play.watch()
    play.wait(11)
    assert [due.item_id for due in play.watch()[0].send] == ["root"]


def test_an_item_that_is_due_after_a_hold_is_sent_once_and_then_at_growing_intervals(client):
    # Intervals so long that it does not matter how fast the play goes.
    play = play_with(client, resend_seconds=50, resend_cap_seconds=1200)
    play.ledger.defer(begun(play), 20, "away")
    waited = []
    for _ in range(8):
        waited.append(0)
        while not play.watch()[0].send:
            play.wait(10)
            waited[-1] += 1
    assert waited == pytest.approx([2, 10, 20, 40, 80, 120, 120, 120], abs=1)


def test_a_failed_item_is_held_for_a_doubling_time_and_dead_after_its_attempts(client: redis.Redis) -> None:
    play = play_with(client, backoff_seconds=1000)
    for seconds in (1000, 2000):
        claim = begun(play)
        assert play.ledger.fail(claim, "broken").verdict == "again"
        assert play.ledger.fail(claim, "broken").verdict == "gone", "a repeated call is not counted"
        play.wait(seconds - 100)
        assert verdict(play) == "later"
        play.wait(101)
    moved = play.ledger.fail(begun(play), "broken for good")
    assert (moved.verdict, moved.advance) == ("dead", "advance:1")
    (letter,) = play.ledger.dead_letters(play.name)
    assert (letter.item_id, letter.step, letter.error) == ("root", "tree.root", "broken for good")
    assert play.ledger.results(play.name)[0][0].error == "broken for good"


def test_a_permanent_failure_is_dead_at_once_and_only_its_leaseholder_can_tell(play: Play) -> None:
    claim = begun(play)
    stranger = claim.model_copy(update={"token": "stranger"})
    assert play.ledger.fail(stranger, "no", permanent=True).verdict == "gone"
    assert play.ledger.fail(claim, "no", permanent=True).verdict == "dead"


def test_the_wait_that_a_server_asks_for_is_kept(play: Play) -> None:
    play.ledger.fail(begun(play), "429", retry_after=500)
    play.wait(400)
    play.watch()
    assert verdict(play) == "later"
    play.wait(101)
    assert verdict(play) == "go"


def test_an_advance_that_kills_its_workers_is_a_dead_letter_and_once_more_due_to_end_the_job(play):
    play.finish(begun(play))
    play.wait(11)
    for _ in range(4):
        lose(play, "advance:1", quarantine=True)
    assert verdict(play, "advance:1", quarantine=True) == "gone"
    view = play.view()
    assert (view.state, list(view.due), view.lease) == ("running", ["advance:1"], {})
    (letter,) = play.ledger.dead_letters(play.name)
    assert (letter.item_id, letter.step, letter.phase) == ("advance:1", "flow.advance", 0)
    assert letter.error.startswith("its worker died 5 times")
    assert verdict(play, "advance:1") == "later", "only quarantine takes it"
    _, begun_again = play.begin(Sent(play.name, 1, "advance:1"), quarantine=True)
    assert begun_again.input == {"given_up": letter.error}


def test_who_dies_of_ending_a_job_that_cannot_go_on_ends_it_all_the_same(play: Play) -> None:
    play.finish(begun(play))
    play.wait(11)
    for _ in range(5):
        lose(play, "advance:1", quarantine=True)
        play.watch()
    view = play.view()
    assert (view.state, view.due) == ("failed", {})
    assert "its worker died" in view.job["outcome"]
    assert view.dead.keys() == {"advance:1"}


def test_who_advances_late_a_job_that_was_given_up_leaves_no_dead_letter(play: Play) -> None:
    claim = begun(play)
    lease = claim.on(play.finish(claim).advance)
    assert play.ledger.fail(lease, "broken", permanent=True).verdict == "dead"
    assert play.view().dead.keys() == {"advance:1"}
    assert play.ledger.open_phase(lease, Phase(items=())).verdict == "opened"
    assert not play.view().dead


def test_odd_characters_come_back_as_they_were(play: Play) -> None:
    odd = 'a "b"\\ \n\t\0 {c} ü 漢 🙂 / end'
    claim = begun(play)
    play.ledger.finish(
        claim,
        Outcome(
            result={"text": odd, "number": 2**53},
            children=(Item(id=odd, step="tree.twig", input={"text": odd}),),
            events=(Event(name="leaf.grown", data={"text": odd}),),
        ),
    )
    play.ledger.defer(begun(play, odd), 0, odd)
    play.ledger.fail(begun(play, odd), odd, permanent=True)
    play.ledger.close(play.name, 1, 0, odd)
    assert play.ledger.results(play.name)[0][1].result == {"text": odd, "number": 2**53}
    (letter,) = play.ledger.dead_letters(play.name)
    assert (letter.item_id, letter.error, letter.input) == (odd, odd, {"text": odd})
    data = {event.name: event.data for _, event in play.ledger.events(play.name)}
    assert data["leaf.grown"]["text"] == data["item.deferred"]["why"] == data["phase.closed"]["why"] == odd


def test_an_error_that_is_no_proper_text_is_recorded_all_the_same(play: Play) -> None:
    claim = begun(play)
    assert play.ledger.fail(claim, "no such file: caf\udce9", permanent=True).verdict == "dead"
    assert play.ledger.dead_letters(play.name)[0].error == "no such file: caf?"


def test_what_one_script_could_not_bear_is_refused_before_anything_is_written(play: Play) -> None:
    claim = begun(play)
    for children in (
        [Item(id=f"{n}", step="tree.leaf") for n in range(501)],
        [Item(id="x", step="two words")],
        [Item(id="x", step="tree.leaf", input={"text": "x" * 300_000})],
    ):
        with pytest.raises(InvalidInput):
            play.finish(claim, *children)
    assert not play.view().result


CHILDREN = 8


def commands(client: redis.Redis, call: Callable[[], object]) -> int:
    """Return how many commands one call takes; the count itself is left out."""

    def count() -> int:
        stats = client.info("commandstats")
        return sum(figures["calls"] for name, figures in stats.items() if name != "cmdstat_info")

    before = count()
    call()
    return count() - before


def item_costs(play: Play, client: redis.Redis) -> dict[str, int]:
    """Do one item with a model call; return the commands of each of its scripts."""
    meter, claims = JobMeter(play.ledger.scripts, play.name, 60.0), []
    spent = Usage(model_calls=1, prompt_tokens=60, completion_tokens=20)
    children = [Item(id=f"bud {nth}", step="tree.twig") for nth in range(CHILDREN)]
    return {
        "begin": commands(client, lambda: claims.append(play.begin(Sent(play.name, 1, "root"))[0])),
        "reserve": commands(client, lambda: meter.reserve("a", 100)),
        "settle": commands(client, lambda: meter.settle("a", spent)),
        "finish": commands(client, lambda: play.finish(claims[0], *children)),
    }


@pytest.mark.usefixtures("own_server")  # counts the server's commands
def test_an_items_scripts_take_few_commands(client: redis.Redis) -> None:
    costs = {}
    for _ in range(2):  # the first time the scripts are loaded
        play = Play(client)
        play.submit()
        costs = item_costs(play, client)
    assert costs["begin"] <= 13
    assert costs["reserve"] <= 7
    assert costs["settle"] <= 5
    assert costs["finish"] <= 17 + CHILDREN  # one for each child, the others for all of them
