"""How far an embedder is trusted, measured on a collection's own chunks without labels."""

import random

import pytest

from hopline.models.census import EmbedderFigure
from workers.search.embedder_figure import Pair, figure_of, pairs_of

SUBJECTS = ("harbour", "orchard", "foundry", "glacier", "library", "windmill", "tannery", "quarry")
TEXTS = [
    f"Place {number} was founded long ago. The {name} employs many skilled people today. "
    f"A yearly fair at the {name} draws large crowds. Visitors see the old {name} with its tools."
    for number, name in enumerate(SUBJECTS * 5)
]


def vectors_of(texts: list[str], noise: float) -> list[list[float]]:
    """Embed each text by its subject, with noise as large as told beside it."""
    drawn = random.Random(3)
    return [[float(subject in text) + noise * drawn.gauss(0, 1) for subject in SUBJECTS] for text in texts]


def figure(noise: float, pairs: list[Pair]) -> EmbedderFigure:
    texts = [pair.sentence for pair in pairs] + [pair.rest for pair in pairs]
    return figure_of(pairs, vectors_of(texts, noise), chunks=len(pairs))


@pytest.fixture
def pairs() -> list[Pair]:
    return pairs_of(TEXTS[: len(SUBJECTS)])


def test_a_sentence_is_taken_out_of_each_chunk_and_the_first_left_out():
    [pair] = pairs_of(TEXTS[:1])
    assert pair.sentence in TEXTS[0]
    assert pair.sentence not in pair.rest
    assert "founded" not in pair.sentence + pair.rest
    assert len(pairs_of(TEXTS, most=3)) == 3


@pytest.mark.parametrize(
    "text", ["", "One sentence only.", "Title here.\nOne sentence of it.", "A. B. C. D."]
)
def test_a_chunk_of_few_sentences_or_words_gives_no_pair(text):
    assert pairs_of([text]) == []


def test_chinese_chunks_give_pairs_and_their_words_find_them():
    texts = [
        f"第{name}章讲述了往事。{name}的居民在春天修建了水坝。这座水坝保护了{name}的农田。人们至今记得那一年。"
        for name in ("青石镇", "白鹭村", "红叶谷", "黑水寨")
    ]
    pairs = pairs_of(texts)
    assert len(pairs) == 4
    assert figure_of(pairs, [[1.0]] * 8, chunks=4).words > 0.5


def test_the_better_an_embedder_is_the_higher_is_its_figure(pairs):
    perfect, fair, random_one = (figure(noise, pairs).vectors for noise in (0.0, 0.3, 100.0))
    assert perfect == 1.0
    assert perfect > fair > random_one
    texts = [pair.sentence for pair in pairs] + [pair.rest for pair in pairs]
    made = vectors_of(texts, 0.3)
    longer = [[7 * number for number in vector] for vector in made]
    assert figure_of(pairs, longer, 9) == figure_of(pairs, made, 9), "the length of vectors says nothing"


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_vectors_that_are_all_the_same_find_nothing(pairs, value):
    same = figure_of(pairs, [[value, value]] * (2 * len(pairs)), chunks=9)
    assert same.vectors == round(1 / len(pairs), 4)


def test_an_embedder_better_than_usual_weighs_more_and_a_worse_one_less_the_more_pairs_say_so():
    def weight(vectors: float, pairs: int = 128) -> float:
        return EmbedderFigure(vectors=vectors, words=0.6, pairs=pairs, chunks=999).weight

    assert weight(0.66) == pytest.approx(1.0)
    assert weight(0.8) > 1.3
    assert 0.1 < weight(0.03) < 0.12
    assert weight(0.03, 10_000) < 0.01
    assert weight(1.0, 10_000) == 2.0
    weights = [weight(0.03, pairs) for pairs in (1, 8, 64, 512)]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > 0.9, "of few pairs it stays near 1"
    none = figure_of([], [], chunks=40)
    assert (none.pairs, none.weight) == (0, 1.0)
