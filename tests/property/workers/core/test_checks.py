import string
from decimal import ROUND_HALF_UP, Decimal

from hypothesis import given
from hypothesis import strategies as st

from workers.core.answers.check import absent, lacking_names, missing_names, without_markers
from workers.core.answers.check_numbers import missing_numbers
from workers.core.language.numerals import numbers
from workers.core.records import FactSource
from workers.critic.verify import fault

TEXT = st.text(alphabet=string.ascii_letters + string.digits + " .,'-/%éÜ中’–()[]", max_size=120)
NUMBER = st.integers(0, 10**12)


def source(quote):
    place = {"chunk_id": "c1", "document_id": "d1", "title": "T", "uri": "u", "start": 0, "end": len(quote)}
    return FactSource(fact_id="f1", fact=quote, quote=quote, match=1, grounded=True, **place)


@given(TEXT)
def test_a_quote_carries_itself(quote):
    assert missing_numbers(quote, quote) == missing_names(quote, quote) == []
    assert fault(quote, [source(quote)]) is None


SPELLED = "Ada ada US us U.S eu Rome. O'Neil Neil's B-C A.B.C The Besides IBM é Ünal 中 (Yes 12 May & , ; of"
WORDS = st.lists(st.sampled_from(SPELLED.split()), max_size=12).map(" ".join)


@given(WORDS, WORDS)
def test_names_that_stand_there_as_written_need_no_closer_look(sentence, stands):
    assert missing_names(sentence, stands) == lacking_names(sentence, stands)


@given(TEXT, TEXT, TEXT)
def test_more_cited_text_never_makes_a_name_missing(sentence, stands, more):
    names = missing_names(sentence, stands)
    assert set(absent(names, f"{stands} | {more}")) <= set(names)


@given(NUMBER, NUMBER)
def test_a_number_that_no_source_holds_is_always_found_out(number, stood):
    lacking = missing_numbers(f"There were {number:,} ships.", f"There were {stood} ships.")
    assert bool(lacking) == (number != stood)


@given(st.integers(-(10**9), 10**9), st.integers(1, 6), st.integers(0, 6), st.integers(-20, 20))
def test_a_decimal_stands_where_it_is_the_stated_one_or_that_one_rounded(digits, stated_places, places, off):
    stated = Decimal(digits).scaleb(-stated_places)
    exact = Decimal(1).scaleb(-places)
    number = stated.quantize(exact, ROUND_HALF_UP) + off * exact
    lacking = missing_numbers(f"The mean is {number:f}.", f"mean: {stated:f}")
    rounded = off == 0 and number != 0 and 0 < places < stated_places
    assert (lacking == []) == (rounded or number == stated)


@given(NUMBER)
def test_thousands_separators_do_not_matter(number):
    assert set(numbers(f"{number:,}")) == set(numbers(str(number)))


@given(TEXT)
def test_any_text_can_be_checked(text):
    numbers(text)
    without_markers(text)
