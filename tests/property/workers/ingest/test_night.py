import itertools

from hypothesis import given
from hypothesis import strategies as st

from workers.ingest.report import Night


@given(st.lists(st.floats(min_value=1, max_value=40_000_000), min_size=1, max_size=60))
def test_a_night_of_any_length_loses_no_document_and_leaves_no_gap(moments):
    night = Night()
    for moment in moments:
        night.add(moment, 2, failed=False)
    periods = night.periods()
    assert sum(period.documents for period in periods) == len(moments)
    assert sum(period.chunks for period in periods) == 2 * len(moments)
    assert len(periods) <= 180
    starts = [period.start.timestamp() for period in periods]
    assert all(later - earlier == night.width for earlier, later in itertools.pairwise(starts))
    assert starts[0] <= min(moments) < starts[0] + night.width
    assert starts[-1] <= max(moments) < starts[-1] + night.width
