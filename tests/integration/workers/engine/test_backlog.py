"""What waits in a long queue is not sent again: that would make it longer, and nothing go faster."""

import time

import redis
from doubles.ledger_moves import begun
from doubles.ledger_play import Play

from hopline.models.jobs import JobState, Priority
from workers.core.jobs.messages import Message
from workers.core.jobs.work import Item
from workers.engine.submit import message_priority
from workers.engine.watchdog import Backlogs
from workers.ingest.flow import DOCUMENT
from workers.ledger.retry import retry_dead_letters
from workers.telemetry.queues import queue_lists
from workers.transport.publishers import CeleryPublisher


def sent_again(play: Play, oldest: float, priority: Priority = "normal") -> list[str]:
    """Look while the oldest message of the job's step was sent so many seconds ago."""
    backlog: dict[str, dict[Priority, int]] = {"tree.root": {priority: int((time.time() - oldest) * 1000)}}
    return [due.item_id for due in play.ledger.look([play.name], [backlog])[0].send]


def test_what_was_sent_after_the_oldest_message_that_waits_is_not_sent_again(play: Play) -> None:
    for seconds in (6, 30, 200, 130, 130):
        play.wait(seconds)
        assert sent_again(play, oldest=600) == []


def test_what_was_sent_before_the_oldest_message_is_sent_again_however_often_it_was_looked_at(play):
    for seconds in (6, 30, 200):
        play.wait(seconds)
        assert sent_again(play, oldest=600) == []
    play.wait(130)
    assert sent_again(play, oldest=300) == ["root"]
    play.wait(130)
    assert sent_again(play, oldest=140) == []  # behind that again, since it was sent
    play.wait(130)
    assert sent_again(play, oldest=140) == ["root"]


def test_another_priority_has_a_queue_of_its_own(play: Play) -> None:
    play.wait(6)
    assert sent_again(play, oldest=600, priority="high") == ["root"]


def test_a_message_that_was_taken_does_not_wait(play: Play) -> None:
    claim = begun(play)
    play.wait(11)
    assert sent_again(play, oldest=600) == ["root"], "its lease was lost"
    claim = begun(play)
    play.ledger.defer(claim, 5, "a server is away")
    play.wait(6)
    assert sent_again(play, oldest=600) == ["root"], "it was given back"
    play.wait(130)
    assert sent_again(play, oldest=600) == [], "that message may wait"


def test_what_nobody_has_sent_yet_is_sent_when_it_is_due(play: Play) -> None:
    play.finish(begun(play), Item(id="late", step="tree.twig", delay=7))
    backlog: dict[str, dict[Priority, int]] = {"tree.twig": {"normal": int((time.time() - 600) * 1000)}}
    assert play.ledger.look([play.name], [backlog])[0].send == ()
    play.wait(8)
    assert [due.item_id for due in play.ledger.look([play.name], [backlog])[0].send] == ["late"]
    play.wait(130)
    assert play.ledger.look([play.name], [backlog])[0].send == ()


def test_what_is_retried_is_sent_at_once(play: Play) -> None:
    play.ledger.fail(begun(play), "it cannot be read", permanent=True)
    play.ledger.end(play.name, 1, JobState.PARTIAL, {})
    play.ledger.hand_over(play.name, 1, "", 1)  # or its end is not told
    retry_dead_letters(play.ledger, play.name)
    assert sent_again(play, oldest=600) == ["root"]


def test_a_backlog_is_what_waits_for_longer_than_some_seconds(client, publisher):
    before = time.time()
    fields = {"job_id": "job", "epoch": 1, "item_id": "1:a", "step": "ingest.extract", "queue": "bulk"}
    first = [Message(**fields, priority=priority) for priority in range(6)]  # of high and of normal jobs
    publisher.send(first)
    time.sleep(0.01)
    publisher.send(first)
    assert Backlogs(client, 60).is_empty
    backlog = Backlogs(client, -1).of("job", ())
    assert set(backlog["ingest.extract"]) == {"high", "normal"}
    assert all(int(before * 1000) <= at < (before + 60) * 1000 for at in backlog["ingest.extract"].values())
    assert "traverse.visit" not in backlog, "nothing waits in its queue"
    time.sleep(0.01)
    most_urgent = message_priority("high", DOCUMENT.steps["ingest.extract"].priority)
    client.rpop(queue_lists("bulk")[most_urgent])  # the oldest of high jobs
    later = Backlogs(client, -1).of("job", ())["ingest.extract"]
    assert later["high"] > backlog["ingest.extract"]["high"]
    assert later["normal"] == backlog["ingest.extract"]["normal"]
    assert "ingest.extract" not in Backlogs(client, -1).of("another", ()), "few lie there, all of them known"


def test_in_a_long_list_any_jobs_messages_may_wait(client: redis.Redis, publisher: CeleryPublisher) -> None:
    fields = {"job_id": "job", "epoch": 1, "item_id": "1:a", "step": "ingest.extract", "queue": "bulk"}
    urgency = message_priority("normal", DOCUMENT.steps["ingest.extract"].priority)
    publisher.send([Message(**fields, priority=urgency)] * 30)
    assert set(Backlogs(client, -1).of("another", ())["ingest.extract"]) == {"normal"}
