"""Words that begin alike and end otherwise are forms of one."""

import pytest

from workers.core.language.forms import is_form


@pytest.mark.parametrize(("word", "other", "same"), [
    ("assembly", "assemblies", True),
    ("бюджета", "бюджетом", True),
    ("공사비를", "공사비가", True),
    ("versammlung", "versammlungen", True),
    ("boat", "boats", False),  # too short to tell from boast
    ("obermoser", "oberhofer", False),
    ("공사", "공장", False),
])  # fmt: skip
def test_two_forms_of_a_word_begin_alike(word, other, same):
    assert is_form(word, other) is is_form(other, word) is same
