"""From blocks to the stored text, the places of a chunk, and where a quote stands."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workers.core.places import PlaceMap, column_names, columns_at, place_of, row_at, with_told_rows
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
        "## 2.1 Rent\n\nThe lease ends in May. It is paid on the first day.\n\nYear: Rent;"
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


def _told(rows: list[list[str]], heads: int = 0) -> str:
    cells = [Cell(at, column, said) for at, row in enumerate(rows) for column, said in enumerate(row) if said]
    text, places = stored_text(Reading([Block("table", cells=cells, head_rows=heads)]))
    return with_told_rows(text, PlaceMap(text, places).cut(0, len(text)))


def test_a_first_row_names_columns_only_above_columns_of_figures() -> None:
    prices = [["Item", "Price", "Note"], ["Rent", "900", "monthly"], ["Gas", "50", ""]]
    assert _told(prices) == "Item: Rent; Price: 900; Note: monthly\nItem: Gas; Price: 50"
    assert _told([["Name", "Anna Meyer"], ["Rent", "900"]]) == "Name: Anna Meyer\nRent: 900"
    assert _told([["Berlin", "3.7", "x"], ["Paris", "2.1", "y"]]) == "Berlin: 3.7; x\nParis: 2.1; y"
    assert _told([["Mill", "31.12.2023", "FY 2024"], ["River", "5", "6"]]).startswith(
        "Mill: River; 31.12.2023: 5"
    )
    assert _told([["Item", "Price"], ["Rent", "900"]], heads=1) == "Item: Rent; Price: 900"


def test_rows_that_name_columns_are_told_where_no_other_follows() -> None:
    assert _told([["Name", "Anna"]], heads=1) == "Name: Anna"
    text = "| Name | Anna |\n|---|---|\n"
    kept = PlaceMap(text, markdown_tables(text), by_line=True).cut(0, len(text))
    assert with_told_rows(text, kept) == "Name: Anna\n"


def test_a_value_in_a_row_without_a_name_has_its_column_alone() -> None:
    rows = [["Mill", "Rent in 2023", "Rent in 2024"], ["River", "1", "2"], ["", "12", "13"]]
    assert _told(rows).endswith("Rent in 2023: 12; Rent in 2024: 13")
    cells = [Cell(at, column, said) for at, row in enumerate(rows) for column, said in enumerate(row) if said]
    text, places = stored_text(Reading([Block("table", cells=cells)]))
    place = place_of(PlaceMap(text, places).cut(0, len(text)), text.index("13"), text.index("13") + 2)
    assert place is not None
    assert place.words == "table 1, column Rent in 2024"


def test_a_cell_that_a_chunk_cuts_is_told_and_placed() -> None:
    long = "word " * 400 + "end"
    cells = [
        Cell(0, 0, "Part"),
        Cell(0, 1, "No"),
        Cell(0, 2, "Text"),
        Cell(1, 0, "A"),
        Cell(1, 1, "1"),
        Cell(1, 2, long),
    ]
    text, places = stored_text(Reading([Block("table", cells=cells)]))
    start, end = text.index("word") + 500, text.index("word") + 1500
    kept = PlaceMap(text, places).cut(start, end)
    assert len(with_told_rows(text[start:end], kept)) > 900
    place = place_of(kept, 10, 40)
    assert place is not None
    assert (place.row, place.column) == ("A", "Text")


def test_a_table_that_goes_on_over_the_page_keeps_its_columns() -> None:
    def page(number: int, rows: list[list[str]]) -> Block:
        box = Box(0, 0, 9, 9)
        cells = [
            Cell(at, nth, said, page=number, box=box)
            for at, row in enumerate(rows)
            for nth, said in enumerate(row)
        ]
        return Block("table", cells=cells)

    first = page(1, [["Item", "2023", "2024"], ["A", "10", "20"]])
    second = page(2, [["E", "50", "60"], ["F", "55", "66"]])
    text, places = stored_text(Reading([first, Block("furniture", "2"), second]))
    told = with_told_rows(text, PlaceMap(text, places).cut(0, len(text)))
    assert "Item: E; 2023: 50; 2024: 60" in told
    apart = [first, Block("paragraph", "Others."), second]
    text, places = stored_text(Reading(apart))
    assert "E: 50; 60" in with_told_rows(text, PlaceMap(text, places).cut(0, len(text)))


def test_what_spans_cells_stands_in_each_where_it_is_short_and_once_where_it_is_long() -> None:
    cells = [
        Cell(0, 0, "All", columns=3),
        Cell(1, 0, "a", rows=2),
        Cell(1, 1, "long " * 20, columns=2),
        Cell(2, 1, "b"),
    ]
    text, places = stored_text(Reading([Block("table", cells=cells)]))
    assert [line.count("All") for line in text.splitlines()] == [3, 0, 0, 0]
    assert with_told_rows(text, PlaceMap(text, places).cut(0, len(text))).startswith("All\n")
    assert text.count("| a |") == 2
    assert text.count("long long") == text.splitlines()[2].count("long long")


def test_code_with_a_fence_in_it_has_a_longer_one() -> None:
    text, _places = stored_text(Reading([Block("code", "x\n```\ny")]))
    assert text == "````\nx\n```\ny\n````"


def test_a_row_knows_its_number_and_how_many_its_table_has() -> None:
    rows = [["Item", "Price"], *([f"Item {n}", str(n)] for n in range(1, 8))]
    pages = [(1, rows[:5]), (2, rows[5:])]
    tables = [
        Block(
            "table",
            cells=[
                Cell(nth, column, said, page=page, box=Box(50 + column, 9 * nth, 60 + column, 9 * nth + 8))
                for nth, row in enumerate(some)
                for column, said in enumerate(row)
            ],
            head_rows=int(page == 1),
        )
        for page, some in pages
    ]
    text, places = stored_text(Reading(tables))
    placed = PlaceMap(text, places)
    start = text.index("| Item 2 |")
    for kept, begin in ((placed.cut(0, len(text)), 0), (placed.cut(start, len(text)), start)):
        for n in (2, 4, 5, 7):
            at = text.index(f"Item {n} |") - begin
            assert row_at(kept, at, at + 6) == (1, n, 7)
    assert row_at(placed.cut(0, len(text)), 2, 6) is None, "the row that names columns"
    assert row_at(placed.cut(0, len(text)), 0, len(text)) is None, "several rows"


def _where(reading: Reading, quote: str, start: int = 0, **more: str) -> str:
    text, places = stored_text(reading)
    at = text.index(quote)
    place = place_of(
        PlaceMap(text, places, **more).cut(start, len(text)), at - start, at - start + len(quote)
    )
    return place.words if place else ""


def test_a_named_part_of_a_file_is_a_place() -> None:
    blocks = [
        Block("paragraph", "One.", part="cell 1"),
        Block("code", "two", part="cell 2"),
        Block("paragraph", "three", part="cell 2"),
        Block("paragraph", "four"),
    ]
    reading = Reading(blocks)
    assert [_where(reading, quote) for quote in ("One.", "two", "three", "four")] == [
        "cell 1",
        "cell 2",
        "cell 2",
        "",
    ]
    assert _where(reading, "One.\n\n```\ntwo") == "cell 1–cell 2"
    assert _where(reading, "three", within="attachment a.ipynb") == "attachment a.ipynb, cell 2"
    assert _where(_READING, "900 euros", within="attachment a.pdf").startswith(
        "attachment a.pdf, page 2, table 1"
    )


def test_lines_of_source_code_are_counted_from_where_their_part_begins() -> None:
    code = Block("code", "def a():\n    x = 1\n    return x", part="function a", line=7)
    reading = Reading([code, Block("code", "y = 2", line=12)])
    assert _where(reading, "return x") == "function a, line 9"
    assert _where(reading, "y = 2") == "line 12"
    text, _places = stored_text(reading)
    assert _where(reading, "return x", start=text.index("x = 1")) == "function a, line 9"
