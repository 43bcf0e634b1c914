"""Ranks texts by the words they share with a question, without a model or vectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from workers.core.language.text import pieces

STOP_WORDS = frozenset(
    """a about after all also an and any are as at be been before being between both but by can could did
    do does during each for from had has have he her hers him his how i if in into is it its itself
    me more most my no nor not of on once only or other our out over own she should so some such
    than that the their them then there these they this those through to under until up very was we
    were what when where which while who whom whose why will with would you your name named tell
    give many much""".split()  # noqa: SIM905 - a list of words reads best
)
_ENDINGS = ("ing", "ed", "es", "s", "e")
_STEM = 4  # letters that must be left
_DAMPING = 60  # of the lead of the first ranks, as in the paper on reciprocal rank fusion


BM25_K1, BM25_B = 1.2, 0.75  # of Robertson and Zaragoza (2009), as usual


def counted_words(text: str) -> Counter[str]:
    """Return the frequency of each word of a text for BM25, without stop words."""
    return Counter(word for word in pieces(text) if word not in STOP_WORDS)


def terms(text: str) -> frozenset[str]:
    """Return the content words of a text, without common English endings; else character pairs."""
    return frozenset(filter(None, map(_term, pieces(text))))


@lru_cache(maxsize=256)
def question_terms(question: str, sub_questions: tuple[str, ...] = ()) -> frozenset[str]:
    """Return the content words of a question and its parts; cached, since every visit needs them."""
    return terms(" ".join((question, *sub_questions)))


def overlap(wanted: frozenset[str], text: str) -> float:
    """Return the share 0..1 of the wanted terms that the text contains."""
    if not wanted:
        return 0.0
    return len(wanted.intersection(map(_term, pieces(text)))) / len(wanted)


def by_reciprocal_rank(rankings: Iterable[Iterable[str]]) -> dict[str, float]:
    """Return each id's score over several rankings, by reciprocal rank fusion (Cormack et al., 2009).

    Args:
        rankings: ids, best first; unlike scores, ranks of different searches can be compared.
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking):
            scores[name] = scores.get(name, 0.0) + 1.0 / (_DAMPING + rank + 1)
    return scores


@lru_cache(maxsize=20_000)
def _term(word: str) -> str:
    """Return a content word's stem; "" for a stop word."""
    if word in STOP_WORDS:
        return ""
    word = word.removesuffix("'s").removesuffix("’s")
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM:
            return word[: -len(ending)]
    return word
