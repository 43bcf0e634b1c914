"""Messages are taken several at a time and acknowledged together, over a real Redis; none is lost."""

import threading
from base64 import b64decode
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import orjson
import pytest
import redis
from doubles.databases import address_of
from doubles.relay import Relay
from fleet.crew import wait_until
from kombu import Connection, Consumer, Queue

from workers.app import application_for
from workers.core.jobs.messages import Message
from workers.settings import Settings
from workers.telemetry.queues import FAIR_HELD, queue_lists
from workers.transport.dead_messages import buried
from workers.transport.publishers import CeleryPublisher

PREFETCH = 48
LYING = 2  # messages of tenants that lie in the lists
AT_ONCE = application_for(Settings()).conf.broker_transport_options["taken_at_once"]


class Taker:
    """A consumer of a worker's kind, without the worker."""

    def __init__(self, url: str, prefetch: int, *, no_ack: bool = False, **options: Any) -> None:
        self.messages: list[Any] = []
        app = application_for(Settings(broker_url=url))
        app.conf.broker_transport_options |= options
        self.connection: Connection = app.connection_for_read()
        self.channel: Any = self.connection.default_channel
        self.channel.basic_qos(0, prefetch, apply_global=True)
        self._consumer = Consumer(
            self.channel, [Queue("bulk")], on_message=self.messages.append, no_ack=no_ack
        )
        self._consumer.consume()

    def take(self) -> list[str]:
        """Return the items of one taking, however long the server takes to answer."""
        return self._drained(60.0)

    def take_none(self) -> None:
        """See that there is nothing to be taken."""
        assert self._drained(0.5) == []

    def _drained(self, seconds: float) -> list[str]:
        before = len(self.messages)
        with suppress(TimeoutError):
            self.connection.drain_events(timeout=seconds)
        return [message.payload[0][2] for message in self.messages[before:]]


Take = Callable[..., Taker]
Send = Callable[..., None]


@pytest.fixture
def taker(broker: redis.Redis) -> Iterator[Take]:
    made: list[Taker] = []

    def make(prefetch: int = PREFETCH, *, url: str = "", **options: Any) -> Taker:
        made.append(Taker(url or address_of(broker), prefetch, **options))
        return made[-1]

    yield make
    for taker in made:
        taker.connection.release()


@pytest.fixture
def send(publisher: CeleryPublisher) -> Send:
    def send(*items: str, priority: int = 0, collection: str = "") -> None:
        fields = {"job_id": "j", "epoch": 1, "step": "s", "queue": "bulk", "collection": collection}
        publisher.send([Message(**fields, item_id=item, priority=priority) for item in items])

    return send


@pytest.fixture
def send_of(send: Send) -> Send:
    """Send so many messages of a collection, which wait in the queue that tenants share."""
    return lambda collection, number: send(
        *(f"{collection} {nth}" for nth in range(number)), priority=5, collection=collection
    )


def test_messages_of_tenants_are_taken_in_turn(taker: Take, broker: redis.Redis, send_of: Send) -> None:
    for collection in ("many", "few"):
        send_of(collection, 20)
    lying = broker.llen(queue_lists("bulk")[5])
    taken = taker()
    items = [item for _ in range(4) for item in taken.take()]
    assert (lying, len(items)) == (LYING, 4 * AT_ONCE)
    assert items[:LYING] == [f"many {nth}" for nth in range(LYING)]
    few = [item for item in items if item.startswith("few")]
    assert few == [f"few {nth}" for nth in range(len(few))]
    assert abs(len(few) - (4 * AT_ONCE - LYING) / 2) <= 1


def _names(count: int) -> list[str]:
    return [f"item {number}" for number in range(count)]


def test_as_many_as_allowed_and_as_there_is_room_for_are_taken_the_most_urgent_first(taker, send, broker):
    send("later", priority=3)
    send(*_names(2 * AT_ONCE))
    first, second, full = taker(), taker(), taker(2)
    assert first.take() == _names(2 * AT_ONCE)[:AT_ONCE]
    assert broker.llen("bulk") == AT_ONCE
    assert full.take() == _names(2 * AT_ONCE)[AT_ONCE : AT_ONCE + 2]
    assert second.take() == [*_names(2 * AT_ONCE)[AT_ONCE + 2 :], "later"]


def test_what_is_taken_is_booked_as_kombu_books_it(taker: Take, send: Send, broker: redis.Redis) -> None:
    send("first", "é")
    texts = [orjson.loads(text) for text in broker.lrange("bulk", 0, -1)]
    taken = taker()
    assert taken.take() == ["first", "é"]
    booked = broker.hgetall("unacked")
    assert {tag: orjson.loads(entry) for tag, entry in booked.items()} == {
        text["properties"]["delivery_tag"]: [text, "", "bulk"] for text in texts
    }
    assert set(broker.zrange("unacked_index", 0, -1)) == set(booked)


def test_who_comes_while_all_threads_are_busy_is_taken_into_spare_ones(taker, broker, send_of):
    send_of("many", 40)
    busy = taker(16, spare_threads=4)
    begun = [item for _ in range(12 // AT_ONCE) for item in busy.take()]
    assert begun == [f"many {nth}" for nth in range(12)]
    busy.channel.open_spare()
    busy.take_none()  # who was there is given none
    send_of("few", 2)
    busy.channel.open_spare()
    assert busy.take() == ["few 0", "few 1"], "before what lies in the lists"
    for message in busy.messages[-2:]:
        message.ack()
    busy.take_none()  # what ends soon makes no room for others
    send_of("few", 1)
    busy.channel.open_spare()
    assert busy.take() == ["few 0"]
    busy.messages[0].ack()
    busy.channel.open_spare()
    busy.take_none()  # the spare threads are given back
    wait_until(lambda: broker.scard(FAIR_HELD) == 12, "what is done is taken off the books")


def test_what_is_done_is_soon_off_the_books_and_at_once_with_the_last(taker, send, broker):
    send(*_names(3))
    taken = taker()
    taken.take()
    for message in taken.messages[:2]:
        message.ack()
    wait_until(lambda: broker.hlen("unacked") == 1, "two are off the books")
    assert broker.zcard("unacked_index") == 1
    assert broker.hkeys("unacked") == [taken.messages[2].delivery_tag]
    taken.messages[2].ack()
    assert (broker.hlen("unacked"), broker.zcard("unacked_index")) == (0, 0)


def test_a_connection_that_ends_gives_back_what_is_not_done(taker, send, broker):
    send("done", "begun")
    taken = taker()
    taken.take()
    taken.messages[0].ack()
    taken.connection.release()
    assert (broker.hlen("unacked"), broker.zcard("unacked_index")) == (0, 0)
    assert taker().take() == ["begun"]


def _changed(text: str, **properties: Any) -> str:
    message = orjson.loads(text)
    return orjson.dumps(message | {"properties": message["properties"] | properties}).decode()


@pytest.mark.parametrize("spoil", [
    lambda _: '{"body": ""}',
    lambda _: b"\xff\xfe",
    lambda text: _changed(text, delivery_tag=["a", "list"]),
    lambda text: _changed(text, delivery_info={}),
], ids=["no properties", "no text", "no tag", "no address"])  # fmt: skip
def test_a_message_that_cannot_be_read_is_kept_aside_and_holds_up_no_other(taker, send, broker, spoil):
    send("spoilt")
    spoilt = spoil(broker.lpop("bulk"))
    send("first")
    broker.lpush("bulk", spoilt)
    send("second")
    taken = taker()
    assert taken.take() == ["first", "second"]
    [(_, dead)] = buried(broker, 10)
    assert (dead.queue, len(dead.text) > 0) == ("bulk", True)
    wait_until(lambda: broker.hlen("unacked") == 2, "the others alone are booked")
    assert broker.zcard("unacked_index") == 2


def test_a_dead_message_shows_no_secret_of_a_key(taker: Take, broker: redis.Redis) -> None:
    broker.lpush("bulk", "no json hop_0123456789ab_" + "s" * 43)
    taken = taker()

    def seen() -> list[str]:
        taken.take_none()
        return [dead.message.text for dead in buried(broker, 10)]

    wait_until(seen, "it is kept aside")
    assert seen() == ["no json hop_0123456789ab_…"]


def test_who_acknowledges_nothing_takes_one_by_one_and_books_nothing(taker, send, broker):
    send("first", "second")
    assert taker(no_ack=True).take() == ["first"]
    assert (broker.llen("bulk"), broker.hlen("unacked")) == (1, 0)


def test_acknowledgements_that_meet_an_outage_are_repeated(taker, send, broker, monkeypatch):
    send("first")
    taken = taker()
    taken.take()
    with monkeypatch.context() as outage:
        outage.setattr(taken.channel, "conn_or_acquire", _away)
        taken.messages[0].ack()
    assert broker.hlen("unacked") == 1
    send("second")
    assert taken.take() == ["second"]
    assert broker.hkeys("unacked") == [taken.messages[1].delivery_tag]


def _away() -> Any:
    raise redis.ConnectionError("the broker is away")


def test_a_channel_that_closes_with_a_reply_on_its_way_takes_that_message_alone(taker, send, broker):
    taken, database = taker(), str(broker.connection_pool.connection_kwargs["db"])
    taken.channel.brpop_timeout = 600

    def is_waited_for() -> bool:
        taken.take_none()
        return any("b" in each["flags"] and each["db"] == database for each in broker.client_list())

    wait_until(is_waited_for, "its request waits at the server")
    send(*_names(2 * AT_ONCE))
    wait_until(lambda: broker.llen("bulk") == 2 * AT_ONCE - 1, "the server has answered")
    taken.connection.release()
    assert len(taken.messages) <= 1
    assert broker.hlen("unacked") == 0
    assert sorted(_items(broker)) == sorted(_names(2 * AT_ONCE))


def test_what_was_booked_and_never_heard_of_comes_back(taker, send, broker, monkeypatch):
    send(*_names(3))
    lost = taker()
    evaluate = redis.Redis.evalsha

    def cut(client: redis.Redis, *arguments: Any) -> None:
        evaluate(client, *arguments)
        raise redis.ConnectionError("the reply is lost")

    with monkeypatch.context() as outage:
        outage.setattr(redis.Redis, "evalsha", cut)
        with pytest.raises(redis.ConnectionError):
            lost.connection.drain_events(timeout=60)
    assert (lost.messages, broker.hlen("unacked")) == ([], 3)
    other = taker()
    other.channel.visibility_timeout = -1
    other.channel.qos.restore_visible(interval=1)
    assert sorted(other.take()) == _names(3)


@pytest.mark.parametrize("heard", [0, 1], ids=["that there are messages", "which they are"])
def test_no_message_that_is_taken_booked_is_lost_with_who_does_not_hear_of_it(taker, send, broker, heard):
    send("item", "another")
    send("later", priority=3)
    (tag, *_) = (orjson.loads(text)["properties"]["delivery_tag"] for text in broker.lrange("bulk", -1, -1))
    relay = Relay(broker.connection_pool.connection_kwargs["port"])
    relay.withhold(tag.encode(), after=heard)
    lost = taker(url=_through(relay, broker), taken_booked=True)
    reads = threading.Thread(target=_read, args=(lost,), daemon=True)
    reads.start()
    assert relay.withheld.wait(120)
    relay.close()
    reads.join(120)
    other = taker(taken_booked=True)
    other.channel.visibility_timeout = -1
    other.channel.qos.restore_visible(interval=1)
    taken = list[str]()
    wait_until(lambda: taken.extend(other.take()) or len(taken) == 3, "all are taken")
    assert sorted(taken) == ["another", "item", "later"]
    assert (lost.messages, broker.hlen("unacked")) == ([], 3)


def _through(relay: Relay, broker: redis.Redis) -> str:
    port = broker.connection_pool.connection_kwargs["port"]
    return address_of(broker).replace(f":{port}/", f":{relay.port}/")


def _read(taker: Taker) -> None:
    with suppress(OSError, redis.RedisError):
        taker.connection.drain_events(timeout=120)


def test_what_is_taken_booked_comes_the_most_urgent_first_and_as_there_is_room(taker, send, broker):
    first, second = taker(2, taken_booked=True), taker(taken_booked=True)
    second.take_none()
    send("later", priority=3)
    send(*_names(4))
    assert first.take() == _names(4)[:2]
    assert (broker.llen("bulk"), broker.hlen("unacked")) == (2, 2)
    assert second.take() == [*_names(4)[2:], "later"]
    second.take_none()
    for message in (*first.messages, *second.messages):
        message.ack()
    wait_until(lambda: broker.hlen("unacked") == broker.zcard("unacked_index") == 0, "all are off the books")


def test_a_channel_that_takes_booked_gives_back_what_it_holds_and_takes_nothing_as_it_closes(
    taker: Take, send: Send, broker: redis.Redis
) -> None:
    send("held")
    taken = taker(taken_booked=True)
    assert taken.take() == ["held"]
    taken.take_none()  # it waits for the next
    send("next")
    taken.connection.release()
    assert broker.hlen("unacked") == 0
    assert sorted(_items(broker)) == ["held", "next"]


def _items(broker: redis.Redis) -> list[str]:
    bodies = (orjson.loads(text)["body"] for text in broker.lrange("bulk", 0, -1))
    return [orjson.loads(b64decode(body))[0][2] for body in bodies]
