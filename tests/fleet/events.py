"""Compares the events that jobs really sent with the catalogue."""

from __future__ import annotations

from typing import Any

import orjson
from redis import Redis

from workers.core.events.catalogue import read_event
from workers.core.jobs.work import Event
from workers.ledger.keys import job_key


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
