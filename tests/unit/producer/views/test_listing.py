"""Tables keep ids and names whole on a terminal of any width, and a live view leaves nothing on it."""

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.live import Live
from rich.text import Text

from hopline.views.live import cleared
from hopline.views.tables import Listing

JOB = "j3c879e6ee70289c6b972ca4a"
QUESTION = "Where was the designer of the Clifton Suspension Bridge born, and who paid for it?"


def table() -> Listing:
    listing = Listing("job", "state", "took", "collection", "about", wide="about", spare=("took",))
    listing.add(JOB, "abstained", "12.5 s", "contracts-of-2024", QUESTION)
    listing.add(JOB, "done", "1.0 s", "\x1b秦三娘", "")
    return listing


def printed(width: int, *, terminal: bool = True) -> list[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=terminal, color_system=None)
    table().print(console)
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [30, 80, 200])
def test_ids_and_names_stand_whole_at_every_width(width: int) -> None:
    text = "\n".join(printed(width))
    assert text.count(JOB) == 2
    assert "contracts-of-2024" in text
    assert "秦三娘" in text


def test_the_wide_column_stands_beside_the_others_or_below_its_row_and_is_never_cut() -> None:
    wraps = printed(115)
    row = next(at for at, line in enumerate(wraps) if "Where was" in line)
    assert JOB in wraps[row]
    assert " ".join(" ".join(wraps[row : row + 2]).split()).endswith(QUESTION)
    assert wraps[row + 1].index("Bridge born") == wraps[row].index("Where was")
    lines = printed(80)
    row = next(at for at, line in enumerate(lines) if "abstained" in line)
    assert " ".join(" ".join(lines[row + 1 : row + 3]).split()) == QUESTION
    assert all(len(line) <= 80 for line in lines)
    assert any("took" in line for line in lines)
    assert not any("took" in line for line in printed(60)), "a narrow terminal does without the spare column"


def test_rows_stand_below_one_another_and_a_wide_one_goes_on_at_a_word() -> None:
    assert any(line.endswith(QUESTION) for line in printed(80, terminal=False))
    assert "\x1b" not in "".join(printed(80))
    header, first, second = printed(200)
    assert cell_len(header[: header.index("about")]) == cell_len(first[: first.index("Where")])
    assert cell_len(second.rstrip()) <= cell_len(header[: header.index("about")])
    listing = Listing("job", "tags", "where")
    listing.add(JOB, "tags=field+hydrology", "/archive/of/letters/2024/letter-of-the-foundation.docx")
    console = Console(file=io.StringIO(), width=60, force_terminal=True, color_system=None)
    listing.print(console)
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert all(len(line) <= 60 for line in lines)
    assert lines[2] == JOB, "the first column stands above its row"
    assert lines[3].startswith("    tags=")
    assert lines[4].startswith("    /archive")
    assert "tags=field+hydrology" in "\n".join(lines)


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
