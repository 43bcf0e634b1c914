"""Tells marks of notes from powers among the figures and letters that a document raises.

Readers write `RAISED` before them. A power is stored as `10^6`, a mark as marks that are links are, `250[3]`.
Nothing in a file tells the two apart, so the words around a mark decide, and whether there is such a note.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence

from workers.ingest.reading.blocks import RAISED, Block

_ISOTOPES = r"(?:H|C|N|O|F|P|S|K|U|Li|Na|Ca|Fe|Sr|Tc|Cs|Ra|Pu|Th|Ar|Kr|Xe|Rb|Pb)\b"  # of words none
_RAISED = re.compile(
    rf"(?P<whole>(?<!\d)\d{{1,4}})?{RAISED}(?P<above>\d{{1,4}})⁄_?(?P<below>\d{{1,4}})(?!\d)"
    # A note begins with its mark, an element with the number of its isotope.
    rf"|(?:^|(?<=\n)){RAISED}\(?(?P<note>\d{{1,3}}|[a-i])(?!\d|{_ISOTOPES}|[+−-])[.)]? ?"
    rf"| ?{RAISED}\(?(?P<mark>\d{{1,3}}(?:[,–-]\d{{1,3}})*|[a-i](?:,[a-i])*)\)?(?![A-Za-z\d⁄+−–-]|[.,]\d)"
)
_AROUND = 120  # characters that are looked at
_ONE_MARK = re.compile(r"\d+|[a-i]")
_SMALL_NOTE = re.compile(r"[\[(]?(\d{1,3})[\])]?[.)]?\s+[^\W\d_]")
_LABEL = re.compile(r"[\[(]?(\d{1,3})[\]).]?")
_LIST_OF_NOTES = re.compile(
    r"(?:foot|end)?notes?|notes and references|references|sources|bibliography|(?:fuß|end)noten|anmerkungen"
    r"|quellen(?:verzeichnis)?|literatur(?:verzeichnis)?|notes de bas de page|références|notas|referencias"
    r"|riferimenti|noten|注释?|注釋|註釋?|脚注|参考文献|參考文獻|注記|각주|참고문헌",
    re.IGNORECASE,
)
_OPERAND = re.compile(r"(?:[\d.,]{1,40}|[^\W\d_]{1,40})\s{0,9}$")
_OPERATOR_BEFORE = re.compile(r"[=+×·⋅*^√∑∫−±]\s?$")
_OPERATOR_BEHIND = re.compile(r"\s?[=+×·⋅*−±]")
_OPERATOR = re.compile(r"[=+×·⋅*/^−-]")
_BASE = re.compile(r"(?<![\d.,$€£])(?:10|2)$")  # whose powers texts have
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,'\u2019\u00a0\u202f]\d{3})+$")
_FIGURES = re.compile(r"\d[.,]\d+$|\d{3}$")
_YEAR = re.compile(
    r"\b(?:in|since|by|from|until|of|and|im|seit|bis|von|und|en|depuis|desde) (?:1[5-9]|20)\d\d$"
)
_MONEY_BEFORE = re.compile(r"[$€£¥₹]\s?\d[\d.,]*$")
_MONEY_BEHIND = re.compile(
    r"\s?(?:[€£¥$]|(?:euros?|dollars?|pounds?|francs?|yen|yuan|rupees?|eur|usd|gbp|chf|jpy|cny"
    r"|per ?cent|million|billion|people|inhabitants)\b|元|円)",
    re.IGNORECASE,
)
_CENTS = re.compile(r"\d[.,]$")
_CLOSING = frozenset('.,;:!?%"”’»…›。，、；：！？」』》】')
_ENDINGS = frozenset("ae")  # 1a, 2e
_NEVER_POWERS = frozenset(("0", "1"))
_EXPONENTS = frozenset(("2", "3", "4"))  # of units
_WORD = re.compile(r"[^\W\d_]{1,40}$")
_LONG_WORD = 4  # letters; what is shorter may be a quantity of a formula
_UNIT = re.compile(
    r"[cdkmnµμ]?m|[mk]?g|ft|in|yd|mi|sec|min|hz|mol|bar|pa|ha|ml|inch(?:es)?|foot|feet|(?:mile|yard|second)s?"
    r"|m[eè]t(?:re|er)s?|metros?|metri|sekunden?|sin|cos|tan|cot|log|sinh|cosh|tanh|lim",
    re.IGNORECASE,
)
_EAST_ASIAN = re.compile("[\u2e80-\u9fff\uac00-\ud7ff]")
_EAST_ASIAN_UNITS = ("米", "メートル", "미터")
_IN_BRACKETS = re.compile(r"[(\[]([^()\[\]]{0,100})[)\]]$")


def set_marks(blocks: Sequence[Block]) -> None:
    """Write raised characters in a document's texts and cells as powers, or as marks of its notes."""
    notes = set(_notes(blocks))
    for block in blocks:
        if RAISED in block.text:
            block.text, ends, moved = _written(block.text, notes)
            block.spots = [
                spot._replace(start=spot.start + moved[bisect_right(ends, spot.start)])
                for spot in block.spots
            ]
        for cell in block.cells:
            cell.text = written(cell.text, notes)


def written(text: str, notes: Collection[str] = ()) -> str:
    """Return a text with powers and marks; `notes` are the marks of the notes that its document has."""
    return _written(text, notes)[0] if RAISED in text else text


def _notes(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield the marks of notes: raised before them, in small print, or numbers of their list."""
    is_list = False
    for block in blocks:
        is_list = is_list and block.kind != "heading"
        is_list = is_list or _LIST_OF_NOTES.fullmatch(block.text.strip(" :：")) is not None
        for text in (block.text, *(cell.text for cell in block.cells)):
            if RAISED in text:
                yield from filter(None, (found["note"] for found in _RAISED.finditer(text)))
        begins = _SMALL_NOTE.match(block.text) if is_list or block.kind == "note" else None
        label = _LABEL.fullmatch(block.label) if is_list else None
        yield from (found[1] for found in (begins, label) if found)


def _written(text: str, notes: Collection[str]) -> tuple[str, list[int], list[int]]:
    """Return (text, ends of its raised parts, growth in length before each end and after the last)."""
    ends: list[int] = []
    moved = [0]

    def replaced(match: re.Match[str]) -> str:
        instead = _instead(match, notes)
        ends.append(match.end())
        moved.append(moved[-1] + len(instead) - len(match[0]))
        return instead

    return _RAISED.sub(replaced, text).replace(RAISED, "^"), ends, moved


def _instead(match: re.Match[str], notes: Collection[str]) -> str:
    if match["below"]:
        whole = f"{match['whole']} " if match["whole"] else ""
        return f"{whole}{match['above']}⁄{match['below']}"
    if match["note"]:
        return f"[{match['note']}] "
    mark, start, end = match["mark"], match.start(), match.end()
    before, behind = match.string[max(0, start - _AROUND) : start], match.string[end : end + _AROUND]
    money = _MONEY_BEFORE.search(before) or _MONEY_BEHIND.match(behind)
    if money and _CENTS.search(before) and len(mark) == 2:  # noqa: PLR2004 - as many digits as cents have
        return mark
    is_known = all(one in notes for one in _ONE_MARK.findall(mark))
    if _is_mark(before.rstrip(), mark, behind, is_known=is_known):
        closes = match[0].endswith(")") and "(" not in match[0] and before.count("(") > before.count(")")
        return f"[{mark}]" + ")" * closes
    is_ending = mark in _ENDINGS and before[-1:].isdigit()
    return match[0].replace(RAISED, "") if is_ending else match[0]


def _is_mark(before: str, mark: str, behind: str, *, is_known: bool) -> bool:
    """Return whether raised characters mark a note and are not a power of the text before them."""
    last = before[-1:]
    if not last or last in _CLOSING:
        return True
    if last in ")]":
        return _is_said(before, is_known=is_known)
    if _OPERATOR_BEFORE.search(_OPERAND.sub("", before)) or _OPERATOR_BEHIND.match(behind):
        return False
    is_known = is_known or mark in _NEVER_POWERS
    if last.isdigit():
        return not _BASE.search(before) and (is_known or _is_amount(before, mark, behind))
    word = _WORD.search(before)
    return word is not None and _is_marked(word[0], mark, is_known=is_known)


def _is_marked(word: str, mark: str, *, is_known: bool) -> bool:
    """Return whether a raised mark on a word marks a note: the word is not a quantity or unit."""
    if _EAST_ASIAN.search(word):
        return mark not in _EXPONENTS or not word.endswith(_EAST_ASIAN_UNITS)
    if len(word) == 1 or (_UNIT.fullmatch(word) and mark in _EXPONENTS):
        return False
    return is_known or len(word) >= _LONG_WORD


def _is_said(before: str, *, is_known: bool) -> bool:
    """Return whether brackets hold words or a year with a note, and nothing to be raised to a power."""
    inner = _IN_BRACKETS.search(before)
    if inner is None or _OPERATOR.search(inner[1]):
        return is_known and inner is None
    return is_known or any(len(word) >= _LONG_WORD for word in re.findall(r"[^\W\d_]+", inner[1]))


def _is_amount(before: str, mark: str, behind: str) -> bool:
    """Return whether a number is money, a year or the like, which has no powers."""
    if mark[0].isalpha():
        return _FIGURES.search(before) is not None
    if _THOUSANDS.search(before) or _YEAR.search(before) or _MONEY_BEFORE.search(before):
        return True
    return _MONEY_BEHIND.match(behind) is not None
