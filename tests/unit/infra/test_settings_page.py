"""docs/settings.md says what the declarations of the settings say."""

import pytest
from pydantic import BaseModel, Field

from infra.local.settings import LocalSettings
from infra.settings_page import PAGE, RETRIES_PAGE, retries_page, rows, settings_page
from workers.settings import Settings


def test_the_page_of_retries_is_made_of_the_declarations() -> None:
    assert RETRIES_PAGE.read_text(encoding="utf-8") == retries_page(), "run `python -m infra.settings_page`"


def test_the_page_is_up_to_date_with_a_row_and_a_sentence_for_every_setting() -> None:
    assert PAGE.read_text(encoding="utf-8") == settings_page(), "run `python -m infra.settings_page`"
    lines = settings_page().splitlines()
    for name in {*Settings.model_fields, *LocalSettings.model_fields}:
        (line,) = (line for line in lines if line.startswith(f"| `HOPLINE_{name.upper()}` |"))
        assert line.split(" | ")[-1].rstrip(" |").endswith(".")


class Declared(BaseModel):
    share: float = Field(default=0.5, ge=0, lt=1)
    """How much of it."""


def test_a_row_is_read_off_the_declaration_which_needs_a_description() -> None:
    assert rows(Declared)["share"] == ("HOPLINE_SHARE", "`0.5`", "number from 0 below 1", "How much of it.")
    with pytest.raises(KeyError, match="bare"):
        rows(Undescribed)


class Undescribed(BaseModel):
    bare: int = 1
