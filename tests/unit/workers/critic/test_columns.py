"""A number that a sentence takes out of a table stands in the column that the sentence names."""

import pytest

from workers.core.places import PlaceMap
from workers.core.records import FactSource, FinalFact
from workers.critic.gather import Evidence, Gathered, Placed
from workers.critic.verify import fault
from workers.ingest.reading.markdown_tables import markdown_tables

TABLE = """| Mill | Rent in 2023 | Rent in 2024 | Grain |
| --- | --- | --- | --- |
| River mill | 880 euros | 900 euros | 12 t |
| Wind mill | 410 euros | 430 euros | 7 t |
"""
ROW = "| Wind mill | 410 euros | 430 euros | 7 t |"
START = TABLE.index(ROW)
SOURCE = FactSource(
    fact_id="f1",
    fact="Mill: Wind mill; Rent in 2023: 410 euros; Rent in 2024: 430 euros; Grain: 7 t.",
    chunk_id="c1",
    document_id="d1",
    title="Rents of the mills",
    uri="rents.md",
    start=100 + START,
    end=100 + START + len(ROW),
    match=1.0,
    grounded=True,
    quote=ROW,
    chunk_start=100,
    chunk_places=PlaceMap(TABLE, markdown_tables(TABLE)).cut(0, len(TABLE)),
)


def test_of_a_long_table_the_evidence_says_which_rows_were_seen() -> None:
    rows = [f"| Item {n} | {n} euros |" for n in range(1, 10)]
    table = "\n".join(("| Item | Price |", "| --- | --- |", *rows))
    places = PlaceMap(table, markdown_tables(table)).cut(0, len(table))

    def entry(nth: int, row: str) -> Evidence:
        at = table.index(row)
        span = {"start": at, "end": at + len(row), "quote": row, "chunk_start": 0, "chunk_places": places}
        scored = FinalFact.model_construct(fact_text=row)
        return Evidence(nth, row, (Placed(scored, SOURCE.model_copy(update=span)),))

    def seen(*numbers: int) -> Gathered:
        return Gathered({nth: entry(nth, rows[number - 1]) for nth, number in enumerate(numbers, 1)})

    [told] = seen(3, 1, 2, 7).tables_in_part
    assert str(told) == "rows 1–3, 7 of 9 of table 1 of Rents of the mills were read"
    assert seen(1, 2).material()["tables_in_part"] == [
        {"source": "Rents of the mills", "table": 1, "rows": "1–2", "of": 9}
    ]
    for numbers in ((4,), range(1, 10)):
        assert "tables_in_part" not in seen(*numbers).material()


@pytest.mark.parametrize(
    "sentence",
    [
        "The rent of the Wind mill in 2024 is 430 euros.",
        "In 2023 the rent of the wind mill was 410 euros.",
        "The rent of the wind mill rose from 410 euros to 430 euros in 2024.",
        "The wind mill ground 7 t of grain.",
        "The wind mill costs 410 euros.",
        "The rent of the wind mill was 410 euros in 2023 and 430 euros in 2024.",
    ],
)
def test_numbers_of_the_named_column_are_right(sentence: str) -> None:
    assert fault(sentence, [SOURCE]) is None


@pytest.mark.parametrize(
    ("sentence", "column"),
    [
        ("The rent of the Wind mill in 2024 is 410 euros.", "Rent in 2023"),
        ("In 2023 the rent of the wind mill was 430 euros.", "Rent in 2024"),
        ("The wind mill ground 410 of grain.", "Rent in 2023"),
    ],
)
def test_a_number_of_another_column_is_wrong(sentence: str, column: str) -> None:
    assert f"stands in the column “{column}”" in (fault(sentence, [SOURCE]) or "")


def test_a_number_that_another_cited_place_has_is_right() -> None:
    other = SOURCE.model_copy(
        update={"chunk_places": "", "quote": "By 2024 it was 410 euros.", "fact_id": "f2"}
    )
    assert fault("The rent of the wind mill in 2024 is 410 euros.", [SOURCE, other]) is None


@pytest.mark.parametrize(
    ("fact", "place"),
    [
        ("The wind mill was let for 430 euros in 2024.", "table 1, row Wind mill, column Rent in 2024"),
        ("The wind mill was let for 430 euros, after 410 euros.", "table 1, row Wind mill"),
        ("The wind mill was let for 1,430 euros in 2024.", "table 1, row Wind mill"),
        (SOURCE.fact, "table 1, row Wind mill"),
    ],
)
def test_a_fact_of_one_value_is_placed_at_its_cell(fact: str, place: str) -> None:
    found = SOURCE.model_copy(update={"fact": fact}).place
    assert found
    assert found.words == place
