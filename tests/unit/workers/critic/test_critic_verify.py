"""Where the names, numbers and dates of a written sentence may come from."""

from __future__ import annotations

import pytest

from workers.core.answers.aliases import with_aliases
from workers.core.records import FactSource
from workers.critic.verify import fault

CHUNK = "1915\n\nCharles Babbage came late. Ada Lovelace sailed north. "


def source(quote, fact=None, title="A Life"):
    return FactSource(
        fact_id="f",
        fact=fact or quote,
        chunk_id="c",
        document_id="d",
        title=title,
        uri="u",
        start=len(CHUNK),
        end=len(CHUNK) + len(quote),
        match=1,
        grounded=True,
        quote=quote,
    )


def why(sentence, quote, fact=None, before=CHUNK, **more):
    return fault(sentence, [source(quote, fact)], lambda ids: before + quote if ids else "", **more)


def test_the_year_that_a_fact_adds_to_its_quote_counts_where_a_heading_says_it():
    quote, fact = "She landed on 23 May.", "Ada Lovelace landed on 23 May 1915."
    assert why("Ada Lovelace landed on 23 May 1915.", quote, fact) is None
    assert why("Ada Lovelace landed on 23 May 1915.", quote, fact, before="Ada Lovelace sailed. ") is not None
    assert why("Ada Lovelace landed on 23 May 1916.", quote, fact) == "not in the cited text: 1916"


def test_the_year_of_an_incomplete_date_is_that_of_the_heading_or_the_last_one_named():
    assert why("They landed on 23 May 1915.", "They landed on 23 May.") is None
    between = "1915\n\nIn 1840 it rained, in 1843 it did not. "
    for year, fits in (("1915", True), ("1843", True), ("1840", False)):
        reason = why(f"They landed in May {year}.", "They landed in May.", before=between)
        assert (reason is None) == fits
    assert why("They landed in 1915.", "They landed in 1914.") == "not in the cited text: 1915"


def test_a_date_told_by_the_day_of_the_week_is_completed_whole():
    before = "10 June 1915\n\n"
    assert why("They landed on 10 June 1915.", "They landed on Thursday.", before=before) is None
    assert why("They landed in June 1915.", "They landed in May.", before=before) == (
        "not in the cited text: june"
    )


@pytest.mark.parametrize(
    ("quote", "years"),
    [
        ("They landed last year.", {"2017"}),
        ("They will land next year.", {"2019"}),
        ("They landed this year.", {"2018"}),
        ("They are to land in June.", {"2018", "2019"}),
        ("They are to land in December.", {"2018"}),
        ("They landed in 1914.", {"1914"}),
    ],
)
def test_a_time_that_is_left_open_is_completed_by_the_date_before_it(quote, years):
    before = "20 December 2018\n\n"
    candidates = {str(year) for year in (1914, *range(2016, 2021))}
    passed = {year for year in candidates if why(f"They landed in {year}.", quote, before=before) is None}
    assert passed == years


def test_december_said_in_january_may_be_the_last():
    passed = [
        year
        for year in (2017, 2018, 2019, 2020)
        if why(f"They landed in December {year}.", "They landed in December.", before="3 January 2019\n\n")
        is None
    ]
    assert passed == [2018, 2019]


def test_a_number_of_the_text_around_a_quote_does_not_count():
    assert why("They had 7 ships.", "They had ships.", before="7 men came in 1843. ") == (
        "not in the cited text: 7"
    )


@pytest.mark.parametrize(
    "quote", ["She landed in May.", "The captain landed in May.", "Landed safely in May."]
)
def test_a_name_comes_from_the_text_before_a_quote_that_leaves_it_open(quote):
    assert why("Ada Lovelace landed in May.", quote) is None
    assert why("Eve Moriarty landed in May.", quote) == "not in the cited text: Eve, Moriarty"


def test_a_name_that_the_quote_or_its_fact_tells_is_not_taken_from_elsewhere():
    refused = "not in the cited text: Charles, Babbage"
    assert why("Charles Babbage landed in May.", "Ada Lovelace landed in May.") == refused
    assert (
        why("Charles Babbage landed in May.", "She landed in May.", "Ada Lovelace landed in May.") == refused
    )


def test_a_name_may_be_told_in_full_where_the_text_around_does():
    quote, sentence = "Charles sold the brewery to Ada.", "Charles sold the Kent Brewery."
    assert why(sentence, quote, before="In May he opened the Kent Brewery. ") is None
    refused = "not in the cited text: Kent"
    assert why(sentence, quote, before="In May he opened the brewery in Kent. ") == refused


def test_names_and_numbers_of_the_question_count_where_the_sentence_tells_more():
    question = "Who helped the Heron in 1843?"
    quote = "Ada Lovelace helped him."
    assert why("Ada Lovelace helped the Heron in 1843.", quote, question=question) is None
    assert why("The Heron helped in 1843.", quote, question=question) is not None
    assert why("Ada Lovelace helped the Crow in 1843.", quote, question=question) == (
        "not in the cited text: Crow"
    )


def test_either_name_of_an_alias_will_do():
    def names(chunk_ids):
        return {"Corvin Drake": ("the Heron", "Red Tam")} if list(chunk_ids) == ["c"] else {}

    quote = "The Heron stole the lamp."
    assert why("Corvin Drake stole the lamp.", quote, before="") is not None
    assert why("Corvin Drake stole the lamp.", quote, before="", names=names) is None
    assert why("The Heron stole the lamp.", "Corvin Drake stole the lamp.", before="", names=names) is None
    assert why("Eve Drake stole the lamp.", quote, before="", names=names) is not None


def test_a_name_in_a_script_without_spaces_is_looked_for_as_it_stands():
    aliases = {"独眼龙": ("Gao Chengyue",)}
    assert with_aliases("独眼龙偷了灯。", aliases).endswith("Gao Chengyue")
    assert with_aliases("高承岳偷了灯。", aliases) == "高承岳偷了灯。"
    assert with_aliases("天上有云。", {"云": ("Lin Yunzhou",)}) == "天上有云。"


@pytest.mark.parametrize(
    ("sentence", "quote", "before"),
    [
        ("Ilse lost a shoe.", "Tobias lost a shoe.", "Ilse won the race. "),
        (
            "Ilse Renn said that the bridge was safe.",
            "Yesterday Tobias Gray said that the bridge was safe.",
            "Ilse Renn came late. ",
        ),
        ("Ilse lost a shoe.", "Tobias lost his shoe.", "Ilse won the race. "),
        ("The Herons played in May.", "The Beatles played in May.", "The Herons came late. "),
        ("Ilse lost a shoe.", "The captain, Tobias Gray, lost a shoe.", "Ilse won the race. "),
        ("Ilse lost a shoe.", "US troops lost a shoe.", "Ilse won the race. "),
    ],
)
def test_a_quote_that_names_its_subject_takes_no_other_from_before_it(sentence, quote, before):
    assert why(sentence, quote, before=before) is not None


@pytest.mark.parametrize("quote", ["This lost a shoe.", "Today he lost a shoe.", "Shoes were lost by her."])
def test_a_quote_with_a_pronoun_before_any_name_is_open(quote):
    assert why("Ilse lost shoes, a shoe.", quote, before="Ilse won the race. ") is None


def test_a_year_before_a_comma_completes_a_date():
    assert why("He left on 23 May 1890.", "On 23 May he left.", before="In 1890, war came. ") is None
    assert why("He left on 23 May 1890.", "On 23 May he left.", before="All 1890,5 came. ") is not None


@pytest.mark.parametrize(
    ("sentence", "quote", "before"),
    [
        ("Anna Renn won the race.", "Yesterday Tobias Renn won the race.", "His sister Anna Renn came. "),
        ("Tobias Gray won the race.", "Yesterday Tobias Renn won the race.", "Tobias Gray came. "),
        ("Anna Renn won the race.", "Yesterday Renn won the race.", "Tobias Renn met Anna Renn. "),
        ("The Kent Brewery burned.", "In May the York brewery burned.", "In May he saw the Kent Brewery. "),
        ("Anna of Kent won the race.", "Yesterday Tobias of Kent won.", "Then Anna of Kent came. "),
    ],
)
def test_another_with_a_name_in_common_is_not_the_fuller_name(sentence, quote, before):
    assert why(sentence, quote, before=before) is not None


def test_a_name_told_longer_and_shorter_around_a_quote_is_one():
    before = "Later Anna Maria Renn came. Anna Maria slept. "
    assert why("Maria Renn won.", "Yesterday Renn won.", before=before) is None


@pytest.mark.parametrize(
    ("sentence", "quote", "question"),
    [
        (
            "The bridge was built in 1860 of stone.",
            "The bridge was built of stone.",
            "When was the bridge built, in 1850 or in 1860?",
        ),
        ("The bridge was built in 1860 of stone.", "The bridge was built of stone.", "Was it 1850? Or 1860?"),
        (
            "The bridge was built in May of stone.",
            "The bridge was built of stone.",
            "Is it from May, from June 1860?",
        ),
        (
            "Tobias Renn wrote the letter in ink.",
            "The letter was written in ink.",
            "Did Ilse Renn or Tobias Renn write the letter?",
        ),
        ("Tobias schrieb den Brief.", "Den Brief schrieb man.", "War es Ilse oder Tobias?"),
        ("Tobias wrote the letter.", "The letter was written.", "是Ilse还是Tobias?"),
    ],
)
def test_a_question_lends_no_alternative(sentence, quote, question):
    assert why(sentence, quote, question=question, before="") is not None


@pytest.mark.parametrize(
    ("date", "question"),
    [
        ("on 23 May 1860", "Who wrote to Ilse on 23 May 1860?"),
        ("on May 23, 1860", "Who wrote to Ilse on May 23, 1860?"),
        ("in May 1860", "Who wrote in May 1860?"),
        ("in May", "Who wrote in May?"),
        ("on 23 May", "Who wrote on the 23rd of May?"),
        ("in 1860", "Who wrote in 1860, and whom?"),
        ("on 1860-05-23", "Who wrote on 1860-05-23?"),
    ],
)
def test_a_question_lends_its_only_date(date, question):
    assert why(f"Tobias wrote a letter {date}.", "Tobias wrote a letter.", question=question) is None


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("The Americans saw the bridge.", "He told us about the bridge."),
        ("The US saw the bridge.", "He told us about the bridge."),
        ("The U.S. saw the bridge.", "Us he told about the bridge."),
        ("The United Nations saw the bridge.", "Un hombre saw the bridge."),
        ("The EU saw the bridge.", "Eu saw the bridge."),
    ],
)
def test_a_short_form_in_capitals_is_no_word_in_small_letters(sentence, quote):
    assert why(sentence, quote, before="") is not None


@pytest.mark.parametrize("short", ["US", "U.S.", "US's army"])
def test_a_short_form_in_capitals_is_known_as_written(short):
    assert why("The Americans saw the US bridge.", f"The {short} saw the bridge.", before="") is None
    assert why("The United States saw it.", f"The {short} saw the bridge.", before="") is None


def test_a_short_form_is_known_in_a_longer_word():
    assert why("The US army saw the bridge.", "The US-led army saw the bridge.", before="") is None
