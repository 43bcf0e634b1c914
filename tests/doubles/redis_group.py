"""Redis servers that belong together: a primary, its replica and a Sentinel; nodes of a cluster."""

import socket
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import redis
from celery import Celery

from infra.local.process import LOOPBACK, Program, Running, free_port, port_open
from infra.local.redis_server import find_redis
from infra.local.work import alive_workers

PASSWORD = "pass/of@redis"  # has to be quoted in an address
SENTINEL_PASSWORD = "pass:of,sentinels"
NAME = "ledger"
_PRIMARY = """\
bind {host}
port {port}
dir "{folder}"
save ""
appendonly no
requirepass {password}
masterauth {password}
repl-diskless-sync yes
repl-diskless-sync-delay 0
"""
_SENTINEL = """\
bind {host}
port {port}
dir "{folder}"
requirepass {password}
sentinel monitor {name} {host} {primary} 1
sentinel auth-pass {name} {primary_password}
sentinel down-after-milliseconds {name} 1500
sentinel failover-timeout {name} 3000
"""


def bare_worker(app: Celery) -> Program:
    """A worker that needs no graph: it only waits for messages."""
    command = (sys.executable, "-m", "celery", "-A", "workers.app", "worker", "--pool=solo", "-Q", "bulk")
    return Program("worker", command, lambda pid: pid in alive_workers(app))


_ABOVE = 10_000  # so much higher is the port that a cluster's nodes speak over


def _free_pair() -> int:
    """Return a free port that has a free one so much above it."""
    return next(port for port in iter(free_port, None) if _is_free(port + _ABOVE))


def _is_free(port: int) -> bool:
    with socket.socket() as probe, suppress(OSError, OverflowError):
        probe.bind((LOOPBACK, port))
        return True
    return False


class Node:
    """One server on a free port."""

    def __init__(self, folder: Path, config: str = _PRIMARY, *more: str, **values: object) -> None:
        folder.mkdir(parents=True)
        self.port = _free_pair()
        self.password = str(values.setdefault("password", PASSWORD))
        file = folder / "redis.conf"
        file.write_text(config.format(host=LOOPBACK, port=self.port, folder=folder, **values))
        program = Program("redis", (str(find_redis()), str(file), *more), lambda _pid: port_open(self.port))
        self.running = Running(program, folder / "redis.log")
        self.running.wait_ready(180)
        self.client = redis.Redis(port=self.port, password=self.password, decode_responses=True)

    @property
    def role(self) -> str:
        return str(self.client.info("replication")["role"])

    def kill(self) -> None:
        self.running.kill()


class SentinelGroup:
    """A primary with one replica, and one Sentinel that watches them."""

    def __init__(self, folder: Path) -> None:
        self.nodes = [Node(folder / "a"), Node(folder / "b")]
        first, second = self.nodes
        second.client.replicaof(LOOPBACK, first.port)
        self.sentinel = Node(
            folder / "sentinel",
            _SENTINEL,
            "--sentinel",
            name=NAME,
            password=SENTINEL_PASSWORD,
            primary=first.port,
            primary_password=PASSWORD,
        )
        # As settings take it; of the Sentinels named, the first is not there.
        nodes = f"{LOOPBACK}:{free_port()},{LOOPBACK}:{self.sentinel.port}"
        self.url = (
            f"sentinel://:{quote(PASSWORD, safe='')}@{nodes}/{NAME}/1"
            f"?sentinel_password={quote(SENTINEL_PASSWORD, safe='')}"
        )

    @property
    def ready(self) -> bool:
        """Whether the replica has all, and the Sentinel knows it."""
        master = self.sentinel.client.sentinel_master(NAME)
        link = self.nodes[1].client.info("replication").get("master_link_status")
        return link == "up" and int(master["num-slaves"]) == 1

    def stop(self) -> None:
        for node in (*self.nodes, self.sentinel):
            node.kill()
