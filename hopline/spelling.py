"""Finds how texts spell a normalised name."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from itertools import accumulate


def spelled_in(name: str, *texts: str) -> str:
    """Return a normalised name as spelled in the first text that contains it; else unchanged.

    An s or es at its end, which may be a plural's or make another word (jeans), counts only where no text has
    the name without it.
    """
    signs = [[_bare(sign) for sign in text] for text in texts]
    for ending in ("", "e?s"):
        wanted = re.compile(rf"(?<!\w){re.escape(_bare(name))}{ending}(?!\w)")
        for text, bare in zip(texts, signs, strict=True):
            if found := wanted.search("".join(bare)):
                ends = list(accumulate(map(len, bare)))
                return text[bisect_right(ends, found.start()) : bisect_right(ends, found.end())]
    return name


def _bare(text: str) -> str:
    parts = unicodedata.normalize("NFD", text).casefold()
    return "".join(sign for sign in parts if not unicodedata.combining(sign))
