from __future__ import annotations

import pytest

from workers.core.answers.check import missing_names, missing_numbers, speaks_of, without_markers
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.language.numerals import months, numbers

QUOTE = (
    "Brunel's Great Western Railway opened on 30 June 1841 and cost £6.5 million; "
    "1,200 men from Germany built it."
)


@pytest.mark.parametrize(
    "sentence",
    [
        "The Great Western Railway opened in 1841.",
        "It was opened on June 30, 1841.",
        "Brunel built it with 1200 German men.",
        "It cost £6,500,000.",
        "Construction cost 6.5 million pounds.",
        "Finally, it was opened.",
        "Besides Germany, no country is named.",
        "Unlike Brunel, they came from Germany.",
    ],
)
def test_a_sentence_carried_by_its_quote_passes(sentence):
    assert missing_numbers(sentence, QUOTE) == []
    assert missing_names(sentence, QUOTE) == []


@pytest.mark.parametrize(
    ("sentence", "lacking"),
    [
        ("It opened in 1842.", ["1842"]),
        ("It opened in July 1841.", ["july"]),
        ("It cost 6.5 billion.", ["6.5 billion"]),
        ("It took seven years.", ["seven"]),
        ("Stephenson built it.", ["Stephenson"]),
        ("The railway of Robert Stephenson opened.", ["Robert", "Stephenson"]),
        ("NASA paid for it.", ["NASA"]),
        ("Brunelleschi built it.", ["Brunelleschi"]),
        ("Second Western Railway opened.", ["Second"]),
        ("Besides France, no country is named.", ["France"]),
        ("It ran to B-52.", ["B-52"]),
    ],
)
def test_a_sentence_that_says_more_is_found_out(sentence, lacking):
    assert missing_numbers(sentence, QUOTE) + missing_names(sentence, QUOTE) == lacking


@pytest.mark.parametrize(
    ("sentence", "stands"),
    [
        ("白苓的姑母是秦三娘。", "秦三娘是白苓的姑母。"),
        ("日本の首都は東京だ。", "東京は日本の首都である。"),
        ("เมืองหลวงของไทยคือกรุงเทพ", "กรุงเทพเป็นเมืองหลวงของประเทศไทย"),
        ("រាជធានីរបស់កម្ពុជាគឺភ្នំពេញ។", "ភ្នំពេញជារាជធានីនៃប្រទេសកម្ពុជា។"),
        ("ນະຄອນຫຼວງແມ່ນວຽງຈັນ", "ວຽງຈັນເປັນນະຄອນຫຼວງຂອງລາວ"),
        ("မြို့တော်မှာနေပြည်တော်ဖြစ်သည်။", "နေပြည်တော်သည်မြန်မာနိုင်ငံ၏မြို့တော်ဖြစ်သည်။"),
        ("秦三娘在IBM公司工作。", "IBM公司雇用了秦三娘。"),
    ],
)
def test_a_sentence_in_a_script_without_spaces_is_compared_by_pairs_of_characters(sentence, stands):
    assert speaks_of(sentence, stands)
    assert missing_names(sentence, stands) == []
    assert overlap(terms(sentence), stands) > overlap(terms(sentence), "別の話") == 0


def test_a_sentence_of_another_matter_in_a_script_without_spaces_is_found_out():
    assert not speaks_of("白苓的姑母是秦三娘。", "長江流入東海。")
    assert missing_names("秦三娘在IBM公司工作。", "秦三娘在公司工作。") == ["IBM"]


def test_a_date_in_digits_carries_its_month():
    assert missing_numbers("She was born on 10 December 1815.", "born 1815-12-10") == []
    assert months("10.07.1843") == {"july", "october"}


def test_numbers_have_one_form():
    found = numbers("1,000 and a thousand? 1’000 twenty-one −39 minus 7 1840s 19th")
    assert set(found) == {"1000", "21", "-39", "-7", "1840", "19"}


def test_a_first_word_known_in_small_letters_is_no_name():
    assert missing_names("Mills burned.", "In the town mills burned.") == []
    assert missing_names("Mills burned.", "The town burned.") == ["Mills"]


def test_markers_are_the_codes_business():
    assert without_markers("She wrote [1, 2] it [3].") == "She wrote it."


def test_a_sentence_must_share_a_word_with_what_it_cites():
    assert speaks_of("the railways", QUOTE)
    assert not speaks_of("bananas are yellow", QUOTE)


@pytest.mark.parametrize(
    ("sentence", "stands"),
    [
        ("The mean rating is 7.46.", "rating: 7.461538461538462"),
        ("The mean rating is 7.5.", "rating: 7.4615"),
        ("The mean is 7.50.", "mean: 7.4961"),
        ("It fell by -7.5 degrees.", "change: -7.46"),
        ("It is 45% of them.", "share: 0.45"),
        ("It is 45.7 percent of them.", "share: 0.4567 · movies: 3"),
        ("A rate of 4.6%.", "rate: 4.56%"),
    ],
)
def test_a_decimal_may_be_rounded_and_a_share_told_in_percent(sentence, stands):
    assert missing_numbers(sentence, stands) == []


@pytest.mark.parametrize(
    ("sentence", "stands", "lacking"),
    [
        ("The mean rating is 7.4615.", "rating: 7.46", "7.4615"),  # more than was stated
        ("The mean rating is 7.47.", "rating: 7.4615", "7.47"),
        ("The mean rating is 7.4.", "rating: 7.4615", "7.4"),
        ("There are 7 movies.", "rating: 7.4615", "7"),  # counts something else
        ("It cost 7.5 million.", "rating: 7.46", "7.5 million"),
        ("It fell by 7.5 degrees.", "change: -7.46", "7.5"),
        ("It is 0.0.", "share: 0.04", "0.0"),
        ("45 movies are 45% of them.", "share: 0.45", "45"),
        ("It is 46% of them.", "share: 0.45", "46"),
        ("It is 45% of them.", "rate: 0.45%", "45"),
        ("It is 45% of them.", "length: 0.45 km", "45"),
        ("It is 45% of them.", "price: $0.45", "45"),
        ("It is 0.5% of them.", "share: 0.45", "0.5"),
        ("It is 4.6% of them.", "rating: 4.56", "4.6"),
        ("All of them, 100%.", "share: 0.999", "100"),
        ("None of them, 0%.", "share: 0.001", "0"),
        ("Release 3.1 did it.", "release 3.14.2 did it", "3.1"),
    ],
)
def test_what_is_no_rounding_of_a_stated_number_is_found_out(sentence, stands, lacking):
    assert missing_numbers(sentence, stands) == [lacking]


def test_a_number_in_words_that_begins_a_sentence_is_no_name():
    stands = "movies: 12 · actor: Tom Hanks"
    assert missing_names("Twelve movies feature Tom Hanks.", stands) == []
    assert missing_numbers("Twelve movies feature Tom Hanks.", stands) == []
    assert missing_names("Twenty-one movies feature Tom Hanks.", stands) == []
    assert missing_numbers("Thirteen movies feature Tom Hanks.", stands) == ["thirteen"]
    assert missing_names("He acted in Twelve Monkeys.", stands) == ["Twelve", "Monkeys"]
    assert missing_names("Seven Samurai was made in Japan.", "made in Japan") == ["Seven", "Samurai"]


@pytest.mark.parametrize("opener", ["Yes", "No", "However", "Finally", "Additionally"])
def test_an_opener_before_a_comma_and_a_name_is_no_name(opener):
    stands = "Keanu Reeves acted in The Matrix"
    assert missing_names(f"{opener}, Keanu Reeves acted in The Matrix.", stands) == []
    assert missing_names(f"{opener}, Tom Reeves acted in The Matrix.", stands) == ["Tom"]
    assert missing_names("Lilly, Keanu and others made The Matrix.", stands) == ["Lilly"]
