"""Delivers every message of the broker twice, by putting an exact copy beside it as soon as it is sent."""

from __future__ import annotations

import ast
import base64
import json
import threading
from collections import Counter

import redis

from infra.local.process import LOOPBACK


class Echo:
    """Listens to all commands that Redis gets; a message put into a queue is put there once more.

    Args:
        url: of the broker.
        queues: whose messages are doubled.
    """

    def __init__(self, url: str, queues: tuple[str, ...] = ("interactive", "bulk", "quarantine")) -> None:
        self._listening = redis.Redis.from_url(url)
        self._sending = redis.Redis.from_url(url)
        self._queues = {queue.encode() for queue in queues}
        self._tags: set[str] = set()
        self.doubled: Counter[tuple[str, str]] = Counter()  # (job id, item id)
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Echo:
        self._monitor = self._listening.monitor()
        self._monitor.__enter__()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._monitor.connection.disconnect()
        self._thread.join(5)

    def _listen(self) -> None:
        while True:
            try:
                line = self._monitor.connection.read_response()
            except (redis.RedisError, OSError, ValueError):
                return
            self._consider(line if isinstance(line, bytes) else line.encode())

    def _consider(self, line: bytes) -> None:
        # 1700000000.123456 [0 127.0.0.1:1234] "LPUSH" "interactive" "{…}"
        words = line.split(b" ", 3)
        if len(words) < 4 or words[3][:7].upper() != b'"LPUSH"' or LOOPBACK.encode() not in words[2]:
            return
        _, queue, payload = ast.literal_eval("[b" + words[3].decode("latin-1").replace('" "', '", b"') + "]")
        if queue not in self._queues:
            return
        message = json.loads(payload)
        tag = message["properties"]["delivery_tag"]
        if tag in self._tags:
            return
        self._tags.add(tag)
        self._sending.lpush(queue, payload)
        args = json.loads(base64.b64decode(message["body"]))[0]
        self.doubled[(args[0], args[2])] += 1
