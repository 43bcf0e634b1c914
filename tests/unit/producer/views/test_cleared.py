"""A live view leaves nothing on the terminal, however much it showed."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console
from rich.live import Live
from rich.text import Text

from producer.views.questions.live import cleared

COLUMNS = 80
_SEQUENCE = re.compile(r"\x1b\[\??(\d*)([A-Za-z])|[\r\n]|[^\x1b\r\n]+")


def left_behind(written: str, rows: int) -> list[str]:
    """Return the lines that stand on a terminal of so many rows, those that scrolled out of it included."""
    lines, row, column = [""], 0, 0
    for match in _SEQUENCE.finditer(written):
        text, count, what = match[0], int(match[1] or 1), match[2]
        if text == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        elif text == "\r":
            column = 0
        elif what == "A":
            row = max(row - count, len(lines) - rows, 0)  # what has scrolled out cannot be reached
        elif what == "K":
            lines[row] = ""
        elif what is None:
            lines[row] = lines[row][:column].ljust(column) + text + lines[row][column + len(text) :]
            column += len(text)
    return [line for line in lines if line.strip()]


@pytest.mark.parametrize("rows", [24, 40])
def test_a_view_higher_than_the_terminal_leaves_nothing(rows: int) -> None:
    file = io.StringIO()
    console = Console(file=file, width=COLUMNS, height=rows, force_terminal=True, color_system=None)
    with cleared(Live(Text(""), console=console, transient=True, auto_refresh=False)) as live:
        for height in (3, rows - 1, rows + 30):
            live.update(Text("\n".join(f"claim {n}" for n in range(height))), refresh=True)
    console.print("The answer.")
    assert left_behind(file.getvalue(), rows) == ["The answer."]
