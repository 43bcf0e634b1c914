from __future__ import annotations

import pytest

from workers.ingest.spans import SentenceIndex

TEXT = (
    "Anna Keller was an engineer from Bern. She opened the bridge over the Aare in 1843. "
    "The bridge was replaced in 1883. Dr. Meier disagreed with her plans."
)


def located(fact, text=TEXT):
    match = SentenceIndex(text).locate(fact)
    return text[match.start : match.end], match.score


def test_a_fact_is_tied_to_the_sentence_that_says_it():
    quote, score = located("The bridge was replaced in 1883.")
    assert quote == "The bridge was replaced in 1883."
    assert score == 1


def test_a_resolved_pronoun_takes_the_sentence_before_too():
    quote, score = located("Anna Keller opened the bridge over the Aare in 1843.")
    assert quote == "Anna Keller was an engineer from Bern. She opened the bridge over the Aare in 1843."
    assert score == pytest.approx(1)


def test_a_wrong_year_costs_more_than_a_wrong_word():
    assert located("The bridge was replaced in 1884.")[1] < located("The viaduct was replaced in 1883.")[1]


def test_what_the_text_does_not_say_scores_low():
    assert located("Napoleon crossed Russia during winter 1812.")[1] < 0.3
    assert located("...")[1] == 0


def test_endings_do_not_hide_a_match():
    assert located("Anna's engineers")[1] > 0.4


def test_texts_without_spaces_are_compared_by_pairs_of_characters():
    text = "東京は日本の首都です。大阪は大きな都市です。"
    assert located("大阪は大きな都市である", text)[0] == "大阪は大きな都市です。"
    assert located("東京は日本の首都である", text)[0] == "東京は日本の首都です。"
    burmese = "ရန်ကုန်သည်မြို့ကြီးဖြစ်သည်။\n\nနေပြည်တော်သည်မြို့တော်ဖြစ်သည်။"
    assert located("မြို့တော်မှာနေပြည်တော်ဖြစ်သည်။", burmese)[0] == "နေပြည်တော်သည်မြို့တော်ဖြစ်သည်။"
