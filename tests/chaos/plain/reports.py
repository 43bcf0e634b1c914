"""A plain Celery application that submits to hopline and hears replies; it knows nothing else of hopline.

Usage: python reports.py COLLECTION COUNT, beside: celery -A reports worker --queues=reports. Both write JSON
lines into the file REPORTS: {"key", "job"} of a submission, {"job", "id"} of a reply.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from celery import Celery

BROKER, LOG = os.environ["BROKER"], Path(os.environ["REPORTS"])
SECONDS = 300  # that a submission is repeated
RESULT_SECONDS = 8  # until its result is no longer waited for
app = Celery("reports", broker=BROKER, backend=BROKER)


def note(**line: str) -> None:
    """Append a line."""
    with LOG.open("a", encoding="utf-8") as log:
        log.write(json.dumps(line) + "\n")


@app.task(name="reports.on_answer", bind=True, ignore_result=True)
def on_answer(self: Any, job_id: str, **_: Any) -> None:
    """Hear that a job has ended."""
    note(job=job_id, id=self.request.id)


def submit(number: int, collection: str) -> None:
    """Send a message, again with the same key until its job is known, whatever breaks meanwhile."""
    key, until = f"{collection}-{number}", time.monotonic() + SECONDS
    message = {
        "kind": "query", "params": {"question": f"What did the {number} employed by Alda Works praise?"},
        "collection": collection, "key": key, "reply_to": {"task": "reports.on_answer", "queue": "reports"},
    }  # fmt: skip
    while time.monotonic() < until:
        try:
            sent = app.send_task("hopline.submit", kwargs=message, queue="submissions")
            submission: dict[str, Any] = sent.get(timeout=RESULT_SECONDS)
        except Exception as error:  # noqa: BLE001 - of kombu's or redis-py's, while Redis is away
            sys.stderr.write(f"{key}: {error!r}\n")
            continue
        if "job_id" in submission:
            note(key=key, job=submission["job_id"])
            return
        sys.stderr.write(f"{key}: {submission}\n")


if __name__ == "__main__":
    for nth in range(int(sys.argv[2])):
        submit(nth, sys.argv[1])
