"""Reorders the glyphs of a line with right-to-left letters from visual to logical order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from workers.ingest.reading.pdf.glyphs import BLANK, Glyph

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc]")  # without RAISED
_WORD_GAP = 0.18  # of a letter's height; what pdfium takes for a blank, too
_GAP_IN_WORD = 0.5  # likewise, of letters without a blank between them in the file: some leave much white
# Of a line as seen, by a letter for each glyph: L and R letters, D digits, S what stands in a number,
# T behind it, N the rest. Rules W4 and W7 of Unicode (UAX 9) turned round: a number behind letters is theirs.
_LEFT_TO_RIGHT_RUN = re.compile("L(?:[LDSTN]*[LD])?|D(?:[ST]?D)*T?")
_RIGHT_TO_LEFT_RUN = re.compile("R(?:[RDSTN]*R)?")
_OPENING, _CLOSING = "([{<«", ")]}>»"


def is_right_to_left(text: str) -> bool:
    """Return whether a text has a letter of a script that is written from right to left."""
    return _RIGHT_TO_LEFT.search(text) is not None


def reads_right_to_left(glyphs: Iterable[Glyph]) -> bool:
    """Return whether most letters are of scripts that are written from right to left."""
    kinds = [_kind(glyph.sign) for glyph in glyphs]
    return kinds.count("R") > kinds.count("L")


def logical(glyphs: Sequence[Glyph], *, page_reads_right_to_left: bool) -> list[Glyph]:
    """Return the glyphs of a line in logical order, with blanks for gaps."""
    seen = _as_seen(glyphs)
    kinds = "".join(_kind(glyph.sign) for glyph in seen)
    if page_reads_right_to_left or kinds.count("R") > kinds.count("L"):
        return _turned_round(seen, kinds)
    read: list[Glyph] = []
    end = 0
    for run in _RIGHT_TO_LEFT_RUN.finditer(kinds):
        read += seen[end : run.start()] + _turned_round(seen[run.start() : run.end()], run[0])
        end = run.end()
    return read + seen[end:]


def _as_seen(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Return a line from left to right, with marks on their letters."""
    drawn = sorted((glyph for glyph in glyphs if glyph.right > glyph.left), key=lambda glyph: glyph.left)
    letters = [glyph for glyph in drawn if unicodedata.category(glyph.sign[0]) != "Mn"]
    for mark in drawn:
        if letters and unicodedata.category(mark.sign[0]) == "Mn":
            middle = (mark.left + mark.right) / 2
            bearer = min(letters, key=lambda letter: abs((letter.left + letter.right) / 2 - middle))
            bearer.sign += mark.sign
    flat = {glyph.place for glyph in glyphs if glyph.sign == " " and glyph.right <= glyph.left}
    seen: list[Glyph] = []
    for glyph in letters or drawn:
        last = seen[-1] if seen else glyph
        if " " not in {glyph.sign, last.sign} and _is_parted(last, glyph, flat):
            seen.append(BLANK)
        seen.append(glyph)
    return seen


def _is_parted(last: Glyph, glyph: Glyph, flat: set[int]) -> bool:
    """Return whether a blank is between two letters: one without width in the file, or a gap."""
    apart = abs(glyph.place - last.place)
    if apart == 2 and (glyph.place + last.place) // 2 in flat:  # noqa: PLR2004 - the blank is between them
        return True
    return glyph.left - last.right > (_GAP_IN_WORD if apart == 1 else _WORD_GAP) * glyph.height


def _turned_round(seen: Sequence[Glyph], kinds: str) -> list[Glyph]:
    read: list[Glyph] = []
    end = len(seen)
    for run in reversed(list(_left_to_right_runs(seen, kinds))):
        read += seen[run.end() : end][::-1]
        end = run.start()
        is_glued = run[0][0] == "L" and kinds[end - 1 : end] == "R"
        if is_glued and len(read) > 1 and read[-1].sign == " " and _kind(read[-2].sign) == "R":
            # The blank behind a word from left to right stands on its other side in files of some programs.
            read[-1:] = [*seen[end : run.end()], read[-1]]
        else:
            read += seen[end : run.end()]
    read += seen[:end][::-1]
    _set_brackets(read)
    return read


def _left_to_right_runs(seen: Sequence[Glyph], kinds: str) -> Iterator[re.Match[str]]:
    """Yield the left-to-right runs of a line; a run ends at a bracket that closes outside it."""
    for run in _LEFT_TO_RIGHT_RUN.finditer(kinds):
        start, opened = run.start(), 0
        for place in range(run.start(), run.end()):
            opened += (seen[place].sign in _OPENING) - (seen[place].sign in _CLOSING)
            if opened < 0:
                yield from _LEFT_TO_RIGHT_RUN.finditer(kinds, start, place)
                start, opened = place + 1, 0
        yield from _LEFT_TO_RIGHT_RUN.finditer(kinds, start, run.end())


def _set_brackets(read: Sequence[Glyph]) -> None:
    """Turn brackets the way in which they open or close; some files have them as seen, some as read."""
    signs = ["", *(glyph.sign for glyph in read), ""]
    for before, glyph, after in zip(signs, read, signs[2:], strict=False):
        kind = max(_OPENING.find(glyph.sign), _CLOSING.find(glyph.sign))
        if kind >= 0 and glyph.sign:
            opens, closes = not before.strip(), not after.strip() or after in ".,;:،؛؟!?"
            if opens != closes:
                glyph.sign = _OPENING[kind] if opens else _CLOSING[kind]


def _kind(sign: str) -> str:
    kind = unicodedata.bidirectional(sign[0]) if sign else ""
    if kind in {"R", "AL"}:
        return "R"
    if kind == "L":
        return "L"
    if kind in {"EN", "AN"}:
        return "D"
    return {"CS": "S", "ES": "S", "ET": "T"}.get(kind, "N")
