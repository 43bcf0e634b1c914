"""Names of key elements as documents spell them."""

import pytest

from hopline.spelling import spelled_in
from workers.core.graph.elements import spelled


@pytest.mark.parametrize(("name", "spellings", "shown"), [
    ("lubeck", ("Lübeck", "Lubeck Hansa"), "Lübeck"),
    ("isambard kingdom brunel", ("Brunel", "Isambard Kingdom Brunel"), "Isambard Kingdom Brunel"),
    ("mara venn", ("MARA VENN", "Mara Venn", "mara venn", "The Reed"), "Mara Venn"),
    ("nasa", ("NASA", "Nasa"), "NASA"),
    ("london", ("LONDON", "London", "london"), "London"),
    ("iphone", ("IPHONE", "iPhone"), "iPhone"),
    ("unesco", ("UNESCO", "unesco", "Unesco's"), "UNESCO"),
    ("8,400 pound", ("8,400 pounds",), "8,400 pounds"),
    ("heron", ("The Heron", "the Heron", "Heron"), "Heron"),
    ("bridge", ("bridges",), "bridges"),
    ("steel", ("Bessemer",), "steel"),
])  # fmt: skip
def test_a_name_is_shown_as_a_document_spells_it(name: str, spellings: tuple[str, ...], shown: str) -> None:
    assert spelled(name, spellings) == shown


@pytest.mark.parametrize(("name", "text", "shown"), [
    ("wales", "Whales met the Prince of Wales.", "Wales"),
    ("art", "The Artful Dodger.", "art"),
    ("university of gottingen", "Of the University of Go\u0308ttingen.", "University of Go\u0308ttingen"),
    ("strasse", "Die STRAßE, die Straße.", "STRAßE"),
    ("andre", "Was Andre\u0301 there?", "Andre\u0301"),
    ("8,400 pound", "It cost 8,400 pounds.", "8,400 pounds"),
    ("maria", "Marias Buch \u00fcber Maria.", "Maria"),
])  # fmt: skip
def test_a_name_is_shown_as_the_text_has_it_that_holds_it_as_words(name: str, text: str, shown: str) -> None:
    assert spelled_in(name, "Nothing here.", text) == shown


def test_a_name_is_looked_for_in_all_texts_before_its_plural() -> None:
    assert spelled_in("jean", "Jeans of 1960.", "Jean wore them.") == "Jean"
