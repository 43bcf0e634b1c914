"""How many random cases are tried: `make test` tries a tenth of those that `make test-long` tries.

What tries fewer is marked `cases`, or is a test of Hypothesis, which marks it: the long run takes both.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
SHARE = 1 if os.environ.get("HOPLINE_TEST_CASES") == "all" else 10
OF_LISTS = min(SHARE, 3)  # whose cases were written one by one


def cases(whole: int) -> int:
    """Return how many of so many cases to try."""
    return -(-whole // SHARE)


def some_of(whole: Sequence[T]) -> Sequence[T]:
    """Return the cases of a list to try, spread over it: a third in make test."""
    return whole[::OF_LISTS]
