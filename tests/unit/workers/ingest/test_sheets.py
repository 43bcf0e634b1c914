"""Spreadsheets: what is read of their sheets, how it is called, and where it stands."""

import datetime as dt
from contextlib import suppress
from pathlib import Path

import pytest
from doubles.files import BOLD, archive, sheet_rows, workbook

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.places import PlaceMap, place_of
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text
from workers.ingest.reading.sheets.values import number_format, shown
from workers.ingest.reading.sheets.workbook import read
from workers.ingest.reading.stored_text import stored_text

PERCENT, EURO, DOLLAR, DATE, THOUSANDS = range(1, 6)
RENTS = (("Mill", "Town", "Rent"), ("River", "Hallow", 880), ("Wind", "Oakley", 410))
RENTS_TEXT = "| Mill | Town | Rent |\n| --- | --- | --- |\n| River | Hallow | 880 |\n| Wind | Oakley | 410 |"


def text(*rows, **options):
    """What is stored of a sheet, without the sheet's name."""
    return stored_text(read(workbook({"S": sheet_rows(*rows, **options)}), {}))[0].removeprefix("# S\n\n")


def test_a_sheet_is_its_name_and_a_table_wherever_it_stands():
    assert text(*RENTS) == text(*RENTS, first="C5") == RENTS_TEXT


def test_numbers_are_as_they_are_and_dates_as_iso_writes_them():
    for value, said in [
        (3.0, "3"),
        (0.1 + 0.2, "0.3"),
        (-2.50, "-2.5"),
        (1e20, "100000000000000000000"),
        (1e-7, "0.0000001"),
        (1.5e300, "1.5E+300"),
        (True, "TRUE"),
        (dt.date(2024, 1, 2), "2024-01-02"),
        (dt.datetime(2024, 1, 2), "2024-01-02"),  # noqa: DTZ001 - a sheet's time has no zone
        (dt.datetime(2024, 1, 2, 3, 4), "2024-01-02 03:04"),  # noqa: DTZ001
        (dt.time(3, 4, 5), "03:04:05"),
        (dt.timedelta(hours=30), "30:00:00"),
    ]:
        assert shown(value) == said


def test_a_percentage_has_both_numbers_and_an_amount_its_unit():
    for code, said in [
        ("9", "0.05 (5%)"),
        ("0.00%", "0.05 (5%)"),
        ('#,##0.00\\ "€"', "0.05 €"),
        ("[$€-407]\\ #,##0;[Red]-0", "€ 0.05"),
        ("_($* #,##0.00_);_($* (#,##0.00)", "$0.05"),
        ('0.0" kg"', "0.05 kg"),
        ('"USD" 0', "USD 0.05"),
        ('0.0,"k"', "0.05"),
        ("[>=1]0.0;0%", "0.05"),
        ("General", "0.05"),
        ("yyyy-mm-dd", "0.05"),
        ("000-0000", "0.05"),
        ("# ?/?", "0.05"),
    ]:
        assert shown(0.05, number_format(code)) == said, code
    assert shown(-5, number_format("$0")) == "-$5"
    names = ("Item", "Share", "Price", "Cost", "Day", "Sold")
    row = ("Mill", (0.07, PERCENT), (9.5, EURO), (7, DOLLAR), (45293, DATE), (12, THOUSANDS))
    assert text(names, row).splitlines()[-1] == "| Mill | 0.07 (7%) | 9.5 € | $7 | 2024-01-02 | 12 |"


def test_a_line_above_a_table_is_its_title_and_one_below_tells_about_it():
    told = ("Rents of 2024",), (), *RENTS, ("Source: the land register",)
    assert text(*told) == f"Rents of 2024\n\n{RENTS_TEXT}\n\nSource: the land register"
    merged = ("Rents of 2024", None, None), *RENTS
    assert text(*merged, merged=["A1:C1"]) == f"Rents of 2024\n\n{RENTS_TEXT}"


def test_tables_beside_and_below_one_another_are_apart():
    areas = (("Lake", "Area"), ("Zug", 38), ("Uri", 9))
    beside = [(*left, None, *right) for left, right in zip(RENTS, areas, strict=True)]
    lakes = "| Lake | Area |\n| --- | --- |\n| Zug | 38 |\n| Uri | 9 |"
    assert text(*beside) == f"{RENTS_TEXT}\n\n{lakes}"
    assert text(*RENTS, (), *areas) == f"{RENTS_TEXT}\n\n{lakes}"
    titled = ("Report", *[None] * 5), *beside
    assert text(*titled, merged=["A1:F1"]) == f"Report\n\n{RENTS_TEXT}\n\n{lakes}"


def test_an_empty_row_or_column_within_a_table_does_not_divide_it():
    assert text(*RENTS[:2], (), *RENTS[2:]) == RENTS_TEXT
    gap = [(mill, town, None, rent) for mill, town, rent in RENTS]
    assert text(*gap) == RENTS_TEXT


def test_two_rows_of_names_are_joined():
    names = ("Mill", "2023", None, "2024", None), (None, "Rent", "Heat", "Rent", "Heat")
    rows = (*names, ("River", 880, 70, 900, 80))
    merged = ["A1:A2", "B1:C1", "D1:E1"]
    for given in (merged, ["A1:A2"]):
        reading = read(workbook({"S": sheet_rows(*rows, merged=given)}), {})
        assert reading.blocks[1].head_rows == 2
        assert "| Mill | 2023 | 2023 | 2024 | 2024 |" in stored_text(reading)[0]


def test_a_merged_cell_stands_in_each_row_that_it_reaches():
    rows = (("Region", "Product", "Units"), ("North", "Cable", 12), (None, "Hub", 7), ("South", "Cable", 3))
    assert "| North | Hub | 7 |" in text(*rows, merged=["A2:A3"])
    assert "| North | Hub | 7 |" in text(*rows, merged=["A2:A3", "A2:XFD1048576"])


@pytest.mark.parametrize(("rows", "heads"), [
    (RENTS, 1),
    ((("Year", "Ducks"), (2019, 120), (2020, 135)), 1),
    ((("Region", 2023, 2024), ("North", 12, 13)), 1),
    ((("Ana", 1771, 12), ("Ben", 1802, 13)), 0),
    ((("Name", "Town", "Trade"), ("Ana", "Hallow", "miller"), ("Ben", "Oakley", "smith")), 1),
    ((("Ana", "Hallow", "miller"), ("Ben", "Oakley", "miller"), ("Cy", "Hallow", "smith")), 0),
    ((("Name", "Town"), ("Ana", "Hallow"), ("Ben", "Oakley")), 0),
    (((("Name", BOLD), ("Town", BOLD)), ("Ana", "Hallow"), ("Ben", "Oakley")), 1),
    ((("Tenant:", "Ana"), ("Rent:", 900), ("Area:", 80)), 0),
    ((("Tenant", "Ana"), ("Rent", 900), ("From", (45293, DATE))), 0),
])  # fmt: skip
def test_a_row_names_columns_where_the_cells_below_show_it(rows, heads):
    [_name, table] = read(workbook({"S": sheet_rows(*rows)}), {}).blocks
    assert table.head_rows == heads


def test_a_form_is_read_label_by_label():
    form = ("Lease", None, None, None), ("Tenant:", "Ana", "From:", "May"), ("Rent:", 900, "To:", "June")
    left = "| Tenant: | Ana |\n| --- | --- |\n| Rent: | 900 |"
    assert text(*form) == f"Lease\n\n{left}\n\n| From: | May |\n| --- | --- |\n| To: | June |"


def test_hidden_and_empty_sheets_are_left_out_and_counted():
    rows = sheet_rows(*RENTS)
    sheets = {"Old": rows, "Empty": sheet_rows(), "Rents": rows, "X": rows}
    reading = read(workbook(sheets, hidden=["Old", "X"]), {})
    assert stored_text(reading)[0] == f"# Rents\n\n{RENTS_TEXT}"
    assert reading.left_out == {"hidden sheet": 2, "empty sheet": 1}


def test_formulas_that_were_never_calculated_and_errors_are_counted():
    cells = '<c r="A1"><f>1+1</f></c><c r="B1" t="e"><v>#N/A</v></c><c r="C1"><v>5</v></c>'
    reading = read(workbook({"S": f'<sheetData><row r="1">{cells}</row></sheetData>'}), {})
    assert stored_text(reading)[0] == "# S\n\n5"
    assert reading.left_out == {"formula without a value": 1, "error value": 1}


def test_comments_follow_their_sheet():
    comments = (
        '<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        '<authors><author>Ben</author></authors><commentList><comment ref="C2" authorId="0"><text>'
        "<r><t>Ben:</t></r><r><t> from May on</t></r></text></comment></commentList></comments>"
    )
    reading = read(workbook({"S": sheet_rows(*RENTS)}, comments=comments), {})
    assert stored_text(reading)[0] == f"# S\n\n{RENTS_TEXT}\n\nComment by Ben on C2: from May on"


def placed(quote, sheet="Rents", first="B3"):
    rows = ("Rents of 2024",), *RENTS
    sheets = {"A": sheet_rows(*RENTS), sheet: sheet_rows(*rows, first=first)}
    stored, places = stored_text(read(workbook(sheets), {}))
    at = stored.rindex(quote)
    place = place_of(PlaceMap(stored, places).cut(0, len(stored)), at, at + len(quote))
    return place.words, place.sheet, place.cell, place.row, place.column


def test_a_quote_is_cited_by_sheet_and_cell():
    row = "Wind | Oakley | 410"
    assert placed("410") == ("Rents!D6, row Wind, column Rent", "Rents", "D6", "Wind", "Rent")
    assert placed(row) == ("Rents!B6:D6, row Wind", "Rents", "B6:D6", "Wind", None)
    assert placed("Rents of 2024")[0] == "Rents!B3"
    assert placed("410", sheet="Rents '24 new")[0] == "Rents '24 new!D6, row Wind, column Rent"


def test_what_spans_too_much_is_left_out_and_the_other_sheets_are_read():
    last = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
    far = sheet_rows(("a",)).replace("</sheetData>", last)
    reading = read(workbook({"Far": far, "S": sheet_rows(*RENTS)}), {})
    assert stored_text(reading)[0] == f"# S\n\n{RENTS_TEXT}"
    assert reading.left_out == {"sheet whose cells stand too far apart": 1}


def refusal(data, kind="xlsx", **limits):
    with pytest.raises(DocumentUnreadable) as caught:
        read_text(
            DocumentFile.of(data), DocumentParams(uri=f"a.{kind}", source="x", format=kind), Limits(**limits)
        )
    return str(caught.value)


def test_what_is_no_workbook_is_refused_in_words():
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    assert "not .xlsx, whatever its name says" in refusal(b"\0a;b\n1;2", "xls")
    assert "broken, or not a spreadsheet" in refusal(ole + bytes(2_000), "xls")
    assert "broken, or not a spreadsheet" in refusal(archive({"content.xml": "<a"}), "ods")
    assert "protected by a password" in refusal(ole + bytes(600) + "EncryptedPackage".encode("utf-16-le"))
    assert "zip bomb" in refusal(workbook({"S": "<a/>" * 10_000_000}))
    assert "empty" in refusal(workbook({"S": sheet_rows()}))


@pytest.mark.parametrize("kind", ["xls", "ods"])
def test_workbooks_of_other_formats_are_read_alike(kind):
    data = (Path(__file__).parents[3] / f"data/reading/sheets-rents.{kind}").read_bytes()
    found = read_text(
        DocumentFile.of(data), DocumentParams(uri=f"a.{kind}", source="x", format=kind), Limits()
    )
    assert found.text == (
        "# Rents\n\nRents of 2024\n\n| Mill | Town | Rent | Paid |\n| --- | --- | --- | --- |\n"
        "| River | Hallow | 880 | 2024-05-01 |\n| Wind | Hallow | 410.5 | 2024-06-01 |\n|  |  |  | 1290.5 |"
    )
    assert found.left_out == {"hidden sheet": 1, "empty sheet": 1}
    start = found.text.index("410.5")
    place = place_of(PlaceMap(found.text, found.places).cut(0, len(found.text)), start, start + 5)
    assert (place.sheet, place.cell) == ("Rents", "D6")
    wrong = DocumentParams(uri="a.xlsx", source="x", format="xlsx")
    assert read_text(DocumentFile.of(data), wrong, Limits()).text == found.text, (
        "programs name workbooks alike"
    )


def test_an_old_workbook_has_its_units_and_bold_heads():
    data = (Path(__file__).parents[3] / "data/reading/tolls.xls").read_bytes()
    assert stored_text(read(data, {}))[0] == (
        "# Tolls\n\nTolls of the bridges\n\n| Bridge | Toll in 1850 | Share |\n| --- | --- | --- |\n"
        "| Ashby bridge | $12.5 | 0.07 (7%) |\n| Corby bridge | $40 | 0.19 (19%) |\n\n"
        "# Öl\n\n| Year | Litres |\n| --- | --- |\n| 1850 | 7 l |\n| 1851 | 8 l |"
    )


@pytest.mark.parametrize("at", [520, 600, 1_000, 2_000, 3_000, 4_000])
def test_a_damaged_old_workbook_is_read_or_refused_with_a_sentence(at):
    data = (Path(__file__).parents[3] / "data/reading/tolls.xls").read_bytes()
    damaged = data[:at] + b"\xff" * 40 + data[at + 40 :]
    params = DocumentParams(uri="a.xls", source="x", format="xls")
    with suppress(DocumentUnreadable):
        assert read_text(DocumentFile.of(damaged), params, Limits()).text


@pytest.mark.long
def test_a_million_cells_end_with_a_sentence():
    rows = "".join(f"<row><c><v>{n}</v></c>{'<c><v>1</v></c>' * 20}</row>" for n in range(60_000))
    assert "too large: more than 1000000 cells" in refusal(workbook({"S": f"<sheetData>{rows}</sheetData>"}))


def test_an_open_document_has_its_percentages_currencies_and_comments():
    data = (Path(__file__).parents[3] / "data/reading/sheets-formats.ods").read_bytes()
    assert stored_text(read(data, {}))[0] == (
        "# Rents\n\n| Mill | Rent | Interest |\n| --- | --- | --- |\n| Wind mill | 430 € | 0.041 (4.1%) |\n"
        "| River mill | 910 € | 0.035 (3.5%) |\n\nComment on B2: Paid in May."
    )
