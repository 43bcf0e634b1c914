"""How alike texts are, and what in a text is new."""

from __future__ import annotations

import pytest

from workers.core.answers.likeness import Likeness

POOL = "Ada Brook and other guests complain about the dirty pool."
ALSO_POOL = "Cora Lund and other guests complain about the dirty pool."
CLOSED = "Dina Holt and other guests complain about the closed pool."
COFFEE = "Ada Brook and other guests complain about the cold coffee."
TEXTS = (POOL, ALSO_POOL, CLOSED, COFFEE)


@pytest.fixture
def likeness() -> Likeness:
    return Likeness(TEXTS)


def test_what_all_say_makes_no_two_alike_nor_does_who_says_it(likeness: Likeness) -> None:
    assert likeness.of(POOL, COFFEE) == 0.0
    assert likeness.of(POOL, ALSO_POOL) == pytest.approx(1.0)
    assert 0.0 < likeness.of(POOL, CLOSED) < 0.5
    assert likeness.of(POOL, CLOSED) == likeness.of(CLOSED, POOL)


def test_texts_group_around_the_first_that_is_like_them(likeness: Likeness) -> None:
    assert likeness.grouped(TEXTS, 0.6) == {POOL: POOL, ALSO_POOL: POOL, CLOSED: CLOSED, COFFEE: COFFEE}
    assert likeness.grouped(TEXTS, 0.05) == {POOL: POOL, ALSO_POOL: POOL, CLOSED: POOL, COFFEE: COFFEE}


def test_a_word_is_the_less_new_the_more_often_it_was_said(likeness: Likeness) -> None:
    once = dict.fromkeys(likeness.words(POOL), 1)
    assert likeness.novelty(POOL, {}) == 1.0
    assert likeness.novelty(POOL, once) == pytest.approx(0.5)
    assert likeness.novelty(POOL, once) < likeness.novelty(CLOSED, once) < likeness.novelty(COFFEE, once)


def test_what_has_digits_makes_no_two_alike() -> None:
    texts = ("It is cold in room 7.", "It is loud in room 7.", "It is loud in room 8.")
    likeness = Likeness(texts)
    assert likeness.of(texts[0], texts[1]) == 0.0
    assert likeness.of(texts[1], texts[2]) == pytest.approx(1.0)


def test_nouns_are_no_names_in_german() -> None:
    coffee, more, noise = texts = (
        "Der Kaffee ist nicht heiß, und es gibt keinen mehr.",
        "Die Gäste klagen über den Kaffee.",
        "Die Gäste klagen über den Lärm an der Straße.",
    )
    likeness = Likeness(texts)
    assert "kaffe" in likeness.words(coffee)
    assert likeness.of(coffee, more) > likeness.of(coffee, noise)


def test_names_count_where_a_text_says_nothing_else() -> None:
    texts = ("Ada Brook.", "Cora Lund.", "Ada Brook, Dina Holt.")
    likeness = Likeness(texts)
    assert likeness.of(texts[0], texts[1]) == 0.0
    assert likeness.of(texts[0], texts[2]) > 0.0


@pytest.mark.parametrize("texts", [(), ("",), ("It is.", "It is.")])
def test_texts_without_words_are_like_nothing_but_themselves(texts: tuple[str, ...]) -> None:
    likeness = Likeness(texts)
    for text in texts:
        assert likeness.of(text, text) == 1.0
        assert likeness.novelty(text, {}) == 0.0
    assert set(likeness.grouped(texts, 0.5)) == set(texts)
