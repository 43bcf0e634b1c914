"""What must hold of every job, whatever happened to the processes on its way."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import orjson
from redis import Redis

from fleet.crew import Crew, wait_until
from hopline.events.catalogue import read_event
from hopline.models.answers import Answer
from hopline.models.jobs import JobState
from hopline.visible import visible
from workers.core.jobs.work import Event
from workers.core.redis_keys import ACTIVE, BATCHES, BLOB_STORE, ORIGINAL_BYTES, PARTS, RECENT, job_key
from workers.telemetry.metrics import KEY as COUNTS
from workers.telemetry.queues import FAIR_HELD, HELD, SUBMISSIONS, messages_waiting, queue_depths

# Keys without expiry that are bounded: jobs that users submitted, named batches; what kombu keeps of queues,
# and of messages whose consumer died until another gets them, and which of these are of the queue that
# tenants share; what all processes have counted; who works; the mark of the blob store, and how much
# the originals take; rows of history and of the audit that wait to be written.
_OF_HISTORY = ("hop:history:", "hop:audit:")
_STANDING = (
    *(RECENT, BATCHES, "_kombu.binding", HELD, FAIR_HELD, COUNTS, "hop:workers:", BLOB_STORE, ORIGINAL_BYTES),
    *_OF_HISTORY,
)

Place = tuple[int, str, str, int, int, float]


def places(answer: Answer) -> list[Place]:
    """Return where an answer's citations lead, and with which score."""
    return [(c.n, c.fact_id, c.document.id, c.start, c.end, c.final_decayed_score) for c in answer.citations]


def assert_quotes_stand_in_files(answer: Answer) -> None:
    """Check every citation against the file that it names: .txt and .md are stored unchanged.

    A quote is what a reader sees of its place.
    """
    assert answer.citations
    for citation in answer.citations:
        text = Path(citation.document.uri).read_text(encoding="utf-8")
        assert visible(text[citation.start : citation.end]) == citation.quote


def assert_citations_stored(crew: Crew, collection: str, answer: Answer) -> None:
    """Check every citation against the graph: the fact is there, and so is its place."""
    for c in answer.citations:
        sources = crew.services.graph.nodes.fact_sources(collection, [c.fact_id])
        known = {(s.fact, s.document_id, s.chunk_id, s.start, s.end, s.quote) for s in sources}
        assert (c.fact, c.document.id, c.chunk_id, c.start, c.end, c.quote) in known


def events_of(crew: Crew, job_id: str) -> list[tuple[str, dict[str, Any]]]:
    """Return name and data of all events, in order."""
    return [(event.name, event.data) for _, event in crew.ledger.events(job_id, limit=5000)]


def begun(crew: Crew, job_id: str, step: str, count: int = 1) -> bool:
    """Tell whether so many items of a step have been begun and none of it is done."""
    events = [(name, data.get("step")) for name, data in events_of(crew, job_id)]
    return events.count(("item.begun", step)) >= count and ("item.done", step) not in events


def assert_recorded_once(crew: Crew, job_id: str) -> None:
    """Check that every item was recorded once, and the end too."""
    events = events_of(crew, job_id)
    done = Counter(data["item"] for name, data in events if name in ("item.done", "item.dead"))
    assert [item for item, times in done.items() if times > 1] == []
    steps = Counter(data["step"] for name, data in events if name == "item.done")
    record = crew.client.jobs.get(job_id)
    recorded = {step: n for step, n in steps.items() if step != "flow.advance"}
    assert recorded == {step: n for step, n in record.done.items() if step in record.items and n}
    # What a closed phase drops is admitted and never done.
    assert sum(recorded.values()) + record.dropped == sum(record.items.values())
    assert [name for name, _ in events].count("job.ended") == 1
    assert [name for name, _ in events].count("answer.written") == 1


def assert_done_as(crew: Crew, job_id: str, expected: Answer) -> None:
    """Check that a job ended as an undisturbed one did, and leaves nothing but what expires."""
    answer = crew.answer(job_id)
    assert answer.status is JobState.DONE, answer
    assert answer.text == expected.text
    assert places(answer) == places(expected)
    assert [(w.node_id, w.depth, w.parent) for w in answer.walk] == [
        (w.node_id, w.depth, w.parent) for w in expected.walk
    ]
    assert_recorded_once(crew, job_id)
    keys = [job_key(job_id, part) for part in PARTS]
    # Once everybody was told of its end.
    wait_until(
        lambda: all(crew.redis.ttl(key) > 0 or not crew.redis.exists(key) for key in keys),
        "whatever is left of the job expires",
    )


def assert_nothing_left(crew: Crew) -> None:
    """Check that queues run empty, no job is active, and every key expires or is bounded."""
    try:
        wait_until(lambda: not _served(crew), "queues are empty")
    except AssertionError as error:
        raise AssertionError(f"{error}: {queue_depths(crew.redis)}") from None
    wait_until(lambda: not crew.redis.zcard(ACTIVE), "no job is active")
    ours = [key for key in crew.redis.scan_iter(count=1000) if not key.startswith(_STANDING)]
    lasting = [key for key in ours if crew.redis.ttl(key) == -1]
    assert lasting == [], lasting
    wait_until(
        lambda: not set(crew.redis.smembers(FAIR_HELD)) - set(crew.redis.hkeys(HELD)),
        "what is held of the queue that tenants share is on the books",
    )


def _served(crew: Crew) -> list[str]:
    """Return the queues that hold messages, each with a worker.

    What a killed worker held comes back after the broker's visibility timeout, which may be in another test:
    it may come into a queue that nobody serves any more.
    """
    waiting = [queue for queue, depth in queue_depths(crew.redis).items() if depth]
    if messages_waiting(crew.redis, SUBMISSIONS):
        waiting.append(SUBMISSIONS)
    for queue in waiting:
        crew.serve(queue)
    return waiting


def one_object(stdout: str) -> dict[str, Any]:
    """Return the one JSON object that a command printed, and nothing else with it."""
    assert stdout.count("\n") == 1
    fields: dict[str, Any] = json.loads(stdout)
    return fields


def known_before(crew: Crew, job_id: str) -> list[str]:
    """Return the earlier answers that a question was asked with."""
    items = crew.redis.hvals(job_key(job_id, "items"))
    inputs = [json.loads(item.split(" ", 2)[2]) for item in items]
    return next([turn["answer"] for turn in each["history"]] for each in inputs if "history" in each)


def uncatalogued(redis: Redis[str]) -> dict[str, Event]:
    """Return one event of each name whose data is not exactly what its model holds, of all kept jobs."""
    odd = {}
    streams = list(redis.scan_iter(job_key("*", "events"), count=1000))
    assert streams
    for stream in streams:
        entries: Any = redis.xrange(stream)
        for _id, fields in entries:
            event = Event(name=fields["name"], data=orjson.loads(fields["data"]))
            data = read_event(event)
            if data is None or Event.of(data) != event:
                odd[event.name] = event
    return odd
