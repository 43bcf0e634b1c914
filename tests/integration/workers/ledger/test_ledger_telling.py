"""What an item tells while it is being done: in order, each once, and only by who holds its lease."""

import socket
from collections.abc import Sequence
from typing import Any

import pytest
import redis
from doubles.ledger_moves import begun, lose
from doubles.ledger_play import Play

from hopline.errors import Conflict
from hopline.models.jobs import JobState, Json
from workers.adapters.redis.client import redis_client
from workers.core.jobs.records import Claim
from workers.core.jobs.work import Event
from workers.ledger.item_events import ItemTelling, tell
from workers.ledger.scripts import Scripts

pytestmark = pytest.mark.memory_too

VOID = "leaf.withered"


def said(*numbers: int) -> list[Event]:
    return [Event(name="leaf.seen", data={"n": n}) for n in numbers]


def heard(play: Play) -> list[Json | str]:
    """Return the data of what was told, and the names of what took it back."""
    events = [event for _, event in play.ledger.events(play.name)]
    return [
        VOID if event.name == VOID else event.data for event in events if event.name in (VOID, "leaf.seen")
    ]


def numbers(*wanted: int | str) -> list[Json | str]:
    return [number if isinstance(number, str) else {"n": number} for number in wanted]


def tells(play: Play, claim: Claim, first: int, *event_numbers: int) -> bool:
    return tell(play.ledger.scripts, claim, VOID, first, said(*event_numbers))


def test_the_leaseholder_tells_and_nobody_else(play: Play) -> None:
    lose(play, "root")  # which told nothing: nothing is taken back
    claim = begun(play)
    assert tells(play, claim, 1, 1, 2)
    for field, other in (("token", "stranger"), ("item_id", "another")):
        assert not tells(play, claim.model_copy(update={field: other}), 1, 7)
    with pytest.raises(Conflict):
        tells(play, claim.model_copy(update={"epoch": 2}), 1, 7)
    assert tells(play, claim, 3, 3)
    assert heard(play) == numbers(1, 2, 3)


def test_a_telling_whose_reply_was_lost_is_not_heard_twice(play: Play) -> None:
    claim = begun(play)
    assert tells(play, claim, 1, 1, 2)
    assert tells(play, claim, 1, 1, 2)
    assert tells(play, claim, 2, 2, 3), "what is new of it is told"
    assert tells(play, claim, 1, 1)
    assert heard(play) == numbers(1, 2, 3)


def test_what_another_worker_begins_anew_is_taken_back_first(play: Play) -> None:
    first = begun(play)
    tells(play, first, 1, 1, 2)
    play.wait(11)
    assert not tells(play, first, 3, 3), "the lease has run out"
    second = begun(play)
    assert not tells(play, first, 3, 3), "and is another's"
    tells(play, second, 1, 1)
    assert heard(play) == numbers(1, 2, VOID, 1)


def test_the_same_worker_that_begins_again_takes_nothing_back(play: Play) -> None:
    claim = begun(play)
    tells(play, claim, 1, 1)
    assert play.ledger.begin(claim).verdict == "go", "its first reply was lost"
    tells(play, claim, 2, 2)
    assert heard(play) == numbers(1, 2)


def test_a_lease_that_was_renewed_late_may_go_on_telling(play: Play) -> None:
    claim = begun(play)
    play.wait(11)
    assert not tells(play, claim, 1, 1)
    assert play.ledger.renew([claim]) == [True], "nobody has taken over"
    assert tells(play, claim, 1, 1)
    assert heard(play) == numbers(1)


@pytest.mark.parametrize("permanent", [True, False])
def test_what_a_failed_attempt_told_is_taken_back_when_it_is_given_up_or_made_again(play, permanent):
    claim = begun(play)
    tells(play, claim, 1, 1)
    play.ledger.fail(claim, "broken", permanent=permanent)
    assert not tells(play, claim, 2, 2)
    if not permanent:
        play.wait(2)
        tells(play, begun(play), 1, 1)
    assert heard(play) == numbers(1, VOID, *([] if permanent else [1]))


def test_nothing_is_told_of_a_done_item_nor_of_an_ended_job(play: Play) -> None:
    claim = begun(play)
    play.finish(claim)
    assert not tells(play, claim, 1, 1)
    other = Play(play.client)
    other.submit()
    claim = begun(other)
    other.ledger.end(other.name, None, JobState.CANCELLED, {})
    with pytest.raises(Conflict):
        tells(other, claim, 1, 1)
    with pytest.raises(Conflict):  # and so does its step learn that nobody waits for it
        ItemTelling(other.ledger.scripts, claim, VOID)(said(1))
    assert heard(play) == heard(other) == []


def test_what_was_told_leaves_nothing_behind_but_what_expires_with_the_job(play: Play) -> None:
    tells(play, begun(play), 1, 1)
    play.ledger.end(play.name, None, JobState.DONE, {})
    play.work_off(play.name)
    assert all(play.view().expiring.values())
    assert play.ledger.job(play.name) is not None, "the record is read as before"


class Deaf:
    """Scripts of a ledger that cannot be reached for a while; what is called meanwhile may still arrive."""

    def __init__(self, scripts: Scripts) -> None:
        self._scripts = scripts
        self.away, self.arrives, self.calls = False, False, 0

    def call(self, *args: Any) -> list[Any]:
        self.calls += 1
        if not self.away or self.arrives:
            reply = self._scripts.call(*args)
        if self.away:
            raise redis.exceptions.ConnectionError
        return reply


@pytest.mark.parametrize("arrives", [False, True], ids=["lost", "only the reply is lost"])
def test_what_could_not_be_told_is_told_later_in_order_and_once(play: Play, *, arrives: bool) -> None:
    deaf = Deaf(play.ledger.scripts)
    telling = ItemTelling(deaf, begun(play), VOID)
    telling(said(1))
    deaf.away, deaf.arrives = True, arrives
    telling(said(2))
    telling(said(3))
    assert deaf.calls == 2, "after a failure it is left alone for a moment"
    deaf.away = False
    telling.tell_waiting()
    assert heard(play) == numbers(1, 2, 3)
    telling.tell_waiting()
    assert deaf.calls == 3, "nothing waits"


def test_telling_never_raises_and_gives_up_soon(play: Play) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections and answers nothing
        client = redis_client(f"redis://127.0.0.1:{silent.getsockname()[1]}", patient=False)
        telling = ItemTelling(Scripts(client), begun(play), VOID)
        for n in range(3):
            telling(said(n))
        telling(odd())
    assert heard(play) == []


def odd() -> Sequence[Event]:
    return [Event(name="leaf.seen", data={"text": "half a \ud800 pair"})]
