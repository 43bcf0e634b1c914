"""Checks whether an answer mentions all sides of a conflict, and writes a sentence that does."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from hopline.titles import ShownTitles
from workers.core.answers.check import without_markers
from workers.core.answers.check_numbers import missing_numbers
from workers.core.language.numerals import numbers
from workers.core.language.text import CHINESE, UNSPACED
from workers.critic.sides import Side, Sides

CitedSentence = tuple[str, frozenset[str]]  # its text, and the keys of the facts that it cites
_LETTER = rf"[^\W{UNSPACED}]"


def is_named(sides: Sides, sentences: Sequence[CitedSentence]) -> bool:
    """Return whether the sentences of an answer together cite all sides and state their values.

    If the values are not known, the numbers found on only one side stand for it; a side without such numbers
    is named only by a sentence that cites all sides.
    """
    return all(
        any(_names(side, sides, text, cited) for text, cited in sentences if side.keys & cited)
        for side in sides
    )


def _names(side: Side, sides: Sides, text: str, cited: frozenset[str]) -> bool:
    if side.value:
        return _says(text, side.value)
    own = _own_numbers(side, sides)
    return own <= numbers(text).keys() if own else all(other.keys & cited for other in sides)


def _own_numbers(side: Side, sides: Sides) -> set[str]:
    others = (other.place.source.fact for other in sides if other is not side)
    return numbers(side.place.source.fact).keys() - {number for fact in others for number in numbers(fact)}


def _says(text: str, value: str) -> bool:
    """Return whether a text says a value as a word of its own, or at least its numbers."""
    if re.search(rf"(?<!{_LETTER}){re.escape(value)}(?!{_LETTER})", text, re.IGNORECASE):
        return True
    return bool(numbers(value)) and not missing_numbers(value, text)


def conflict_sentence(sides: Sides, markers: Iterable[int], question: str) -> str:
    """Return a sentence with all sides in their own words, with sources, dates and markers.

    Args:
        sides: two or more sides, in order.
        markers: markers of the sides.
        question: determines the language of the sentence, Chinese or English.
    """
    chinese = CHINESE.search(question) is not None
    titles = ShownTitles(filter(None, (side.place.document_source for side in sides)))
    parts = []
    for side, n in zip(sides, markers, strict=True):
        fact = without_markers(side.place.source.fact).rstrip(".。")
        parts.append(f"“{fact}” {_origin(side, sides, titles, chinese=chinese)} [{n}]")
    return (
        f"各来源说法不一：{'；'.join(parts)}。" if chinese else f"The sources disagree: {'; '.join(parts)}."
    )


def _origin(side: Side, sides: Sides, titles: ShownTitles, *, chinese: bool) -> str:
    several = len(sides) > 2  # noqa: PLR2004 - of three one is the newest
    newer, higher = (
        (("最新", "优先级最高") if several else ("较新", "优先级较高"))
        if chinese
        else (("the newest", "of the highest priority") if several else ("the newer", "of higher priority"))
    )
    stated = side.place.document_source
    title = f"{side.place.source.title}{titles.part(stated) if stated else ''}"
    parts = [without_markers(title), side.date.isoformat() if side.date else ""]
    parts += [newer] if _is_newest(side, sides) else []
    parts += [higher] if all(_weight(side) > _weight(other) for other in sides if other is not side) else []
    shown = [part for part in parts if part]
    return f"（{'，'.join(shown)}）" if chinese else f"({', '.join(shown)})"


def _is_newest(side: Side, sides: Sides) -> bool:
    """Return whether its document is newer than all others, and all are dated."""
    days = [other.date for other in sides if other.date and other is not side]
    return side.date is not None and len(days) == len(sides) - 1 and side.date > max(days)


def _weight(side: Side) -> float:
    return side.priority or 0
