"""Text primitives: normalisation, words, and sentences with offsets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from hopline.visible import visible
from workers.core.language.sentence_ends import sentence_ends

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
# Scripts that put no space between words, for a class of characters: Thai, Lao, Tibetan, Burmese, Khmer and
# their neighbours, kana, Chinese characters.
UNSPACED = (
    r"\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\u1b00-\u1b7f\u3005-\u3007\u3040-\u30ff"
    r"\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua980-\ua9ff\uaa60-\uaa7f\uf900-\ufaff\U00020000-\U0003ffff"
)
_THEIR_STOPS = (
    r"\u0e3f\u0e4f\u0e5a\u0e5b\u0f04-\u0f14\u0f3a-\u0f3d\u104a-\u104f\u17d4-\u17db\u1b5a-\u1b60\u30a0\u30fb"
    r"\ua9c1-\ua9cd"
)
_UNSPACED = re.compile(f"[{UNSPACED}]")
CHINESE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")  # a character
_PIECE = re.compile(rf"(?:(?![{_THEIR_STOPS}])[{UNSPACED}])+|[^\W_{UNSPACED}]+(?:['’.-][^\W_{UNSPACED}]+)*")
_ASCII_PIECE = re.compile(r"[a-z0-9]+(?:['.-][a-z0-9]+)*")  # the same of folded ASCII, in half the time
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|No|Nos|etc|ca|cf|approx|Inc|Ltd|Co|Gen|Col|Lt|Sgt|Rev|Hon|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Fig|Vol|pp|Mt)|\b(?:e\.g|i\.e|a\.m|p\.m|U\.S|U\.K))\.$"
)


def normalise(text: str) -> str:
    """Return the visible text in NFKC, case-folded, white space collapsed, end punctuation dropped."""
    return " ".join(_folded(text).split()).rstrip(".!。 ")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", visible(text)).casefold()


def titled(title: str, text: str) -> str:
    """Return a chunk's text under its document's title, as embedded; alone it may lack its subject."""
    return text if text.startswith(title) else f"{title}\n{text}"


def words(text: str) -> list[str]:
    """Return the words of a text, normalised; numbers with inner points or hyphens stay whole."""
    return _WORD.findall(_folded(text))


def pieces(text: str) -> Iterator[str]:
    """Return what two texts are compared by: their words, normalised, and pairs of unspaced characters.

    白苓的姑母 gives 白苓, 苓的, 的姑, 姑母: only a dictionary could find its words. A single character stays.
    """
    folded = _folded(text)
    return iter(_ASCII_PIECE.findall(folded)) if folded.isascii() else _mixed_pieces(folded)


def _mixed_pieces(folded: str) -> Iterator[str]:
    for piece in _PIECE.findall(folded):
        if not piece.isascii() and is_unspaced(piece):
            yield from (piece[at : at + 2] for at in range(max(1, len(piece) - 1)))
        else:
            yield piece


def is_unspaced(piece: str) -> bool:
    """Return whether a piece of text begins in a script that puts no space between words."""
    return _UNSPACED.match(piece) is not None


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) offsets of the sentences of a text, without the white space around them."""
    begin = 0
    for end in sentence_ends(text):
        yield from _trimmed(text, begin, end)
        begin = end


def is_abbreviation(text: str) -> bool:
    """Return whether a text ends with an abbreviation, whose point does not end the sentence."""
    return _ABBREVIATION.search(text) is not None


def _trimmed(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[begin:end]
    left = len(piece) - len(piece.lstrip())
    size = len(piece.strip())
    if size:
        yield begin + left, begin + left + size
