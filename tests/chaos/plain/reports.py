"""A plain Celery application that submits to hopline and hears replies; it knows nothing else of hopline.

Usage: python reports.py COLLECTION COUNT [SCRIPT], beside: celery -A reports worker --queues=reports. Both
write JSON lines into the file REPORTS: {"key", "job"} of a submission, {"job", "id"} of a reply. With SCRIPT,
a program of Node sends each message over a socket of its own, in place of Celery.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from celery import Celery

BROKER, LOG = os.environ["BROKER"], Path(os.environ["REPORTS"])
SECONDS = 300  # that a submission is repeated
RESULT_SECONDS = 8  # until its result is no longer waited for
Send = Callable[[dict[str, Any]], dict[str, Any]]  # the message -> its result
app = Celery("reports", broker=BROKER, backend=BROKER)


def note(**line: str) -> None:
    """Append a line."""
    with LOG.open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


@app.task(name="reports.on_answer", bind=True, ignore_result=True)
def on_answer(self: Any, job_id: str, **_: Any) -> None:
    """Hear that a job has ended."""
    note(job=job_id, id=self.request.id)


def send_by_celery(message: dict[str, Any]) -> dict[str, Any]:
    """Send a message as Celery does."""
    sent = app.send_task("hopline.submit", kwargs=message, queue="submissions")
    result: dict[str, Any] = sent.get(timeout=RESULT_SECONDS)
    return result


def send_by_node(script: str, message: dict[str, Any]) -> dict[str, Any]:
    """Send a raw message by another language."""
    where = urlsplit(BROKER)
    address = (str(where.hostname), str(where.port), str(where.password), where.path[1:])
    command = ("node", script, *address, json.dumps(message))
    ended = subprocess.run(command, stdout=subprocess.PIPE, timeout=RESULT_SECONDS, check=True)
    result: dict[str, Any] = json.loads(ended.stdout)
    return result


def submit(number: int, collection: str, send: Send) -> None:
    """Send a message, again with the same key until its job is known, whatever breaks meanwhile."""
    key, until = f"{collection}-{number}", time.monotonic() + SECONDS
    message = {
        "kind": "query",
        "params": {"question": f"What did the {number} employed by Alda Works praise?"},
        "collection": collection,
        "key": key,
        "reply_to": {"task": "reports.on_answer", "queue": "reports"},
    }
    while time.monotonic() < until:
        try:
            submission = send(message)
        except Exception as error:  # noqa: BLE001 - of kombu's, redis-py's or Node's, while Redis is away
            sys.stderr.write(f"{key}: {error!r}\n")
            continue
        if "job_id" in submission:
            note(key=key, job=submission["job_id"])
            return
        sys.stderr.write(f"{key}: {submission}\n")


def main(collection: str, count: str, script: str = "") -> None:
    """Submit so many questions, one after the other."""
    send = partial(send_by_node, script) if script else send_by_celery
    for number in range(int(count)):
        submit(number, collection, send)


if __name__ == "__main__":
    main(*sys.argv[1:])
