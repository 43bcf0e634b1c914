"""Puts accents that a file draws as signs of their own on their letters."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from workers.ingest.reading.pdf.glyphs import BLANK, Glyph

_ACCENTS = {
    "´": "\u0301", "`": "\u0300", "¨": "\u0308", "ˆ": "\u0302", "^": "\u0302", "˜": "\u0303", "~": "\u0303",
    "¯": "\u0304", "˘": "\u0306", "˙": "\u0307", "¸": "\u0327", "˝": "\u030b", "ˇ": "\u030c", "˚": "\u030a",
    "˛": "\u0328",
}  # fmt: skip
_LETTERS = {"ı": "i", "ȷ": "j"}
_REACH = 60  # glyphs from an accent to its letter in the file's order
_FARTHEST = 0.3  # of the wider one's width between their middles
_SHARED = 0.3  # of the lower one's height that they share


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
    """Put an accent on the letter that it stands at; return whether there is one."""
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
