"""The tables of words in many languages are what Unicode's data say."""

from infra.cldr_tables import COUNTRIES, FIGURES, countries_table, figures_table


def test_the_tables_are_up_to_date() -> None:
    # Not in one assertion with its text: pytest would compare 400,000 characters.
    is_current = (
        FIGURES.read_text("utf-8") == figures_table() and COUNTRIES.read_text("utf-8") == countries_table()
    )
    assert is_current, "run `python -m infra.cldr_tables`"
