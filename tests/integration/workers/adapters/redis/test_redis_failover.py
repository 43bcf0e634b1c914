"""Redis fails over, behind one address or behind Sentinel, and its clients go on; a cluster is refused."""

import asyncio
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
import redis
from doubles.redis_group import PASSWORD, SENTINEL_PASSWORD, Node, SentinelGroup, bare_worker
from doubles.relay import Relay
from fleet.crew import wait_until
from fleet.servers import START_SECONDS

from hopline.errors import InvalidInput
from infra.local.probes import probe_redis
from infra.local.process import Running
from infra.local.status import waiting_parts
from infra.local.work import alive_workers
from producer.service.startup import greet_redis
from workers.adapters.redis.client import waiting_client
from workers.app import application_for
from workers.core.jobs.messages import Message
from workers.core.jobs.records import Claim
from workers.core.jobs.work import Item, Job, Phase
from workers.core.redis_keys import job_key
from workers.ledger.archive import LedgerArchive
from workers.schedules.beat import due_at, save_entry
from workers.services import Services
from workers.settings import Settings
from workers.transport.channels import SentinelTransport
from workers.transport.publishers import CeleryPublisher

_CLUSTER = """\
bind {host}
port {port}
dir "{folder}"
save ""
cluster-enabled yes
requirepass {password}
"""
ITEMS = Phase(items=tuple(Item(id=f"i{n}", step="x.y") for n in range(3)))


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SentinelGroup]:
    group = SentinelGroup(tmp_path_factory.mktemp("group"))
    wait_until(lambda: group.ready, "the Sentinel knows both")
    yield group
    group.stop()


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Node, Node]]:
    nodes = Node(tmp_path / "a"), Node(tmp_path / "b")
    yield nodes
    for node in nodes:
        node.kill()


def _claim(item: str) -> Claim:
    return Claim(job_id="j", epoch=1, item_id=item, token="mine")


WRITES: dict[str, Callable[[Services], object]] = {
    "a script": lambda services: services.ledger.begin(_claim("i0")).verdict == "go",
    "a pipeline of scripts": lambda services: services.ledger.renew([_claim("i1")]) == [True],
    "a command": lambda services: services.redis.set("hop:probe", "1"),
    "a hasty command": lambda services: services.hasty_redis.set("hop:probe", "1"),
}


def test_behind_one_address_every_client_leaves_a_primary_that_became_a_replica(pair):
    old, new = pair
    relay = Relay(old.port)
    settings = Settings(redis_url=f"redis://:pass%2Fof%40redis@127.0.0.1:{relay.port}/0")
    clients = {name: Services(settings) for name in WRITES}
    for services in clients.values():  # each has a connection to the old primary
        services.redis.ping()
        services.hasty_redis.ping()
    first = clients["a script"].ledger
    assert first.submit(Job(id="j", kind="tree", collection="c", root="j"), ITEMS)
    assert first.begin(_claim("i1")).verdict == "go"
    application = application_for(settings)
    publisher = CeleryPublisher(application)
    publisher.send([_message(0)])
    new.client.replicaof("127.0.0.1", old.port)
    wait_until(lambda: new.client.info("replication")["master_link_status"] == "up", "the replica has all")

    new.client.replicaof("NO", "ONE")
    old.client.replicaof("127.0.0.1", new.port)
    relay.lead_to(new.port)

    assert {name: bool(write(clients[name])) for name, write in WRITES.items()} == dict.fromkeys(WRITES, True)
    publisher.send([_message(1)])
    assert new.client.llen("bulk") == 2
    application.backend.incr("chord-counter")
    assert new.client.get("chord-counter") == "1"
    relay.close()


def _message(number: int) -> Message:
    return Message(step="x.y", job_id="j", epoch=1, item_id=f"i{number}", queue="bulk")


def test_a_cluster_or_the_port_of_a_sentinel_is_refused_with_the_way_out(tmp_path: Path) -> None:
    cluster = Node(tmp_path / "a", _CLUSTER)
    url = f"redis://:{quote(PASSWORD, safe='')}@127.0.0.1:{cluster.port}/0"
    settings = Settings(redis_url=url)
    application = application_for(settings)
    ways: dict[str, Callable[[], object]] = {
        "ledger": Services(settings).redis.ping,
        "command line": lambda: greet_redis(url, 3.0),
        "health": lambda: probe_redis(url),
        "backup": lambda: LedgerArchive(url).is_empty(),
        "queues": lambda: CeleryPublisher(application).send([_message(0)]),
        "chords": lambda: application.backend.incr("chord-counter"),
        "schedules": lambda: due_at(application, "nightly"),
    }
    refusals = {way: _refusal(call) for way, call in ways.items()}
    cluster.kill()
    assert all("this is a node of a Redis Cluster" in text for text in refusals.values()), refusals


def _refusal(call: Callable[[], object]) -> str:
    try:
        call()
    except InvalidInput as error:
        return str(error)
    return "it was taken"


def test_a_sentinel_named_as_a_server_is_refused_with_the_way_out(group: SentinelGroup) -> None:
    with pytest.raises(InvalidInput, match="this is a Sentinel: write sentinel://"):
        greet_redis(f"redis://:{quote(SENTINEL_PASSWORD)}@127.0.0.1:{group.sentinel.port}/0", 3.0)


@pytest.mark.long
def test_behind_sentinel_every_client_and_a_worker_follow_the_primary(group, tmp_path):
    settings = Settings(redis_url=group.url)
    environment = os.environ | {"HOPLINE_REDIS_URL": group.url}
    worker = Running(bare_worker(application_for(settings)), tmp_path / "worker.log", environment)
    worker.wait_ready(START_SECONDS)
    try:
        _fail_over(group, settings)
        after = application_for(settings)
        wait_until(lambda: worker.pid in alive_workers(after), "the worker takes commands again")
        CeleryPublisher(after).send([_message(2)])
        broker = Services(settings).broker_redis
        wait_until(lambda: not broker.llen("bulk"), "the worker takes messages again")
    finally:
        worker.kill()


def _fail_over(group: SentinelGroup, settings: Settings) -> None:
    """Use every client, kill the primary, and use every client again."""
    services, application = Services(settings), application_for(settings)
    ledger, publisher = services.ledger, CeleryPublisher(application)
    assert isinstance(application.connection_for_write().transport, SentinelTransport)
    assert ledger.submit(Job(id="j", kind="tree", collection="c", root="j"), ITEMS)
    publisher.send([_message(0)])
    application.backend.incr("chord-counter")
    save_entry(application, "nightly", "0 2 * * *", "UTC")
    old = next(node for node in group.nodes if node.role == "master")
    (new,) = (node for node in group.nodes if node is not old)
    assert old.client.wait(1, 60_000) == 1

    old.kill()
    assert ledger.begin(_claim("i0")).verdict == "go"
    assert new.role == "master"
    publisher.send([_message(1)])
    assert redis.Redis(port=new.port, password=PASSWORD, db=1, decode_responses=True).keys("hop:*")
    assert application.backend.incr("chord-counter") == 2
    assert due_at(application, "nightly")
    assert probe_redis(group.url)[0]
    assert waiting_parts(settings) == []
    greet_redis(group.url, 3.0)
    assert not LedgerArchive(group.url).is_empty()
    assert asyncio.run(_newest_event(group.url)) == 1


async def _newest_event(url: str) -> int:
    async with waiting_client(url, 2) as client:
        return len(await client.xrevrange(job_key("j", "events"), count=1))
