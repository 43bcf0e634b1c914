"""Which claims of a survey are one, and in which order they are written."""

import random

import pytest

from workers.traverse.survey.claims import Claim, merged, ranked_claims

COLD = "Guests complain about cold coffee at breakfast."
STATED = {"f1": {"d1", "d2"}, "f2": {"d2", "d3"}, "f3": {"d4"}}


def claim(text: str, *facts: str, relevance: float = 0.8, topic: str = "t1") -> Claim:
    documents = set[str]().union(*(STATED[fact] for fact in facts))
    return Claim(text=text, facts=facts, relevance=relevance, topic=topic, documents=len(documents))


@pytest.mark.parametrize("other", [
    COLD.upper(),
    "Guests complained about the cold coffee at breakfast.",
    "Guests at breakfast complain of cold coffee.",
])  # fmt: skip
def test_claims_that_say_the_same_are_one_with_the_documents_of_both(other: str) -> None:
    [only] = merged([claim(COLD, "f1", "f3"), claim(other, "f2", relevance=0.9, topic="t2")], STATED)
    assert only.text == COLD
    assert only.facts == ("f1", "f3", "f2")
    assert (only.documents, only.relevance, only.topic) == (4, 0.9, "t2")


@pytest.mark.parametrize(("text", "other"), [
    (COLD, "Guests complain about cold tea at breakfast."),
    ("The rooms of the hotel are clean.", "The rooms of the hotel are not clean."),
    (
        "Ada Brook complained about the cold coffee and stale bread at breakfast.",
        "Ida Brook complained about the cold coffee and stale bread at breakfast.",
    ),
    (
        "The price of rooms rose in summer by 5 percent a year.",
        "The price of rooms rose in summer by 6 percent a year.",
    ),
    ("客人说酒店早餐的热咖啡和面包都好", "客人说酒店早餐的热咖啡和面包都不好"),
])  # fmt: skip
def test_claims_that_differ_in_what_matters_stay_apart(text: str, other: str) -> None:
    assert len(merged([claim(text, "f1"), claim(other, "f2")], STATED)) == 2


def test_neither_merging_nor_ranking_depends_on_the_order() -> None:
    claims = [
        claim(COLD, "f1"),
        claim("Guests complain about cold coffee at the breakfast!", "f2", topic="t2"),
        claim("Guests complain about noise.", "f3"),
        claim("Guests like the pool.", "f3", topic="t3"),
    ]
    expected = ranked_claims(merged(claims, STATED), 3)
    assert len(expected) == 3
    for seed in range(5):
        random.Random(seed).shuffle(claims)
        assert ranked_claims(merged(claims, STATED), 3) == expected


def test_a_small_theme_goes_before_what_a_large_one_says_in_other_words() -> None:
    stated = {f"p{n}": {f"d{n}"} for n in range(20)}
    claims = [
        Claim(text=text, facts=facts, relevance=0.8, topic=topic, documents=len(facts))
        for text, facts, topic in (
            ("Guests complain about the dirty pool.", tuple(stated)[:9], "t1"),
            ("Guests complain about the closed pool.", tuple(stated)[9:13], "t2"),
            ("Guests complain about stale bread.", tuple(stated)[13:15], "t1"),
            ("Guests like the view.", tuple(stated)[19:], "t1"),
        )
    ]
    texts = [claim.text for claim in ranked_claims(claims, 4)]
    assert texts[:2] == [claims[0].text, claims[2].text]
