"""Quality measures of rankings and answers, each with its confidence interval."""

from __future__ import annotations

import math
import random
import re
import string
from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from hopline.models.base import Frozen

RESAMPLES = 2000
_LEVEL = 0.95
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_MARKER = re.compile(r"(?<!\s)\s*+\[\d+(?:\s*,\s*\d+)*\]")
# HotpotQA: where either side is one of these, only an equal answer gets credit.
_WHOLE = frozenset({"yes", "no", "noanswer"})


class Interval(Frozen):
    """A mean over questions with its 95% confidence interval."""

    mean: float
    low: float
    high: float


class Bootstrap:
    """Resamples questions with replacement (Efron's percentile bootstrap), the same way for every measure.

    Args:
        count: how many questions there are.
        seed: the same seed gives the same intervals.
        resamples: how often the questions are drawn again.
    """

    def __init__(self, count: int, *, seed: int = 0, resamples: int = RESAMPLES) -> None:
        dice = random.Random(seed)  # noqa: S311 - statistics, no secret
        self._count = count
        self._draws = [dice.choices(range(count), k=count) for _ in range(resamples if count else 0)]

    def interval(self, values: Sequence[float]) -> Interval:
        """Return the mean of one value per question with its interval; without questions all are 0.

        The interval of a difference is that of each question's own difference: it is paired.
        """
        if len(values) != self._count:
            raise ValueError(f"{len(values)} values for {self._count} questions")
        if not values:
            return Interval(mean=0.0, low=0.0, high=0.0)
        means = sorted(sum(map(values.__getitem__, draw)) / self._count for draw in self._draws)
        tail = (1 - _LEVEL) / 2
        return Interval(
            mean=sum(values) / self._count, low=percentile(means, tail), high=percentile(means, 1 - tail)
        )


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the quantile (0..1) of sorted values, by nearest rank; 0 if there are none."""
    if not ordered:
        return 0.0
    return ordered[min(len(ordered), max(1, math.ceil(share * len(ordered)))) - 1]


def recall(ranking: Sequence[str], gold: AbstractSet[str], k: int) -> float:
    """Return R@k: the share of the gold passages among the first k of a ranking."""
    return len(gold & set(ranking[:k])) / len(gold)


def all_found(ranking: Sequence[str], gold: AbstractSet[str], k: int) -> float:
    """Return all-gold@k: 1 where every gold passage is among the first k, else 0."""
    return float(gold <= set(ranking[:k]))


def plain_answer(text: str) -> str:
    """Return an answer as the SQuAD script compares it: small letters, no punctuation, no articles.

    Source: evaluate-v1.1.py of SQuAD (Rajpurkar et al., 2016), which hotpot_evaluate_v1.py of HotpotQA (Yang
    et al., 2018) shares; rewritten. Markers such as [1] are ours and are taken off first.
    """
    bare = _MARKER.sub("", text).lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", bare).split())


def exact_match(answer: str, expected: str) -> float:
    """Return 1 if the two answers are equal in plain form, else 0."""
    return float(plain_answer(answer) == plain_answer(expected))


def contains(answer: str, expected: str) -> float:
    """Return 1 if the answer contains the expected answer, word by word in plain form, else 0.

    An expected yes or no counts only as the whole answer, or its first word.
    """
    text, wanted = plain_answer(answer), plain_answer(expected)
    if wanted in _WHOLE:
        return float(text.split()[:1] == [wanted])
    return float(bool(wanted) and f" {wanted} " in f" {text} ")


def f1(answer: str, expected: str) -> float:
    """Return the harmonic mean of precision and recall over the two answers' words, as HotpotQA has it."""
    text, expected_text = plain_answer(answer), plain_answer(expected)
    if text != expected_text and (text in _WHOLE or expected_text in _WHOLE):
        return 0.0
    left, right = text.split(), expected_text.split()
    common = sum((Counter(left) & Counter(right)).values())
    return 2 * common / (len(left) + len(right)) if common else 0.0
