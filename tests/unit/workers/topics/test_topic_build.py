"""Topics of facts that name what they are about, their graph, and the ids they keep."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import log1p

import numpy as np
import pytest
from doubles.topic_facts import MemoryTopicStore, Said, as_facts, themes

from hopline.models.topics import LEVELS
from workers.core.graph.topics import BuiltTopic, TopicFact
from workers.core.ids import element_id
from workers.topics.build import build_topics, carry_ids
from workers.topics.projection import ELEMENTS_OF_FACT, SMALL, Projection, project


def built(store: MemoryTopicStore, collection: str = "c", *, anew: bool = False) -> list[BuiltTopic]:
    build_topics(store, collection, job="j", anew=anew)  # type: ignore[arg-type]
    return store.newest


def of(statements: Sequence[Said], collection: str = "c") -> MemoryTopicStore:
    return MemoryTopicStore(as_facts(collection, statements))


def texts(topics: Sequence[BuiltTopic], facts: Sequence[TopicFact]) -> list[tuple[int, list[str]]]:
    """Return what can be compared between collections: levels, and facts in their order."""
    text = {fact.id: fact.text for fact in facts}
    return sorted((topic.level, [text[name] for name in topic.facts]) for topic in topics)


def level(topics: Sequence[BuiltTopic], number: int) -> list[BuiltTopic]:
    return [topic for topic in topics if topic.level == number]


def test_each_fact_is_in_one_topic_of_every_level_and_topics_lie_within_their_parents():
    store = of(themes(5, 40))
    topics = built(store)
    facts = {topic.id: set(topic.facts) for topic in topics}
    for number in range(LEVELS):
        counted = Counter(name for topic in level(topics, number) for name in topic.facts)
        assert counted == Counter(fact.id for fact in store.facts)
    for topic in topics:
        assert (topic.parent is None) == (topic.level == 0)
        assert topic.parent is None or facts[topic.id] <= facts[topic.parent]
    assert store.published[-1].topics == tuple(len(level(topics, number)) for number in range(LEVELS))
    assert (store.published[-1].facts, store.published[-1].documents) == (len(store.facts), 40)


def test_facts_of_different_themes_are_in_different_topics():
    store = of(themes(5, 60))
    theme = {fact.id: fact.text.split(".")[0] for fact in store.facts}
    for topic in level(built(store), 0):
        assert len({theme[name] for name in topic.facts}) == 1
        assert topic.documents == len(
            {name for fact in store.facts if fact.id in topic.facts for name in fact.documents}
        )


def test_the_same_facts_in_another_order_and_collection_have_the_same_topics():
    statements = themes(4, 40)
    here, there = of(statements), of(random.Random(2).sample(statements, len(statements)), "other")
    assert texts(built(here), here.facts) == texts(built(there, "other"), there.facts)


def test_a_build_of_unchanged_facts_changes_nothing():
    store = of(themes(4, 40))
    before = sorted(built(store))
    assert sorted(built(store)) == before
    assert {topic.id for topic in built(store, anew=True)} == {topic.id for topic in before}, (
        "nor from nothing"
    )


def test_topics_that_nothing_touched_stay_and_keep_their_ids():
    statements = themes(8, 80)
    store = of(statements)
    before = {topic.id: topic for topic in built(store)}
    more = [
        ("new", f"thing 0.{nth} meets thing 0.5 again.", [f"thing 0.{nth}", "thing 0.5"]) for nth in range(4)
    ]
    store.facts = as_facts("c", [*statements, *more])
    touched = {fact.id for fact in store.facts if "thing 0." in fact.text}
    after = {topic.id: topic for topic in built(store)}
    kept = {name: topic for name, topic in before.items() if not touched & set(topic.facts)}
    assert len(kept) > len(before) / 2
    assert all(after[name] == topic for name, topic in kept.items())


def test_a_theme_that_grows_keeps_its_id_and_one_that_ends_gives_it_up():
    statements = themes(3, 30)
    store = of(statements)
    before = {topic.id: set(topic.facts) for topic in level(built(store), 0)}
    gone = {fact.id for fact in store.facts if "thing 2." in fact.text}
    store.facts = as_facts("c", [statement for statement in statements if "thing 2." not in statement[1]])
    after = {topic.id: set(topic.facts) for topic in level(built(store), 0)}
    assert after == {name: facts for name, facts in before.items() if not facts & gone}


def test_central_is_what_names_most_of_what_the_topic_is_about():
    names = [f"part {nth}" for nth in range(5)]
    statements = [
        (f"d{nth}", f"{names[nth]} belongs to the engine.", [names[nth], "engine"]) for nth in range(5)
    ]
    statements += [
        (f"e{nth}", f"The engine drives {names[nth]}.", ["engine", names[nth]]) for nth in range(5)
    ]
    statements += [("f", "part 1 is red.", ["part 1"])]
    [topic] = level(built(of(statements)), 0)
    assert topic.elements[0] == as_facts("c", [("x", "x", ["engine"])])[0].elements[0][0]
    assert topic.facts[-1] == as_facts("c", [statements[-1]])[0].id


def test_what_joins_nothing_goes_where_its_documents_facts_are_and_else_into_the_rest():
    statements = [
        *themes(2, 12), ("d0", "It rained.", []), ("alone", "It snowed.", ["snow"]),
        ("alone", "It blew.", ["wind"]),
    ]  # fmt: skip
    store = of(statements)
    by_text = {fact.text: fact.id for fact in store.facts}
    for number in range(LEVELS):
        homes = {name: topic for topic in level(built(store), number) for name in topic.facts}
        document = {homes[fact.id].id for fact in store.facts if fact.documents == ["d0"] and fact.elements}
        assert homes[by_text["It rained."]].id in document
        assert homes[by_text["It snowed."]] == homes[by_text["It blew."]]
        assert set(homes[by_text["It blew."]].facts) == {by_text["It snowed."], by_text["It blew."]}


def test_no_facts_have_no_topics():
    store = MemoryTopicStore()
    assert built(store) == []
    assert store.published[-1].topics == (0, 0, 0)
    store.facts = as_facts("c", [("a", "It rained.", [])])
    assert [topic.level for topic in built(store)] == [0, 1, 2]


def named(statements: Sequence[Said]) -> tuple[list[str], list[str]]:
    """Return what the largest topic of the coarsest level is called: its elements, and its facts in order."""
    store = of(statements)
    names = {name: called for fact in store.facts for name, called in fact.elements}
    text = {fact.id: fact.text for fact in store.facts}
    topic = max(level(built(store), 0), key=lambda topic: len(topic.facts))
    return [names[name] for name in topic.elements], [text[name] for name in topic.facts]


def guests_about(*themes: str) -> list[Said]:
    """Return what twelve guests say of each theme, each by name, and that they walked."""
    return [
        statement
        for nth in range(12)
        for who in [f"Guest {nth}"]
        for statement in (
            *((f"d{nth}", f"{who} complains about the {what}.", [who, *what.split()]) for what in themes),
            (f"d{nth}", f"{who} and {who}'s dog walked to lake {nth}.", [who, f"{who}'s dog", f"lake {nth}"]),
        )
    ]


def test_a_topic_is_named_by_what_its_documents_share_and_not_by_who_says_it():
    elements, facts = named(guests_about("cold coffee", "cold soup"))
    assert elements[:3] == ["cold", "coffee", "soup"]
    assert "cold" in facts[0]


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


def new_id(topic: int, nth: int) -> str:
    return f"n{topic}.{nth}"


def known(name: str, *facts: int, gone: int = 0) -> tuple[str, np.ndarray, int]:
    return name, np.array(facts, np.int64), len(facts) + gone


def test_the_largest_overlap_comes_first_and_each_id_is_used_once():
    topic_of = np.array([0, 0, 0, 1, 1, 1, 1])
    assert carry_ids(topic_of, 2, [known("a", 0, 1, 2, 3), known("b", 4, 5, 6)], new_id) == ["a", "b"]
    assert carry_ids(topic_of, 2, [known("a", 0, 1, 2, 3, 4, 5, 6)], new_id) == ["n0.0", "a"]
    assert carry_ids(np.array([0, 0]), 1, [known("b", 0), known("a", 1)], new_id) == ["a"], "of equal ones"


def test_little_in_common_is_another_topic_with_an_id_that_none_has_or_had():
    topic_of = np.array([0, 0, 0, 0])
    assert carry_ids(topic_of, 1, [known("a", 0)], new_id) == ["n0.0"]
    assert carry_ids(topic_of, 1, [known("a", 0, 1, gone=2)], new_id) == ["a"]
    assert carry_ids(topic_of, 1, [known("a", 0, 1, gone=9)], new_id) == ["n0.0"]
    before = [known("n1.0", 0, 1), known("n1.1", gone=3)]
    assert carry_ids(np.array([0, 0, 1, 1]), 2, before, new_id) == ["n1.0", "n1.2"]
