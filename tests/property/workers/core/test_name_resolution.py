"""What names mean depends on what is stated, not on the order in which it came."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.graph.aliases import (
    NamedPlace,
    NameUse,
    Place,
    UsingDocument,
    resolve_names,
    resolve_places,
)

NAMES = st.sampled_from(["a", "b", "bb", "c", "d d", "d e f", "g"])
PAIRS = st.lists(st.tuples(NAMES, NAMES), max_size=12)


def rank(name: str) -> tuple[int, int]:
    return len(name.split()), len(name)


def stated(pairs) -> dict[str, set[str]]:
    names: dict[str, set[str]] = {}
    for alias, name in pairs:
        names.setdefault(alias, set()).add(name)
    return names


@given(PAIRS, st.sets(NAMES, max_size=2), st.randoms())
def test_names_end_at_one_that_was_stated_and_is_no_alias_in_whatever_order_they_came(pairs, barred, rng):
    known = stated(pairs)
    resolution = resolve_names(known, rank=rank, barred=barred)
    shuffled = stated(rng.sample(pairs, len(pairs)))
    assert resolve_names(shuffled, rank=rank, barred=barred) == resolution
    assert all(name in known[alias] for alias, name in resolution.meant.items())
    assert not barred & resolution.meant.keys(), "what is barred means nobody"
    for alias in resolution.meant:
        seen, at = {alias}, resolution.meant[alias]
        while at in resolution.meant:
            assert at not in seen
            seen.add(at)
            at = resolution.meant[at]


@pytest.mark.parametrize(("known", "more", "resolution"), [
    # An alias of two is offered and not resolved, unless the two are one.
    ({"heron": {"drake", "venn"}}, {}, ({}, {"heron": ("drake", "venn")})),
    (
        {"heron": {"drake", "corvin drake"}, "drake": {"corvin drake"}},
        {},
        ({"drake": "corvin drake", "heron": "corvin drake"}, {}),
    ),
    # Of two that are names of one another the fuller stays.
    ({"heron": {"corvin drake"}, "corvin drake": {"heron"}}, {}, ({"heron": "corvin drake"}, {})),
    # What people merged or kept apart stays so.
    ({"heron": {"drake"}}, {"apart": [frozenset(("heron", "drake"))]}, ({}, {})),
    ({"heron": {"drake"}}, {"fixed": {"heron": "venn"}}, ({}, {})),
])  # fmt: skip
def test_names_are_resolved_where_one_is_meant(known, more, resolution):
    assert resolve_names(known, rank=rank, **more) == resolution


BEARERS = st.sampled_from(["drake", "venn"])
PLACES = st.builds(Place, st.integers(0, 2), st.integers(0, 2))
DOCUMENTS = st.lists(
    st.builds(
        UsingDocument,
        st.sampled_from(["one", "two", "three"]),
        st.lists(st.builds(NameUse, st.sampled_from(["f", "g", "h"]), PLACES), max_size=4),
        st.lists(st.builds(NamedPlace, BEARERS, PLACES, st.booleans()), max_size=3),
        st.sets(BEARERS),
    ),
    max_size=3,
    unique_by=lambda document: document.id,
)


@given(DOCUMENTS, st.randoms())
def test_a_document_means_only_who_it_says_or_names_in_full_in_whatever_order(documents, rng):
    def shuffled(some):
        return rng.sample(list(some), len(some))

    facts, named = resolve_places(documents)
    known = {
        document.id: {claim.bearer for claim in document.claims} | document.whole for document in documents
    }
    assert all(place.bearer in known[place.document] for place in named)
    assert set(facts.values()) <= {place.bearer for place in named}
    other = [
        UsingDocument(
            document.id, shuffled(document.uses), shuffled(document.claims), shuffled(sorted(document.whole))
        )
        for document in shuffled(documents)
    ]
    assert resolve_places(other) == (facts, named)


def use(fact: str, chunk: int) -> NameUse:
    return NameUse(fact, Place(chunk, 0))


def claim(bearer: str, chunk: int, *, passes: bool = False) -> NamedPlace:
    return NamedPlace(bearer, Place(chunk, 0), passes)


USES = [use("f", 0), use("g", 2), use("h", 4)]


@pytest.mark.parametrize(("claims", "meant"), [
    # Whom a document gives it alone, before and after it says so; of several, whose it was last.
    ([claim("drake", 1)], {"f": "drake", "g": "drake", "h": "drake"}),
    ([claim("drake", 1), claim("venn", 3)], {"g": "drake", "h": "venn"}),
    # An office is nobody's before a document says who took it.
    ([claim("drake", 1, passes=True)], {"g": "drake", "h": "drake"}),
])  # fmt: skip
def test_a_by_name_is_whose_the_document_says(claims: list[NamedPlace], meant: dict[str, str]) -> None:
    facts, named = resolve_places([UsingDocument("d", USES, claims)])
    assert (facts, {place.bearer for place in named}) == (meant, {claim.bearer for claim in claims})


def test_a_fact_of_two_documents_that_mean_others_means_nobody() -> None:
    documents = [UsingDocument(bearer, [use("f", 0)], [claim(bearer, 0)]) for bearer in ("drake", "venn")]
    assert resolve_places(documents)[0] == {}
