"""Makes blocks of the regions of all pages: headings, paragraphs, items, notes, tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from workers.ingest.reading.blocks import RAISED, Block, Box, Kind, Spot
from workers.ingest.reading.pdf.direction import is_right_to_left
from workers.ingest.reading.pdf.glyphs import SOFT_HYPHEN
from workers.ingest.reading.pdf.lines import EAST_ASIAN, LEADER, Line
from workers.ingest.reading.pdf.order import Region
from workers.ingest.reading.pdf.page import Page
from workers.ingest.reading.pdf.words import LONGEST_WORD, Vocabulary, plain

_LARGER, _SMALLER = 1.15, 0.92  # times the size of the text: a heading, a note
_MUCH_LARGER = 1.5  # likewise: a heading even where it ends as a sentence does
_SAME_SIZE = 0.1
_DEEPEST_INDENT = 80  # blanks
_BLANK_LINE = 0.7  # of a letter's height between lines of a program
_SMALLEST = 0.5  # points
_LONGEST_HEADING, _LONGEST_BOLD_HEADING, _LONGEST_CAPTION = 200, 100, 600  # characters
_MOST_LEVELS = 6
_BULLET = re.compile(r"[•‣▪▫●○◦■□◆◇➢➤✓✔☐☑☒∙·–—*-](?=\s+\S)")
_NUMBER = re.compile(
    r"(?:\((?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})\)|(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]"
    r"|\d{1,2}(?:\.\d{1,3}){1,3}\.?)(?=\s+\S)"
)
_CAPTION = re.compile(
    r"(?:table|tab\.|figure|fig\.|tabelle|abbildung|abb\.|tableau|tabla|表|図|图)\s*\d", re.IGNORECASE
)
_NOTE_MARK = re.compile(rf"{RAISED}\w|\d{{1,3}}(?=\D)|[*†‡§]")
_LEADERS = re.compile(r"\s{0,20}(?:[.·…_]\s?){5,500}\s{0,20}(?=[\divxlcIVXLC]{1,6}$)")  # to a page number
_FORMULA = re.compile("[=≠≤≥≈∑∏∫√]")  # the large signs of one make its line as high as a heading
_NUMBERED = re.compile(r"\(\d{1,3}(?:\.\d{1,3}){0,2}[a-z]?\)$")  # as an equation is
_STATEMENT_END = re.compile(r"[.?!:;…。？！：；؟۔]['\"”’)\]»]*$")
_FEW_ROWS, _SHORT_ROW = 3, 30  # rows; characters
_SLACK = 0.12  # of a paragraph's width that a line may be short of what its next word needs
_NEAR, _SAME_EDGE = 3, 0.15  # lines before and after one; of a letter's size, between ends at one edge
_FEWEST_LETTERS = 3  # of a bold heading
_FEWEST_CHARACTERS = 40  # of an open sentence that may go on with a capital letter
_BETWEEN = 8  # blocks that may stand between the parts of a paragraph on two pages
_MOST_SINCE_NOTE = 40  # blocks from a note to its rest on the next page
_SAME_HEIGHT = 0.04  # of its size that two parts of a note may differ by
_PASSED = frozenset(("note", "caption", "table"))
_LOW = 0.6  # of the page's height; notes stand below


class _Row:
    """Lines side by side within a region."""

    def __init__(self, lines: list[Line], page: Page) -> None:
        self.lines, self.page = lines, page
        self.left = min(line.left for line in lines)
        self.right = max(line.right for line in lines)
        self.top = min(line.top for line in lines)
        self.bottom = max(line.bottom for line in lines)
        self.size = max(lines, key=lambda line: len(line.text)).size
        self.is_bold = all(line.is_bold for line in lines)
        self.is_code = all(line.is_fixed for line in lines) and not EAST_ASIAN.search(lines[0].text)
        is_vertical = lines[0].is_vertical
        self.start, self.end = (self.top, self.bottom) if is_vertical else (self.left, self.right)

    @property
    def box(self) -> Box:
        return Box(self.left, self.top, self.right, self.bottom)

    @property
    def text(self) -> str:
        return " ".join(line.text for line in self.lines)


@dataclass(slots=True)
class _Draft:
    """A block, and the properties that decide whether the next block continues it."""

    block: Block
    rows: list[_Row]
    ends_full: bool = False  # its last row had no room for another word
    is_head: bool = False  # a running head or foot

    @property
    def size(self) -> float:
        return self.rows[0].size if self.rows else 0.0


def blocks_of(pages: Sequence[Page]) -> list[Block]:
    """Return the blocks of a document in reading order; page furniture gets separate blocks."""
    vocabulary = Vocabulary(
        line.text for page in pages for region in page.regions for line in region if not line.is_furniture
    )
    usual = _usual_size(pages)
    has_code = _has_code(pages)
    drafts: list[_Draft] = []
    for page in pages:
        for region in page.regions:
            last = drafts[-1] if drafts and drafts[-1].rows and drafts[-1].rows[0].page is page else None
            code = last if last and last.block.kind == "code" else None
            for draft in _drafts(region, page, usual, code, has_code=has_code):
                if draft.block.kind == "code" and code is not None:
                    drafts[-1] = draft
                elif not _continues(drafts, draft, vocabulary):
                    drafts.append(draft)
    for draft in drafts:
        if draft.block.kind == "code":
            draft.block.text = draft.block.text.replace(SOFT_HYPHEN, "-")
        elif draft.block.kind != "table":
            _set_text(draft.block, draft.rows, vocabulary)
        for cell in draft.block.cells:
            cell.text = vocabulary.rejoined(cell.text)
    _clear_bylines(drafts)
    _set_levels(drafts)
    return [draft.block for draft in drafts]


def _clear_bylines(drafts: Sequence[_Draft]) -> None:
    """Make paragraphs of authors and dates: they stand large below the title, set as no later heading is."""
    texts = [draft for draft in drafts if not draft.is_head]
    opening = list(takewhile(lambda draft: draft.block.kind == "heading", texts))
    later = [draft for draft in texts[len(opening) :] if draft.block.kind == "heading"]
    styles = {(draft.rows[0].is_bold, round(draft.size)) for draft in later}
    for draft in opening[1:] if styles else ():
        style = draft.rows[0].is_bold, round(draft.size)
        if not (draft.rows[0].is_bold or draft.block.label or style in styles):
            draft.block.kind, draft.block.level = "paragraph", 0


def _usual_size(pages: Sequence[Page]) -> float:
    sizes: Counter[float] = Counter()
    for page in pages:
        for region in page.regions:
            for line in region:
                if not line.is_furniture:
                    sizes[round(line.size * 2) / 2] += len(line.text)
    return max(sizes.most_common(1)[0][0], _SMALLEST) if sizes else _SMALLEST


def _has_code(pages: Sequence[Page]) -> bool:
    """Return whether fixed-width lines are code; not if most of the text is, as in typed documents."""
    letters = fixed = 0
    for page in pages:
        for region in page.regions:
            for line in region:
                letters += len(line.text)
                fixed += line.is_fixed * len(line.text)
    return 2 * fixed < letters


def _drafts(
    region: Region, page: Page, usual: float, code: _Draft | None, *, has_code: bool
) -> Iterator[_Draft]:
    """Yield the blocks of a region; lines of code continue `code`, the block right before them."""
    text: list[Line] = []
    for line in region:
        if line.table:
            yield _Draft(line.table, [])
        elif line.is_furniture or line.is_head:
            row = _Row([line], page)
            kind: Kind = "furniture" if line.is_furniture else "paragraph"
            yield _Draft(_block(kind, [row]), [row], is_head=True)
        else:
            text.append(line)
    rows = _rows(text, page)
    if has_code and len(rows) > (code is None) and all(row.is_code for row in rows):
        rows = [*(code.rows if code else ()), *rows]
        yield _Draft(_code(rows), rows)
        return
    for rows_of_part, ends_full in _paragraphs(rows, usual):
        yield _Draft(_block(_kind(rows_of_part, usual), rows_of_part), rows_of_part, ends_full)


def _code(rows: Sequence[_Row]) -> Block:
    """Return rows as a code block, with their indentation."""
    block = Block("code")
    left = min(row.left for row in rows)
    before = rows[0]
    for row in rows:
        if row.top - before.bottom > _BLANK_LINE * row.size:
            block.text += "\n"
        before = row
        width = (row.right - row.left) / max(1, len(row.text))
        indent = min(round((row.left - left) / max(width, 1.0)), _DEEPEST_INDENT)
        block.text += ("\n" if block.text else "") + " " * indent
        block.spots.append(Spot(len(block.text), row.page.number, row.page.frame.shown(row.box)))
        block.text += row.text
    return block


def _rows(lines: Sequence[Line], page: Page) -> list[_Row]:
    """Group lines that stand side by side into rows."""
    rows: list[list[Line]] = []
    for line in lines:
        last = rows[-1][-1] if rows else None
        if last is not None and line.is_plain and last.is_plain:
            shared = min(last.bottom, line.bottom) - max(last.top, line.top)
            if shared > 0.5 * min(last.size, line.size) and line.left >= last.right - last.size:
                rows[-1].append(line)
                continue
        rows.append([line])
    return [_Row(parts, page) for parts in rows]


def _paragraphs(rows: Sequence[_Row], usual: float) -> Iterator[tuple[list[_Row], bool]]:
    """Yield (rows, whether the last one is full) of each paragraph.

    A line of a text ends where its next word had no room. So one that ends before ends a paragraph, too.
    """
    if not rows:
        return
    start, end = min(row.start for row in rows), max(row.end for row in rows)
    is_short = len(rows) <= _FEW_ROWS and max(len(row.text) for row in rows) <= _SHORT_ROW
    if is_short and rows[0].size < _LARGER * usual and not EAST_ASIAN.match(rows[0].text):
        end += _SHORT_ROW * rows[0].size  # an address, a note: nothing tells how long a line may be
    part = [rows[0]]
    for at, (row, following) in enumerate(pairwise(rows)):
        if _is_full(row, following, *_bounds(rows, at, start, end)) and not _starts_item(part, following):
            part.append(following)
        else:
            yield part, False
            part = [following]
    last = part[-1]
    yield part, _room(last, start, end) < 3 * last.size


def _bounds(rows: Sequence[_Row], at: int, start: float, end: float) -> tuple[float, float]:
    """Return where a line may begin and end: beside a picture or a table, where those near it do.

    They tell it if several of them end at one edge, or the line's sentence plainly goes on in the next.
    """
    row = rows[at]
    before, after = rows[max(0, at - _NEAR) : at + 1], rows[at : at + 1 + _NEAR]
    at_edge = [near for near in (*before, *after[1:]) if abs(near.end - row.end) < _SAME_EDGE * row.size]
    is_within = row.text[:1].islower() or rows[at + 1].text[:1].islower()
    runs_on = is_within and not _STATEMENT_END.search(row.text)
    if len(row.text) <= _SHORT_ROW or not (runs_on or len(at_edge) > _NEAR):
        return start, end
    return min(near.start for near in (*before, *after)), min(
        max(near.end for near in side) for side in (before, after)
    )


def _room(row: _Row, start: float, end: float) -> float:
    """Return the points that a line leaves free, on both sides if it is centred."""
    before, after = row.start - start, end - row.end
    if is_right_to_left(row.text):
        before, after = after, before
    is_centred = before > row.size and abs(before - after) < row.size
    return after + before if is_centred else after


def _is_full(row: _Row, following: _Row, start: float, end: float) -> bool:
    line = row.lines[-1]
    if line.turn:
        return True
    if plain(line.text)[-1:] == "-" and following.text[:1].islower():
        return True
    is_other_size = max(row.size, following.size) >= _LARGER * min(row.size, following.size)
    if is_other_size or _LEADERS.search(row.text) or _is_equation(row.text):
        return False
    if row.is_bold > following.is_bold or _is_capitals(row.text) > _is_capitals(following.text):
        return False
    if EAST_ASIAN.match(following.text):  # a line may end two signs early, so that no stop begins the next
        is_indented = row.start - start < row.size / 2 < following.start - start
        return not is_indented and _room(row, start, end) < 2.5 * row.size
    slack = max(row.size / 2, _SLACK * (end - start))
    return _room(row, start, end) < following.lines[0].first_word + slack


def _is_equation(text: str) -> bool:
    return _NUMBERED.search(text) is not None and _FORMULA.search(text) is not None


def _is_capitals(text: str) -> bool:
    return text.upper() == text != text.lower()


def _starts_item(part: Sequence[_Row], row: _Row) -> bool:
    text = row.text
    if _BULLET.match(text) or (text.startswith(RAISED) and part[0].text.startswith(RAISED)):
        return True
    number = _NUMBER.match(text)
    if not number:
        return False
    before = part[-1].text
    return _NUMBER.match(part[0].text) is not None or _STATEMENT_END.search(before) is not None


def _kind(rows: Sequence[_Row], usual: float) -> Kind:
    text, size = rows[0].text, rows[0].size
    length = sum(len(row.text) for row in rows)
    if _CAPTION.match(text) and length <= _LONGEST_CAPTION:
        return "caption"
    if any(map(str.isalpha, text)) and _is_heading(rows, length, size / usual):
        return "heading"
    if _BULLET.match(text) or _NUMBER.match(text):
        return "item"
    if size < _SMALLER * usual and rows[0].top > _LOW * rows[0].page.height and _NOTE_MARK.match(text):
        return "note"
    return "paragraph"


def _is_heading(rows: Sequence[_Row], length: int, size: float) -> bool:
    """Return whether a paragraph is set as a heading: larger than the text by `size`, or bold and short."""
    if _LEADERS.search(rows[-1].text):  # an entry of a table of contents
        return False
    if size >= _LARGER:
        is_sentence = size < _MUCH_LARGER and rows[-1].text.endswith((".", "。")) and length > _SHORT_ROW
        return length <= _LONGEST_HEADING and not (is_sentence or _FORMULA.search(rows[0].text))
    is_bold = size > 1 - _SAME_SIZE and all(row.is_bold for row in rows)
    last = rows[-1].text
    ends_open = not (_STATEMENT_END.search(last) or last.endswith(","))
    return is_bold and ends_open and _FEWEST_LETTERS <= length <= _LONGEST_BOLD_HEADING


def _block(kind: Kind, rows: Sequence[_Row]) -> Block:
    block = Block(kind)
    if kind in {"item", "heading"}:
        label = _BULLET.match(rows[0].text) or _NUMBER.match(rows[0].text)
        block.label, block.level = (label[0] if label else ""), 1
    return block


def _set_text(block: Block, rows: Sequence[_Row], vocabulary: Vocabulary) -> None:
    parts, length, end = [], 0, ""
    for row in rows:
        for line in row.lines:
            text = _LEADERS.sub(" … ", line.text).replace(LEADER, "…")
            if not block.spots and block.label:
                text = text[len(block.label) :].lstrip()
            end = vocabulary.appended(end, text)
            start = length + len(end) - len(text)
            block.spots.append(Spot(start, row.page.number, row.page.frame.shown(line.said_in)))
            done = max(0, len(end) - LONGEST_WORD)
            parts.append(end[:done])
            length, end = length + done, end[done:]
    block.text = "".join([*parts, plain(end)])


def _continues(drafts: list[_Draft], draft: _Draft, vocabulary: Vocabulary) -> bool:
    """Append a block to the paragraph that it continues across a column or page; return whether it did."""
    passed = (
        other for other in reversed(drafts[-_BETWEEN:]) if not (other.is_head or other.block.kind in _PASSED)
    )
    earlier = _divided_note(drafts, draft) or next(passed, None)
    if draft.is_head or draft.block.kind != "paragraph" or earlier is None:
        return False
    if earlier.block.kind not in {"paragraph", "item", "note"}:
        return False
    first, last = draft.rows[0], earlier.rows[-1]
    is_next_page = first.page is not last.page
    is_around = not is_next_page and earlier is not drafts[-1]  # a picture or a table, passed
    is_next_column = first.top < last.top or first.top - last.bottom > last.size
    is_placed = first.text[:1].islower() if is_around else is_next_page or is_next_column
    if not is_placed or abs(first.size - last.size) > _SAME_SIZE * last.size:
        return False
    text, following = last.text, first.text
    if vocabulary.joined(text, following) is None:
        if not earlier.ends_full or _STATEMENT_END.search(text) or _LEADERS.search(text):
            return False
        is_long = sum(len(row.text) for row in earlier.rows[-_FEWEST_CHARACTERS:]) > _FEWEST_CHARACTERS
        if not following[:1].islower() and not (is_long and following[:1].isalpha()):
            return False
    earlier.rows += draft.rows
    earlier.ends_full = draft.ends_full
    return True


def _divided_note(drafts: Sequence[_Draft], draft: _Draft) -> _Draft | None:
    """Return the previous page's last note if a block is as low on its page and looks like more of it."""
    if draft.is_head or draft.block.kind != "paragraph":
        return None
    first = draft.rows[0]
    if first.top < _LOW * first.page.height:
        return None
    note = next((other for other in reversed(drafts[-_MOST_SINCE_NOTE:]) if other.block.kind == "note"), None)
    if note is None or abs(first.size - note.size) > _SAME_HEIGHT * note.size or not first.text[:1].islower():
        return None
    is_text = sum(len(row.text) for row in note.rows) > _FEWEST_CHARACTERS and len(first.text) > _SHORT_ROW
    return note if is_text and first.page.number == note.rows[-1].page.number + 1 else None


def _set_levels(drafts: Sequence[_Draft]) -> None:
    """Give headings the levels of their sizes: 1 for the largest."""
    headings = [draft for draft in drafts if draft.block.kind == "heading"]
    ranks = sorted({(-round(draft.size), not draft.rows[0].is_bold) for draft in headings})
    for draft in headings:
        rank = ranks.index((-round(draft.size), not draft.rows[0].is_bold))
        draft.block.level = min(rank + 1, _MOST_LEVELS)
