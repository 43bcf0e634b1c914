"""Rules of ranking that hold for every graph and all scores."""

import math
import random
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from doubles.graph_parts import Whole
from hypothesis import given
from hypothesis import strategies as st

from workers.core.graph.surroundings import FactColumns, FactLinks, columns_of
from workers.search.fusion import WEIGHTS, damped, fused, ranked, scaled
from workers.search.page_rank import RESTART, walk
from workers.search.region import Surroundings
from workers.search.walk import Region

ELEMENTS = [f"k{nth}" for nth in range(9)]
CHUNKS = [f"c{nth}" for nth in range(6)]
SLACK = 1e-9  # of rounding

STARTS = st.dictionaries(st.sampled_from([*ELEMENTS, "k-none"]), st.floats(0.01, 100), max_size=5)
# The elements and the chunks of each fact.
GRAPHS = st.lists(
    st.tuples(
        st.lists(st.sampled_from(ELEMENTS), unique=True, max_size=5),
        st.lists(st.sampled_from(CHUNKS), unique=True, min_size=1, max_size=3),
    ),
    max_size=14,
)
EXPANDED = st.sets(st.sampled_from(ELEMENTS))
CHANCES = st.randoms(use_true_random=False)
NAMES = ("a", "b", "c", "d", "e")
SCORES = st.dictionaries(st.sampled_from(NAMES), st.floats(-1e6, 1e6), max_size=5)
PARTS = st.fixed_dictionaries(
    {},
    optional={part: SCORES for part in WEIGHTS if part not in ("walk", "titled")}
    | {part: st.dictionaries(st.sampled_from(NAMES), st.floats(0, 1)) for part in ("walk", "titled")},
)


def links_of(graph: Sequence[tuple[Sequence[str], Sequence[str]]]) -> list[FactLinks]:
    degrees = Counter(element for elements, _chunks in graph for element in elements)
    return [
        FactLinks(f"f{nth:02}", list(chunks), [(element, degrees[element]) for element in elements])
        for nth, (elements, chunks) in enumerate(graph)
    ]


def region_of(links: Sequence[FactLinks], expanded: set[str]) -> Region:
    region = Region(facts=len(links))
    region.add(expanded, columns_of(links))
    return region


def shuffled(chance: random.Random, links: Sequence[FactLinks]) -> list[FactLinks]:
    def mixed(some: Sequence) -> list:
        return chance.sample(some, len(some))

    return mixed([FactLinks(link.fact, mixed(link.chunks), mixed(link.elements)) for link in links])


def mixed_up(chance: random.Random, mapping: dict) -> dict:
    return dict(chance.sample(list(mapping.items()), len(mapping)))


def joined(links: Sequence[FactLinks], start: Sequence[str], expanded: set[str]) -> set[str]:
    reached, known = set(), set(start)
    while True:
        more = {
            link.fact for link in links if {name for name, _degree in link.elements} & known & expanded
        } - reached
        if not more:
            return reached
        reached |= more
        known |= {name for link in links if link.fact in more for name, _degree in link.elements}


@given(GRAPHS, STARTS, EXPANDED, CHANCES)
def test_mass_is_bounded_stays_with_what_is_joined_and_depends_on_no_order(graph, start, expanded, chance):
    links = links_of(graph)
    walked = walk(region_of(links, expanded), start)
    masses = (walked.elements, walked.facts, walked.chunks)
    assert all(share > 0 for mass in masses for share in mass.values())
    assert math.fsum(walked.chunks.values()) <= 1 + SLACK  # a chunk keeps what comes to it
    # Every step keeps at most what did not go back to the start.
    assert math.fsum(share for mass in masses for share in mass.values()) <= 1 / RESTART + SLACK

    reached = joined(links, list(start), expanded)
    near = [link for link in links if link.fact in reached]
    assert set(walked.facts) <= reached
    assert set(walked.chunks) <= {chunk for link in near for chunk in link.chunks}
    assert set(walked.elements) <= {*start, *(name for link in near for name, _degree in link.elements)}

    again = walk(region_of(shuffled(chance, links), expanded), mixed_up(chance, start))
    assert again == walked  # to the last bit, so that equals stay equals and are ranked by name


@given(GRAPHS, STARTS, EXPANDED, st.floats(0.1, 10))
def test_only_the_proportion_of_the_starts_weights_counts(graph, start, expanded, factor):
    links = links_of(graph)
    lone = FactLinks("f-lone", ["c-lone"], [("k-lone", 1)])
    once = walk(region_of(links, expanded), start)
    with_lone = Region(facts=len(links))
    with_lone.add([*expanded, "k-lone"], columns_of([*links, lone]))
    if links:
        assert walk(with_lone, start) == once
    other = walk(region_of(links, expanded), {name: factor * weight for name, weight in start.items()})
    for mine, theirs in ((once.elements, other.elements), (once.chunks, other.chunks)):
        assert set(mine) == set(theirs)
        assert all(math.isclose(mine[name], theirs[name], rel_tol=1e-6) for name in mine)


class Fetched(Whole):
    """A graph that keeps what was asked of it."""

    def __init__(self, links: Sequence[FactLinks]) -> None:
        self.links = links
        self.asked: list[tuple[str, ...]] = []
        self.brought: list[set[str]] = []

    def facts_around(self, elements: Sequence[str], limit: int) -> FactColumns:
        self.asked.append(tuple(elements))
        by_fact: dict[str, FactLinks] = {}
        for element in elements:
            mine = [link for link in self.links if element in dict(link.elements)]
            by_fact |= {link.fact: link for link in mine[:limit]}
        self.brought.append(set(by_fact))
        return columns_of(by_fact.values())


@given(GRAPHS, STARTS, STARTS, st.lists(st.integers(0, 12), max_size=3))
def test_what_is_fetched_is_bounded_by_the_room_and_fetched_once(graph, start, second, room):
    links = links_of(graph)
    fetched = Fetched(links)
    around = Surroundings(fetched, Region(facts=len(links)))
    around.walk_from(start, room)
    begun = fetched.brought[bool(start) :]
    assert len(begun) <= len(room)
    # A round that was given up for lack of room is the last, so rooms and rounds go side by side.
    assert all(len(facts) <= most for facts, most in zip(begun, room, strict=False))
    around.walk_from(second, room)
    names = [name for elements in fetched.asked for name in elements]
    assert len(names) == len(set(names))
    assert all(fetched.asked)
    assert set(around.region.rows) == set().union(*fetched.brought)


@given(GRAPHS, STARTS)
def test_with_room_for_everything_the_region_ranks_as_the_whole_graph(graph, start):
    links = links_of(graph)
    walked = Surroundings(Fetched(links), Region(facts=len(links))).walk_from(start, [1_000] * 10)
    if links:
        assert walked.chunks == walk(region_of(links, set(ELEMENTS)), start).chunks


@given(
    GRAPHS,
    st.dictionaries(st.sampled_from(ELEMENTS), st.floats(0, 1)),
    st.integers(0, 20),
    st.integers(0, 8),
    CHANCES,
)
def test_hubs_are_not_expanded_and_the_choice_is_within_the_room(graph, mass, room, hub, chance):
    region = region_of(links_of(graph), set())
    known = {name: share for name, share in mass.items() if name in region.degrees}
    chosen = region.worth_expanding(known, room, hub)
    assert all(region.degrees[name] <= hub for name in chosen)
    assert all(known[name] > 0 for name in chosen)
    assert sum(region.degrees[name] for name in chosen) <= room
    assert region.worth_expanding(mixed_up(chance, known), room, hub) == chosen
    region.add(chosen, columns_of([]))
    assert not set(region.worth_expanding(known, room, hub)) & set(chosen)


@given(PARTS, CHANCES)
def test_fused_scores_do_not_depend_on_any_order_and_lie_between_0_and_1(parts, chance):
    scores = fused(parts, NAMES)
    mixed = {part: mixed_up(chance, part_scores) for part, part_scores in mixed_up(chance, parts).items()}
    again = fused(mixed, chance.sample(NAMES, len(NAMES)))
    assert again == scores
    assert ranked(again) == ranked(scores)
    assert set(scores) == set(NAMES)
    assert all(0 <= score <= 1 + SLACK for score in scores.values())


@given(PARTS, st.sampled_from(sorted(WEIGHTS)), st.sampled_from(NAMES), st.floats(0, 1))
def test_more_of_any_part_never_lowers_a_chunk(parts, part, name, more):
    before = fused(parts, NAMES)[name]
    part_scores = parts.get(part, {})
    if name not in part_scores:
        return
    raised = min(1.0, part_scores[name] + more) if part == "walk" else part_scores[name] + more
    assert fused({**parts, part: {**part_scores, name: raised}}, NAMES)[name] >= before - SLACK


@given(PARTS)
def test_a_chunk_that_is_first_in_every_part_is_first(parts):
    best = {
        part: {**part_scores, "z": max([*part_scores.values(), 0.0]) + 1}
        for part, part_scores in parts.items()
    }
    best |= {"walk": {**best["walk"], "z": 1.0}} if "walk" in best else {}
    scores = fused(best, [*NAMES, "z"])
    assert scores["z"] >= max(scores.values()) - SLACK


@given(SCORES, st.dictionaries(st.sampled_from(NAMES), st.floats(0, 1e300)))
def test_a_scale_and_damping_keep_the_order_between_0_and_1(scores, mass):
    scales = dict(zip(NAMES, scaled(scores, NAMES), strict=True)), damped(mass)
    for scale, before in zip(scales, (scores, mass), strict=True):
        assert all(0 <= score <= 1 for score in scale.values())
        order = sorted(before, key=before.__getitem__)
        assert all(scale.get(name, 0.0) <= scale.get(other, 0.0) for name, other in pairwise(order))
    assert set(scales[1]) <= set(mass)
    assert all(scales[1][name] == 1 for name in mass if mass[name] == max(mass.values()) > 0)
