"""Sets citation markers into a sentence, so that it has one full stop whatever its writer put around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.core.language.sentence_ends import STOPS
from workers.core.language.text import CHINESE

_FULL_STOPS = ".．。｡।"
_ALL_STOPS = f"{_FULL_STOPS}!?…{STOPS}"
_OPENING, _CLOSING = ("(", "[", "（", "【"), (")", "]", "）", "】")
_DIRECTED = "\u202c\u2069"  # close a run of another direction
_CLOSERS = "".join((*_CLOSING, "\"”“’'‘»›」』》〉", _DIRECTED))
_UNSEEN = " \u00a0\u202f\u200e\u200f"  # spaces, and marks of direction
# What a writer put behind a marker stands behind the sentence's own stop once the marker is gone.
_SECOND = re.compile(rf"(?<=[!?…{STOPS}．])[{_FULL_STOPS}]{{1,20}}$|(?<!\.\.)(?<=\.)[{_FULL_STOPS}]$")
_JAPANESE = re.compile(r"[\u3040-\u30ff]")


def marked(sentence: str, markers: Sequence[int]) -> str:
    """Return a sentence with its markers before its stop, or behind the quotation that holds the stop.

    Args:
        sentence: in one line, without markers.
        markers: numbers of citations; one may come again.
    """
    shown = "".join(f"[{n}]" for n in dict.fromkeys(markers))
    closed = sentence.rstrip(_ALL_STOPS + _UNSEEN)  # up to its last quotation mark, bracket or word
    body = closed.rstrip(_ALL_STOPS + _UNSEEN + _CLOSERS)
    stops = _SECOND.sub("", "".join(sign for sign in sentence[len(closed) :] if sign not in _UNSEEN))
    is_whole = not closed.endswith(_CLOSING) or sentence.startswith(_OPENING)
    if is_whole and any(sign in _ALL_STOPS for sign in closed[len(body) :]):
        return f"{closed} {shown}{stops.strip(_FULL_STOPS)}"
    return f"{closed} {shown}{stops or _full_stop(body)}"


def _full_stop(text: str) -> str:
    return "。" if CHINESE.match(text[-1:]) or _JAPANESE.match(text[-1:]) else "."
