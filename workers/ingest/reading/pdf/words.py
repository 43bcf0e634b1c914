"""Joins words that are divided at the ends of lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from workers.ingest.reading.pdf.glyphs import SOFT_HYPHEN

LONGEST_WORD = 100  # characters of the end of a text in which its last word is looked for
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_DIVIDED = re.compile(rf"([^\W\d_]{{2,100}})([-\u2010{SOFT_HYPHEN}])\s{{0,9}}$")
_GOES_ON = re.compile(r"\s*([^\W\d_]+)")
_HYPHEN_END = re.compile(r"[^\W_][-\u2010]$")  # New-/York, 2019-/2020
_EAST_ASIAN_END = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]$")
_EAST_ASIAN_START = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60]")


class Vocabulary:
    """The words of a document, used to decide whether a hyphen at a line end belongs to the word."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._words: Counter[str] = Counter()
        for text in texts:
            self._words.update(word.casefold().replace("\u2010", "-") for word in _WORD.findall(text))

    def joined(self, text: str, following: str) -> str | None:
        """Join two lines if a word is hyphenated across them; return None if not."""
        divided = _DIVIDED.search(text, max(0, len(text) - LONGEST_WORD))
        rest = _GOES_ON.match(following)
        if not divided or not rest or not rest[1][0].islower():
            return None
        first, second = divided[1].casefold(), rest[1].casefold()
        keeps_hyphen = self._words[f"{first}-{second}"] > 0 and not self._words[first + second]
        return text[: divided.end(1)] + ("-" if keeps_hyphen else "") + following.lstrip()

    def appended(self, text: str, following: str) -> str:
        """Join two lines of a paragraph."""
        joined = self.joined(text, following)
        if joined is not None:
            return joined
        text = plain(text)
        if not text or not following:
            return text + following
        if _EAST_ASIAN_END.search(text) and _EAST_ASIAN_START.match(following):
            return text + following
        if _HYPHEN_END.search(text) and following[0].isalnum():
            return text + following
        return f"{text} {following}"

    def rejoined(self, text: str) -> str:
        """Return a text of lines that blanks divide, without the soft hyphens at their ends."""
        first, *following = text.split(f"{SOFT_HYPHEN} ")
        for line in following:
            first = self.appended(first + SOFT_HYPHEN, line)
        return first.replace(SOFT_HYPHEN, "-")


def plain(text: str) -> str:
    """Return a text whose soft hyphen at the end is a hyphen."""
    return text.rstrip().replace(SOFT_HYPHEN, "-")
