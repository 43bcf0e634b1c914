"""The graph of elements: what joins, how strongly, and how much of a fact is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import log1p

import pytest
from doubles.topic_facts import as_facts

from workers.core.ids import element_id
from workers.topics.projection import ELEMENTS_OF_FACT, SMALL, Projection, project


def graph(*named: Sequence[str]) -> Projection:
    return project([as_facts("c", [(f"d{nth}", f"fact {nth}", names) for nth, names in enumerate(named)])])


def edges(projection: Projection) -> dict[frozenset[str], float]:
    ends = zip(projection.edge_low, projection.edge_high, projection.edge_weight, strict=True)
    names = projection.elements
    return {frozenset((names[low], names[high])): weight for low, high, weight in ends}


def pair(*names: str) -> frozenset[str]:
    return frozenset(element_id("c", name) for name in names)


def test_edges_weigh_what_facts_share_over_how_common_both_are():
    projection = graph(["a", "b"], ["a", "b", "c"], ["c"], ["a"])
    weights = edges(projection)
    assert weights[pair("a", "b")] == pytest.approx(2 / (log1p(3) * log1p(2)))
    assert weights[pair("a", "c")] == pytest.approx(1 / (log1p(3) * log1p(2)))
    assert set(weights) == {pair(*two) for two in combinations("abc", 2)}


def test_what_one_fact_names_alone_joins_nothing():
    projection = graph(["a", "b", "only here"], ["a", "b"])
    assert set(projection.elements) == pair("a", "b")


def test_what_too_many_facts_name_joins_nothing():
    few = graph(*([["hub", f"n{nth // 2}"] for nth in range(SMALL)]))
    many = graph(*([["hub", f"n{nth // 2}"] for nth in range(SMALL + 1)]))
    assert element_id("c", "hub") in few.elements
    assert element_id("c", "hub") not in many.elements


def test_of_a_fact_that_names_much_the_rarest_are_looked_at():
    much = [f"n{nth}" for nth in range(30)]
    projection = graph(much, much, *([name] for name in much[ELEMENTS_OF_FACT:]))
    assert set(projection.elements) == {element_id("c", name) for name in much}
    assert len(edges(projection)) == ELEMENTS_OF_FACT * (ELEMENTS_OF_FACT - 1) // 2
