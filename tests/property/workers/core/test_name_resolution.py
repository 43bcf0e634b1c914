"""What names mean depends on what is stated, not on the order in which it came."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workers.core.graph.aliases import resolve_names

NAMES = st.sampled_from(["a", "b", "bb", "c", "d d", "d e f", "g"])
PAIRS = st.lists(st.tuples(NAMES, NAMES), max_size=12)


def rank(name: str) -> tuple[int, int]:
    return len(name.split()), len(name)


def stated(pairs) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for alias, name in pairs:
        found.setdefault(alias, set()).add(name)
    return found


@given(PAIRS, st.sets(NAMES, max_size=2), st.randoms())
def test_the_order_of_what_is_stated_changes_nothing(pairs, barred, rng):
    other = list(pairs)
    rng.shuffle(other)
    assert resolve_names(stated(pairs), rank=rank, barred=barred) == resolve_names(
        stated(other), rank=rank, barred=barred
    )


@given(PAIRS, st.sets(NAMES, max_size=2))
def test_every_way_ends_at_a_name_that_is_no_alias(pairs, barred):
    meant = resolve_names(stated(pairs), rank=rank, barred=barred).meant
    for alias in meant:
        seen, at = {alias}, meant[alias]
        while at in meant:
            assert at not in seen
            seen.add(at)
            at = meant[at]


@given(PAIRS)
def test_what_is_meant_was_stated_and_what_is_barred_means_nobody(pairs):
    known = stated(pairs)
    found = resolve_names(known, rank=rank, barred={"a"})
    assert all(name in known[alias] for alias, name in found.meant.items())
    assert "a" not in found.meant


def test_an_alias_of_two_is_offered_and_not_resolved():
    found = resolve_names({"heron": {"drake", "venn"}}, rank=rank)
    assert found == ({}, {"heron": ("drake", "venn")})


def test_an_alias_of_two_that_are_one_is_resolved():
    found = resolve_names({"heron": {"drake", "corvin drake"}, "drake": {"corvin drake"}}, rank=rank)
    assert found.meant == {"drake": "corvin drake", "heron": "corvin drake"}


def test_of_two_that_are_names_of_one_another_the_fuller_stays():
    found = resolve_names({"heron": {"corvin drake"}, "corvin drake": {"heron"}}, rank=rank)
    assert found == ({"heron": "corvin drake"}, {})


def test_what_people_merged_or_kept_apart_stays_so():
    apart = [frozenset(("heron", "drake"))]
    assert resolve_names({"heron": {"drake"}}, rank=rank, apart=apart) == ({}, {})
    assert resolve_names({"heron": {"drake"}}, rank=rank, fixed={"heron": "venn"}) == ({}, {})
