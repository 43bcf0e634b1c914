"""Argument types that several tools share."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints

from workers.core.language.chapter_numbers import NUMERAL, number_called, numeral_value
from workers.core.language.text import normalise

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
Limit = Annotated[int, Field(ge=1, le=100)]


def _listed(value: Any) -> Any:
    """Take a list as people type it: words between commas."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


Names = Annotated[tuple[Name, ...], BeforeValidator(_listed), Field(max_length=20)]

_RANGE = re.compile(
    rf"(?P<called>chapters? |第)? ?(?P<first>{NUMERAL}) ?(?P<one>[章回])?"
    rf" ?(?:(?:-|–|—|~|～|to|至|到) ?第? ?(?P<last>{NUMERAL}))? ?(?P<all>[章回])?",
    re.IGNORECASE,
)


def _as_range(value: Any) -> Any:
    """Take "3", "Chapter III: Rain", "3-5", "chapters 3 to 5" or "第三至五章" as 3 or 3-5; else a heading."""
    text = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(text, str):
        return text
    match = _RANGE.fullmatch(text.strip())
    numerals = [match["first"], match["last"] or match["first"]] if match else []
    if match is None or not (match["called"] or match["one"] or match["all"] or _are_decimal(numerals)):
        number = number_called(text)
        return text if number is None else str(number)
    first, last = map(numeral_value, numerals)
    if first is None or last is None:
        return text
    if last < first:
        raise ValueError("a chapter, or a range from a lower to a higher one: 3, 3-5")
    return f"{first}-{last}" if match["last"] else str(first)


def _are_decimal(numerals: list[str]) -> bool:
    return all(map(str.isdecimal, numerals))


Chapters = Annotated[Name, BeforeValidator(_as_range)]


def in_chapters(chapter: Any, wanted: str | None) -> bool:
    """Return whether a chapter of the graph is requested; None requests all."""
    if wanted is None or chapter is None:
        return wanted is None
    first, _, last = wanted.partition("-")
    if first.isdecimal() and (last or first).isdecimal():
        number = _number_of(str(chapter))
        return number is not None and int(first) <= number <= int(last or first)
    return normalise(str(chapter)) == normalise(wanted)


def _number_of(chapter: str) -> int | None:
    called, written = number_called(chapter), re.search(r"\d{1,9}", chapter)
    return int(written[0]) if called is None and written else called
