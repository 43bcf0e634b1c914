"""The check of an answer's sentences does in every language what docs/guarantees.md says of it."""

import pytest
from languages import OWN, UNSEEN, Judged, judged, rows_of, shares


@pytest.fixture(scope="module")
def results() -> list[Judged]:
    # A result that no quote states counts only with its calculation, which these rows do not give.
    rows = [row for row in (*rows_of(OWN), *rows_of(UNSEEN)) if row.kind != "sum" or not row.ok]
    return judged(rows, judge=True)


def missed(results: list[Judged]) -> list[str]:
    return [result.row.id for result in results if not result.is_right]


def test_right_sentences_are_kept_and_wrong_ones_dropped_within_a_language(results):
    within = [result for result in results if result.row.group != "across"]
    counts = shares(within)
    assert min(counts["right"], counts["wrong"]) > 150
    assert counts["kept"] >= 0.97 * counts["right"], missed(within)
    assert counts["dropped"] >= 0.95 * counts["wrong"], missed(within)


def test_no_language_falls_behind(results):
    for language in sorted({result.row.group for result in results}):
        of_it = [result for result in results if result.row.group == language]
        counts = shares(of_it)
        assert counts["kept"] >= counts["right"] - max(1, counts["right"] // 20), missed(of_it)
        assert counts["dropped"] >= counts["wrong"] - 1, missed(of_it)


def test_across_languages_code_and_a_good_model_judge_together(results):
    across = [result for result in results if result.row.group == "across"]
    alone = judged([result.row for result in across])
    counts, by_code = shares(across), shares(alone)
    assert counts["kept"] >= 0.85 * counts["right"], missed(across)
    assert counts["dropped"] >= 0.85 * counts["wrong"], missed(across)
    assert by_code["kept"] >= 0.85 * by_code["right"], missed(alone)
    kept_wrongly = [result for result in alone if not result.row.ok and result.why is None]
    assert all(result.marked for result in kept_wrongly), missed(alone)
