"""Finds tables that are drawn with rules, and puts glyphs into their cells."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from statistics import median

from workers.ingest.reading.blocks import Block, Box, Cell
from workers.ingest.reading.pdf.direction import is_right_to_left
from workers.ingest.reading.pdf.frame import Frame
from workers.ingest.reading.pdf.glyphs import BLANK, LINE_END, Glyph
from workers.ingest.reading.pdf.lines import Line, lines_of
from workers.ingest.reading.pdf.shapes import PageShapes

_NEAR = 3.0  # points between rules that meet, or are one
_SAME = 1.5  # points between pieces of one rule
_MOST_RULES = 800  # of a page, after pieces of one rule are put together; each is compared with each
_MOST_GRIDS = 40  # of a page; each is compared with each of its letters
_MOST_COLUMNS, _MOST_ROWS = 40, 120
_EDGE = 8.0  # points; a table may be open at its sides
_LARGEST_SHARE = 0.7  # of the page that one frame may have; a larger one is a border around all
_FEWEST_FILLED, _SHARE_FILLED = 4, 0.3
_LONGEST_CELL = 600  # characters
_LONGEST_NAME = 60  # characters
_WORD_GAP = 0.15  # of a letter's height, less than any between words
_FEWEST_LINES, _SHARE_OF_ROWS = 3, 0.6  # of a cell: lines that are cells of their own; rows that have one
_MOST_SPANNED = 12  # cells for which one that spans more counts as filled
_LEVEL, _LONGEST_PART = 4.0, 45  # points, characters: lines of cells that are cells of their own
_FEWEST_BOXES = 3  # of a row of boxes with a letter in each
_LABEL_SIZE = 0.85  # of the letters of a value, the largest of a label above it
_SPLIT_WORDS = 0.02  # share of letters that a rule would cut off from their word: no table


@dataclass(slots=True)
class _Rule:
    """A horizontal or vertical rule: its position, start and end."""

    at: float
    start: float
    end: float


@dataclass(slots=True)
class Grid:
    """Places of the rules of a table, and which are drawn there."""

    columns: list[float]  # x of the vertical rules
    rows: list[float]  # y of the horizontal ones
    across: list[list[_Rule]]  # the rules at each of `rows`
    down: list[list[_Rule]]  # the rules at each of `columns`
    owners: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)  # the merged cell of each
    spans: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)  # of merged cells

    @property
    def box(self) -> Box:
        """The rectangle around it."""
        return Box(self.columns[0], self.rows[0], self.columns[-1], self.rows[-1])

    @property
    def is_row(self) -> bool:
        """Whether it is a single row of boxes, not a table."""
        return len(self.rows) == 2  # noqa: PLR2004 - above and below

    @property
    def area(self) -> float:
        """In square points."""
        return (self.columns[-1] - self.columns[0]) * (self.rows[-1] - self.rows[0])

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return (row, column) of the merged cell at a point; None outside."""
        row, column = bisect_right(self.rows, y) - 1, bisect_right(self.columns, x) - 1
        return self.owners.get((row, column))

    def merge_cells(self) -> None:
        """Find out which cells have no rule between them."""
        for row in range(len(self.rows) - 1):
            for column in range(len(self.columns) - 1):
                if (row, column) not in self.owners:
                    self._merge_from(row, column)

    def _merge_from(self, row: int, column: int) -> None:
        last_column, last_row = column, row
        middle = (self.rows[row] + self.rows[row + 1]) / 2
        while last_column + 2 < len(self.columns) and not _is_ruled(self.down[last_column + 1], middle):
            last_column += 1
        middle = (self.columns[column] + self.columns[last_column + 1]) / 2
        while last_row + 2 < len(self.rows) and not _is_ruled(self.across[last_row + 1], middle):
            last_row += 1
        self.spans[row, column] = last_row - row + 1, last_column - column + 1
        for i in range(row, last_row + 1):
            for j in range(column, last_column + 1):
                self.owners.setdefault((i, j), (row, column))


def _is_ruled(rules: Sequence[_Rule], middle: float) -> bool:
    return any(rule.start - _NEAR <= middle <= rule.end + _NEAR for rule in rules)


def _rules_at(places: Sequence[float], rules: Sequence[_Rule]) -> list[list[_Rule]]:
    return [[rule for rule in rules if abs(rule.at - at) <= _NEAR] for at in places]


def grids(shapes: PageShapes, frame: Frame) -> list[Grid]:
    """Return the grids that rules of a page make, the largest ones, from the largest on."""
    across, down = _rules(shapes, frame)
    if len(across) + len(down) > _MOST_RULES:
        return []
    found = [grid for group in _groups(across, down) if (grid := _grid(*group)) is not None]
    return sorted(found, key=lambda grid: grid.area, reverse=True)[:_MOST_GRIDS]


def _rules(shapes: PageShapes, frame: Frame) -> tuple[list[_Rule], list[_Rule]]:
    across: list[_Rule] = []
    down: list[_Rule] = []
    for left, top, right, bottom in map(frame.upright, shapes.strokes):
        if right - left >= bottom - top:
            across.append(_Rule((top + bottom) / 2, left, right))
        else:
            down.append(_Rule((left + right) / 2, top, bottom))
    for left, top, right, bottom in map(frame.upright, shapes.frames):
        if (right - left) * (bottom - top) < _LARGEST_SHARE * frame.width * frame.height:
            across += (_Rule(top, left, right), _Rule(bottom, left, right))
            down += (_Rule(left, top, bottom), _Rule(right, top, bottom))
    return _put_together(across), _put_together(down)


def _put_together(rules: Sequence[_Rule]) -> list[_Rule]:
    """Return rules, with touching pieces of one line joined."""
    lines: list[list[_Rule]] = []
    for rule in sorted(rules, key=lambda rule: rule.at):
        if lines and rule.at - lines[-1][0].at <= _SAME:
            lines[-1].append(rule)
        else:
            lines.append([rule])
    whole: list[_Rule] = []
    for line in lines:
        first = True
        for rule in sorted(line, key=lambda rule: rule.start):
            if not first and rule.start <= whole[-1].end + _NEAR:
                whole[-1].end = max(whole[-1].end, rule.end)
            else:
                whole.append(_Rule(rule.at, rule.start, rule.end))
            first = False
    return whole


def _groups(across: Sequence[_Rule], down: Sequence[_Rule]) -> Iterator[tuple[list[_Rule], list[_Rule]]]:
    """Yield the rules that hang together, as (horizontal, vertical) ones."""
    rules = [*across, *down]
    parents = list(range(len(rules)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    for i, flat in enumerate(across):
        for j, upright in enumerate(down, start=len(across)):
            crosses = flat.start - _NEAR <= upright.at <= flat.end + _NEAR
            if crosses and upright.start - _NEAR <= flat.at <= upright.end + _NEAR:
                parents[root(i)] = root(j)
    groups: dict[int, tuple[list[_Rule], list[_Rule]]] = {}
    for index, rule in enumerate(rules):
        groups.setdefault(root(index), ([], []))[index >= len(across)].append(rule)
    yield from groups.values()


def _grid(across: list[_Rule], down: list[_Rule]) -> Grid | None:
    if not across or not down:
        return None
    columns, rows = _places(down), _places(across)
    left, right = min(rule.start for rule in across), max(rule.end for rule in across)
    if columns[0] - left > _EDGE:
        columns.insert(0, left)
        down = [*down, _Rule(left, rows[0], rows[-1])]
    if right - columns[-1] > _EDGE:
        columns.append(right)
        down = [*down, _Rule(right, rows[0], rows[-1])]
    top, bottom = min(rule.start for rule in down), max(rule.end for rule in down)
    if rows[0] - top > _EDGE:
        rows.insert(0, top)
        across = [*across, _Rule(top, columns[0], columns[-1])]
    if bottom - rows[-1] > _EDGE:
        rows.append(bottom)
        across = [*across, _Rule(bottom, columns[0], columns[-1])]
    if not (2 < len(columns) <= _MOST_COLUMNS + 1 and 1 < len(rows) <= _MOST_ROWS + 1):  # noqa: PLR2004
        return None
    if len(rows) == 2 and len(columns) <= _FEWEST_BOXES:  # noqa: PLR2004 - above and below
        return None
    grid = Grid(columns, rows, _rules_at(rows, across), _rules_at(columns, down))
    grid.merge_cells()
    return grid


def _places(rules: Sequence[_Rule]) -> list[float]:
    places: list[list[float]] = []
    for at in sorted(rule.at for rule in rules):
        if places and at - places[-1][-1] <= _NEAR:
            places[-1].append(at)
        else:
            places.append([at])
    return [sum(near) / len(near) for near in places]


def closed_up(row: Grid, glyphs: list[Glyph]) -> list[Glyph]:
    """Return glyphs with a row of one-letter boxes joined into words; unchanged for other rows.

    Letters in adjacent boxes touch; an empty box is the gap between two words. A scale (1 2 3 4 5) stays.
    """
    boxes: dict[int, int] = {}  # column -> index of its letter
    for index, glyph in enumerate(glyphs):
        if glyph.sign == " " or glyph.right <= glyph.left:
            continue
        if cell := row.cell_at((glyph.left + glyph.right) / 2, glyph.middle):
            if cell[1] in boxes or len(glyph.sign) > 1 or glyph.table:
                return glyphs
            boxes[cell[1]] = index
    columns = sorted(boxes)
    signs = [glyphs[boxes[column]].sign for column in columns]
    if len(columns) < 2 or all(ord(two) == ord(one) + 1 for one, two in pairwise(signs)):  # noqa: PLR2004
        return glyphs
    moved = list(glyphs)
    for column in columns:
        left, right = row.columns[column], row.columns[column + 1]
        moved[boxes[column]] = replace(glyphs[boxes[column]], left=left, right=right)
    between = {
        index
        for one, two in pairwise(columns)
        if two == one + 1
        for index in range(boxes[one] + 1, boxes[two])
        if glyphs[index].sign == " "
    }
    return [glyph for index, glyph in enumerate(moved) if index not in between]


def ruled_table(grid: Grid, glyphs: Sequence[Glyph], frame: Frame, page: int) -> Block | None:
    """Return the table that a grid makes of the glyphs within it; None if it makes none.

    A grid around text that is no table (boxes, charts, a plan) shows by words that its rules cut, by few
    filled cells, or by very long ones.
    """
    inside = _by_cell(grid, glyphs)
    if inside is None:
        return None
    texts = {place: lines for place, part in inside.items() if (lines := _cell_lines(part, frame))}
    for place in list(texts):
        _part_by_row(grid, texts, place)
    return _table(grid, texts, frame, page)


def _by_cell(grid: Grid, glyphs: Sequence[Glyph]) -> dict[tuple[int, int], list[Glyph]] | None:
    """Return the glyphs of each cell, in the order of the file; None if rules cut words."""
    inside: dict[tuple[int, int], list[Glyph]] = {}
    place, last, cut, count = None, None, 0, 0
    for glyph in glyphs:
        if glyph is BLANK or glyph is LINE_END:
            if place is not None:
                inside[place].append(glyph)
            last = None
            continue
        here = grid.cell_at((glyph.left + glyph.right) / 2, glyph.middle)
        if here is None:
            last = None
            continue
        count += 1
        if last and here != place and glyph.sign != " ":
            is_level = abs(glyph.bottom - last.bottom) < _LEVEL / 2
            cut += is_level and abs(glyph.left - last.right) < _WORD_GAP * glyph.height
        part = inside.setdefault(here, [])
        if place != here and part:
            part.append(LINE_END)
        part.append(glyph)
        place, last = here, glyph if glyph.sign != " " else None
    return None if cut > max(1, _SPLIT_WORDS * count) else inside


def _cell_lines(glyphs: Sequence[Glyph], frame: Frame) -> list[Line]:
    """Return the lines of a cell from top to bottom, those on one base line together."""
    lines = lines_of(glyphs, frame)
    if not all(line.is_plain for line in lines):
        return lines
    lines.sort(key=lambda line: ((line.top + line.bottom) / 2, line.left))
    merged: list[Line] = []
    for line in lines:
        last = merged[-1] if merged else None
        if last and min(last.bottom, line.bottom) - max(last.top, line.top) > 0.5 * min(last.size, line.size):
            first, second = sorted((last, line), key=lambda part: part.left)
            last.text = f"{first.text} {second.text}"
            last.left, last.right = min(last.left, line.left), max(last.right, line.right)
        else:
            merged.append(line)
    return merged


def _part_by_row(grid: Grid, texts: dict[tuple[int, int], list[Line]], place: tuple[int, int]) -> None:
    """Part a cell without rules between its rows, over which colour may lie, if each of them has a line."""
    row, column = place
    lines, (rows, columns) = texts[place], grid.spans[place]
    if (
        columns > 1
        or len(lines) < max(_FEWEST_LINES, _SHARE_OF_ROWS * rows)
        or not all(line.is_plain for line in lines)
    ):
        return
    at = [bisect_right(grid.rows, (line.top + line.bottom) / 2) - 1 for line in lines]
    if len(set(at)) < len(lines) or _is_running(lines, *_sides(grid, row, column)):
        return
    del texts[place]
    for below in range(row, row + rows):
        grid.owners[below, column] = (below, column)
        grid.spans[below, column] = (1, 1)
    for below, line in zip(at, lines, strict=True):
        texts[below, column] = [line]


def _table(grid: Grid, texts: dict[tuple[int, int], list[Line]], frame: Frame, page: int) -> Block | None:
    height, width = len(grid.rows) - 1, len(grid.columns) - 1
    columns = [j for j in range(width) if any(column == j for _, column in texts)]
    parts = [_parts(row, grid, texts) for row in range(height)]
    firsts = [0, *accumulate(parts)]
    cells: list[Cell] = []
    for (row, column), lines in texts.items():
        rows, wide = grid.spans[row, column]
        spans = firsts[row + rows] - firsts[row], sum(column <= j < column + wide for j in columns)
        at = columns.index(column)
        if rows == 1 and len(lines) == parts[row] > 1:
            for part, line in enumerate(lines):
                cells.append(_cell(firsts[row] + part, at, [line], (1, spans[1]), frame, page))
        elif spans[0]:
            cells.append(_cell(firsts[row], at, lines, spans, frame, page))
    if not _is_table(cells, firsts[-1], len(columns)):
        return None
    alone = sum(parts[row] > 0 and _stands_alone(row, grid, texts, len(columns)) for row in range(height))
    if alone > firsts[-1] / 2:
        return None
    _write_once(cells, len(columns))
    if sum(is_right_to_left(cell.text) for cell in cells) > len(cells) / 2:
        for cell in cells:  # the first column is the one on the right
            cell.column = len(columns) - cell.column - cell.columns
    return Block("table", cells=sorted(cells, key=lambda cell: (cell.row, cell.column)))


def _is_table(cells: Sequence[Cell], rows: int, columns: int) -> bool:
    if rows < 2 or columns < 2 or len(cells) < _FEWEST_FILLED:  # noqa: PLR2004 - a box
        return False
    filled = sum(min(cell.rows * cell.columns, _MOST_SPANNED) for cell in cells)
    return filled >= _SHARE_FILLED * rows * columns and max(len(cell.text) for cell in cells) <= _LONGEST_CELL


def _write_once(cells: Sequence[Cell], width: int) -> None:
    """Write spanning cells once if they are not headings: those across the whole table, and long texts."""
    for cell in cells:
        if cell.columns == width or len(cell.text) > _LONGEST_NAME:
            cell.rows = cell.columns = 1


def _stands_alone(row: int, grid: Grid, texts: dict[tuple[int, int], list[Line]], width: int) -> bool:
    """Return whether one narrow cell is all that a row has."""
    owners = {grid.owners[row, column] for column in range(len(grid.columns) - 1)}
    return sum(owner in texts for owner in owners) == 1 and len(owners) <= max(1, width // 3)


def _parts(row: int, grid: Grid, texts: dict[tuple[int, int], list[Line]]) -> int:
    """Return how many rows of text a row of the grid holds; 0 for an empty one.

    A grid that rules its columns alone has many: then each of several cells has a line on each base line.
    The boxes of a form have one, where small labels stand above the values.
    """
    own = {column: lines for (i, column), lines in texts.items() if i == row}
    if not own:
        owners = {grid.owners[row, column] for column in range(len(grid.columns) - 1)}
        return 1 if any(owner in texts for owner in owners) and len(owners) > 1 else 0
    most = max(map(len, own.values()))
    deep = {column: lines for column, lines in own.items() if len(lines) == most}
    if most == 1 or len(deep) == 1 or any(len(lines) not in {1, most} for lines in own.values()):
        return 1
    if all(lines[0].size < _LABEL_SIZE * lines[1].size for lines in deep.values()):
        return 1
    first = next(iter(deep.values()))
    pairs = [pair for lines in deep.values() for pair in zip(lines, first, strict=True)]
    is_level = all(abs(line.bottom - other.bottom) < _LEVEL for line, other in pairs)
    if not is_level or median(len(line.text) for line, _ in pairs) >= _LONGEST_PART:
        return 1
    is_running = all(_is_running(lines, *_sides(grid, row, column)) for column, lines in deep.items())
    return 1 if is_running else most


def _sides(grid: Grid, row: int, column: int) -> tuple[float, float]:
    """Return (left, right) of a merged cell."""
    return grid.columns[column], grid.columns[column + grid.spans[row, column][1]]


def _is_running(lines: Sequence[Line], left: float, right: float) -> bool:
    """Return whether the lines of a cell are wrapped: the next line's first word would not have fit."""
    if any(not any(map(str.isalpha, line.text)) for line in lines):
        return False
    padding = min(max(0.0, min(line.left for line in lines) - left), 2 * lines[0].size)
    return all(
        line.right + following.first_word > right - padding - line.size for line, following in pairwise(lines)
    )


def _cell(
    row: int, column: int, lines: Sequence[Line], spans: tuple[int, int], frame: Frame, page: int
) -> Cell:
    box = Box(
        min(line.left for line in lines),
        min(line.top for line in lines),
        max(line.right for line in lines),
        max(line.bottom for line in lines),
    )
    text = " ".join(line.text for line in lines)
    return Cell(row, column, text, *spans, page, frame.shown(box))
