"""BM25 over the texts of several documents together is as the formula has it."""

from __future__ import annotations

import math

import pytest

from workers.adapters.neo4j.scoped.words import Vocabulary, WordIndex
from workers.core.answers.lexical_rank import BM25_B, BM25_K1, counted_words

DOCUMENTS = (
    ["The mill stood by the river.", "A river, a mill, a mill."],
    ["Nobody was there."],
    [],
    ["The ferry crossed the river.", "The mill burned.", "Ferry and mill and ferry."],
)
TEXTS = [text for texts in DOCUMENTS for text in texts]


def scores(question: str) -> dict[int, float]:
    counted = [counted_words(text) for text in TEXTS]
    mean = sum(counter.total() for counter in counted) / len(counted)
    totals: dict[int, float] = {}
    for word in counted_words(question):
        holding = [at for at, counter in enumerate(counted) if word in counter]
        weight = math.log(1 + (len(TEXTS) - len(holding) + 0.5) / (len(holding) + 0.5))
        for at in holding:
            often, length = counted[at][word], counted[at].total()
            damped = often + BM25_K1 * (1 - BM25_B + BM25_B * length / mean)
            totals[at] = totals.get(at, 0) + weight * often * (BM25_K1 + 1) / damped
    return totals


@pytest.mark.parametrize("question", ["mill", "ferry on the river", "who was nobody", "unheard of", ""])
def test_scores_are_those_of_the_formula_whatever_else_was_counted_before(question: str) -> None:
    vocabulary = Vocabulary()
    vocabulary.counted(["What another document said of the ferry, unheard."])
    index = WordIndex([vocabulary.counted(texts) for texts in DOCUMENTS], vocabulary)
    expected = sorted(scores(question).items(), key=lambda pair: (-pair[1], pair[0]))
    hits = index.best(question, 10)
    assert [at for at, _score in hits] == [at for at, _score in expected]
    assert [score for _at, score in hits] == pytest.approx([score for _at, score in expected])
    assert index.best(question, 1) == hits[:1]


def test_no_text_is_found_among_none() -> None:
    assert WordIndex([], Vocabulary()).best("mill", 5) == []
