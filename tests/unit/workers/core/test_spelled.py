"""Names of key elements as documents spell them."""

import pytest

from workers.core.language.text import spelled, spelled_in


@pytest.mark.parametrize(("name", "spellings", "shown"), [
    ("lubeck", ("Lübeck", "Lubeck Hansa"), "Lübeck"),
    ("isambard kingdom brunel", ("Brunel", "Isambard Kingdom Brunel"), "Isambard Kingdom Brunel"),
    ("bridge", ("bridges",), "bridge"),
    ("steel", (), "steel"),
])  # fmt: skip
def test_a_name_is_shown_as_a_document_spells_it(name: str, spellings: tuple[str, ...], shown: str) -> None:
    assert spelled(name, spellings) == shown


def test_a_name_is_shown_as_the_first_text_has_it_that_holds_it_as_words() -> None:
    assert spelled_in("wales", "The Prince of Wales fastened it.", "WALES") == "Wales"
    assert spelled_in("art", "The Artful Dodger.") == "art"
