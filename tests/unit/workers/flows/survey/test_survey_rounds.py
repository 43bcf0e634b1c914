"""Which facts of which topics a survey looks at next, whatever critics say of them."""

import math
import random

from hypothesis import given
from hypothesis import strategies as st

from workers.core.answers.likeness import Likeness
from workers.traverse.survey.records import SurveyFact, SurveyTopic
from workers.traverse.survey.rounds import BATCH, HIT, Exploration, Picker


def topic(name: str, parent: str | None) -> SurveyTopic:
    level = name.count("/")
    return SurveyTopic(id=name, level=level, parent=parent, name=name, facts=1, documents=1, mass=1.0)


def fact(n: int, topic: str, weight: float = 1.0) -> SurveyFact:
    told = {"id": f"f{n}", "text": f"Fact {n}.", "title": f"d{n % 7}", "quote": ""}
    return SurveyFact(**told, topic=topic, weight=weight, documents=(n % 7,))


def sight(n: int, topic: str, document: int, text: str, weight: float = 1.0) -> SurveyFact:
    return fact(n, topic, weight).model_copy(update={"text": text, "documents": (document,)})


@st.composite
def charts(draw: st.DrawFn) -> tuple[list[SurveyTopic], list[SurveyFact]]:
    """Topics in three levels, and facts in the finest ones or in none."""
    numbers = st.tuples(*(st.integers(0, 3),) * 3)
    finest = draw(st.lists(numbers.map(lambda some: "/".join(map(str, some))), max_size=12))
    names = {name for path in finest for name in (path, path[:3], path[:1])}
    topics = [topic(name, name.rpartition("/")[0] or None) for name in sorted(names)]
    homes = st.sampled_from([*finest, ""])
    weights = st.floats(0, 5, allow_nan=False)
    facts = [fact(n, draw(homes), draw(weights)) for n in range(draw(st.integers(0, 120)))]
    return topics, facts


def rounds(chart, max_facts, max_batches, seed):
    """Yield each round's batches, after what critics say of the round before; of some facts nothing."""
    rng = random.Random(seed)
    exploration = Exploration(*chart, max_facts, max_batches)
    while batches := exploration.next_batches():
        yield exploration, batches
        chosen = [n for batch in batches for n in batch]
        exploration.take({n: rng.choice((None, None, 0.0, 0.2, HIT, 1.0)) for n in chosen})


WORDS = st.lists(
    st.sampled_from(["ferry", "island", "market", "coffee", "noise", "beds", "pool"]), max_size=4
)


@given(st.lists(st.tuples(WORDS, st.floats(0, 5), st.integers(0, 9)), max_size=40), st.booleans())
def test_each_fact_that_is_picked_was_worth_most_when_it_was(statements, elsewhere) -> None:
    facts = [
        sight(n, "", document, " ".join(words), weight)
        for n, (words, weight, document) in enumerate(statements)
    ]
    likeness = Likeness([fact.text for fact in facts])
    picked = Picker(facts, likeness, set()).pick(range(len(facts)), 12, elsewhere=elsewhere)
    for place, n in enumerate(picked):
        before = Picker(facts, likeness, set(picked[:place]))
        documents = {facts[other].documents[0] for other in picked[:place]}
        left = [other for other in range(len(facts)) if other not in picked[:place]]
        free = [n for n in left if not (elsewhere and facts[n].documents[0] in documents)]
        assert n == max(free, key=before.worth)


@given(charts(), st.integers(1, 300), st.integers(1, 30), st.integers(0, 99))
def test_no_budget_is_passed_and_no_fact_is_scored_twice(chart, max_facts, max_batches, seed) -> None:
    seen: list[int] = []
    calls = 0
    for nth, (_exploration, batches) in enumerate(rounds(chart, max_facts, max_batches, seed)):
        assert nth < len(chart[1]) + 1
        assert all(0 < len(batch) <= BATCH for batch in batches)
        calls += len(batches)
        seen += [n for batch in batches for n in batch]
    assert len(seen) == len(set(seen)) <= max_facts
    assert calls <= min(max_batches, math.ceil(max_facts / BATCH) + len(chart[1]))


@given(charts(), st.integers(0, 99))
def test_children_are_looked_at_only_where_what_they_lie_in_had_a_hit(chart, seed) -> None:
    for exploration, _batches in rounds(chart, 300, 30, seed):
        for n, looked in exploration.looked_for.items():
            path = exploration.path(n)
            for above in path[path.index(looked) + 1 :]:
                held = [other for other, name in exploration.looked_for.items() if name == above]
                hits = [other for other in held if exploration.scores.get(other, 0.0) >= HIT]
                assert hits, f"{looked} was entered though {above} had no hit"


def test_a_topic_is_left_after_two_rounds_without_a_hit() -> None:
    topics = [topic("a", None), topic("b", None)]
    facts = [fact(n, "a", 5.0) for n in range(40)] + [fact(40 + n, "b") for n in range(40)]
    exploration = Exploration(topics, facts, 300, 20)
    for _round in range(4):
        batches = exploration.next_batches()
        exploration.take({n: 1.0 if n >= 40 else 0.0 for batch in batches for n in batch})
    before = {n for n in exploration.looked_for if n < 40}
    while batches := exploration.next_batches():
        exploration.take({n: 1.0 for batch in batches for n in batch})
    assert {n for n in exploration.looked_for if n < 40} == before
    assert {n for n in exploration.looked_for if n >= 40} == set(range(40, 80))


def test_many_topics_are_looked_at_before_one_is_read_to_its_end() -> None:
    topics = [topic(name, None) for name in "abcdef"]
    facts = [fact(n, "abcdef"[n % 6]) for n in range(300)]
    batches = Exploration(topics, facts, 100, 7).next_batches()
    assert {facts[n].topic for batch in batches for n in batch} == set("abcdef")


def test_rounds_that_no_critic_scored_do_not_close_a_topic() -> None:
    exploration = Exploration([topic("a", None)], [fact(n, "a") for n in range(100)], 100, 20)
    for _round in range(3):
        exploration.take({n: None for batch in exploration.next_batches() for n in batch})
    while batches := exploration.next_batches():
        exploration.take({n: 1.0 for batch in batches for n in batch})
    assert len(exploration.looked_for) == 100
    assert exploration.hits


def test_facts_without_a_score_are_no_miss_beside_those_with_one() -> None:
    exploration = Exploration([topic("a", None)], [fact(n, "a") for n in range(100)], 100, 20)
    for first in (None, 0.0, None):
        chosen = [n for batch in exploration.next_batches() for n in batch]
        exploration.take(dict.fromkeys(chosen) | {chosen[0]: first})
    last = [n for batch in exploration.next_batches() for n in batch]
    exploration.take(dict.fromkeys(last, 0.0))
    assert last
    assert not exploration.next_batches()


def test_documents_of_which_nothing_was_looked_at_come_first() -> None:
    topics = [topic("a", None), topic("b", None)]
    facts = [sight(n, "ab"[n % 2], n // 4, f"Guest {n} complained.", 2.0 - n % 4 / 10) for n in range(4 * 60)]
    exploration = Exploration(topics, facts, 100, 20)
    for _round in range(2):
        exploration.take({n: 1.0 for batch in exploration.next_batches() for n in batch})
    documents = [facts[n].documents for n in exploration.looked_for]
    assert len(set(documents)) == len(documents) == 60
    while batches := exploration.next_batches():
        exploration.take({n: 1.0 for batch in batches for n in batch})
    assert len(exploration.looked_for) == 100


def test_what_is_new_is_looked_at_before_more_of_the_same() -> None:
    facts = [sight(n, "a", n, f"Guests complain about the dirty pool ({n}).", 1.0) for n in range(280)]
    rare = len(facts)
    facts.append(sight(rare, "a", rare, "Guests complain about the late shuttle.", 0.5))
    exploration = Exploration([topic("a", None)], facts, 100, 20)
    assert rare in {n for batch in exploration.next_batches() for n in batch}


def test_what_a_search_found_nearest_is_looked_at_in_the_first_round() -> None:
    topics = [topic(name, None) for name in "abcdefghi"]
    facts = [sight(n, "abcdefgh"[n % 8], n, f"Fact {n}.", 5.0) for n in range(280)]
    lone = sight(280, "i", 280, "Fact 280.", 0.4)
    for is_nearest in (False, True):
        every = [*facts, lone.model_copy(update={"is_nearest": is_nearest})]
        batches = Exploration(topics, every, 100, 20).next_batches()
        assert (280 in {n for batch in batches for n in batch}) is is_nearest


def test_the_picks_do_not_depend_on_ids() -> None:
    topics = [topic("a", None)]
    facts = [sight(n, "a", n, f"Guests complain about {what}.") for n, what in enumerate("abcdefgh" * 20)]
    named = [fact.model_copy(update={"id": f"x{159 - n}"}) for n, fact in enumerate(facts)]
    picks = [Exploration(topics, some, 100, 20).next_batches() for some in (facts, named)]
    assert picks[0] == picks[1]


def test_topics_that_are_cut_otherwise_lead_to_the_same_half_of_a_round() -> None:
    rng = random.Random(3)
    texts = [
        f"Guests complain about {rng.choice('abcdefgh')} and {rng.choice('ijklmnop')}." for _n in range(200)
    ]
    weights = [rng.random() for _n in texts]
    chosen = []
    for names in ("abcdefgh", "ijklmnopqrs"):
        said = enumerate(zip(texts, weights, strict=True))
        facts = [sight(n, rng.choice(names), n, text, weight) for n, (text, weight) in said]
        batches = Exploration([topic(name, None) for name in names], facts, 100, 20).next_batches()
        chosen.append({n for batch in batches for n in batch})
    assert len(chosen[0] & chosen[1]) >= len(chosen[0]) / 2
