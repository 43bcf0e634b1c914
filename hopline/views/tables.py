"""Prints tables to fit the terminal; nothing in them is cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from hopline.commands.console import harmless, print_folded

_GAP = 2  # columns of the screen between two of the table
_BESIDE = 40  # the least width at which a wide column stands beside the others although it wraps
_LEAST = 20  # the least width of a text below its row
_INDENT = "    "


def plain_table(*columns: str, title: str = "", right: Sequence[str] = ()) -> Table:
    """Return a table of figures, set as a `Listing` is: no lines, bold headings.

    Args:
        columns: the headings; if all are empty, none is printed.
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
    """Rows under a header, complete at every terminal width.

    If a row is too wide, its wide column wraps or moves below it; then `spare` columns are left out, first
    named first. If the others are still too wide, the first column, a title or a name, moves to a line above
    its row; anything still too wide continues on lines below, folded between cells and words.

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
        self._rows: list[tuple[list[Text], Text]] = []

    def add(self, *cells: str | Text, note: str | Text = "") -> None:
        """Add a row, a cell for each heading; strings are made harmless.

        Args:
            cells: in the order of the headings.
            note: printed below the row, such as the reason for a failure.
        """
        self._rows.append(([_text(cell) for cell in cells], _text(note)))

    def print(self, console: Console) -> None:
        """Print the rows for a console of this width."""
        lines = self._lines(console.width) if console.is_terminal else self._whole_lines()
        for line in lines:
            line.rstrip()
            print_folded(console, line)

    def _whole_lines(self) -> Iterator[Text]:
        """Yield a line for each row, however long, since readers of a pipe or a file expect lines."""
        widths = self._widths()
        shown = self._filled()
        if self._title:
            yield Text(self._title, "bold")
        yield self._header(shown, widths, beside=self._wide is not None)
        for row, note in self._rows:
            more = [] if self._wide is None else [_one_line(row[self._wide])]
            parts = [
                self._line(row, shown, widths),
                *(each for each in (*more, _one_line(note)) if each.plain),
            ]
            yield Text(" " * _GAP).join(parts)

    def _lines(self, width: int) -> Iterator[Text]:
        widths = self._widths()
        shown, above = self._shown(widths, width)
        room = width - (len(_INDENT) if above else 0) - _taken([widths[name] for name in shown]) - _GAP
        beside = self._wide is not None and (room >= _BESIDE or room >= self._widest)
        indent = Text(_INDENT if above else "")
        if self._title:
            yield Text(self._title, "bold")
        if above:
            yield Text(above, "bold")
        yield indent + self._header(shown, widths, beside=beside)
        for row, note in self._rows:
            if above and row[self._order[0]].plain:
                yield row[self._order[0]]
            line = indent + self._line(row, shown, widths)
            wide = _one_line(row[self._wide]) if self._wide is not None else Text()
            if beside and wide.plain:
                first, *more = _wrapped(wide, room)
                yield Text.assemble(line, " " * _GAP, first)
                yield from (Text.assemble(" " * (line.cell_len + _GAP), further) for further in more)
            else:
                yield line
                yield from _below(wide, width, "dim")
            yield from _below(_one_line(note), width)

    @property
    def _widest(self) -> int:
        assert self._wide is not None  # noqa: S101 - its caller has asked
        return max([len(self._heading), *(_one_line(row[self._wide]).cell_len for row, _ in self._rows)])

    def _widths(self) -> dict[str, int]:
        return {
            name: max([len(name), *(row[at].cell_len for row, _ in self._rows)])
            for name, at in zip(self._columns, self._order, strict=True)
        }

    def _filled(self) -> list[str]:
        """Return the headings without spare columns that have nothing in them."""
        places = zip(self._columns, self._order, strict=True)
        return [
            name
            for name, at in places
            if name not in self._spare or any(row[at].plain for row, _ in self._rows)
        ]

    def _shown(self, widths: dict[str, int], most: int) -> tuple[list[str], str]:
        """Return the headings for which there is room, and that of the column above the rows, or ""."""
        whole = self._filled()
        shown = self._fitting(whole, widths, most)
        if len(shown) == 1 or _taken([widths[name] for name in shown]) <= most:
            return shown, ""
        first, *others = whole
        return self._fitting(others, widths, most - len(_INDENT)), first

    def _fitting(self, names: Sequence[str], widths: dict[str, int], most: int) -> list[str]:
        shown = list(names)
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


def _text(cell: str | Text) -> Text:
    return cell if isinstance(cell, Text) else Text(harmless(cell))


def _one_line(text: Text) -> Text:
    return Text(" ").join(part for part in text.split() if part.plain) if "\n" in text.plain else text


def _wrapped(text: Text, width: int) -> list[Text]:
    return list(text.wrap(Console(), width))


def _below(text: Text, width: int, style: str = "") -> Iterator[Text]:
    for line in _wrapped(text, max(_LEAST, width - len(_INDENT))) if text.plain else ():
        yield Text.assemble(_INDENT, line, style=style)
