"""Rules of key elements' names that hold for every text."""

from hypothesis import example, given
from hypothesis import strategies as st

from workers.core.graph.elements import element_spellings, normalise_element

PIECES = st.sampled_from(
    """the The a An J. R.R. u.s. A.N. Tolkien engines glasses Adams May of 3 3rd 12 1871 1990's 1871-05-03
    's s' (film) ( ) [ ] - – & . , “ ’ ' É ø İ が й 特 年 月 日""".split()  # noqa: SIM905 - reads best
)
NAMES = st.one_of(
    st.text(max_size=40),
    st.lists(PIECES, max_size=7).map(" ".join),
    st.lists(PIECES, max_size=7).map("".join),
)


@given(NAMES)
@example("A.N. Wilson")
@example("the the engines's")
def test_a_normal_form_is_the_normal_form_of_itself(name: str) -> None:
    form = normalise_element(name)
    again = normalise_element(form)
    # The one exception: a name that looks like a plural once its capital is gone (Adams).
    assert again == form or (name != name.lower() and again in element_spellings(name))
    assert normalise_element(again) == again


@given(NAMES)
def test_a_normal_form_is_small_and_trimmed_and_found_by_every_spelling(name: str) -> None:
    form = normalise_element(name)
    assert form == " ".join(form.split()) == form.casefold()
    assert normalise_element(f"  {name}\t") == form
    if form:
        assert form in element_spellings(form)
        assert form in element_spellings(name)
