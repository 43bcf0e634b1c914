"""Reads when a statement holds: the dates and the spans of time that its words name."""

from __future__ import annotations

import re

from workers.critic.values import Value, dates, shaped

_MOST = 5  # of a statement; one that names more is a list
_YEAR = r"(?:1\d{3}|20\d{2})"
_OPENS = re.compile(
    r"(?:\b(?:(?:from|between)\s+(?:the\s+)?|(?:vo[nm]|zwischen|d[eu]|entre(?: le)?|del?|"
    r"desde(?: el)?|dal?|tra|fra|van|tussen|с|со|от|между|od|من|بين)\s+)|[自从]\s*)$",
    re.IGNORECASE,
)
_JOINS = re.compile(
    r"\s*(?:\b(?:to|until|till|through|and|bis(?: zum)?|und|à|au|al?|hasta(?: el)?|y|et|e|tot|en|"
    r"до|по|и|do|i|إلى|حتى)\b|[-\u2013\u2014~]|[至到]|から|부터|से)\s*",
    re.IGNORECASE,
)
_DASHES = re.compile(r"\s*(?:[-\u2013\u2014~至到]|から|부터|से)\s*")
_LAST_YEAR = re.compile(rf"{_YEAR}(?!\d)")
_SINCE = re.compile(
    r"(?:\b(?:since|as of|starting(?: in| on)?|seit(?: dem)?|ab(?: dem)?|depuis(?: le)?|"
    r"dès(?: le)?|desde(?: el)?|sinds|dal|с|منذ)\s+)$",
    re.IGNORECASE,
)
_ONWARDS = re.compile(r"\s*(?:\bonwards?\b|起|以来|以后|以降|から|부터|से)", re.IGNORECASE)
_ON = re.compile(r"\s*\bon\b(?!\s+\w)", re.IGNORECASE)  # "from 2021 on", not "in 1811 on the rock"
_UNTIL = re.compile(
    r"(?:\b(?:until|till|up to|bis(?: zum)?|jusqu['’](?:en|au|à)|hasta(?: el)?|fino al?|"
    r"até|tot|до|حتى)\s+|直到\s*|截至\s*)$",
    re.IGNORECASE,
)
_UNTIL_BEHIND = re.compile(r"\s*(?:まで|까지|तक)")
# In the clause: what did not hold until then began then.
_NOT = re.compile(r"(?:\b(?:not|cannot|never)\b|n['\u2019]t\b)[^,;:.!?]{0,500}$", re.IGNORECASE)


def stated_times(text: str) -> tuple[str, ...]:
    """Return the times that a statement names, in its order, as EDTF (ISO 8601-2) writes them.

    A date is 1843, 1843-05 or 1843-05-03; a span is 1839/1842, 1999/.. where it is open, ../2021 where only
    its end is named. A date without a year is none. Whether it is of what is stated, or of something beside
    it, is not told by the words alone.
    """
    statement = shaped(text)
    times: list[str] = []
    end = 0
    dated = [value for value in dates(statement) if value.day and value.day[0]]
    for nth, value in enumerate(dated):
        if value.start < end:
            continue
        until, end = _span_end(statement, value, dated[nth + 1 :])
        times.append(f"{_edtf(value)}/{until}" if until else _open_span(statement, value) or _edtf(value))
    return tuple(dict.fromkeys(times))[:_MOST]


def _open_span(statement: str, value: Value) -> str:
    """Return the span that a date begins or ends, without its other end; "" where it is a date alone."""
    before = statement[: value.start]
    is_left_open = _OPENS.search(before) and _ON.match(statement, value.end)
    if is_left_open or _SINCE.search(before) or _ONWARDS.match(statement, value.end):
        return f"{_edtf(value)}/.."
    is_end = _UNTIL.search(before) or _UNTIL_BEHIND.match(statement, value.end)
    return f"../{_edtf(value)}" if is_end and not _NOT.search(before) else ""


def _span_end(statement: str, first: Value, later: list[Value]) -> tuple[str, int]:
    """Return the date until which a span reaches that begins with one, and where that stands; "" if none.

    What is named second is no end where it is the earlier one.
    """
    joined = _JOINS.match(statement, first.end) if _OPENS.search(statement[: first.start]) else None
    joined = joined or _DASHES.match(statement, first.end)
    if joined is None:
        return "", first.end
    ends = [(_edtf(value), value.end) for value in later if value.start == joined.end()]
    if not ends and (year := _LAST_YEAR.match(statement, joined.end())):
        ends = [(year.group(), year.end())]
    begin = _edtf(first)
    return next((end for end in ends if end[0] >= begin[: len(end[0])]), ("", first.end))


def _edtf(value: Value) -> str:
    year, month, day = value.day or (None, None, None)
    parts = [f"{year:04}"] + ([f"{month:02}"] if month else []) + ([f"{day:02}"] if month and day else [])
    return "-".join(parts)
