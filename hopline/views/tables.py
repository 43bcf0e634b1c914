"""Prints tables to fit the terminal: one column shrinks, identifying columns never do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hopline.commands.console import harmless, print_folded

_GAP = 2  # columns of the screen between two of the table
_BESIDE = 20  # the least width at which the wide column stands beside the others
_INDENT = "    "


def plain_table(*columns: str, title: str = "", right: Sequence[str] = ()) -> Table:
    """Return a table of figures, set as a `Listing` is: no lines, bold headings.

    Args:
        columns: the headings; where all are empty, none is printed.
        title: printed above, if anything.
        right: headings of columns of numbers.
    """
    table = Table(
        box=None,
        padding=(0, _GAP, 0, 0),
        pad_edge=False,
        show_header=any(columns),
        title=Text(title, "bold") if title else None,
        title_justify="left",
    )
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return table


class Listing:
    """Rows under a header.

    Ids, names and addresses stand whole, because people copy them. The wide column is cut on a terminal that
    has no room for it; where hardly any is left it stands on a line of its own below its row, folded. If the
    others alone are too wide, `spare` columns are left out, the first named first; then a row goes on in
    lines below it, folded between cells and words.

    Args:
        columns: the headings.
        wide: the heading of the column that gives way, if one does; it is printed last.
        spare: headings of columns that a narrow terminal does without.
        right: headings of columns of numbers.
        title: printed above, if anything.
    """

    def __init__(
        self,
        *columns: str,
        wide: str | None = None,
        spare: Sequence[str] = (),
        right: Sequence[str] = (),
        title: str = "",
    ) -> None:
        self._columns = [name for name in columns if name != wide]
        self._order = [columns.index(name) for name in self._columns]
        self._wide = columns.index(wide) if wide else None
        self._heading = wide or ""
        self._spare = spare
        self._right = right
        self._title = title
        self._rows: list[list[Text]] = []

    def add(self, *cells: str | Text) -> None:
        """Add a row, a cell for each heading; strings are made harmless."""
        self._rows.append([cell if isinstance(cell, Text) else Text(harmless(cell)) for cell in cells])

    def print(self, console: Console) -> None:
        """Print the rows for a console of this width."""
        for line in self._lines(console.width, cutting=console.is_terminal):
            line.rstrip()
            print_folded(console, line)

    def _lines(self, width: int, *, cutting: bool) -> Iterator[Text]:
        widths = self._widths()
        shown = self._shown(widths, width)
        room = width - _taken([widths[name] for name in shown]) - _GAP
        beside = self._wide is not None and (room >= _BESIDE or not cutting)
        if self._title:
            yield Text(self._title, "bold")
        yield self._header(shown, widths, beside=beside)
        for row in self._rows:
            line = self._line(row, shown, widths)
            wide = row[self._wide] if self._wide is not None else Text()
            if beside and wide.plain:
                line = Text.assemble(line, " " * _GAP, _one_line(wide, room if cutting else 0))
            yield line
            if not beside and wide.plain:
                yield from _below(wide, width)

    def _widths(self) -> dict[str, int]:
        return {
            name: max([len(name), *(row[at].cell_len for row in self._rows)])
            for name, at in zip(self._columns, self._order, strict=True)
        }

    def _shown(self, widths: dict[str, int], most: int) -> list[str]:
        """Return the headings for which there is room; columns with nothing in them are left out."""
        empty = {
            name
            for name, at in zip(self._columns, self._order, strict=True)
            if name in self._spare and not any(row[at].plain for row in self._rows)
        }
        shown = [name for name in self._columns if name not in empty]
        for name in self._spare:
            if _taken([widths[heading] for heading in shown]) <= most:
                break
            if name in shown:
                shown.remove(name)
        return shown

    def _header(self, shown: Sequence[str], widths: dict[str, int], *, beside: bool) -> Text:
        names = [Text(name, "bold") for name in shown]
        line = self._joined(shown, names, widths)
        return Text.assemble(line, " " * _GAP, (self._heading, "bold")) if beside else line

    def _line(self, row: Sequence[Text], shown: Sequence[str], widths: dict[str, int]) -> Text:
        places = dict(zip(self._columns, self._order, strict=True))
        return self._joined(shown, [row[places[name]] for name in shown], widths)

    def _joined(self, shown: Sequence[str], cells: Iterable[Text], widths: dict[str, int]) -> Text:
        padded = []
        for name, cell in zip(shown, cells, strict=True):
            space = " " * (widths[name] - cell.cell_len)
            padded.append(Text.assemble(space, cell) if name in self._right else Text.assemble(cell, space))
        return Text(" " * _GAP).join(padded)


def _taken(widths: Sequence[int]) -> int:
    return sum(widths) + _GAP * max(0, len(widths) - 1)


def _one_line(text: Text, width: int) -> Text:
    """Return the text on one line, cut to a width; 0 cuts nothing."""
    line = Text(" ").join(part for part in text.split() if part.plain) if "\n" in text.plain else text.copy()
    if width:
        line.truncate(width, overflow="ellipsis")
    return line


def _below(text: Text, width: int) -> Iterator[Text]:
    for line in text.wrap(Console(), max(_BESIDE, width - len(_INDENT))):
        yield Text.assemble(_INDENT, line, style="dim")
