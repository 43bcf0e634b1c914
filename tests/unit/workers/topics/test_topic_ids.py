"""Ids of topics go to those that share most facts with the ones before."""

from __future__ import annotations

import numpy as np

from workers.topics.ids import carry_ids


def new_id(topic: int, nth: int) -> str:
    return f"n{topic}.{nth}"


def known(name: str, *facts: int, gone: int = 0) -> tuple[str, np.ndarray, int]:
    return name, np.array(facts, np.int64), len(facts) + gone


def test_the_largest_overlap_comes_first_and_each_id_is_used_once():
    topic_of = np.array([0, 0, 0, 1, 1, 1, 1])
    assert carry_ids(topic_of, 2, [known("a", 0, 1, 2, 3), known("b", 4, 5, 6)], new_id) == ["a", "b"]
    assert carry_ids(topic_of, 2, [known("a", 0, 1, 2, 3, 4, 5, 6)], new_id) == ["n0.0", "a"]


def test_little_in_common_is_another_topic():
    topic_of = np.array([0, 0, 0, 0])
    assert carry_ids(topic_of, 1, [known("a", 0)], new_id) == ["n0.0"]
    assert carry_ids(topic_of, 1, [known("a", 0, 1, gone=2)], new_id) == ["a"]
    assert carry_ids(topic_of, 1, [known("a", 0, 1, gone=9)], new_id) == ["n0.0"]


def test_a_new_id_is_none_that_another_topic_has_or_had():
    topic_of = np.array([0, 0, 1, 1])
    assert carry_ids(topic_of, 2, [known("n1.0", 0, 1), known("n1.1", gone=3)], new_id) == ["n1.0", "n1.2"]


def test_of_equal_overlaps_the_smaller_id_wins():
    topic_of = np.array([0, 0])
    assert carry_ids(topic_of, 1, [known("b", 0), known("a", 1)], new_id) == ["a"]
