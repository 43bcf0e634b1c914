"""What an evaluation counts, by hand-counted examples."""

import math
import random

import pytest
from doubles.evaluated import answer_row

from hopline.models.jobs import JobState
from producer.evaluation.answers import measure_answers
from producer.evaluation.measures import (
    Bootstrap,
    all_found,
    contains,
    exact_match,
    f1,
    percentile,
    plain_answer,
    recall,
)
from producer.evaluation.retrieval import RankedRow, measure_retrieval

RANKING = ("a", "x", "b", "y", "z", "c")


def row(number: int, kind: str, **rankings: tuple[str, ...]) -> RankedRow:
    asked = {"id": str(number), "question": "?", "type": kind, "gold": ("a", "b"), "failed": {}}
    times = {"seconds": number / 1000, "parts": {"walk": number / 2000}}
    return RankedRow(**asked, **times, rankings=rankings)


def test_recall_is_the_share_of_gold_among_the_first_and_all_gold_is_all_or_nothing() -> None:
    gold = frozenset({"a", "b", "c"})
    assert [recall(RANKING, gold, most) for most in (2, 5, 6)] == [1 / 3, 2 / 3, 1]
    assert recall((), gold, 5) == 0
    assert all_found(RANKING, frozenset({"a", "b"}), 5) == 1
    assert all_found(RANKING, gold, 5) == 0


@pytest.mark.parametrize(("text", "plain"), [
    ("The  Eiffel-Tower!", "eiffeltower"), ("An answer, a theory", "answer theory"),
    ("Vestby was founded in 1920 [1] [2].", "vestby was founded in 1920"), ("the", ""),
])  # fmt: skip
def test_answers_are_compared_without_case_punctuation_articles_and_markers(text: str, plain: str) -> None:
    assert plain_answer(text) == plain


def test_what_answers_contain_match_and_share_is_as_counted_by_hand() -> None:
    assert contains("The bridge was opened on 4 March 1890 [1].", "March 4, 1890") == 0
    assert contains("The bridge was opened on 4 March 1890 [1].", "4 March 1890") == 1
    assert contains("It was drawn by the Beatlesons.", "Beatles") == 0
    assert contains("Yes, both are rivers [1].", "yes") == 1
    assert contains("Nobody says yes.", "yes") == 0
    assert contains("", "yes") == 0
    assert contains("Anything", "the") == 0
    assert exact_match("The Beatles.", "beatles") == 1
    assert exact_match("", "beatles") == 0
    assert f1("She was born in Vestby [1].", "Vestby") == pytest.approx(2 * (1 / 5) * 1 / (1 / 5 + 1))
    assert f1("red red blue", "red blue blue") == pytest.approx(2 / 3)
    assert (f1("nothing", "in common"), f1("", "x")) == (0, 0)
    # Yes and no get no credit for overlap.
    assert (f1("yes it is", "yes"), f1("Yes!", "yes"), f1("no", "no one knows")) == (0, 1, 0)


def test_the_same_seed_gives_the_same_interval_as_wide_as_theory_says() -> None:
    dice = random.Random(5)
    values = [dice.gauss(0, 1) for _ in range(1000)]
    interval, other = (Bootstrap(1000, seed=1).interval(values) for _ in range(2))
    assert interval == other
    assert interval.low < interval.mean < interval.high
    assert interval.mean == pytest.approx(sum(values) / 1000)
    assert interval.high - interval.low == pytest.approx(2 * 1.96 / math.sqrt(1000), rel=0.15)


def test_values_that_do_not_vary_leave_no_doubt_and_none_leave_zero() -> None:
    sure = Bootstrap(20).interval([0.5] * 20)
    assert (sure.low, sure.mean, sure.high) == (0.5, 0.5, 0.5)
    assert Bootstrap(0).interval([]).mean == 0
    with pytest.raises(ValueError, match="3 values for 2 questions"):
        Bootstrap(2).interval([1, 2, 3])
    ordered = [float(n) for n in range(1, 101)]
    assert [percentile(values, 0.95) for values in (ordered, [7.0], [])] == [95, 7, 0], "values that occurred"


def test_a_paired_difference_is_surer_than_the_two_means() -> None:
    rows = [
        row(n, "bridge", search=("a", "b"), hybrid=("a", "x") if n % 10 else ("a", "b"))
        for n in range(1, 101)
    ]
    (group,) = measure_retrieval(rows, warm_up=0, seed=1).groups.values()
    assert group.over_hybrid is not None
    assert group.over_hybrid.recall_2.mean == pytest.approx(0.45)
    assert 0.4 < group.over_hybrid.recall_2.low < group.over_hybrid.recall_2.high < 0.5


def test_rankings_are_measured_per_type_and_a_missing_one_found_nothing() -> None:
    rows = [
        row(1, "bridge", search=("a", "b"), words=("a",)),
        row(2, "bridge", search=("x", "a"), words=()),
        row(3, "comparison", search=("x",)),
    ]
    retrieval = measure_retrieval(rows, warm_up=2, seed=1)
    assert list(retrieval.groups) == ["all", "bridge", "comparison"]
    assert set(retrieval.groups["all"].systems) == {"search", "words"}
    assert retrieval.groups["bridge"].systems["search"].recall_2.mean == 0.75
    assert retrieval.groups["all"].systems["words"].recall_5.mean == pytest.approx(0.5 / 3)
    assert retrieval.groups["all"].over_hybrid is None
    assert (retrieval.milliseconds.p50, retrieval.milliseconds.max) == (2, 3)
    assert retrieval.milliseconds.parts_p50 == {"walk": 1}


def test_an_abstention_is_wrong_and_cites_nothing_but_does_not_spoil_precision() -> None:
    silent = {"status": JobState.ABSTAINED, "text": "", "exact": 0.0, "f1": 0.0, "cited": ()}
    rows = [answer_row(), answer_row(cited=("p2", "d9", "p1")), answer_row(**silent)]
    (group,) = measure_answers(rows, strategy="graph", parallel=2, seed=1).groups.values()
    assert (group.answered.mean, group.abstained.mean) == pytest.approx((2 / 3, 1 / 3))
    assert group.exact_match.mean == pytest.approx(2 / 3)
    assert group.gold_cited.mean == pytest.approx((1 / 2 + 1 + 0) / 3)
    assert group.cited_gold is not None
    assert group.cited_gold.mean == pytest.approx((1 + 2 / 3) / 2)
    assert (group.tokens.mean, group.visits.mean) == (100, 4)
    (group,) = measure_answers([answer_row(cited=())], strategy="graph", parallel=1, seed=1).groups.values()
    assert group.cited_gold is None, "where nothing is cited nothing is said of precision"
