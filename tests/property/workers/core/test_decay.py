from hypothesis import given
from hypothesis import strategies as st

from workers.core.answers.evidence import collected, decayed_score, fact_key, final_facts, packed
from workers.core.answers.lexical_rank import by_reciprocal_rank
from workers.core.answers.walk import NextNode, Visited, rebuild_walk
from workers.core.records import QuotedFact, ScoredFact

UNIT = st.floats(0, 1)
DEPTH = st.integers(0, 12)
FACTS = st.lists(
    st.builds(
        ScoredFact,
        fact_text=st.text(min_size=1, max_size=20),
        source_node_id=st.just("k1"),
        extracted_from_depth=DEPTH,
        score=UNIT,
        source_description=st.just(""),
        scored_by=st.sampled_from(["critic", "default", "unscored"]),
    ),
    max_size=30,
)


@given(UNIT, DEPTH, UNIT)
def test_decay_never_raises_a_score_nor_leaves_the_unit_interval(score, depth, rate):
    decayed = decayed_score(score, depth, rate)
    assert 0 <= decayed <= score
    assert decayed_score(score, depth + 1, rate) <= decayed
    assert decayed_score(score, 0, rate) == score


@given(FACTS, UNIT, UNIT, st.randoms())
def test_final_facts_are_sorted_above_the_threshold_and_independent_of_order(facts, rate, threshold, random):
    final = final_facts(facts, rate, threshold)
    scores = [fact.final_decayed_score for fact in final]
    assert scores == sorted(scores, reverse=True)
    assert all(f.final_decayed_score >= threshold or f.scored_by == "unscored" for f in final)
    assert sum(f.scored_by == "unscored" for f in final) == sum(f.scored_by == "unscored" for f in facts)
    shuffled = list(facts)
    random.shuffle(shuffled)
    assert [f.final_decayed_score for f in final_facts(shuffled, rate, threshold)] == scores


@given(st.lists(st.integers(1, 100), max_size=40), st.integers(0, 500))
def test_packing_loses_nothing_and_never_passes_the_budget(sizes, budget):
    entries = list(enumerate(sizes))
    fits, over = packed(entries, lambda entry: entry[1], budget)
    assert sorted(fits + over) == entries
    assert sum(size for _, size in fits) <= budget
    assert fits == sorted(fits)
    if over:
        left = budget - sum(size for place, size in fits if place < over[0][0])
        assert over[0][1] > left


@given(st.lists(st.lists(st.sampled_from("abcdef"), unique=True, min_size=1), max_size=4))
def test_fusion_prefers_what_leads_every_ranking(rankings):
    scores = by_reciprocal_rank(rankings)
    assert set(scores) == {name for ranking in rankings for name in ranking}
    if len(firsts := {ranking[0] for ranking in rankings}) == 1:
        assert scores[firsts.pop()] == max(scores.values())


GRAPH = st.dictionaries(
    st.sampled_from("abcdefgh"), st.lists(st.sampled_from("abcdefgh"), max_size=4), min_size=1
)


@given(GRAPH, st.randoms())
def test_a_walk_has_smallest_depths_whatever_order_the_visits_came_in(graph, random):
    seeds = [NextNode(min(graph), min(graph))]
    visits = [
        (node, Visited(name="", next=tuple(NextNode(child, child) for child in following)))
        for node, following in graph.items()
    ]
    walk = rebuild_walk(seeds, dict(visits))
    depths = {step.node_id: step.depth for step in walk}
    for step in walk:
        for child in graph[step.node_id]:
            if child in graph:
                assert depths[child] <= step.depth + 1
        if step.parent is not None:
            assert depths[step.parent] == step.depth - 1
    random.shuffle(visits)
    assert rebuild_walk(seeds, dict(visits)) == walk


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x y", "X  y.", "z"]), DEPTH), max_size=12),
    st.randoms(),
)
def test_each_fact_is_collected_once_with_its_smallest_depth(quotes, random):
    visits = {}
    for node, text, depth in quotes:
        fact = QuotedFact(fact_text=text, source_node_id=node, extracted_from_depth=depth)
        visits.setdefault(node, []).append(fact)
    depths = {"a": 0, "b": 1, "c": 2}
    readings = list(visits.items())
    facts = collected(readings, depths, frozenset({"x"}))
    keys = [fact_key(fact.fact_text) for fact in facts]
    assert len(keys) == len(set(keys))
    for fact in facts:
        holders = [n for n, text, _ in quotes if fact_key(text) == fact_key(fact.fact_text)]
        assert fact.extracted_from_depth == min(depths[n] for n in holders)
    random.shuffle(readings)
    again = collected(readings, depths, frozenset({"x"}))
    assert [fact_key(fact.fact_text) for fact in again] == keys


def test_a_sentence_of_a_chunk_and_the_stored_fact_that_says_it_are_one_fact():
    loose = QuotedFact(fact_text="It opened in 1890.", source_node_id="a", extracted_from_depth=0)
    stored = loose.model_copy(
        update={"source_node_id": "b", "extracted_from_depth": 1, "source_fact_id": "f1"}
    )
    (fact,) = collected([("a", [loose]), ("b", [stored])], {"a": 0, "b": 1}, frozenset({"opened"}))
    assert fact.source_fact_id == "f1"
    assert fact.extracted_from_depth == 0
