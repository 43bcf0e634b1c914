"""However many lines documents have, each is sent once and no file holds more than it may."""

from dataclasses import replace

import orjson
from doubles.blobs import MemoryBlobs
from doubles.graph import MemoryGraph
from doubles.model import ExtractingModel, ingest_ports
from doubles.provider import BOUND, MemoryProvider
from doubles.replies import MemoryReplies
from doubles.vectors import MemoryVectors
from fleet.cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.jobs.work import as_json
from workers.core.models.provider import ProviderBounds
from workers.ingest.provider.group import GroupInput, GroupResult, HandOverInput, group_lines, hand_over
from workers.ingest.provider.lines import Group, Line, Part, PrepareResult, get_group, lines_of, put_lines


def line(number: int) -> Line:
    return Line(f"content {number}", f"key {number}", "ExtractedFacts", BOUND, b'{"n":%d}' % number)


@settings(deadline=None, max_examples=cases(20))
@given(st.integers(0, 1200))
def test_lines_come_back_from_their_blobs_as_they_went_in(count: int):
    blobs, lines = MemoryBlobs(), [line(number) for number in range(count)]
    parts = put_lines(blobs, iter(lines))
    assert sum(part.lines for part in parts) == count
    assert all(part.lines <= 500 for part in parts)
    group = Group(parts=tuple(part.reference for part in parts), lines=count, since=0)
    assert list(lines_of(blobs, group)) == lines


@settings(deadline=None)
@given(st.lists(st.integers(1, 40), max_size=60), st.integers(5, 50))
def test_groups_hold_every_part_once_and_no_more_than_a_file_may(sizes: list[int], most: int):
    ports = ingest_ports(MemoryGraph(), MemoryVectors(), ExtractingModel(), MemoryBlobs(), kind="prefill")
    provider = MemoryProvider(bounds=ProviderBounds(lines=most))
    ports = replace(ports, provider=provider, replies=MemoryReplies())
    prepared = tuple(
        PrepareResult(parts=(Part(f"part-{at}", size, size * 1000),)) for at, size in enumerate(sizes)
    )
    grouped = GroupResult.read_stored(
        as_json(group_lines(GroupInput(pages=(), prepared=prepared), ports).result)
    )
    names = orjson.loads(ports.blobs.get(grouped.groups))
    groups = [get_group(ports.blobs, name) for name in names]
    assert [part for group in groups for part in group.parts] == [f"part-{at}" for at in range(len(sizes))]
    assert all(group.lines <= most or len(group.parts) == 1 for group in groups)
    assert grouped.lines == sum(sizes)
    for at, name in enumerate(names):
        child = hand_over(HandOverInput(groups=grouped.groups, at=at), ports).delegate
        assert (child.kind, child.params) == ("provider_batch", {"group": name, "turn": 1})
