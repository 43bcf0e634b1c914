from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from workers.ingest.night import Night


@given(st.lists(st.floats(min_value=1, max_value=40_000_000), min_size=1, max_size=60))
def test_a_night_of_any_length_loses_no_document_and_leaves_no_gap(moments):
    night = Night()
    for moment in moments:
        night.add(moment, 2, failed=False)
    slots = night.slots()
    assert sum(slot.documents for slot in slots) == len(moments)
    assert sum(slot.chunks for slot in slots) == 2 * len(moments)
    assert len(slots) <= 180
    assert all(later.start - earlier.start == night.width for earlier, later in itertools.pairwise(slots))
    assert slots[0].start <= min(moments) < slots[0].start + night.width
    assert slots[-1].start <= max(moments) < slots[-1].start + night.width
