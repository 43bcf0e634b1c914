"""Reads every message of the broker as sent, and can have each delivered twice."""

import ast
import base64
import json
import threading
from dataclasses import dataclass
from typing import Any, Self

import redis

from workers.telemetry.queues import QUEUES, queue_lists

_LISTS = {name.encode() for queue in QUEUES for name in queue_lists(queue)}  # one for each priority


@dataclass(frozen=True)
class Sent:
    """A message: what Celery put into it."""

    task: str
    args: list[Any]  # job id, epoch, item id
    headers: dict[str, Any]
    canvas: dict[str, Any]  # chain: what follows; chord: the body


class Tap:
    """Listens to all commands that Redis gets, and picks out messages put into queues.

    Args:
        url: of the broker.
        double: puts an exact copy beside every message, chain and chord and all.
    """

    def __init__(self, url: str, *, double: bool = False) -> None:
        self._redis = redis.Redis.from_url(url)
        self._double = double
        self._tags: set[str] = set()
        self.sent: list[Sent] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)

    def __enter__(self) -> Self:
        self._monitor = self._redis.monitor()
        self._monitor.__enter__()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._monitor.connection.disconnect()
        self._thread.join(5)

    def of(self, task: str) -> list[Sent]:
        return [message for message in self.sent if message.task == task]

    def _listen(self) -> None:
        while True:
            try:
                line = self._monitor.connection.read_response()
            except (redis.RedisError, OSError, ValueError):
                return
            self._consider(line if isinstance(line, bytes) else line.encode())

    def _consider(self, line: bytes) -> None:
        words = line.split(b" ", 3)
        if len(words) < 4 or words[3][:7].upper() != b'"LPUSH"':
            return
        # 1700000000.123456 [0 127.0.0.1:1234] "LPUSH" "interactive" "{…}" "{…}"
        command = ast.literal_eval("[b" + words[3].decode("latin-1").replace('" "', '", b"') + "]")
        _, queue, *payloads = command
        for payload in payloads:
            self._consider_message(queue, payload)

    def _consider_message(self, queue: bytes, payload: bytes) -> None:
        message = json.loads(payload) if queue in _LISTS else {}
        tag = message.get("properties", {}).get("delivery_tag")
        if tag is None or tag in self._tags:
            return
        self._tags.add(tag)
        args, _, canvas = json.loads(base64.b64decode(message["body"]))
        headers = message["headers"]
        self.sent.append(Sent(headers["task"], args, headers, canvas))
        if self._double:
            self._redis.lpush(queue, payload)
