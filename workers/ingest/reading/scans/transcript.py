"""Merges what a vision model read on a page with the lines that recognition found there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from workers.ingest.reading.scans.page import in_reading_order
from workers.ingest.reading.scans.recognised import TALL, RecognisedLine, RecognisedPage

_UNKNOWN = 0.3  # similarity of a line that recognition could not read to any line of the model
_IN_ORDER = 0.15  # added for two lines at the same place in reading order, however different
_SAME = 0.5  # least similarity of two readings of one line
_WITHIN = 0.7  # share of a cell's pairs of letters that a line has which holds it
_SHORT = 4  # letters; shorter lines, such as page numbers, prove nothing
_LEAST_FOUND = 0.5  # share of the lines read with confidence that a transcript must have


@dataclass(slots=True)
class _Found:
    """A line that recognition found, and what the model read there."""

    line: RecognisedLine  # its text is "" where recognition could not read it
    read: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)  # read above the first line that was found
    is_matched: bool = False
    similarity: float = 0.0

    @property
    def is_read(self) -> bool:
        """Whether the model read something here that recognition did not."""
        return bool(self.read or self.before)


def with_transcript(page: RecognisedPage, transcript: Sequence[str]) -> RecognisedPage | None:
    """Return a page whose doubtful and unread lines say what a vision model read in their place.

    Lines that recognition read with confidence stay as they are. A doubtful line that the model did not see
    is dropped if the model saw the lines on both sides of it; text that recognition did not find goes to the
    line before it. On a page where it found no line at all, lines are stripes of the page.

    Args:
        page: the recognised page.
        transcript: the lines that the model read, in reading order.

    Returns:
        The page; None if the transcript lacks most of the lines that were read with confidence: then the
        model read something else, or made it up.
    """
    # Recognition finds the cells of a row one by one.
    cells = (cell for line in transcript for cell in f" {line} ".split(" | "))
    lines = [" ".join(cell.split()) for cell in cells if cell.strip()]
    if not page.lines and not page.unread_boxes:
        striped = replace(page, lines=_striped(page, lines), unread=0, transcribed=len(lines))
        return striped if lines else None
    found = _aligned(_found(page), lines)
    sure = [each for each in found if not each.line.is_doubtful and _letters(each.line.text) >= _SHORT]
    seen = sum(each.is_matched and each.similarity >= _SAME for each in sure)
    if seen < _LEAST_FOUND * len(sure) or not any(each.is_read for each in found):
        return None
    kept = [each for nth, each in enumerate(found) if _is_kept(found, nth)]
    transcribed = [each for each in kept if each.is_read]
    unread = [each.line for each in found if not each.line.text and not each.is_read]
    return replace(
        page,
        lines=[_told(each) for each in kept],
        unread=len(unread) + page.unread - len(page.unread_boxes),
        unread_boxes=[(line.left, line.top, line.right, line.bottom) for line in unread],
        transcribed=len(transcribed),
    )


def _found(page: RecognisedPage) -> list[_Found]:
    unread = [
        RecognisedLine("", 0.0, *box, is_vertical=box[3] - box[1] >= TALL * (box[2] - box[0]))
        for box in page.unread_boxes
    ]
    return [_Found(line) for line in in_reading_order([*page.lines, *unread])]


def _is_kept(found: Sequence[_Found], nth: int) -> bool:
    """Return whether a line stays: a doubtful one goes if the model saw its neighbours and not it."""
    each = found[nth]
    if each.is_read or not each.line.is_doubtful:
        return True
    beside = (*found[max(0, nth - 1) : nth], *found[nth + 1 : nth + 2])
    return bool(each.line.text) and not all(other.is_matched for other in beside)


def _striped(page: RecognisedPage, lines: Sequence[str]) -> list[RecognisedLine]:
    height = page.height / len(lines)
    return [
        RecognisedLine(text, 1.0, 0.0, nth * height, page.width, (nth + 1) * height)
        for nth, text in enumerate(lines)
    ]


def _aligned(found: list[_Found], transcript: Sequence[str]) -> list[_Found]:
    """Give each line of a transcript to a line that was found, in order (Needleman and Wunsch, 1970)."""
    pairs = [_Grams(each.line.text) for each in found]
    grams = [_Grams(line) for line in transcript]
    alike = [[_similarity(one, other) for other in grams] for one in pairs]
    best = [[0.0] * (len(transcript) + 1) for _ in range(len(found) + 1)]
    for at in range(len(found) - 1, -1, -1):
        for nth in range(len(transcript) - 1, -1, -1):
            match = best[at + 1][nth + 1] + alike[at][nth] + _IN_ORDER
            best[at][nth] = max(match, best[at + 1][nth], best[at][nth + 1])
    taken: list[str] = []  # read before the first line that was found
    at = nth = 0
    latest: _Found | None = None
    while nth < len(transcript):
        if at < len(found) and best[at][nth] == best[at + 1][nth]:
            at += 1
        elif at < len(found) and best[at][nth] != best[at][nth + 1]:
            latest, latest.is_matched = found[at], True
            latest.similarity = alike[at][nth]
            latest.before, taken = taken, []
            of_latest = pairs[at]
            if latest.line.is_doubtful:
                latest.read.append(transcript[nth])
            at, nth = at + 1, nth + 1
        else:
            if latest is None:
                taken.append(transcript[nth])
            elif latest.line.is_doubtful or not grams[nth].is_within(of_latest):
                latest.read.append(transcript[nth])
            nth += 1
    return found


def _told(found: _Found) -> RecognisedLine:
    """Return a line with what was read in its place."""
    line = found.line
    if not found.is_read:
        return line
    own = [] if line.is_doubtful else [line.text]
    text = " ".join([*found.before, *own, *found.read])
    words = [] if line.is_vertical or line.turn else list(_spread(text, line.left, line.right))
    return replace(line, text=text, confidence=1.0, words=words)


def _spread(text: str, left: float, right: float) -> Iterator[tuple[str, float, float]]:
    """Yield each word of a line with where it begins and ends if all signs are equally wide."""
    width = (right - left) / max(1, len(text))
    at = 0
    for word in text.split():
        yield word, left + at * width, left + (at + len(word)) * width
        at += len(word) + 1


class _Grams:
    """Pairs of neighbouring letters of a line, with counts."""

    def __init__(self, text: str) -> None:
        letters = f" {''.join(sign for sign in text.casefold() if sign.isalnum())} "
        self.is_known = bool(text)
        self.pairs = Counter(letters[at : at + 2] for at in range(len(letters) - 1))
        self.count = len(letters) - 1

    def is_within(self, other: _Grams) -> bool:
        """Return whether nearly all of a line is in another one."""
        return (self.pairs & other.pairs).total() >= _WITHIN * self.count


def _similarity(found: _Grams, read: _Grams) -> float:
    """Return the share of pairs of letters that two readings have in common, 0 to 1 (Dice, 1945)."""
    if not found.is_known:
        return _UNKNOWN
    return 2 * (found.pairs & read.pairs).total() / (found.count + read.count)


def _letters(text: str) -> int:
    return sum(sign.isalnum() for sign in text)
