"""Steps ingest.group and ingest.hand_over: group prepared requests into provider batches."""

from __future__ import annotations

import time
from collections.abc import Iterator

import orjson

from hopline.errors import Permanent
from hopline.events.provider import LinesGrouped
from hopline.models.base import Frozen
from workers.core.jobs.result_pages import get_entries, unfold_pages
from workers.core.jobs.work import ChildJob, Outcome
from workers.core.models.provider import MOST_BYTES
from workers.core.models.replies import NoReplies
from workers.core.ports import Ports
from workers.ingest.provider.lines import Group, Part, PrepareResult, parts_of, put_group

_ROOM = MOST_BYTES * 9 // 10  # of a file: what stands around a body is counted roughly


class GroupInput(Frozen):
    """The prepared documents of a batch."""

    pages: tuple[str, ...]  # blobs of prepared documents
    prepared: tuple[PrepareResult, ...]  # those that lie in no page


class GroupResult(Frozen):
    """Groups of lines that each fill a file."""

    groups: str  # blob of their list
    count: int  # groups
    lines: int
    window: int  # batches at the provider at a time


class HandOverInput(Frozen):
    """A group."""

    groups: str  # blob of the list of groups
    at: int  # its place in the list, from 0


def group_lines(documents: GroupInput, ports: Ports) -> Outcome:
    """Fill files with the prepared lines, after a look whether the provider takes any.

    Raises:
        Permanent: the endpoint has no batch mode, or replies are not kept here.
    """
    if isinstance(ports.replies, NoReplies):
        raise Permanent(
            "replies are not kept (the setting reply_bytes is 0), so results of batch mode would be lost"
        )
    ports.provider.check()
    bounds, since = ports.provider.bounds, time.time()
    groups, lines = [], 0
    for parts in _filled(_parts(documents, ports), bounds.lines):
        size = sum(part.lines for part in parts)
        group = Group(parts=tuple(part.reference for part in parts), lines=size, since=since)
        groups.append(put_group(ports.blobs, group))
        lines += size
    listed = ports.blobs.put(orjson.dumps(groups), ".json")
    result = GroupResult(groups=listed, count=len(groups), lines=lines, window=bounds.batches)
    event = LinesGrouped(count=len(groups), lines=lines)
    return Outcome(result=result, events=(event,))


def hand_over(group: HandOverInput, ports: Ports) -> Outcome:
    """Delegate a group to a job of its own, which sends it and reads the replies."""
    groups = orjson.loads(ports.blobs.get(group.groups))
    params = {"group": groups[group.at], "turn": ports.job.epoch}
    return Outcome(delegate=ChildJob(kind="provider_batch", params=params))


def _parts(documents: GroupInput, ports: Ports) -> Iterator[Part]:
    for page in unfold_pages(ports.blobs, documents.pages):
        for entry in get_entries(ports.blobs, page):
            yield from parts_of(ports.blobs, PrepareResult.read_stored(entry.line))
    for prepared in documents.prepared:
        yield from parts_of(ports.blobs, prepared)


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
