"""From blocks to the stored text, the places of a chunk, and where a quote stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workers.core.places import PlaceMap, column_names, columns_at, place_of, with_told_rows
from workers.ingest.reading.blocks import Block, Box, Cell, Reading, Spot
from workers.ingest.reading.markdown_tables import markdown_tables
from workers.ingest.reading.stored_text import stored_text

_TITLE = Block("heading", "Rent", level=2, label="2.1", spots=[Spot(0, 1, Box(50, 40, 200, 60))])
_PROSE = Block(
    "paragraph",
    "The lease ends in May. It is paid on the first day.",
    spots=[Spot(0, 1, Box(50, 100, 500, 112)), Spot(23, 2, Box(50, 20, 500, 32))],
)
_TABLE = Block(
    "table",
    cells=[
        Cell(0, 0, "Year", page=2, box=Box(50, 100, 100, 110)),
        Cell(0, 1, "2023", page=2, box=Box(100, 100, 150, 110)),
        Cell(0, 2, "2024", page=2, box=Box(150, 100, 200, 110)),
        Cell(1, 0, "Rent", page=2, box=Box(50, 110, 100, 120)),
        Cell(1, 1, "880|euros", page=2, box=Box(100, 110, 150, 120)),
        Cell(1, 2, "900 euros", page=2, box=Box(150, 110, 200, 120)),
        Cell(2, 0, "Heating", rows=2, page=2, box=Box(50, 120, 100, 140)),
        Cell(2, 1, "70", page=2, box=Box(100, 120, 150, 130)),
        Cell(3, 1, "80", page=2, box=Box(100, 130, 150, 140)),
    ],
)
_READING = Reading([_TITLE, Block("furniture", "Page 1"), _PROSE, _TABLE, Block("paragraph", "The end.")])


def _placed(quote: str) -> tuple[str, list[tuple[int, int]]]:
    text, places = stored_text(_READING)
    at = text.index(quote)
    place = place_of(PlaceMap(text, places).cut(0, len(text)), at, at + len(quote))
    return (place.words, [(box.page, box.top) for box in place.boxes]) if place else ("", [])


def test_the_text_is_markdown_without_running_heads() -> None:
    text, _places = stored_text(_READING)
    assert text == (
        "## 2.1 Rent\n\nThe lease ends in May. It is paid on the first day.\n\n"
        "| Year | 2023 | 2024 |\n| --- | --- | --- |\n| Rent | 880\\|euros | 900 euros |\n"
        "| Heating | 70 |  |\n| Heating | 80 |  |\n\nThe end."
    )


def test_a_quote_has_the_lines_that_it_touches() -> None:
    assert _placed("The lease ends in May.") == ("page 1", [(1, 100)])
    assert _placed("May. It is paid") == ("pages 1–2", [(1, 100), (2, 20)])


def test_a_cell_is_named_by_row_and_column_and_a_row_by_its_first_cell() -> None:
    assert _placed("900 euros") == ("page 2, table 1, row Rent, column 2024", [(2, 110)])
    assert _placed("880\\|euros | 900 euros") == ("page 2, table 1, row Rent", [(2, 110), (2, 110)])
    assert _placed("80 |  |\n") == ("page 2, table 1, row Heating, column 2023", [(2, 130)])


def test_what_has_no_place_has_none() -> None:
    assert _placed("The end.") == ("", [])
    assert place_of("", 0, 5) is None


def test_a_chunk_knows_the_names_of_columns_that_stand_in_the_chunk_before() -> None:
    text, places = stored_text(_READING)
    start = text.index("| Heating | 80")
    kept = PlaceMap(text, places).cut(start, len(text))
    at = text.index("80 |  |\n") - start
    place = place_of(kept, at, at + 2)
    assert place is not None
    assert (place.table, place.row, place.column) == (1, "Heating", "2023")


def test_a_model_reads_rows_with_the_names_of_their_columns() -> None:
    text, places = stored_text(_READING)
    start = text.index("| Rent")
    kept = PlaceMap(text, places).cut(start, len(text))
    assert with_told_rows(text[start:], kept) == (
        "Year: Rent; 2023: 880|euros; 2024: 900 euros\nYear: Heating; 2023: 70\n"
        "Year: Heating; 2023: 80\n\nThe end."
    )
    whole = with_told_rows(text, PlaceMap(text, places).cut(0, len(text)))
    assert whole.startswith(
        "## 2.1 Rent\n\nThe lease ends in May. It is paid on the first day.\n\n\nYear: Rent;"
    )
    at = text.index("900 euros") - start
    assert columns_at(kept, at, at + 9) == ["2024"]
    assert columns_at(kept, 0, at + 9) == ["Year", "2023", "2024"]
    assert column_names(kept) == ["Year", "2023", "2024"]


def test_a_table_that_names_no_columns_tells_first_cells_as_names() -> None:
    cells = [
        Cell(0, 0, "Name"),
        Cell(0, 1, "Ana Ruiz"),
        Cell(1, 0, "Born"),
        Cell(1, 1, "1771"),
        Cell(2, 0, "End"),
    ]
    text, places = stored_text(Reading([Block("table", cells=cells, head_rows=0)]))
    assert with_told_rows(text, PlaceMap(text, places).cut(0, len(text))) == "Name: Ana Ruiz\nBorn: 1771\nEnd"


def test_the_tables_of_markdown_are_found_and_code_is_none() -> None:
    text = (
        "Mills:\n\n| Mill | Year |\n|---|:--:|\n| River \\| old | 1771 |\n| | 1840 |\n\n"
        "```\n| a | b |\n|---|---|\n```\na | b\n-|-\nc | d\n"
    )
    places = markdown_tables(text)
    said = [text[start:end] for start, end, *_rest in places["cells"]]
    assert said == ["Mill", "Year", "River \\| old", "1771", "1840", "a", "b", "c", "d"]
    assert len(places["tables"]) == 2
    kept = PlaceMap(text, places, by_line=True).cut(0, len(text))
    place = place_of(kept, text.index("1771"), text.index("1771") + 4)
    assert place is not None
    assert place.words == "line 5, table 1, row River | old, column Year"
    assert "Mill: River | old; Year: 1771\nYear: 1840\n" in with_told_rows(text, kept)


@given(st.lists(st.text("ab ", max_size=6), max_size=6), st.data())
def test_a_text_without_pages_has_lines(lines: list[str], data: st.DataObject) -> None:
    text = "\n".join(lines)
    begin = data.draw(st.integers(0, len(text)))
    start = data.draw(st.integers(begin, len(text)))
    kept = PlaceMap(text, {}, by_line=True).cut(begin, len(text))
    place = place_of(kept, start - begin, len(text) - begin)
    assert place is not None
    assert place.line == text.count("\n", 0, start) + 1
    assert place.words == f"line {place.line}"
