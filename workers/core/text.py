"""Plain text: normal forms, words, sentences with offsets."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
# A sentence ends at .!?… (with closing quotes or brackets) before white space, at a CJK full stop, or at
# a blank line. Possessive, and begun once per run: a row of dots must not cost the square of its length.
_BORDER = re.compile(r"(?:(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s)|[。！？]+[」』”]*|\n\s*\n)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|vs|No|Nos|etc|ca|cf|approx|Inc|Ltd|Co|Gen|Col|Lt|Sgt|Rev|Hon|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec|Fig|Vol|pp|Mt)|\b(?:e\.g|i\.e|a\.m|p\.m|U\.S|U\.K))\.$"
)


def normalise(text: str) -> str:
    """Return the text in NFKC, case-folded, white space collapsed, end punctuation dropped."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return _SPACE.sub(" ", folded).strip().rstrip(".!。 ")


def titled(title: str, text: str) -> str:
    """Return a chunk's text under its document's title, as it is embedded; alone it may lack its subject."""
    return text if text.startswith(title) else f"{title}\n{text}"


def words(text: str) -> list[str]:
    """Return the words of a text, normalised; numbers with inner points or hyphens stay whole."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) offsets of the sentences of a text, without the white space around them."""
    begin = 0
    for border in _BORDER.finditer(text):
        end = border.end()
        if border.group().startswith(".") and is_abbreviation(text[begin:end]):
            continue
        yield from _trimmed(text, begin, end)
        begin = end
    yield from _trimmed(text, begin, len(text))


def is_abbreviation(text: str) -> bool:
    """Tell whether a text ends with an abbreviation and its point, which then ends no sentence."""
    return _ABBREVIATION.search(text) is not None


def _trimmed(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[begin:end]
    left = len(piece) - len(piece.lstrip())
    size = len(piece.strip())
    if size:
        yield begin + left, begin + left + size
