"""By what a topic is named: what its documents share, and the fact that says most of it."""

from collections.abc import Sequence

import numpy as np
from doubles.topic_facts import Said, as_facts

from workers.core.ids import element_id, fact_id
from workers.topics.projection import Projection, project
from workers.topics.shares import Shares, label_facts, naming_elements, shared_elements, stated_pairs

# Two topics: what guests say of coffee, and what is said of winter. Each guest speaks of other things too.
COFFEE: list[Said] = [
    ("d1", "Ada finds the coffee cold.", ["Ada", "coffee", "cold"]),
    ("d2", "Bela finds the coffee cold.", ["Bela", "coffee", "cold"]),
    ("d3", "Cora drinks coffee.", ["Cora", "coffee"]),
    ("d3", "Cora drinks coffee with Cora's dog.", ["Cora", "coffee", "dog"]),
]
WINTER: list[Said] = [
    ("d4", "Winter is cold.", ["winter", "cold"]),
    ("d5", "Winter in Oslo is cold.", ["winter", "cold", "Oslo"]),
    ("d6", "Cora dislikes winter, and so does her dog.", ["Cora", "winter", "dog"]),
]


def found(*topics: Sequence[Said]) -> tuple[Projection, np.ndarray, Shares]:
    """Return the graph of facts, the topic of each, and what their documents share."""
    projection = project([as_facts("c", [statement for statements in topics for statement in statements])])
    home = {
        fact_id("c", text): number
        for number, statements in enumerate(topics)
        for _document, text, _names in statements
    }
    topic_of = np.array([home[name] for name in projection.facts])
    documents = np.array([len({document for document, _text, _names in statements}) for statements in topics])
    return projection, topic_of, shared_elements(projection, stated_pairs(projection), topic_of, documents)


def shares_of(topic: int, *topics: Sequence[Said]) -> dict[str, float]:
    projection, _topic_of, shares = found(*topics)
    names = {
        element_id("c", name): name
        for statements in topics
        for _document, _text, some in statements
        for name in some
    }
    return {
        names[projection.elements[element]]: float(value)
        for at, element, value in zip(shares.topics, shares.elements, shares.values, strict=True)
        if at == topic
    }


def test_what_more_documents_of_a_topic_and_fewer_others_mention_counts_more() -> None:
    coffee, winter = (shares_of(number, COFFEE, WINTER) for number in (0, 1))
    assert coffee["coffee"] == winter["winter"] == 1.0
    assert 0 < coffee["cold"] < 2 / 3


def test_what_one_document_mentions_however_often_counts_nothing() -> None:
    assert shares_of(0, COFFEE, WINTER)["Cora"] == 0.0
    assert set(shares_of(0, COFFEE).values()) == {1.0, 0.0, round(2 / 3, 9)}


def test_a_fact_that_two_documents_state_is_of_both() -> None:
    statements = [
        ("d1", "Tea is hot.", ["tea"]),
        ("d2", "Tea is hot.", ["tea"]),
        ("d3", "Tea grows.", ["tea"]),
    ]
    assert shares_of(0, statements) == {"tea": 1.0}


def test_shared_elements_name_a_topic_and_then_its_strongest_own_ones() -> None:
    projection, _topic_of, shares = found(COFFEE, WINTER)
    names = {
        element_id("c", name): name
        for statements in (COFFEE, WINTER)
        for *_place, some in statements
        for name in some
    }
    strengths = np.arange(len(projection.elements), dtype=np.float64)
    own = np.array([names[projection.elements[at]] in {"Cora", "dog"} for at in shares.elements])
    coffee, winter = naming_elements(shares, own, strengths, 2, 8)
    assert [names[projection.elements[at]] for at in coffee[:2]] == ["coffee", "cold"]
    assert coffee[2:] == sorted(coffee[2:], key=lambda at: -strengths[at])
    assert {names[projection.elements[at]] for at in coffee[2:]} == {"Cora", "dog"}
    assert naming_elements(shares, own, strengths, 2, 1) == [coffee[:1], winter[:1]]


def test_a_topic_is_called_by_the_fact_that_says_most_of_what_is_shared_and_least_besides() -> None:
    projection, topic_of, shares = found(COFFEE, WINTER)
    called = label_facts(projection, shares, topic_of, np.zeros(len(topic_of)))
    labels = {projection.facts[at] for at in np.flatnonzero(called)}
    assert len(labels) == 2
    assert fact_id("c", "Winter is cold.") in labels
    assert labels & {fact_id("c", text) for _document, text, _names in COFFEE[:2]}


def test_where_nothing_is_shared_a_topic_is_called_by_its_most_central_fact() -> None:
    statements = [("d", f"The cart has a {part}.", ["cart", part]) for part in ("wheel", "brake", "axle")]
    projection, topic_of, shares = found(statements)
    rank = np.array([0.0, 2.0, 1.0])
    assert label_facts(projection, shares, topic_of, rank).tolist() == [False, True, False]
