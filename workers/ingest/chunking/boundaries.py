"""Finds chunk boundaries: cuts a text at paragraphs and sentences, with overlap."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from semantic_text_splitter import TextSplitter

from workers.core.language.text import sentences
from workers.core.models.tokens import count_tokens

_SECTION = 40_000  # characters
_BORDERS = ("\n\n", "\n", ". ", "。", " ")


class Sizes(NamedTuple):
    """Sizes of chunks, in tokens."""

    chunk: int  # at most, with what is repeated of the chunk before
    overlap: int  # repeated at most; smaller than a chunk

    @property
    def piece(self) -> int:
        """The maximum number of new tokens in a chunk, without its overlap."""
        return self.chunk - self.overlap


def fresh_pieces(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of the pieces of a text in order, of at most `size` tokens each.

    They cover everything except white space, and end at the best available boundaries.
    """
    # The splitter's own overlap works in units of its borders and so is mostly none between paragraphs.
    splitter = TextSplitter.from_callback(count_tokens, size)
    for first, last in _sections(text):
        for start, piece in splitter.chunk_indices(text[first:last]):
            yield first + start, first + start + len(piece)


def _sections(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of sections that the splitter takes one at a time, cut at the best border near.

    It needs the square of the length for text without borders (a million Chinese characters in a row).
    """
    start = 0
    while len(text) - start > _SECTION:
        window = start + _SECTION // 2, start + _SECTION
        cuts = (text.rfind(border, *window) + len(border) for border in _BORDERS)
        end = next((cut for cut in cuts if cut > window[0]), window[1])
        yield start, end
        start = end
    yield start, len(text)


def reach_back(text: str, before: tuple[int, int], piece: tuple[int, int], sizes: Sizes) -> int:
    """Return where a chunk starts if it includes the last sentences of the previous piece."""
    start, end = piece
    # No sentence that fits into the overlap is longer than this; it keeps the search short.
    first = max(before[0], before[1] - 12 * sizes.overlap)
    begin = start
    for sentence_start, _end in reversed(list(sentences(text[first : before[1]]))):
        candidate = first + sentence_start
        cut_off = sentence_start == 0 and first > before[0]
        too_long = count_tokens(text[candidate : before[1]]) > sizes.overlap
        if cut_off or too_long or count_tokens(text[candidate:end]) > sizes.chunk:
            break
        begin = candidate
    return begin
