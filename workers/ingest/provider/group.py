"""Steps ingest.group and ingest.hand_over: group prepared requests into provider batches."""

from __future__ import annotations

import time
from collections.abc import Iterator

import orjson

from workers.core.errors import Permanent
from workers.core.jobs.result_pages import unfold_pages
from workers.core.jobs.work import ChildJob, Event, Json, Outcome
from workers.core.models.provider import MOST_BYTES
from workers.core.models.replies import NoReplies
from workers.core.ports import Ports
from workers.ingest.provider.lines import Group, Part, put_group

_ROOM = MOST_BYTES * 9 // 10  # of a file: what stands around a body is counted roughly


def group_lines(given: Json, ports: Ports) -> Outcome:
    """Fill files with the prepared lines, after a look whether the provider takes any.

    Input: {pages: references of pages of prepared documents, prepared: those that lie in none}. Result:
    {groups: reference of the list of groups, count, lines, window: batches in flight}.

    Raises:
        Permanent: the endpoint has no batch mode, or replies are not kept here.
    """
    if isinstance(ports.replies, NoReplies):
        raise Permanent("replies are not kept (setting reply_bytes is 0): what batches bring would be lost")
    ports.provider.check()
    bounds, since = ports.provider.bounds, time.time()
    groups, lines = [], 0
    for parts in _filled(_parts(given, ports), bounds.lines):
        size = sum(part.lines for part in parts)
        group = Group(parts=tuple(part.reference for part in parts), lines=size, since=since)
        groups.append(put_group(ports.blobs, group))
        lines += size
    told = {"count": len(groups), "lines": lines}
    listed = ports.blobs.put(orjson.dumps(groups), ".json")
    result = {**told, "groups": listed, "window": bounds.batches}
    return Outcome(result=result, events=(Event(name="lines.grouped", data=told),))


def hand_over(given: Json, ports: Ports) -> Outcome:
    """Delegate a group to a job of its own, which sends it and reads the replies.

    Input: {groups, at: its place in the list}.
    """
    groups = orjson.loads(ports.blobs.get(given["groups"]))
    params = {"group": groups[given["at"]], "turn": ports.job.epoch}
    return Outcome(delegate=ChildJob(kind="provider_batch", params=params))


def _parts(given: Json, ports: Ports) -> Iterator[Part]:
    for page in unfold_pages(ports.blobs, given["pages"]):
        for entry in orjson.loads(ports.blobs.get(page)):
            yield from _parts_of(entry["line"], ports)
    for result in given["prepared"]:
        yield from _parts_of(result, ports)


def _parts_of(result: Json, ports: Ports) -> Iterator[Part]:
    listed = result.get("listed")
    for reference, lines, size in (
        orjson.loads(ports.blobs.get(listed)) if listed else result.get("parts", ())
    ):
        yield Part(reference=reference, lines=lines, bytes=size)


def _filled(parts: Iterator[Part], most: int) -> Iterator[list[Part]]:
    """Yield parts that fit into one file together."""
    filled: list[Part] = []
    lines = size = 0
    for part in parts:
        if filled and (lines + part.lines > most or size + part.bytes > _ROOM):
            yield filled
            filled, lines, size = [], 0, 0
        filled.append(part)
        lines, size = lines + part.lines, size + part.bytes
    if filled:
        yield filled
