"""The text of a paragraph, put together from its runs."""

from __future__ import annotations

import re

from workers.ingest.reading.blocks import RAISED

_MARKS = {"superscript": RAISED, "subscript": "_"}
_PLAIN_EXPONENT = re.compile(r"[+\-−–]?\w+(?:[.,]\w+)*|\(?\d{1,3}\)")
_HEXADECIMAL = re.compile("[0-9a-fA-F]{2,4}(?<![dD][89a-fA-F]..)")  # no half of a pair of UTF-16
_OF_SYMBOLS = 0xFF  # a larger code is one of Unicode
_BLANKS = re.compile(r"[ \t\r\f\v]+")
_AROUND_BREAKS = re.compile(r" ?\n[ \n]*")

# Fonts of symbols put their signs at U+F020 to U+F0FF; the tables begin at 0x20 and at 0xA1.
# Symbol: https://unicode.org/Public/MAPPINGS/VENDORS/ADOBE/symbol.txt
_SYMBOL = dict(
    enumerate(
        " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼",
        0xF020,
    )
) | dict(
    enumerate(
        "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪",
        0xF0A1,
    )
) | dict(enumerate("〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭", 0xF0F1))  # fmt: skip
# Wingdings: the signs that people use in texts, of https://www.unicode.org/L2/L2012/12052-wingdings.pdf
_WINGDINGS = {
    0xF022: "✂", 0xF028: "☎", 0xF02A: "✉", 0xF04A: "☺", 0xF04C: "☹", 0xF06C: "●", 0xF06E: "■", 0xF06F: "□",
    0xF071: "❑", 0xF072: "❒", 0xF075: "◆", 0xF076: "❖", 0xF09F: "•", 0xF0A1: "○", 0xF0A7: "▪", 0xF0A8: "☐",
    0xF0D8: "➢", 0xF0DF: "←", 0xF0E0: "→", 0xF0E1: "↑", 0xF0E2: "↓", 0xF0E8: "➔", 0xF0F0: "⇨", 0xF0FB: "✗",
    0xF0FC: "✓", 0xF0FD: "☒", 0xF0FE: "☑",
}  # fmt: skip
_WINGDINGS_2 = {0xF04F: "✗", 0xF050: "✓", 0xF052: "☑", 0xF053: "☒", 0xF0A3: "☐"}
_FONTS = {"symbol": _SYMBOL, "wingdings": _WINGDINGS, "wingdings 2": _WINGDINGS_2}


def symbol(code: str) -> str:
    """Return a font's character by its hexadecimal code; that of a symbol may lack its leading F0."""
    if not _HEXADECIMAL.fullmatch(code):
        return ""
    sign = int(code, 16)
    return chr(sign if sign > _OF_SYMBOLS else 0xF000 + sign)


def in_unicode(text: str, font: str) -> str:
    """Return a text with the characters of symbol fonts converted to Unicode; unknown codes stay."""
    table = _FONTS.get(font.lower())
    return text.translate(table) if table else text


class Line:
    """Pieces of a text, each normal, raised or lowered."""

    def __init__(self) -> None:
        self._pieces: list[tuple[list[str], str]] = []  # texts, and their mark

    def add(self, text: str, raised: str = "") -> None:
        """Add a text; `raised` is "superscript", "subscript", or anything else for neither."""
        mark = _MARKS.get(raised, "")
        if not text:
            return
        if self._pieces and self._pieces[-1][1] == mark:
            self._pieces[-1][0].append(text)
        else:
            self._pieces.append(([text], mark))

    def text(self) -> str:
        """Return the text with tidied blanks, `RAISED` before raised pieces, and H_2O for lowered numbers."""
        if len(self._pieces) == 1:
            parts = self._pieces[0][0]
        else:
            parts = []
            for texts, mark in self._pieces:
                text = "".join(texts)
                before = parts[-1][-1] if parts else ""
                parts.append(_marked(text, mark, before) if mark else text)
        text = _BLANKS.sub(" ", "".join(parts))
        return _AROUND_BREAKS.sub("\n", text).strip()


def _marked(text: str, mark: str, before: str) -> str:
    """Return a raised or lowered text with its mark, except word endings (1st, 2e) and signs (™)."""
    core = text.strip()
    is_ending = mark == RAISED and core.isalpha() and (len(core) > 1 or (before.isdigit() and core == "o"))
    if is_ending or not any(map(str.isalnum, core)):
        return text
    shown = core if _PLAIN_EXPONENT.fullmatch(core) else f"({core})"
    lead, tail = text[: text.index(core)], text[text.index(core) + len(core) :]
    return f"{lead}{mark}{shown}{tail}"
