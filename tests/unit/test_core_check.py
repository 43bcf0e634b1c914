from __future__ import annotations

import pytest

from workers.core.check import missing_names, missing_numbers, speaks_of, without_markers
from workers.core.numerals import months, numbers

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
        ("It ran to B-52.", ["B-52"]),
    ],
)
def test_a_sentence_that_says_more_is_found_out(sentence, lacking):
    assert missing_numbers(sentence, QUOTE) + missing_names(sentence, QUOTE) == lacking


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
