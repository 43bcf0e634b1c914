"""Types of arguments that several tools take."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints

from workers.core.text import normalise

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
Limit = Annotated[int, Field(ge=1, le=100)]


def _listed(given: Any) -> Any:
    """Take a list as people type it: words between commas."""
    return [part.strip() for part in given.split(",") if part.strip()] if isinstance(given, str) else given


Names = Annotated[tuple[Name, ...], BeforeValidator(_listed), Field(max_length=20)]

_RANGE = re.compile(
    r"(?:chapters? |第)? ?(\d{1,6}) ?章? ?(?:(?:-|–|—|~|to|至|到) ?(?:第)? ?(\d{1,6}))? ?章?", re.IGNORECASE
)


def _as_range(given: Any) -> Any:
    """Take a number, "3-5", "chapters 3 to 5" or "第3至5章" as 3 or 3-5; any other text is a heading."""
    text = str(given) if isinstance(given, int) and not isinstance(given, bool) else given
    match = _RANGE.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return text
    first, last = int(match[1]), int(match[2] or match[1])
    if last < first:
        raise ValueError("a chapter, or a range from a lower to a higher one: 3, 3-5")
    return f"{first}-{last}" if match[2] else str(first)


Chapters = Annotated[Name, BeforeValidator(_as_range)]


def in_chapters(chapter: Any, wanted: str | None) -> bool:
    """Tell whether a chapter, as the graph has it, is the one or among those asked for; None asks for all."""
    if wanted is None or chapter is None:
        return wanted is None
    first, _, last = wanted.partition("-")
    if first.isdecimal() and (last or first).isdecimal():
        number = re.search(r"\d+", str(chapter))
        return number is not None and int(first) <= int(number[0]) <= int(last or first)
    return normalise(str(chapter)) == normalise(wanted)
