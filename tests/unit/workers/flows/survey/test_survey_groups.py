"""How relevant facts are packed for the calls that make claims of them."""

from hypothesis import given
from hypothesis import strategies as st

from workers.traverse.survey.claims import RelevantFact
from workers.traverse.survey.results import alike, packed_groups

Groups = dict[tuple[str, ...], list[RelevantFact]]


def facts(topic: str, count: int) -> list[RelevantFact]:
    return [RelevantFact(id=f"{topic}{n}", text="It is.", relevance=0.5, topic=topic) for n in range(count)]


topics = st.dictionaries(
    st.sampled_from("abcdefghijkl").map(lambda name: (name,)), st.integers(1, 90), min_size=1
).map(lambda sizes: {path: facts(path[0], count) for path, count in sizes.items()})


@given(topics, st.integers(1, 12), st.integers(20, 60))
def test_every_fact_is_in_one_group_and_none_is_too_large(alike_facts, most, largest):
    groups = packed_groups(alike_facts, most, largest)
    every = [fact.id for some in alike_facts.values() for fact in some]
    assert sorted(fact.id for group in groups for fact in group) == sorted(every)
    assert len(groups) <= most
    if len(every) <= most * largest:
        assert max(map(len, groups)) <= largest


def test_what_is_alike_stays_together_where_calls_are_left() -> None:
    groups = packed_groups({("a",): facts("a", 100), ("b",): facts("b", 30)}, 8, 60)
    assert [len(group) for group in groups] == [60, 40, 30]


def test_facts_that_say_the_same_are_one_group_whatever_topic_they_lie_in() -> None:
    templates = {
        "pool": "{who} and other guests complain about the dirty pool.",
        "coffee": "{who} and other guests complain about the cold coffee.",
    }
    who = ("Ada Brook", "Cora Lund", "Dina Holt")
    every = [
        RelevantFact(id=f"{theme}{n}", text=text.format(who=name), relevance=0.9 - n / 10, topic=name)
        for theme, text in templates.items()
        for n, name in enumerate(who)
    ]
    expected = [[fact.id for fact in every[:3]], [fact.id for fact in every[3:]]]
    for order in (every, every[::-1]):
        groups = alike(order)
        assert sorted([fact.id for fact in group] for group in groups.values()) == sorted(expected)
        assert all(narrow in {fact.text for fact in group} for (_wide, narrow), group in groups.items())
