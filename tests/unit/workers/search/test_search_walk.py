"""The walk over the part of a graph around a question's key elements, and what is fetched for it."""

from collections.abc import Sequence
from itertools import chain

import pytest
from doubles.graph_parts import Whole

from workers.core.graph.surroundings import FactColumns, FactLinks, columns_of
from workers.search.fusion import damped, fused, ranked, scaled
from workers.search.page_rank import walk
from workers.search.region import Surroundings
from workers.search.walk import Region

FACTS = 1_000  # in the whole collection


class Facts(Whole):
    """A graph of facts with their elements; each is said by one chunk of its own, unless told otherwise."""

    def __init__(self, **facts: str) -> None:
        self.held = {name: elements.split() for name, elements in facts.items()}
        self.chunks = {name: [f"chunk {name}"] for name in facts}
        self.asked: list[list[str]] = []
        self.limits: set[int] = set()

    def degree(self, element: str) -> int:
        return sum(element in elements for elements in self.held.values())

    def link(self, fact: str) -> FactLinks:
        elements = [(element, self.degree(element)) for element in self.held[fact]]
        return FactLinks(fact, self.chunks[fact], elements)

    def facts_around(self, elements: Sequence[str], limit: int) -> FactColumns:
        self.asked.append(list(elements))
        self.limits.add(limit)
        fact_lists = [
            [fact for fact in self.held if element in self.held[fact]][:limit] for element in elements
        ]
        return columns_of(self.link(fact) for fact in dict.fromkeys(chain.from_iterable(fact_lists)))

    def surroundings(self) -> Surroundings:
        return Surroundings(self, Region(facts=FACTS))  # type: ignore[arg-type]


def region_of(graph: Facts, *expanded: str) -> Region:
    region = Region(facts=FACTS)
    elements = expanded or {element for held in graph.held.values() for element in held}
    region.add(elements, columns_of(map(graph.link, graph.held)))
    return region


# the walk -------------------------------------------------------------------------------------------


def test_mass_goes_from_elements_over_facts_to_other_elements_and_to_chunks():
    walked = walk(region_of(Facts(f="ada engine", g="engine babbage", far="paris seine")), {"ada": 1.0})
    assert set(walked.facts) == {"f", "g"}, "what nothing joins to the start gets no rank"
    assert set(walked.elements) == {"ada", "engine", "babbage"}
    assert ranked(walked.chunks) == ["chunk f", "chunk g"]
    assert walked.elements["ada"] > walked.elements["engine"] > walked.elements["babbage"] > 0


@pytest.mark.parametrize("start", [{}, {"nobody": 1.0}, {"nobody": 1.0, "none": 3.0}])
def test_a_start_without_facts_leads_nowhere(start):
    walked = walk(region_of(Facts(f="ada engine")), start)
    assert walked.chunks == walked.facts == {}
    assert not {"ada", "engine"} & set(walked.elements)
    assert walk(Region(facts=0), start).elements == {}


def test_a_rare_element_leads_on_and_a_frequent_one_hardly():
    many = {f"s{nth}": f"frequent s{nth}" for nth in range(50)}
    walked = walk(region_of(Facts(f="ada rare frequent", g="rare x", **many)), {"ada": 1.0})
    assert walked.elements["rare"] > walked.elements["frequent"]
    assert walked.chunks["chunk g"] > max(walked.chunks[f"chunk s{nth}"] for nth in range(50))


def test_what_more_of_the_start_leads_to_is_nearer():
    graph = Facts(both="ada babbage x", one="ada y", other="babbage z")
    assert ranked(walk(region_of(graph), {"ada": 1.0, "babbage": 1.0}).facts)[0] == "both"
    heavy = walk(region_of(graph), {"ada": 9.0, "babbage": 1.0})
    assert heavy.facts["one"] > heavy.facts["other"]


def test_an_element_that_is_not_expanded_passes_nothing_on():
    graph = Facts(f="ada engine", g="engine babbage")
    walked = walk(region_of(graph, "ada"), {"ada": 1.0})
    assert walked.elements["engine"] > 0
    assert "g" not in walked.facts


def test_the_chunks_of_a_fact_share_its_mass():
    graph = Facts(f="ada engine")
    alone = walk(region_of(graph), {"ada": 1.0}).chunks["chunk f"]
    graph.chunks["f"] = ["one", "two"]
    shared = walk(region_of(graph), {"ada": 1.0}).chunks
    assert shared["one"] == shared["two"] == pytest.approx(alone / 2)


# what is fetched ------------------------------------------------------------------------------------


def test_the_region_grows_by_what_the_walk_reaches():
    graph = Facts(f="ada engine", g="engine babbage", h="babbage london", far="paris seine")
    walked = graph.surroundings().walk_from({"ada": 1.0}, room=[10, 10])
    assert graph.asked == [["ada"], ["engine"], ["babbage"]]
    assert set(walked.facts) == {"f", "g", "h"}


def test_a_hub_is_not_expanded():
    many = {f"s{nth}": f"hub s{nth}" for nth in range(500)}
    graph = Facts(f="ada hub engine", g="engine babbage", **many)
    walked = graph.surroundings().walk_from({"ada": 1.0}, room=[10_000, 10_000])
    assert all("hub" not in elements for elements in graph.asked)
    assert set(walked.facts) == {"f", "g"}
    assert walked.elements["hub"] > 0  # reached, and left as it is


def test_a_start_with_very_many_facts_brings_a_bounded_number_of_them():
    graph = Facts(**{f"s{nth}": f"hub s{nth}" for nth in range(500)})
    around = graph.surroundings()
    around.walk_from({"hub": 1.0}, room=[])
    [limit] = graph.limits
    assert len(around.region.rows) == limit < 500


def test_nothing_is_fetched_where_there_is_no_start_or_no_room():
    graph = Facts(f="ada engine", g="engine babbage")
    graph.surroundings().walk_from({})
    assert graph.asked == []
    graph.surroundings().walk_from({"ada": 1.0}, room=[])
    graph.surroundings().walk_from({"ada": 1.0}, room=[0, 0])
    assert graph.asked == [["ada"], ["ada"]]


def test_a_second_walk_goes_on_from_what_the_first_fetched():
    graph = Facts(f="ada engine", g="engine babbage", h="babbage london")
    around = graph.surroundings()
    around.walk_from({"ada": 1.0}, room=[10])
    walked = around.walk_from({"engine": 1.0, "babbage": 1.0}, room=[])
    assert graph.asked == [["ada"], ["engine"], ["babbage"]]
    assert set(walked.facts) == {"f", "g", "h"}


# fusion ---------------------------------------------------------------------------------------------


def test_equals_are_ranked_by_name_and_the_limit_is_kept():
    assert ranked({"b": 1.0, "c": 2.0, "a": 1.0}) == ["c", "a", "b"]
    assert ranked({"b": 1.0, "a": 1.0}, 1) == ["a"]
    assert ranked({}) == []


def test_scores_are_brought_to_one_scale_and_what_has_none_has_the_least():
    assert scaled({"a": 10.0, "b": 20.0, "c": 30.0}, ["a", "b", "c", "d"]) == [0.0, 0.5, 1.0, 0.0]
    assert scaled({"a": 3.0}, ["a", "b"]) == [0.0, 0.0]
    assert scaled({"elsewhere": 9.0, "a": 1.0, "b": 2.0}, ["a", "b"]) == [0.0, 1.0]
    assert scaled({"b": 2.0, "c": 1.0}, ["a", "b", "c"], missing=0.0) == [0.0, 1.0, 0.5]


def test_the_most_mass_is_one_and_a_trace_of_it_nothing():
    scores = damped({"most": 0.5, "tenth": 0.05, "trace": 0.5e-9, "none": 0.0})
    assert scores["most"] == 1.0
    assert 0 < scores["tenth"] < 1
    assert set(scores) == {"most", "tenth"}
    assert damped({}) == damped({"a": 0.0}) == {}
    assert damped({"most": 1e300, "trace": 5e-324}) == {"most": 1.0}
    mass = {"most": 0.5, "tenth": 0.05, "trace": 0.5e-9}
    assert damped(mass, ["tenth", "trace", "unknown"]) == {"tenth": damped(mass)["tenth"]}


def test_parts_that_know_nothing_change_nothing():
    parts = {"walk": {"a": 1.0}, "words": {"b": 2.0, "a": 1.0}}
    assert fused({**parts, "vector": {}, "vector_asked": {}}, ["a", "b"]) == fused(parts, ["a", "b"])
    assert fused({}, ["a"]) == {"a": 0.0}
    assert fused({"words": {"a": 2.0}}, ["a", "b"])["a"] > 0, "the only chunk with words is the better one"
    assert fused(parts, []) == {}
