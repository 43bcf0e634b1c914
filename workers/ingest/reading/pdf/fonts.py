"""Names of fonts, and the signs of those that have no map to Unicode."""

from __future__ import annotations

import ctypes
import re
import string
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pypdfium2.raw as c

_LONGEST_NAME = 100  # bytes, of a font
NEGATION = "\u0338"  # drawn over the sign that follows it in TeX's files
MAPS_TO = "↦"  # in TeX's files, the bar before an arrow

_BIG = "()[]⌊⌋⌈⌉{}⟨⟩"
_CALLIGRAPHIC = string.ascii_uppercase
# Signs of TeX's fonts for formulas, by code from 0; a blank for a part of a sign that is drawn in parts.
_SYMBOLS = (
    "−·×∗÷⋄±∓⊕⊖⊗⊘⊙◯◦•≍≡⊆⊇≤≥⪯⪰∼≈⊂⊃≪≫≺≻←→↑↓↔↗↘≃⇐⇒⇑⇓⇔↖↙∝′∞∈∋△▽"
    f"{NEGATION}{MAPS_TO}∀∃¬∅ℜℑ⊤⊥ℵ{_CALLIGRAPHIC}∪∩⊎∧∨⊢⊣⌊⌋⌈⌉{{}}⟨⟩|∥↕⇕\\≀√⨿∇∫⊔⊓⊑⊒§†‡¶♣♢♡♠"
)
_ITALICS = (
    f"ΓΔΘΛΞΠΣΥΦΨΩαβγδϵζηθικλμνξπρστυϕχψωεϑϖϱςφ↼↽⇀⇁  ▷◁{string.digits}.,</>⋆∂{string.ascii_uppercase}♭♮♯⌣⌢ℓ"
    f"{string.ascii_lowercase}ıȷ℘  "
)
_EXTENSIONS = (
    f"{_BIG}|∥/\\(){_BIG}/\\{_BIG}/\\/\\()[]    {{}}          ⟨⟩⊔⊔∮∮⊙⊙⊕⊕⊗⊗∑∏∫⋃⋂⊎⋀⋁∑∏∫⋃⋂⊎⋀⋁∐∐ˆˆˆ˜˜˜"
    "[]⌊⌋⌈⌉{}√√√√    ↑↓    ⇑⇓"
)
_RELATIONS = (
    "⊡⊞⊠□■·◇⧫↻↺⇌⇋⊟⊩⊪⊨↠↞⇇⇉⇈⇊↾⇂↿⇃↣↢⇆⇄↰↱⇝↭↫↬≗≿≳⪆⊸∴∵≑≜≾≲⪅⪕⪖⋞⋟≼≦⩽≶‵ ≓≒≽≧⩾≷⊏⊐⊳⊲⊵⊴⋆≬▼▶◀→←△▲▽≖⋚⋛⪋⪌¥⇛⇚✓"
    "⊻⊼⩞∠∡∢∝⌣⌢⋐⋑⋓⋒⋏⋎⋋⋌⫅⫆≏≎⋘⋙⌜⌝®Ⓢ⋔∔∽⋍⌞⌟✠∁⊺⊚⊛⊖"
)
_NEGATIONS = (
    "≨≩≰≱≮≯⊀⊁≨≩≰≱⪇⪈⋠⋡⋨⋩⋦⋧≰≱⪵⪶⪹⪺⪉⪊≁≇⧸⧹⊊⊋⊈⊉⫋⫌⊊⊋⊊⊋⊈⊉∦∤∤∦⊬⊮⊭⊯⋭⋬⋪⋫↚↛⇍⇏⇎↮⋇∅∄"
    f"{string.ascii_uppercase}ˆˆ˜˜ Ⅎ⅁    ℧ð≂ℶℷℸ⋖⋗⋉⋊∣∥∖∼≈≊≿≾↶↷ϝϰkℏℏ϶"
)
_TEX = (
    (re.compile(rb"CMB?SY|LMMathSymbols|[tp]xb?sys|(?:tx|px)sy\b"), _SYMBOLS),
    (re.compile(rb"CMMIB?|LMMathItalic"), _ITALICS),
    (re.compile(rb"CMEX|LMMathExtension|[tp]xb?ex"), _EXTENSIONS),
    (re.compile(rb"MSAM"), _RELATIONS),
    (re.compile(rb"MSBM"), _NEGATIONS),
)
# Fonts in Type 1 repeat the first codes of TeX behind 160, for programs that read no control characters.
_REPEATED = {160 + nth: code for nth, code in enumerate((*range(10), 0, 0, *range(10, 33)), 1)} | {196: 127}
_FIRST_NUMBER, _BLANK_NUMBER = 3, 3  # of a glyph in a font in the order of the Macintosh: the blank
_SIGNS_IN_ORDER = bytes((*range(0x20, 0x7F), *range(0x80, 0x100))).decode("mac_roman")
_FEWEST = 20  # signs by whose numbers a font's order is told
_MOST_BLANKS, _FEWEST_SMALL = 0.4, 0.5  # of the signs of a text
_VOWELS = frozenset("aeiouyAEIOUY")
_FEWEST_VOWELS = 0.22  # of a text's letters: measured 0.33 and more, and 0.2 where all are 29 places off
_SHORTEST_WORD = 3  # letters of a word that is looked at
_FEWEST_LETTERS = 100
_MOST_SIGNS = 0.5  # of a text that are ASCII but no letters, digits or leaders
_LEADERS = frozenset("._-=*~ ")


def font_of(text: Any, index: int) -> tuple[bytes, int]:
    """Return (name, flags) of a glyph's font."""
    flags, named = ctypes.c_int(), (ctypes.c_char * _LONGEST_NAME)()
    c.FPDFText_GetFontInfo(text, index, named, _LONGEST_NAME, flags)
    return named.value, flags.value


def unmapped_signs(text: Any, count: int) -> dict[int, str]:
    """Return the signs of glyphs for which a page's fonts have no Unicode, by index; "" where unknown.

    Args:
        text: pdfium's handle of the page's text.
        count: number of its glyphs.

    In TeX's fonts for formulas the code tells the sign. Where the code is a glyph's number, most fonts have
    the order of the Macintosh, which shows in a text of them. A code that could be a letter's is left out:
    pdfium takes it for one.
    """
    has_error = c.FPDFText_HasUnicodeMapError
    fonts: dict[bytes, dict[int, int]] = {}
    for index in range(count):
        if has_error(text, index) == 1:
            named = font_of(text, index)[0]
            fonts.setdefault(named, {})[index] = c.FPDFText_GetUnicode(text, index)
    signs: dict[int, str] = {}
    for named, codes in fonts.items():
        table = next((table for pattern, table in _TEX if pattern.search(named)), None)
        if table is not None:
            signs |= {index: _sign(table, code) for index, code in codes.items()}
        elif min(codes.values()) < ord(" "):  # numbers of glyphs
            signs |= _in_order(codes)
    return signs


def _sign(table: str, code: int) -> str:
    code = _REPEATED.get(code, code)
    return table[code].strip() if code < len(table) else ""


def _in_order(codes: Mapping[int, int]) -> dict[int, str]:
    """Return the character of each glyph by its number; "" for all if the result is not readable text."""
    last = _FIRST_NUMBER + len(_SIGNS_IN_ORDER)
    signs = {
        index: _SIGNS_IN_ORDER[code - _FIRST_NUMBER] if _FIRST_NUMBER <= code < last else ""
        for index, code in codes.items()
    }
    blanks = sum(sign == " " for sign in signs.values())
    small = sum(sign.islower() for sign in signs.values())
    is_text = len(codes) >= _FEWEST and blanks <= _MOST_BLANKS * len(codes)
    if is_text and small >= _FEWEST_SMALL * (len(codes) - blanks) and is_readable("".join(signs.values())):
        return signs
    return dict.fromkeys(codes, "")


def is_readable(text: str) -> bool:
    """Return whether a text may be one in some language: a font's wrong map makes other signs of it."""
    signs = Counter(text)
    others = sum(
        count for sign, count in signs.items() if sign.isascii() and not (sign.isalnum() or sign in _LEADERS)
    )
    if others > max(_FEWEST_LETTERS, _MOST_SIGNS * (len(text) - signs[" "])):
        return False
    if not all(sign.isascii() for sign in signs if sign.isalpha()):
        return True
    # Part numbers and codes have few vowels, too, but few words of letters alone.
    words = [word for word in text.split() if len(word) >= _SHORTEST_WORD and word.isalpha()]
    letters = sum(map(len, words))
    if 2 * letters < sum(map(str.isalpha, text)):
        return True
    vowels = sum(sign in _VOWELS for word in words for sign in word)
    return letters < _FEWEST_LETTERS or vowels >= _FEWEST_VOWELS * letters
