"""Reads the glyphs of a page from pdfium, with their boxes on the upright page."""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import pypdfium2.raw as c

from workers.ingest.reading.blocks import Block, UnreadableError
from workers.ingest.reading.pdf.fonts import MAPS_TO, NEGATION, font_of, is_readable, unmapped_signs
from workers.ingest.reading.pdf.frame import FileBox, Frame

SOFT_HYPHEN = "\u00ad"
_MOST_GLYPHS = 60_000  # of a page; the fullest page of a newspaper has some 30,000
_HIGH_SURROGATE, _LOW_SURROGATE, _PLANE = 0xD800, 0xDC00, 0x10000
_AFTER_SURROGATES = 0xE000
_NO_SIGNS = frozenset((0xFFFD, 0xFFFE, 0xFFFF))
_PDFIUMS_HYPHEN = 2  # at the end of a line whose word goes on in the next
_LINE_FEED, _CARRIAGE_RETURN, _SPACE, _HYPHEN, _SOFT_HYPHEN_CODE = 10, 13, 32, 0x2D, 0xAD
_FLAT = 0.05  # points
_LOWEST = 0.75  # of its size: the height of a font's letters, from top to bottom of all
_BELOW, _HIGHEST = 0.3, 3.0  # of a letter's height: below the base line at least; the highest of a font
_FIRST_FROM_RIGHT, _FIRST_EAST_ASIAN = "\u0590", "\u2e80"
_WIDEST_SIGN = 1.5  # of its height, in scripts of East Asia
_SMALLEST = 1.0  # points; smaller letters are there to be found, not to be read
_NEARLY_WHITE = 250  # of 255, in each colour
_FIXED_PITCH = 1  # flag of a font
_BOLD = 600  # of 100 to 900
# For fonts that do not declare it otherwise; CMBX and CMTT are TeX's.
_BOLD_NAME = re.compile(rb"bold|black|heavy|CMBX|SFBX", re.IGNORECASE)
_FIXED_NAME = re.compile(rb"mono(?!type)|courier|typewriter|consol|menlo|CMTT|SFTT|LMTT", re.IGNORECASE)
_NOT_DRAWN = "word that is not drawn"
_INVISIBLE = 3  # the rendering mode of text that is not drawn
_QUARTER = math.pi / 2
_REPEATED_WITHIN = 0.3  # of a letter's width: printed twice for bold, or as its own shadow
_CELL = 12.0  # points; side of a cell in which a repeated letter is looked for
_MOST_IN_CELL = 50  # of one letter; in a text that can be read there are some three
# Glyphs of several Arabic letters, in the order in which these are read; pdfium turns some of them round.
_ARABIC_LIGATURES = frozenset(
    letters
    for code in (*range(0xFB50, 0xFE00), *range(0xFE70, 0xFEFD))
    if len(letters := unicodedata.normalize("NFKC", chr(code)).strip()) > 1
)


_DOUBLED = frozenset(("ff", "tt", "fft"))  # ligatures that have a letter twice
_FORMS = (range(0xFB00, 0xFE00), range(0xFE10, 0xFE20), range(0xFE30, 0xFE50), range(0xFE70, 0xFEFD))
# Bullets and marks of the fonts Symbol and Wingdings, which have no place in Unicode of their own, and TeX's.
_SYMBOLS = {
    0xF0B7: "•", 0xF0A7: "▪", 0xF0D8: "➢", 0xF0FC: "✓", 0xF0A8: "☐", 0xF06F: "☐", 0xF0FE: "☒", 0xF0E0: "→",
    0xF0B0: "°", 0xF0B1: "±", 0xF0B4: "×", 0xF0A3: "≤", 0xF0B3: "≥", 0xF0AE: "→", 0xF06D: "μ", 0xF02D: "−",
    0x88: "•",
}  # fmt: skip
# Signs that a file may draw by themselves over or under a letter, and how Unicode puts them on it.
_ACCENTS = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "^": "\u0302", "˜": "\u0303", "~": "\u0303",
    "¯": "\u0304", "˘": "\u0306", "˙": "\u0307", "¸": "\u0327", "˝": "\u030b", "ˇ": "\u030c", "˚": "\u030a",
    "˛": "\u0328",
}  # fmt: skip
_LETTERS = {"ı": "i", "ȷ": "j"}
_REACH = 60  # glyphs from an accent to its letter in the file's order
_FARTHEST = 0.3  # of the wider one's width between their middles
_SHARED = 0.3  # of the lower one's height that they share


@dataclass(slots=True)
class Glyph:
    """A sign, or the signs of a ligature, on the upright page."""

    sign: str
    left: float = 0.0
    top: float = 0.0
    right: float = 0.0
    bottom: float = 0.0
    turn: int = 0  # quarter turns clockwise against most text of the page
    is_bold: bool = False
    is_fixed: bool = False  # of a font whose letters are all as wide, as those of programs
    place: int = 0  # in the file, among the signs and blanks of its page
    table: Block | None = None  # that stands here instead of a sign

    @property
    def width(self) -> float:
        """In points."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """In points, as the font has it for all its letters."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Half way between top and bottom."""
        return (self.top + self.bottom) / 2


BLANK, LINE_END = Glyph(" "), Glyph("\n")  # that pdfium put in: they have no place


@dataclass(slots=True)
class PageGlyphs:
    """The glyphs of a page, in the order of the file."""

    frame: Frame
    glyphs: list[Glyph]
    hidden: Counter[str] = field(default_factory=Counter)  # words that are not to be seen, by why
    signs: int = 0
    signs_without_meaning: int = 0


@dataclass(slots=True)
class _Word:
    """Properties that the glyphs of a word share; read from its first glyph alone, to save time."""

    turn: int = 0  # quarter turns clockwise in the file
    is_bold: bool = False
    is_fixed: bool = False
    is_drawn: bool = True
    is_uneven: bool = False  # the font says too little of how high its letters are
    is_white: bool = False


_NO_WORD = _Word()


def page_glyphs(page: Any, text: Any, dark: Sequence[FileBox], pictures: Sequence[FileBox]) -> PageGlyphs:
    """Return the glyphs that are seen on a page, on the page turned so that most of them are upright.

    Args:
        page: pdfium's handle of the page.
        text: pdfium's handle of its text.
        dark: filled areas on which white letters can be read.
        pictures: text that is not drawn counts where it lies over one, for recognition read it there; and on
            a page that has next to no other.

    Raises:
        UnreadableError: the page has more glyphs than a page to be read has.
    """
    count = c.FPDFText_CountChars(text)
    if count > _MOST_GLYPHS:
        raise UnreadableError(f"refused: a page has {count} letters, at most {_MOST_GLYPHS} are read")
    turns = c.FPDFPage_GetRotation(page) % 4
    bounds = c.FS_RECTF()
    c.FPDF_GetPageBoundingBox(page, bounds)
    crop = FileBox(bounds.left, bounds.bottom, bounds.right, bounds.top)
    file = _FileGlyphs(text, crop, dark, pictures)
    file.read(count)
    if 2 * file.hidden[_NOT_DRAWN] > file.words:  # what recognition read in something else than a picture
        file = _FileGlyphs(text, crop, dark, [crop])
        file.read(count)
    usual = Counter(word.turn for _, box, word in file.glyphs if box).most_common(1)
    upright = (4 - usual[0][0]) % 4 if usual else turns
    frame = Frame(crop, upright, turns)
    is_read = is_readable("".join(sign for sign, _, _ in file.glyphs))
    meaningless = file.signs_without_meaning if is_read else file.signs
    written = PageGlyphs(frame, [], file.hidden, file.signs, meaningless)
    repeated = _Repeated()
    for place, (sign, box, word) in enumerate(file.glyphs):
        if box is None:
            written.glyphs.append(LINE_END if sign == "\n" else BLANK)
            continue
        turn = (word.turn + upright) % 4
        placed = Glyph(sign, *frame.upright(box), turn, word.is_bold, word.is_fixed, place)
        if sign == " " or not repeated.is_repeated(placed):
            written.glyphs.append(placed)
    return written


class _FileGlyphs:
    """Collects the glyphs of a page as the file has them, with what their words have in common."""

    def __init__(
        self, text: Any, crop: FileBox, dark: Sequence[FileBox], pictures: Sequence[FileBox]
    ) -> None:
        self.glyphs: list[tuple[str, FileBox | None, _Word]] = []
        self.hidden: Counter[str] = Counter()
        self.words = 0  # hidden ones, too
        self.signs = self.signs_without_meaning = 0
        self._text, self._crop, self._dark, self._pictures = text, crop, dark, pictures
        self._word: _Word | None = None
        self._why_hidden = ""
        self._high_surrogate = 0
        self._bounds = c.FS_RECTF()
        self._edges = tuple(ctypes.c_double() for _ in range(4))
        self._fonts: dict[bytes, bool] = {}  # whether they are uneven
        self._unmapped: dict[int, str] = {}
        self._uneven: dict[tuple[bytes, float], list[tuple[int, float]]] = {}

    def read(self, count: int) -> None:
        """Collect the first `count` glyphs."""
        get_unicode, is_generated, text = c.FPDFText_GetUnicode, c.FPDFText_IsGenerated, self._text
        self._unmapped = unmapped_signs(text, count)
        for index in range(count):
            code = get_unicode(text, index)
            if index in self._unmapped:
                sign = self._unmapped_sign(index)
            elif code == _CARRIAGE_RETURN:
                continue
            elif code == _LINE_FEED or (code == _SPACE and is_generated(text, index) == 1):
                self.glyphs.append((chr(code), None, _NO_WORD))
                self._end_word()
                continue
            else:
                sign = self._sign(code, index)
            if sign == " ":
                self._add_blank(index)
            elif sign:
                self._add(sign, index)
        self._make_even()

    def _sign(self, code: int, index: int) -> str:
        """Return the sign of a code; "" for none, or half of one."""
        if _HIGH_SURROGATE <= code < _LOW_SURROGATE:
            self._high_surrogate = code
            return ""
        if _LOW_SURROGATE <= code < _AFTER_SURROGATES and self._high_surrogate:
            code += _PLANE + ((self._high_surrogate - _HIGH_SURROGATE) << 10) - _LOW_SURROGATE
        self._high_surrogate = 0
        self.signs += 1
        if code == _PDFIUMS_HYPHEN or (code == _HYPHEN and c.FPDFText_IsHyphen(self._text, index) == 1):
            return SOFT_HYPHEN
        sign = chr(code)
        kind = unicodedata.category(sign)
        if kind[0] == "C" or code in _NO_SIGNS:
            sign = _SYMBOLS.get(code, sign if code == _SOFT_HYPHEN_CODE else "")
            self.signs_without_meaning += not sign and kind != "Cf"
        elif kind[0] == "Z":
            return " "
        elif code >= _FORMS[0].start and any(code in forms for forms in _FORMS):
            sign = unicodedata.normalize("NFKC", sign).strip() or sign
        return sign

    def _unmapped_sign(self, index: int) -> str:
        sign = self._unmapped[index]
        self.signs += 1
        self.signs_without_meaning += not sign
        return sign

    def _box(self, index: int) -> FileBox:
        bounds = self._bounds
        c.FPDFText_GetLooseCharBox(self._text, index, bounds)
        box = FileBox(bounds.left, bounds.bottom, bounds.right, bounds.top)
        if box.top - box.bottom > _FLAT and box.right - box.left > _FLAT:
            return box
        left, right, bottom, top = self._edges  # a drawn font may not say how high its letters are
        if c.FPDFText_GetCharBox(self._text, index, left, right, bottom, top):
            drawn = FileBox(left.value, bottom.value, right.value, top.value)
            return drawn if drawn.top > drawn.bottom and drawn.right > drawn.left else box
        return box

    def _add_blank(self, index: int) -> None:
        if not self._why_hidden:
            self.glyphs.append((" ", self._box(index), self._word or _NO_WORD))
        self._end_word()

    def _end_word(self) -> None:
        self._word, self._why_hidden = None, ""

    def _add(self, sign: str, index: int) -> None:
        box = self._box(index)
        height = box.top - box.bottom
        is_wide = sign >= _FIRST_EAST_ASIAN and box.right - box.left > _WIDEST_SIGN * height
        if is_wide and unicodedata.east_asian_width(sign[0]) == "W":
            # One below another in a font that is not there: pdfium adds where it would stand in a row.
            box = box._replace(left=box.right - height)
        if self._word is None:
            self.words += 1
            self._word = _word(self._text, index, self._fonts)
            self._why_hidden = self._hidden_by(self._word, box)
            if self._why_hidden:
                self.hidden[self._why_hidden] += 1
        if self._why_hidden:
            return
        last = self.glyphs[-1] if self.glyphs else None
        if last and (drawn := _over(last[0], sign)):
            self.glyphs[-1] = (drawn, box, last[2])
        elif last and last[1] == box and (letters := _ligature(last[0], sign)):
            self.glyphs[-1] = (letters, box, last[2])
        else:
            if self._word.is_uneven and sign < _FIRST_FROM_RIGHT:
                self._note_uneven(index)
            self.glyphs.append((sign, box, self._word))

    def _note_uneven(self, index: int) -> None:
        """Note the font and the base line of the next glyph."""
        if c.FPDFText_GetCharOrigin(self._text, index, *self._edges[:2]):
            key = font_of(self._text, index)[0], c.FPDFText_GetFontSize(self._text, index)
            self._uneven.setdefault(key, []).append((len(self.glyphs), self._edges[1].value))

    def _make_even(self) -> None:
        """Give the glyphs of fonts that do not say how high they are the height of all that the page has."""
        for noted in self._uneven.values():
            boxes = [(place, base, box) for place, base in noted if (box := self.glyphs[place][1])]
            heights = median(box.top - box.bottom for _, _, box in boxes)
            above = max(box.top - base for _, base, box in boxes)
            below = max(_BELOW * above, *(base - box.bottom for _, base, box in boxes))
            if above + below > _HIGHEST * heights:
                continue  # signs of many heights
            for place, base, box in boxes:
                sign, _, word = self.glyphs[place]
                self.glyphs[place] = sign, box._replace(bottom=base - below, top=base + above), word

    def _hidden_by(self, word: _Word, box: FileBox) -> str:
        """Return why a word is invisible, as the name under which it is counted; "" if it is visible."""
        if not self._crop.holds_middle_of(box):
            return "word outside of the page"
        if abs(box.top - box.bottom) < _SMALLEST and abs(box.right - box.left) < _SMALLEST:
            return "word too small to be seen"
        if not word.is_drawn and not any(picture.holds_middle_of(box) for picture in self._pictures):
            return _NOT_DRAWN
        if word.is_white and not any(area.holds_middle_of(box) for area in self._dark):
            return "white word on white"
        return ""


def _over(first: str, second: str) -> str:
    """Return the sign that two drawn over each other are in TeX's files; "" for none."""
    if first == MAPS_TO:
        return MAPS_TO if second == "→" else ""
    if first == "/":
        return "∉" if second == "∈" else ""
    return unicodedata.normalize("NFC", second + NEGATION) if first == NEGATION else ""


def _ligature(first: str, second: str) -> str:
    """Return the letters of one glyph; "" if they are the same letter, printed twice."""
    letters = first + second
    if "\u0600" <= second <= "\u06ff":
        is_turned = letters[::-1] in _ARABIC_LIGATURES and letters not in _ARABIC_LIGATURES
        return letters[::-1] if is_turned else letters
    return letters if second not in first or letters in _DOUBLED else ""


def _word(text: Any, index: int, fonts: dict[bytes, bool]) -> _Word:
    """Return a word's properties, read from its first glyph; `fonts` caches which fonts are uneven."""
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    c.FPDFText_GetFillColor(text, index, red, green, blue, alpha)
    drawn = c.FPDFText_GetTextObject(text, index)
    mode = c.FPDFTextObj_GetTextRenderMode(drawn) if drawn else 0
    angle = c.FPDFText_GetCharAngle(text, index)
    named, flags = font_of(text, index)
    turn = round(angle / _QUARTER) % 4
    if named not in fonts:
        fonts[named] = _is_uneven(drawn)
    return _Word(
        turn=turn,
        is_bold=c.FPDFText_GetFontWeight(text, index) >= _BOLD or _BOLD_NAME.search(named) is not None,
        is_fixed=bool(flags & _FIXED_PITCH) or _FIXED_NAME.search(named) is not None,
        is_drawn=mode != _INVISIBLE and alpha.value > 0,
        is_uneven=turn == 0 and fonts[named],
        is_white=min(red.value, green.value, blue.value) >= _NEARLY_WHITE and mode == 0,
    )


def _is_uneven(drawn: Any) -> bool:
    font = c.FPDFTextObj_GetFont(drawn) if drawn else None
    above, below = ctypes.c_float(), ctypes.c_float()
    if not font or not c.FPDFFont_GetAscent(font, 1.0, above) or not c.FPDFFont_GetDescent(font, 1.0, below):
        return False
    return above.value - below.value < _LOWEST


class _Repeated:
    """Finds letters that are printed again at nearly the same place."""

    def __init__(self) -> None:
        self._placed: dict[tuple[str, int, int], list[Glyph]] = {}

    def is_repeated(self, glyph: Glyph) -> bool:
        """Return whether the same letter was already drawn here, which makes it bold; if not, remember it."""
        x, y = (glyph.left + glyph.right) / 2, glyph.middle
        reach = _REPEATED_WITHIN * min(abs(glyph.width), abs(glyph.height), 8.0)
        left, right = int((x - reach) // _CELL), int((x + reach) // _CELL)
        above, below = int((y - reach) // _CELL), int((y + reach) // _CELL)
        for column in (left, right) if left != right else (left,):
            for row in (above, below) if above != below else (above,):
                for other in self._placed.get((glyph.sign, column, row), ()):
                    near = abs((other.left + other.right) / 2 - x) <= reach and abs(other.middle - y) <= reach
                    if near and abs(other.height - glyph.height) <= reach:
                        other.is_bold = True
                        return True
        cell = self._placed.setdefault((glyph.sign, int(x // _CELL), int(y // _CELL)), [])
        if len(cell) < _MOST_IN_CELL:
            cell.append(glyph)
        return False


def with_accents(glyphs: list[Glyph]) -> list[Glyph]:
    """Return glyphs with each accent that is drawn over or under a letter in the letter's sign."""
    places = [place for place, glyph in enumerate(glyphs) if glyph.sign in _ACCENTS]
    if not places:
        return glyphs
    gone: set[int] = set()
    for place in places:
        if _set_on_letter(glyphs, place):
            gone.add(place)
            # Where the accent stood says nothing of where a word ends: gaps between letters do.
            gone.update(near for near in (place - 1, place + 1) if glyphs[near : near + 1] == [BLANK])
    return [glyph for place, glyph in enumerate(glyphs) if place not in gone]


def _set_on_letter(glyphs: Sequence[Glyph], place: int) -> bool:
    """Combine an accent with the letter it is drawn on; return False if there is no such letter."""
    accent = glyphs[place]
    reach = range(max(0, place - _REACH), min(len(glyphs), place + _REACH))
    for index in sorted(reach, key=lambda index: abs(index - place)):
        letter = glyphs[index]
        if not letter.sign.isalpha() or letter.turn != accent.turn or not _is_at(accent, letter):
            continue
        sign = _LETTERS.get(letter.sign, letter.sign)
        whole = unicodedata.normalize("NFC", sign + _ACCENTS[accent.sign])
        if len(whole) == 1:
            letter.sign = whole
            return True
    return False


def _is_at(accent: Glyph, letter: Glyph) -> bool:
    apart = abs(accent.left + accent.right - letter.left - letter.right) / 2
    shared = min(accent.bottom, letter.bottom) - max(accent.top, letter.top)
    lower = min(accent.height, letter.height)
    return apart <= _FARTHEST * max(accent.width, letter.width) and shared > _SHARED * lower
