"""Formats numbers, times and durations for reports."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from hopline.commands.console import harmless
from hopline.models.times import seconds_between
from hopline.words import counted

if TYPE_CHECKING:
    from hopline.models.jobs import Usage
    from hopline.models.places import Place

_MINUTE, _HOUR, _DAY = 60, 3600, 86400
_UNITS = ((_DAY, "d", _HOUR, "h"), (_HOUR, "h", _MINUTE, "min"), (_MINUTE, "min", 1, "s"))
_SHARES_SHOWN = 0.001
_SMALL_COST = 10
_SUBJECT_CHARACTERS = 60


def number(count: float) -> str:
    """Return a count with its thousands apart; a fraction has one digit."""
    return f"{count:,.0f}" if count == int(count) else f"{count:,.1f}"


def share(part: float, whole: float) -> str:
    """Return a share in percent, with 0% only for nothing and 100% only for everything."""
    if not whole:
        return "–"
    fraction = part / whole
    if 0 < fraction < _SHARES_SHOWN:
        return "< 0.1%"
    if 1 - _SHARES_SHOWN < fraction < 1:
        return "> 99.9%"
    return f"{100 * fraction:.0f}%" if fraction in (0, 1) else f"{100 * fraction:.1f}%"


def lasting(seconds: float) -> str:
    """Return a duration in its two largest units."""
    whole = round(seconds)
    if seconds < 1:
        return f"{1000 * seconds:.0f} ms"
    if whole < _MINUTE:
        return f"{seconds:.1f} s"
    for size, unit, part, name in _UNITS:
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size} {unit}" + (f" {rest} {name}" if rest else "")
    raise AssertionError(seconds)


def moment(at: datetime, zone: str = "") -> str:
    """Return a time as people are shown it, to the minute: 2026-11-30 10:26 CET.

    It is in a named zone, or else in this machine's. JSON has times as RFC 3339.
    """
    local = at.astimezone(ZoneInfo(zone) if zone else None)
    return f"{local:%Y-%m-%d %H:%M} {zone or local.tzname()}"


def clock(at: datetime) -> str:
    """Return the hour and minute, in this machine's zone."""
    return f"{at.astimezone():%H:%M}"


def day_clock(at: datetime) -> str:
    """Return day, hour and minute, in this machine's zone."""
    return f"{at.astimezone():%d %b %H:%M}"


def money(cost: float | None) -> str:
    """Return a cost in the currency of the prices that are set."""
    if cost is None:
        return "unknown: no prices are set"
    return f"{cost:,.4f}" if cost < _SMALL_COST else f"{cost:,.2f}"


def usage_parts(usage: Usage) -> list[str]:
    """Return model calls, tokens and cost, in words."""
    tokens = usage.prompt_tokens + usage.completion_tokens
    parts = [f"model calls: {usage.model_calls}", f"tokens: {tokens:,}"]
    return parts if usage.cost is None else [*parts, f"cost: {usage.cost:.4f}"]


def subject_of(params: Mapping[str, Any], *, whole: bool = False) -> str:
    """Return the subject of a job with these parameters: a question or a name, cut by default."""
    named = ("question", "label", "uri", "document_id", "concept")
    subject = next(filter(None, map(params.get, named)), None)
    if not subject and "documents" in params:
        subject = counted(int(params["documents"]), "document")
    text = harmless(subject or "")
    return text if whole or len(text) <= _SUBJECT_CHARACTERS else text[: _SUBJECT_CHARACTERS - 1] + "…"


def place_words(place: Place | None) -> str:
    """Return the place of a quote in its document's file, to be printed after the document's title."""
    return f", {place.words}" if place else ""


def ago(at: datetime) -> str:
    """Return how long ago a time was, in its largest unit."""
    seconds = int(seconds_between(at))
    for size, unit in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"
