"""How many random cases are tried: `make test` tries a third of those that `make test-long` tries.

What tries fewer is marked `cases`, or is a test of Hypothesis, which marks it: the long run takes both.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
SHARE = 1 if os.environ.get("HOPLINE_TEST_CASES") == "all" else 3


def cases(whole: int) -> int:
    """Return how many of so many cases to try."""
    return -(-whole // SHARE)


def some_of(whole: Sequence[T]) -> Sequence[T]:
    """Return the cases of a list to try, spread over it."""
    return whole[::SHARE]
