"""Compares the events that jobs really sent with the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
from redis import Redis

from workers.core.events.catalogue import read_event
from workers.core.jobs.work import Event
from workers.ledger.keys import job_key


def sent_events(redis: Redis[str]) -> Iterator[Event]:
    """Yield the events of all jobs that the ledger holds."""
    for stream in redis.scan_iter(job_key("*", "events"), count=1000):
        entries: Any = redis.xrange(stream)
        for _id, fields in entries:
            yield Event(name=fields["name"], data=orjson.loads(fields["data"]))


def uncatalogued(redis: Redis[str]) -> dict[str, Event]:
    """Return one event of each name whose data is not exactly what its model holds."""
    odd = {}
    events = tuple(sent_events(redis))
    assert events
    for event in events:
        data = read_event(event)
        if data is None or Event.of(data) != event:
            odd[event.name] = event
    return odd
