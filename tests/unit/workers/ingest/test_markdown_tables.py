"""Which lines of a Markdown text are a table."""

from __future__ import annotations

import pytest

from workers.core.places import PlaceMap, with_told_rows
from workers.ingest.reading.markdown_tables import markdown_tables

_TABLE = "| Mill | Year |\n|---|---|\n| River | 1771 |\n"


def _cells(text: str) -> list[str]:
    return [text[start:end] for start, end, *_rest in markdown_tables(text)["cells"]]


def test_lines_may_end_as_those_of_windows_do() -> None:
    text = f"Mills:\n\n{_TABLE}\nNo more.\n".replace("\n", "\r\n")
    assert _cells(text) == ["Mill", "Year", "River", "1771"]
    kept = PlaceMap(text, markdown_tables(text), by_line=True).cut(0, len(text))
    told = with_told_rows(text, kept)
    assert "Mill: River; Year: 1771" in told
    assert "---" not in told


@pytest.mark.parametrize(
    "code", ["~~~\n```\n~~~", "````\n```\n````", "```\n~~~\n```", "```\n``` x\n```", "```a`b"]
)
def test_code_ends_at_its_own_fence(code: str) -> None:
    assert _cells(f"{code}\n\n{_TABLE}") == ["Mill", "Year", "River", "1771"]


@pytest.mark.parametrize("code", ["~~~\n```\n", "````\n```\n", "``` python\n", "```\n```x\n"])
def test_what_stands_in_code_is_no_table(code: str) -> None:
    assert _cells(f"{code}{_TABLE}") == []


@pytest.mark.parametrize(
    ("head", "rule", "is_table"),
    [
        ("Either a | b holds.", "--|", False),
        ("Either a | b holds.", "|---|---|---|", False),
        ("| a | b", "--|--", True),
        ("a \\| b | c", "---|---", True),
        ("a \\| b", "---|---", False),
        ("| a |", "|---|", True),
        ("| a | |", "|---|---|", True),
    ],
)
def test_a_rule_has_a_cell_for_each_name(head: str, rule: str, is_table: bool) -> None:  # noqa: FBT001
    assert bool(markdown_tables(f"{head}\n{rule}\nc | d\n")["tables"]) == is_table
