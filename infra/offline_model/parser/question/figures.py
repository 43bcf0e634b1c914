"""Reads comparisons in a question: released after 2000, in the 1990s, rated above 90, the top five."""

from __future__ import annotations

import re
from dataclasses import dataclass

from infra.offline_model.parser.graph.graph_words import NUMBERS, GraphWords, Kind, root
from workers.core.language.text import words

_COUNTS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()  # noqa: SIM905 - reads best
)
_NUMBER = rf"(?:\d+(?:\.\d+)?|{'|'.join(_COUNTS)})"
NUMBER = re.compile(rf"\b{_NUMBER}\b", re.IGNORECASE)
_RANGE = re.compile(r"\b(?:between|from)\s+(?P<low>\d+)\s+(?:and|to)\s+(?P<high>\d+)")
_DECADE = re.compile(r"\b(?:in|of|during|from)?\s*the\s+(?P<decade>\d{3}0)['’]?s\b")
_SIGNS = (
    (
        ">",
        "after|later than|newer than|more than|greater than|higher than|larger than|bigger than|over|above",
    ),
    ("<", "before|earlier than|prior to|less than|lower than|smaller than|fewer than|under|below"),
    (">=", "since|at least|from|no less than|no earlier than"),
    ("<=", r"at most|until|up to|no more than|no later than|by(?= \d{4})"),
    ("=", r"in(?: the year)?(?= \d{4})|exactly|equal to|of exactly|of(?= \d+)|is(?= \d+)"),
)
_COMPARED = tuple(
    (
        sign,
        re.compile(
            rf"\b(?:{phrases})\s+(?:the year\s+)?(?P<number>{_NUMBER})\b(?!\s*(?:and|to)\s*\d)", re.IGNORECASE
        ),
    )
    for sign, phrases in _SIGNS
)
_TOP = re.compile(
    rf"\b(?:top|first|last|which|the|list|name|show|find|give)\s+(?P<number>{_NUMBER})\b|\b(?P<lone>{_NUMBER})\s+(?=[a-z]+est\b|most\b)",
    re.IGNORECASE,
)
COUNTED = re.compile(rf"\b(?:first|last)\s+{_NUMBER}\b", re.IGNORECASE)
_AT_LEAST = tuple(
    (
        sign,
        re.compile(
            rf"\b(?:{phrases})\s+(?P<number>{_NUMBER})\s+(?:\w+\s+)?(?P<what>[a-z]+)\b", re.IGNORECASE
        ),
    )
    for sign, phrases in _SIGNS
)
_NUMBERED = re.compile(r"(?<=[a-z] )\d+\b(?! (?:and|to) \d)")  # chapter 2
_NEAR = 5  # words between a property and its number
_YEAR = 4  # digits
_TIMES = frozenset(("birth", "release", "year", "date", "open", "begin", "found", "publish", "time", "creat"))
_MEASURE = re.compile(r"\b(?P<say>average|mean|total|sum|minimum|maximum)\b", re.IGNORECASE)
_MEASURES = {
    "average": "avg",
    "mean": "avg",
    "total": "sum",
    "sum": "sum",
    "minimum": "min",
    "maximum": "max",
}
_EACH = re.compile(
    r"\b(?:per|each|every|(?:in|of|at|by|to|for) (?:which|what)|by) (?P<what>[^\W\d_]+)", re.IGNORECASE
)
_WHEN = re.compile(r"\bwhen\W*$", re.IGNORECASE)


@dataclass(frozen=True)
class Compared:
    """A comparison of a property with a number; `before` is its position in the question."""

    kind: Kind  # whose property
    name: str
    sign: str
    number: str  # as Cypher writes it
    start: int
    end: int


def figure(number: str) -> str:
    """Return a number in digits: five → 5."""
    small = number.casefold()
    return str(_COUNTS.index(small)) if small in _COUNTS else small


def how_many(text: str) -> int | None:
    """Return how many things a list is to have: top five, 3 oldest."""
    match = _TOP.search(text)
    return int(float(figure(match.group("number") or match.group("lone")))) if match else None


def compared(text: str, graph: GraphWords, wanted: Kind | None) -> list[Compared]:
    """Return comparisons of properties with numbers; counts of things are none.

    Args:
        text: a question, its names masked.
        graph: whose properties there are.
        wanted: the wanted label, whose time is compared if no property is named.
    """
    comparisons: list[Compared] = []
    for sign, number, start, end in _spoken(text):
        if any(comparison.start < end and start < comparison.end for comparison in comparisons) or (
            len(number) < _YEAR and _counts(text, end, graph)
        ):
            continue
        near = 1 if text[start:end] == number else _NEAR
        held = _property_before(text[:start], graph, near) or _time_of(wanted, number)
        if held:
            comparisons.append(Compared(*held, sign, number, start, end))
            high = _RANGE.match(text, start) or _DECADE.match(text, start)
            if high:
                last = high.groupdict().get("high") or str(int(number) + 9)
                comparisons.append(Compared(*held, "<=", last, end, end))
    return sorted(comparisons, key=lambda comparison: comparison.start)


def counted(text: str, graph: GraphWords) -> tuple[str, str] | None:
    """Return how many of something there have to be: more than five movies → >, 5."""
    for sign, pattern in _AT_LEAST:
        for match in pattern.finditer(text):
            candidates = match.group().split()[-2:]
            if len(figure(match.group("number"))) == _YEAR:
                continue
            if any(graph.label(word) or graph.type(word) for word in candidates):
                return sign, figure(match.group("number"))
    return None


def each_of(text: str, graph: GraphWords, last: Kind | None) -> Kind | None:
    """Return the label that a count is wanted for each of: in each year; when, which is of the last named."""
    match = _EACH.search(text)
    if match or not _WHEN.search(text):
        return graph.label(match.group("what")) if match else None
    return last


def measure_of(text: str) -> str:
    """Return avg, sum, min or max, if a text asks for such a value."""
    match = _MEASURE.search(text)
    return _MEASURES[match.group("say").casefold()] if match else ""


def time_of(kind: Kind | None) -> str:
    """Return the numeric property with the time at which nodes of a kind began; empty if there is none."""
    held = kind.properties if kind else ()
    return next((name for name, of in held if of in NUMBERS and root(name) in _TIMES), "")


def _spoken(text: str) -> list[tuple[str, str, int, int]]:
    numbers = [(">=", match.group("low"), match.start(), match.end()) for match in _RANGE.finditer(text)]
    numbers += [(">=", match.group("decade"), match.start(), match.end()) for match in _DECADE.finditer(text)]
    matched = ((sign, match) for sign, pattern in _COMPARED for match in pattern.finditer(text))
    numbers += [(sign, figure(match.group("number")), match.start(), match.end()) for sign, match in matched]
    numbers += [("=", match.group(), match.start(), match.end()) for match in _NUMBERED.finditer(text)]
    return numbers


def _counts(text: str, end: int, graph: GraphWords) -> bool:
    """Return whether the number counts what follows it: more than five movies."""
    after = re.match(r"\s+([^\W\d_]+)(?:\s+([^\W\d_]+))?", text[end:])
    candidates = [word for word in after.groups() if word] if after else []
    return any(graph.label(word) or graph.type(word) for word in candidates)


def _property_before(text: str, graph: GraphWords, near: int) -> tuple[Kind, str] | None:
    """Return the numeric property that is named last before the number, within some words."""
    for word in reversed(words(text)[-near:]):
        held = graph.property(word)
        if held and held[0].type_of(held[1]) in NUMBERS:
            return held
        if graph.label(word):
            return None
    return None


def _time_of(wanted: Kind | None, number: str) -> tuple[Kind, str] | None:
    name = time_of(wanted)
    return (wanted, name) if wanted and name and len(number) == _YEAR else None
