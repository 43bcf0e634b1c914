from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.elements import element_spellings, normalise_element


@pytest.mark.parametrize(
    ("given_name", "expected"),
    [
        ("The  Analytical Engine", "analytical engine"),
        ("an engine", "engine"),
        ("steam engines", "steam engine"),
        ("cities", "city"),
        ("churches", "church"),
        ("Ada Lovelace's", "ada lovelace"),
        ("John Adams", "john adams"),
        ("Adams", "adams"),
        ("physics", "physics"),
        ("glass", "glass"),
        ("“Frankenstein”", "frankenstein"),
        ("1815–1852", "1815-1852"),
        ("Ｚürich", "zürich"),
        ("The", "the"),
        ("...", ""),
        ("", ""),
    ],
)
def test_a_name_has_one_normal_form(given_name, expected):
    assert normalise_element(given_name) == expected


def test_a_question_may_spell_a_plural_either_way():
    assert element_spellings("Computers") == ("computers", "computer")
    assert element_spellings("computers") == ("computer", "computers")
    assert element_spellings("  ") == ()


@given(st.text(max_size=60))
def test_a_normal_form_is_one_line_without_outer_space(name):
    form = normalise_element(name)
    assert form == " ".join(form.split())
    assert form in element_spellings(name) or not form
