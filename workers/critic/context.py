"""The person and the year that a quote refers to, according to the surrounding text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from hopline.visible import visible
from workers.core.answers.check import begins_no_name
from workers.core.language.dates import month_of
from workers.core.language.relative_dates import completions, dated, is_open
from workers.core.language.text import normalise, sentences
from workers.core.records import FactSource
from workers.critic.rows import RowSource

Source = FactSource | RowSource


class ChunkText(NamedTuple):
    """The stored text of a chunk, and its offset in the document."""

    text: str
    start: int = 0


Around = Callable[[Sequence[str]], Sequence[ChunkText]]  # by the chunks' ids; none where one is gone


_WORD = re.compile(r"[^\W_]+")
_PRONOUNS = frozenset(
    """he him his himself she her hers herself it its itself they them their theirs themselves
    i me my we us our""".split()  # noqa: SIM905 - a list of words reads best
)
_POINTING = frozenset(("this", "that", "these", "those"))  # "He said that" points at nobody
# Its subject, as in: The band played. Not: The captain, Ada Lovelace, landed.
_DEFINITE = re.compile(r"\W*(?:The|Both|All)\s[a-z][^\W\d_]*\b(?!,?\s[^\W\d_a-z])")


def antecedents(sources: Iterable[Source], around: Around, ordinary: str = "") -> str:
    """Return the text before quotes that leave open whom they refer to, if the fact does not say so.

    Args:
        sources: cited places. A fact in its own words already says who "she" is, so it needs no such text.
        around: returns the texts of chunks.
        ordinary: related text; its lower-case words are not names when they begin a quote.
    """
    before: dict[str, str] = {}
    for source in sources:
        if normalise(source.fact) != normalise(source.quote):
            continue
        chunk = text_of([source.chunk_id], around) if source.chunk_id else ""
        if _is_open(source.quote, f"{chunk} {ordinary}"):
            earlier = text_before(source, around)
            before[source.chunk_id] = max(before.get(source.chunk_id, ""), earlier, key=len)
    return "\n".join(before.values())


def _is_open(quote: str, ordinary: str) -> bool:
    """Return whether a quote says he before any name, begins with "The band", or names nobody."""
    if _DEFINITE.match(quote):
        return True
    for place, match in enumerate(_WORD.finditer(unicodedata.normalize("NFKC", quote))):
        word = match.group()
        folded = word.casefold()
        shouted = len(word) > 1 and word.isupper()  # US is not us
        if not shouted and (folded in _PRONOUNS or (place == 0 and folded in _POINTING)):
            return True
        if word[0].isupper() and not month_of(folded) and (place or not begins_no_name(word, ordinary)):
            return False
    return True


def dates_before(sources: Iterable[Source], around: Around) -> str:
    """Return dates that may complete quoted ones: a chunk's first date, and the last before each quote.

    Only quotes with an incomplete date are completed (see `core.language.relative_dates`).
    """
    dates: dict[str, None] = {}
    for source in sources:
        if is_open(source.quote):
            known = dated(text_before(source, around))
            for date in dict.fromkeys((*known[:1], *known[-1:])):
                dates.update(dict.fromkeys(completions(source.quote, *date)))
    return "\n".join(dates)


def completing(
    sources: Iterable[Source], around: Around, missing: Callable[[str], list[str]]
) -> Iterator[FactSource]:
    """Yield the sentences of the cited chunks that contain what is missing, nearest to the quote first.

    Args:
        sources: cited places.
        around: returns the texts of chunks.
        missing: returns the numbers or names that are still missing if a given text counts too.
    """
    added = ""
    lacking = len(missing(added))
    for source in sources:
        if not lacking or not isinstance(source, FactSource) or not source.chunk_id:
            continue
        for chunk in around([source.chunk_id]):
            for start, end in _nearest_first(chunk, source):
                quote = visible(chunk.text[start:end])
                more = f"{added}\n{quote}\n{_completed(source.quote, quote)}"
                if lacking and (left := len(missing(more))) < lacking:
                    added, lacking = more, left
                    yield place_in(chunk, start, end, source)


def _nearest_first(chunk: ChunkText, source: FactSource) -> list[tuple[int, int]]:
    """Return the spans of a chunk's sentences except the cited one: backwards from it, then after it."""
    begin, behind = source.start - chunk.start, source.end - chunk.start
    spans = list(sentences(chunk.text))
    before = [span for span in spans if span[1] <= begin]
    return [*before[::-1], *(span for span in spans if span[0] >= behind)]


def _completed(quote: str, earlier: str) -> str:
    if not is_open(quote):
        return ""
    return "\n".join(text for date in dated(earlier) for text in completions(quote, *date))


def place_in(chunk: ChunkText, start: int, end: int, source: FactSource) -> FactSource:
    """Return a sentence of a source's chunk, given by its offsets in the chunk, as a separate source."""
    quote = visible(chunk.text[start:end])
    place = {"start": chunk.start + start, "end": chunk.start + end}
    return source.model_copy(update={**place, "fact_id": "", "fact": quote, "quote": quote})


def text_of(chunk_ids: Sequence[str], around: Around) -> str:
    """Return the texts of chunks, separated by line breaks."""
    return "\n".join(chunk.text for chunk in around(chunk_ids))


def text_before(source: Source, around: Around) -> str:
    """Return the text of a chunk before the cited place."""
    if not isinstance(source, FactSource) or not source.chunk_id:
        return ""
    return visible(
        "\n".join(text[: max(0, source.start - start)] for text, start in around([source.chunk_id]))
    )
