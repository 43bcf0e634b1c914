"""Removes invisible characters from text, except those that a script needs."""

from __future__ import annotations

import re
import unicodedata
from typing import Any

_BREAKS = dict.fromkeys("\x0b\x0c\r\x85", "\n") | dict.fromkeys("\x1c\x1d\x1e\x1f", " ")
_VARIANTS = r"\ufe00-\ufe0f\U000e0100-\U000e01ef"  # variation selectors
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ufe00-\ufe0f]|\r(?!\n)"
)
# England, Scotland and Wales: the flags that Unicode recommends of those that are spelled in tag characters.
# Any other spelling could hide a text, and no font draws it.
_FLAGS = tuple(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in name) + "\U000e007f"
    for name in ("gbeng", "gbsct", "gbwls")
)
_NOT_PLAIN = re.compile(r"[^\x20-\x7e\n\t]")
_FILLERS = "\u115f\u1160\u2800"  # letters and symbols, by category, that are blank
_FLAG_OR_HIDDEN = re.compile(f"{'|'.join(_FLAGS)}|{_HIDDEN.pattern}")
_JOINER, _NON_JOINER, _SPACE = "\u200d", "\u200c", "\u200b"
# Scripts whose letters change by their neighbours: Arabic and its kin, those of India and Southeast Asia,
# Mongolian, and the lesser ones beyond the Basic Multilingual Plane.
_JOINING = re.compile(
    r"[\u0620-\u074f\u0750-\u077f\u07c0-\u07ff\u0840-\u0dff\u1000-\u109f\u1780-\u18af\u1a20-\u1bff\ua840-\ua8ff"
    r"\ua980-\ua9ff\uaa00-\uaaff\uabc0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    r"\U00010a00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
# Scripts without spaces that mark where a line may break: Thai, Lao, Tibetan, Burmese, Khmer and their kin.
_BREAKING = re.compile(
    r"[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaa7f]"
)
_RIGHT_TO_LEFT = re.compile(
    r"[\u05be-\u05f4\u0620-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_DIRECTIONS = re.compile(r"[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_CLOSED_BY = dict.fromkeys("\u202a\u202b\u202d\u202e", "\u202c") | dict.fromkeys(
    "\u2066\u2067\u2068", "\u2069"
)
_MARKS = "\u061c\u200e\u200f"
_OVERRIDES = "\u202d\u202e"  # they show letters in another order than they are read
_EMOJI_STYLE = "\ufe0f"
_SKIN_TONES = "".join(map(chr, range(0x1F3FB, 0x1F400)))
_VARIED_ASCII = "#*0123456789©®"


def visible(text: str) -> str:
    """Return a text without control characters, tag characters and other signs that show nothing.

    Tabs and line ends stay, Unicode's line and paragraph separators too (a stray carriage return, a form feed
    and the like become line ends). So do joiners, variation selectors, direction marks and zero-width spaces
    where the letters beside them need them: one each, in scripts that use them. Offsets change: what is
    stored is stored as it came.
    """
    if (text.isascii() and text.isprintable()) or not _HIDDEN.search(text):
        return text
    plain = _FLAG_OR_HIDDEN.sub(_shown, text)
    if not _DIRECTIONS.search(plain):
        return plain
    return "\n".join(_directed(line) for line in plain.split("\n"))


def shown_letters(text: str) -> str:
    """Return a text in the letters that it shows: full-width ones as plain ones, marks and hidden signs gone.

    It tells whether two spellings look the same, and is nothing to be stored.
    """
    if text.isascii() and text.isprintable():
        return text
    return _NOT_PLAIN.sub(_letter, unicodedata.normalize("NFKC", text))


def _letter(match: re.Match[str]) -> str:
    shows = match[0] not in _FILLERS and unicodedata.category(match[0])[0] not in "CM"
    return match[0] if shows else ""


def visible_value(value: Any) -> Any:
    """Return a value of JSON with every text in it, keys too, made `visible`."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {
            visible(key) if isinstance(key, str) else key: visible_value(member)
            for key, member in value.items()
        }
    if isinstance(value, list | tuple):
        return [visible_value(member) for member in value]
    return value


def _shown(match: re.Match[str]) -> str:
    """Return what stays of a flag or of a hidden sign."""
    sign, at, text = match[0], match.start(), match.string
    if sign in _FLAGS or _DIRECTIONS.match(sign):
        return sign
    if sign in _BREAKS:
        return _BREAKS[sign]
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if sign == _SPACE:
        needed = _BREAKING.match(before) or (_BREAKING.match(after) and not _HIDDEN.match(before))
    elif sign in (_JOINER, _NON_JOINER):
        needed = _joins(sign, text[max(0, at - 2) : at], after)
    else:
        needed = _varies(sign, before)
    return sign if needed else ""


def _joins(sign: str, behind: str, after: str) -> bool:
    before = behind[-1:]
    if _JOINING.match(before) or (_JOINING.match(after) and not _HIDDEN.match(before)):
        return True
    base = behind[:1] if before == _EMOJI_STYLE else before
    return sign == _JOINER and _is_symbol(base) and _is_symbol(after)


def _is_symbol(sign: str) -> bool:
    return bool(sign) and (unicodedata.category(sign) == "So" or sign in _SKIN_TONES)


def _varies(sign: str, before: str) -> bool:
    """Return whether a sign is a variation selector of a symbol or an ideograph before it."""
    if not before or not re.match(f"[{_VARIANTS}]", sign):
        return False
    if sign > "\uffff":
        return before >= "\u3400" and unicodedata.category(before) == "Lo"
    drawn = before >= "\u2000" and unicodedata.category(before)[0] in "LNPS"
    return drawn or before in _VARIED_ASCII or bool(re.match("[\u1000-\u109f]", before))


def _directed(line: str) -> str:
    """Return a line with the direction marks that it needs: pairs that are closed, and no override."""
    if not _RIGHT_TO_LEFT.search(line):
        return _DIRECTIONS.sub("", line)
    kept: set[int] = set()
    opened: list[re.Match[str]] = []
    for mark in _DIRECTIONS.finditer(line):
        if mark[0] in _MARKS:
            kept.add(mark.start())
        elif mark[0] in _CLOSED_BY:
            opened.append(mark)
        elif opened and _CLOSED_BY[opened[-1][0]] == mark[0]:
            begin = opened.pop()
            kept |= set() if begin[0] in _OVERRIDES else {begin.start(), mark.start()}
    return _DIRECTIONS.sub(lambda mark: mark[0] if mark.start() in kept else "", line)
