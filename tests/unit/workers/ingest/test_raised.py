"""Figures and letters that a document raises: powers, and marks of its notes."""

import pytest

from workers.ingest.reading.blocks import RAISED, Block, Box, Cell, Reading, Spot
from workers.ingest.reading.raised import written
from workers.ingest.reading.stored_text import stored_text


def stored(text, *notes):
    return stored_text(Reading([Block("paragraph", text.replace("^", RAISED)), *notes]))[0].split("\n\n")[0]


@pytest.mark.parametrize(
    "text",
    [
        "The tank holds 10^6 litres, 4.5 × 10^-3 tonnes, 2^10 bytes and 10^3 euros.",
        "An area of 40 m^2, 12 km^3 or 3 N/mm ^2 at 9.81 m/s^2.",
        "It is x^2 + y^3, (a + b)^3, sin^2 and velocity^2 · mass.",
        "A grid of 512^3, a growth of 1.05^10, 12^3 = 1728.",
        "Ca^2+ and x^(n+1)",
        "10^2/3",
    ],
)
def test_powers_stay_powers(text):
    assert stored(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The fee is 250^3 euros.", "The fee is 250[3] euros."),
        ("It cost $1,250^2 in all.", "It cost $1,250[2] in all."),
        ("Built in 1771^1 and again.", "Built in 1771[1] and again."),
        ("In 1802.^4 The roof", "In 1802.[4] The roof"),
        ("the planet. ^66 While", "the planet.[66] While"),
        ("often seen in practice^2, so", "often seen in practice[2], so"),
        ("as shown^1,2 before^4–6", "as shown[1,2] before[4–6]"),
        ("(see the lease^2) and (Ruiz 1771)^2", "(see the lease[2]) and (Ruiz 1771)[2]"),
        ("up by 12%^2 in May", "up by 12%[2] in May"),
        ("水車小屋^2は", "水車小屋[2]は"),
        ("Umsatz^3) und Denmark^a", "Umsatz[3] und Denmark[a]"),
        ("12.5^a and 1^a and 2^e", "12.5[a] and 1a and 2e"),
    ],
)
def test_marks_of_notes_are_told_by_what_stands_around_them(text, expected):
    assert stored(text) == expected


def test_a_note_of_that_number_makes_it_a_mark():
    for text, expected in [
        ("300^3 sacks and 45^3 rooms", "300[3] sacks and 45[3] rooms"),
        ("10^3 litres of 3 m^3, 12^3 = 1728", "10^3 litres of 3 m^3, 12^3 = 1728"),
        ("SSE^3 and 45^b", "SSE[3] and 45[b]"),
    ]:
        assert stored(text) == text
        notes = f"{RAISED}3 At the prices of 1990.\n{RAISED}b Without taxes."
        assert stored(text, Block("paragraph", notes)) == expected
    assert (
        stored("300^3 sacks", Block("heading", "Notes"), Block("item", "Rye.", label="3.")) == "300[3] sacks"
    )
    assert (
        stored("300^3 sacks", Block("heading", "Mills"), Block("item", "Rye.", label="3.")) == "300^3 sacks"
    )
    assert stored("300^3 sacks", Block("note", "3 Of rye alone.")) == "300[3] sacks"


def test_a_note_begins_with_its_mark_but_an_isotope_with_its_number():
    assert stored("^3The size is ideal.") == "[3] The size is ideal."
    assert stored("^14C was found.") == "^14C was found."


def test_fractions_and_prices_are_no_powers():
    assert stored("from ^1⁄4 to 2^3⁄_8 inch") == "from 1⁄4 to 2 3⁄8 inch"
    assert stored("only $19.^99 now") == "only $19.99 now"


def test_cells_are_read_so_and_places_move_with_marks():
    box = Box(0, 0, 1, 1)
    text = f"It cost 1,250{RAISED}2 pounds\nin the year 1802."
    block = Block("paragraph", text, spots=[Spot(0, 1, box), Spot(text.index("in the"), 1, box)])
    table = Block("table", cells=[Cell(0, 0, f"8,935{RAISED}3"), Cell(1, 0, "Rent"), Cell(1, 1, "4")])
    stored, places = stored_text(Reading([block, table]))
    lines = [stored[line[0] : line[1]] for line in places["lines"]]
    assert lines == ["It cost 1,250[2] pounds\n", "in the year 1802."]
    assert "| 8,935[3] |" in stored


def test_a_title_has_powers_and_marks_too():
    assert written(f"The mills of Hallow{RAISED}1") == "The mills of Hallow[1]"
