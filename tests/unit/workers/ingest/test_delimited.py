"""CSV and TSV: their dialects, encodings, heads, and where a quote stands."""

import pytest

from hopline.errors import DocumentUnreadable
from workers.core.jobs.params import DocumentParams
from workers.core.places import PlaceMap, place_of
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.read import read_text

TABLE = "| Mill | Rent |\n| --- | --- |\n| River | 880 |\n| Wind | 410 |"


def read(data, kind="csv", encoding=""):
    data = data if isinstance(data, bytes) else data.encode()
    params = DocumentParams(uri=f"/docs/some file.{kind}", source="x", format=kind, encoding=encoding)
    return read_text(DocumentFile.of(data), params, Limits())


@pytest.mark.parametrize("data", [
    "Mill,Rent\nRiver,880\nWind,410",
    "Mill;Rent\r\nRiver;880\r\nWind;410\r\n",
    "Mill\tRent\nRiver\t880\nWind\t410\n",
    "Mill|Rent\nRiver|880\nWind|410",
    "sep=;\nMill;Rent\nRiver;880\nWind;410",
    '"Mill","Rent"\n"River",880\n"Wind",410',
    " Mill , Rent \n River , 880 \n Wind , 410 ",
    "Mill,Rent\n\nRiver,880\nWind,410\n,\n",
])  # fmt: skip
def test_the_sign_between_cells_is_found(data):
    assert read(data).text == read(data, "tsv").text == TABLE


def test_lines_of_comments_are_no_headings():
    said = read("# made by meterd\n# site: Hub 4\n" + "Mill,Rent\nRiver,880\nWind,410")
    assert said.text == f"made by meterd\n\nsite: Hub 4\n\n{TABLE}"


@pytest.mark.parametrize(("data", "row"), [
    ("Mill;Rent\nRiver;8,80\nWind;4,10", "| Wind | 4,10 |"),  # decimal commas
    ('Mill,Says\nRiver,"a; b\nc"\nWind,"he said ""no"""', '| Wind | he said "no" |'),
    ('Mill,Height\nRiver,6"\nWind,5', '| River | 6" |'),
    ('Mill,Says\nRiver,"never closed\nWind,410', '| River | "never closed |'),
    ("Mill,Rent\nRiver\nWind,410,more", "| Wind | 410 | more |"),
    ("Mill,Rent\nRiver,a|b\nWind,410", "| River | a\\|b |"),
])  # fmt: skip
def test_quotes_commas_and_uneven_rows_are_read_as_they_are_meant(data, row):
    assert row in read(data).text.split("\n")


def test_lines_above_the_head_are_its_title():
    text = read("Rents of all mills\nas of May\n\nMill,Rent\nRiver,880\nWind,410").text
    assert text == f"Rents of all mills\n\nas of May\n\n{TABLE}"


@pytest.mark.parametrize(("data", "heads"), [
    ("Mill,Rent\nRiver,880", 1),
    ("River,880\nWind,410", 0),
    ("Name,Town\nAna,Hallow\nBen,Oakley", 1),
    ("Name,Mail\nAna,a@x.org\nBen,b@x.org", 1),
    ("Ana,a@x.org\nBen,b@x.org\nCy,c@x.org", 0),
    ("Day,Phone 1\n2024-05-01,229.077.5154\n2024-05-02,001-808-617", 1),
])  # fmt: skip
def test_the_first_row_names_columns_where_it_looks_unlike_the_others(data, heads):
    [table] = read(data).places["tables"]
    assert table[2] == heads


def test_encodings_are_those_of_texts():
    western = "Mühle;Miete\nHallow;880".encode("cp1252")
    assert read(western, encoding="windows-1252").text.startswith("| Mühle | Miete |")
    assert read("名前,年齢\n佐藤,30".encode("cp932")).text.startswith("| 名前 | 年齢 |")
    assert read("名,齢\n佐,3".encode("euc_jp"), encoding="euc-jp").text.startswith("| 名 | 齢 |")
    assert read("Mill\tRent\nRiver\t880".encode("utf-16")).text.startswith("| Mill | Rent |")


def test_a_quote_is_cited_by_its_cell():
    found = read('Rents\n\nMill,Town,Rent\n"River\nmill",Hallow,880\nWind,Oakley,410')

    def place(quote):
        at = found.text.index(quote)
        return place_of(PlaceMap(found.text, found.places).cut(0, len(found.text)), at, at + len(quote))

    assert place("410").words == "cell C5, row Wind, column Rent"
    assert place("Wind | Oakley | 410").words == "cell A5:C5, row Wind"
    assert (place("410").sheet, place("410").cell, place("410").page) == (None, "C5", None)
    assert place("Rents").words == "cell A1"


def test_a_list_of_one_column_is_read_line_by_line():
    assert read("apples\npears").text == "apples\n\npears"


def test_wide_and_large_files_are_bounded():
    found = read(",".join(f"c{n}" for n in range(16_384)) + "\n" + ",".join("1" * 16_384))
    assert found.left_out == {"column beyond 1024": 15_360}
    with pytest.raises(DocumentUnreadable, match="at most 1000000 cells"):
        read("," * 1_200_000 + "1")
