"""Counts in the words that progress shows."""

from __future__ import annotations

import pytest

from producer.progress.counts import counted


@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "0 chunks"), (1, "1 chunk"), ("2", "2 chunks"), (["a"], "1 chunk"), (None, "0 chunks")],
)
def test_one_is_counted_as_one(value: object, words: str) -> None:
    assert counted(value, "chunk") == words
