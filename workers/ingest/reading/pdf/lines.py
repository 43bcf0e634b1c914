"""Puts the glyphs of a page together to lines: stretches of text on one base line without a wide gap."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, pairwise
from statistics import median
from typing import NamedTuple

from workers.ingest.reading.blocks import RAISED, Block, Box
from workers.ingest.reading.pdf.direction import is_right_to_left, logical, reads_right_to_left
from workers.ingest.reading.pdf.frame import Frame, turned
from workers.ingest.reading.pdf.glyphs import BLANK, LINE_END, SOFT_HYPHEN, Glyph

WIDE_GAP = 1.5  # of a letter's height: wider than any blank between two words of a text
_SAME_LINE = 0.4  # of the lower one's height that two glyphs of a line share
_NEAR = 0.8  # of a letter's height: pieces of a line that the file has apart
_WORD_GAP = 0.18  # of a letter's height; what pdfium takes for a blank, too
EAST_ASIAN = re.compile("[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef]")
_FIRST_FROM_RIGHT = "\u0590"  # the first letter of a script that is read from the right
_RAISED_SIZE, _RAISED_BY = 0.87, 0.22  # of the height of the line's letters
_BEFORE_FIGURES = ")].,;:!?%\"'”’»…。，、；：！？」』）】"  # of a power, or of a note's mark
_MARKS_OF_NOTES = frozenset("abcdefghi")
_INITIAL = re.compile(r"[\"“‘«„']?[^\W\d_]")
_LARGE = 1.7  # times the letters of the text: an initial
_WORDS_OF_A_LETTER = frozenset("AIOYE")
_FEWEST_STACKED = 3  # signs below one another that make a vertical line
LEADER = "....."  # the word that stands for all dots between a name and its number
_DOTS = frozenset(".·…")
_FEWEST_DOTS = 5  # of a leader


class Word(NamedTuple):
    """A word of a line, from left to right."""

    text: str
    left: float
    right: float
    height: float = 0.0  # of its first letter, in points


@dataclass(slots=True)
class Line:
    """A line of text on the upright page."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float  # usual height of its glyphs, in points
    turn: int = 0  # quarter turns clockwise
    is_vertical: bool = False  # signs below one another
    is_bold: bool = False
    is_fixed: bool = False  # in a font whose letters are all as wide
    first_word: float = 0.0  # its width, in points
    words: list[Word] = field(default_factory=list)  # of a line that is read from left to right
    fields: list[Box] = field(default_factory=list)  # of a form, whose values it says
    table: Block | None = None  # that stands here instead of text
    edges: tuple[Line, ...] = ()  # the first and last rows of such a table that is found by its white
    number: int = 0  # its place in the file, among the lines of its page
    is_furniture: bool = False  # a running head or foot that repeats, or a page number
    is_head: bool = False  # a running head or foot that is text, where it stands for the first time

    @property
    def box(self) -> Box:
        """The rectangle around it."""
        return Box(self.left, self.top, self.right, self.bottom)

    @property
    def said_in(self) -> Box:
        """The rectangle around it and the fields whose values it says."""
        left, top, right, bottom = zip(self.box, *self.fields, strict=True)
        return Box(min(left), min(top), max(right), max(bottom))

    @property
    def width(self) -> float:
        """In points."""
        return self.right - self.left

    @property
    def is_plain(self) -> bool:
        """Whether it is upright horizontal text."""
        return not (self.turn or self.is_vertical or self.table)


def lines_of(glyphs: Sequence[Glyph], frame: Frame) -> list[Line]:
    """Return the lines that glyphs make, in the order of the file."""
    from_right = reads_right_to_left(glyph for glyph in glyphs if not glyph.turn)
    lines: list[Line] = []
    for run in _joined(_runs(_as_upright(glyphs, frame)), from_right=from_right):
        for part in _parted(run, from_right=from_right):
            line = _line(part, from_right=from_right)
            if line is not None:
                lines.append(line)
    for line in lines:
        if line.turn:
            box = turned(line.box, *_size_before(frame, line.turn), line.turn)
            line.left, line.top, line.right, line.bottom = box
    return lines


def with_initials(lines: Sequence[Line]) -> list[Line]:
    """Return lines with large initials, which reach over several lines, put before the first one's word."""
    kept = list(lines)
    words = Counter(word.text.casefold() for line in lines for word in line.words)
    for initial in lines:
        if not (initial.is_plain and _INITIAL.fullmatch(initial.text)):
            continue
        beside = [line for line in kept if line.is_plain and line.words and _is_beside(line, initial)]
        if not beside:
            continue
        first = min(beside, key=lambda line: line.top)
        word = first.words[0].text
        if not word[0].islower() and not word.isupper():
            continue
        is_word = initial.text in _WORDS_OF_A_LETTER and not words[(initial.text + word).casefold()]
        between = " " if is_word and words[word.casefold()] > 1 else ""
        first.words[0] = first.words[0]._replace(text=f"{initial.text}{between}{word}")
        first.text = f"{initial.text}{between}{first.text}"
        kept.remove(initial)
    return kept


def _is_beside(line: Line, initial: Line) -> bool:
    """Return whether a line starts right after a large initial, at its height."""
    gap = line.left - initial.right
    return (
        initial.size >= _LARGE * line.size
        and -_NEAR * line.size < gap < WIDE_GAP * line.size
        and initial.top - line.size < line.top
        and line.bottom < initial.bottom + line.size
    )


def _size_before(frame: Frame, turn: int) -> tuple[float, float]:
    """Return (width, height) of the page on which text with this turn is upright."""
    return (frame.height, frame.width) if turn % 2 else (frame.width, frame.height)


def _as_upright(glyphs: Sequence[Glyph], frame: Frame) -> Iterator[Glyph]:
    for glyph in glyphs:
        if glyph.turn:
            box = Box(glyph.left, glyph.top, glyph.right, glyph.bottom)
            box = turned(box, frame.width, frame.height, -glyph.turn % 4)
            glyph.left, glyph.top, glyph.right, glyph.bottom = box
        yield glyph


@dataclass(slots=True)
class _Run:
    """Glyphs that the file has one after another on one line."""

    glyphs: list[Glyph] = field(default_factory=list)
    last: Glyph | None = None  # that has a box
    left: float = float("inf")
    right: float = float("-inf")
    is_vertical: bool = False
    is_right_to_left: bool = False  # has such a letter

    def add(self, glyph: Glyph) -> None:
        self.glyphs.append(glyph)
        if glyph is not BLANK:
            self.last = glyph
            self.left = min(self.left, glyph.left)
            self.right = max(self.right, glyph.right)
            if glyph.sign >= _FIRST_FROM_RIGHT and is_right_to_left(glyph.sign):
                self.is_right_to_left = True

    def append(self, other: _Run) -> None:
        """Append the glyphs of another run, after a blank if the gap is wide enough."""
        last, first = self.last, next((glyph for glyph in other.glyphs if glyph.width > 0), None)
        if last and first and first.left - last.right > _WORD_GAP * last.height:
            self.glyphs.append(BLANK)
        for glyph in other.glyphs:
            self.add(glyph)


def _runs(glyphs: Iterator[Glyph]) -> Iterator[_Run]:
    run, has_ended = _Run(), False
    for glyph in glyphs:
        if glyph is LINE_END:
            has_ended = True
            continue
        last = run.last
        if glyph is BLANK or last is None:
            if has_ended and run.glyphs:
                if last and glyph is BLANK:
                    continue
                yield run
                run = _Run()
            has_ended = False
            run.add(glyph)
            continue
        if (run.is_vertical or len(run.glyphs) == 1) and _is_stacked(last, glyph):
            run.is_vertical, has_ended = True, False
            run.add(glyph)
            continue
        if has_ended or run.is_vertical or glyph.turn != last.turn or not _share_line(last, glyph):
            yield run
            run, has_ended = _Run(), False
        run.add(glyph)
    if run.glyphs:
        yield run


def _is_stacked(above: Glyph, below: Glyph) -> bool:
    size = above.width
    return (
        size > 0
        and abs((above.left + above.right) - (below.left + below.right)) < 0.7 * size
        and 0.6 * size < below.top - above.top < 1.8 * size
        and EAST_ASIAN.match(above.sign) is not None
        and not above.turn == below.turn == 1
    )


def _share_line(one: Glyph, other: Glyph) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared >= _SAME_LINE * min(one.height, other.height)


def _joined(runs: Iterator[_Run], *, from_right: bool) -> Iterator[_Run]:
    """Join runs that continue where the previous one ended: a raised figure, a word in another font."""
    held: _Run | None = None
    for run in runs:
        if held and _goes_on(held, run, from_right=from_right):
            held.append(run)
            continue
        if held:
            yield held
        held = run
        if run.is_vertical and len(run.glyphs) < _FEWEST_STACKED:
            held = None
            for glyph in run.glyphs:
                alone = _Run()
                alone.add(glyph)
                yield alone
    if held:
        yield held


def _goes_on(run: _Run, following: _Run, *, from_right: bool) -> bool:
    last, first = run.last, next((glyph for glyph in following.glyphs if glyph.width > 0), None)
    if last is None or first is None or last.table or first.table or last.turn != first.turn:
        return False
    if run.is_vertical or following.is_vertical or not _share_line(last, first):
        return False
    near = _NEAR * max(last.height, first.height)
    if from_right or run.is_right_to_left or following.is_right_to_left:
        return max(following.left - run.right, run.left - following.right) < near
    return -_NEAR / 2 * last.height < first.left - last.right < near


def _parted(run: _Run, *, from_right: bool) -> Iterator[_Run]:
    """Part a run at gaps that no blank has: columns, tables, a page number far out."""
    if run.is_vertical:
        yield run
        return
    part, glyphs = _Run(), run.glyphs
    if from_right or run.is_right_to_left:
        glyphs = sorted((glyph for glyph in glyphs if glyph is not BLANK), key=lambda glyph: glyph.left)
    for glyph in glyphs:
        last = part.last
        if glyph.width > 0 and glyph.sign != " " and last is not None:
            gap = max(glyph.left - last.right, last.left - glyph.right)
            if gap > WIDE_GAP * max(last.height, glyph.height):
                yield part
                part = _Run()
        if glyph is BLANK:
            part.glyphs.append(glyph)
        elif glyph.sign == " ":
            part.glyphs.append(BLANK if last is None else glyph)
        else:
            part.add(glyph)
    yield part


def _line(run: _Run, *, from_right: bool) -> Line | None:
    drawn = [glyph for glyph in run.glyphs if glyph.sign != " "]
    if not drawn:
        return None
    first = drawn[0]
    if first.table:
        return Line("", first.left, first.top, first.right, first.bottom, 0.0, table=first.table)
    glyphs = run.glyphs
    if is_right_to_left("".join(glyph.sign for glyph in drawn)):
        glyphs = logical(glyphs, page_reads_right_to_left=from_right)
    elif not run.is_vertical:
        glyphs = _with_leaders(_with_blanks(glyphs))
    size = median(glyph.width if run.is_vertical else glyph.height for glyph in drawn)
    if run.is_right_to_left:  # pdfium knows the height of some Arabic letters alone
        size = max(glyph.height for glyph in drawn)
    if run.is_vertical:
        words: list[Word] = []
        text = "".join(glyph.sign for glyph in drawn)
    else:
        words = _words(glyphs, size)
        text = " ".join(word.text for word in words)
    return Line(
        text,
        min(glyph.left for glyph in drawn),
        min(glyph.top for glyph in drawn),
        max(glyph.right for glyph in drawn),
        max(glyph.bottom for glyph in drawn),
        size,
        first.turn,
        run.is_vertical,
        sum(glyph.is_bold for glyph in drawn) * 2 > len(drawn),
        all(glyph.is_fixed for glyph in drawn),
        _first_word(glyphs),
        words,
    )


def _first_word(glyphs: Sequence[Glyph]) -> float:
    """Return the width of a line's first word; of its first sign in scripts that have no blanks."""
    word: list[Glyph] = []
    for glyph in glyphs:
        if glyph.sign == " " or (word and EAST_ASIAN.match(glyph.sign)):
            if word:
                break
            continue
        word.append(glyph)
    return max(glyph.right for glyph in word) - min(glyph.left for glyph in word)


def _with_blanks(glyphs: list[Glyph]) -> list[Glyph]:
    """Return a line with blanks from its gaps, too: the file may have none, and pdfium misses narrow ones.

    Letters may be spaced; then the gap between two words is what is wider than most gaps.
    """
    gaps = [
        (glyph.left - last.right) / (glyph.height or 1.0)
        for last, glyph in pairwise(glyphs)
        if last.sign != " " and glyph.sign != " "
    ]
    if not gaps or max(gaps) <= _WORD_GAP:
        return glyphs
    usual = max(0.0, median(gaps))
    filled: list[Glyph] = []
    for glyph in glyphs:
        last = filled[-1] if filled else None
        if (
            last is not None
            and " " not in (last.sign, glyph.sign)
            and glyph.left - last.right > (usual + _WORD_GAP) * max(last.height, glyph.height)
            and not EAST_ASIAN.match(glyph.sign)
        ):
            filled.append(BLANK)
        filled.append(glyph)
    return filled


def _with_leaders(glyphs: list[Glyph]) -> list[Glyph]:
    """Replace the row of dots between a name and its page number by one glyph, as a separate word."""
    if sum(glyph.sign in _DOTS for glyph in glyphs) < _FEWEST_DOTS:
        return glyphs
    written: list[Glyph] = []
    for is_dotted, group in groupby(glyphs, key=lambda glyph: glyph.sign == " " or glyph.sign in _DOTS):
        part = list(group)
        dots = [glyph for glyph in part if glyph.sign in _DOTS]
        if is_dotted and len(dots) >= _FEWEST_DOTS:
            written += (BLANK, replace(dots[0], sign=LEADER, right=dots[-1].right), BLANK)
        else:
            written += part
    return written


def _words(glyphs: Sequence[Glyph], size: float) -> list[Word]:
    """Return a line's words, with marks before raised figures and lowered ones."""
    full = [glyph for glyph in glyphs if glyph.sign != " " and glyph.height >= 0.9 * size] or [
        glyph for glyph in glyphs if glyph.sign != " "
    ]
    base = median(glyph.bottom for glyph in full)
    top = median(glyph.top for glyph in full)
    words: list[Word] = []
    text, before, left, right, height = "", "", 0.0, 0.0, 0.0
    for glyph, following in pairwise((*glyphs, BLANK, BLANK)):
        if glyph.sign == " ":
            if text:
                words.append(Word(text, left, right, height))
            text, before = "", ""
            continue
        if not text:
            left, right, height = glyph.left, glyph.right, glyph.height
        mark = ""
        if 0 < glyph.height < _RAISED_SIZE * size:
            if glyph.bottom < base - _RAISED_BY * size:
                mark = RAISED
            elif glyph.top > top + _RAISED_BY * size:
                mark = "_"
        if mark and mark != before and _is_figure(mark, glyph.sign, text[-1:], following.sign):
            text += mark
        before = mark
        text += glyph.sign
        left, right = min(left, glyph.left), max(right, glyph.right)
    last = words[-1].text if words else ""
    words = [word._replace(text=word.text.replace(SOFT_HYPHEN, "-")) for word in words]
    if last.endswith(SOFT_HYPHEN):
        words[-1] = words[-1]._replace(text=words[-1].text[:-1] + SOFT_HYPHEN)
    return words


def _is_figure(mark: str, sign: str, before: str, following: str) -> bool:
    if mark == "_":
        return sign.isdigit() and before.isalpha()
    if sign in _MARKS_OF_NOTES:
        return following in {" ", ","}
    return (before.isalnum() or before in _BEFORE_FIGURES) and (sign.isdigit() or sign in "-−–+")
