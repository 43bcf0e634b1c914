"""Reading a front matter takes time in proportion to its length, whatever it holds."""

import time
from contextlib import suppress

import pytest

from hopline.errors import InvalidInput
from workers.ingest.reading.unread_allow import refuse_unread

RUNS = ("---{}", "---\n{}x", "---\nallow{}x", "---\n'{}x", "+++\n&a{}x", "---\n!a{}allow")


def seconds_for(text: str) -> float:
    """Return the least processor time of three readings."""
    taken = []
    for _ in range(3):
        before = time.process_time()
        with suppress(InvalidInput):
            refuse_unread(text)
        taken.append(time.process_time() - before)
    return min(taken)


@pytest.mark.parametrize("form", RUNS)
@pytest.mark.parametrize("run", [" ", "\t", "\n"], ids=["blanks", "tabs", "line ends"])
def test_a_text_sixteen_times_as_long_takes_no_square_of_the_time(form: str, run: str) -> None:
    short, long = (seconds_for(form.format(run * length)) for length in (4_000, 64_000))
    assert long < 64 * max(short, 0.0005)
