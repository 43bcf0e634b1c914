"""All events that a job emits, by name, each with the model of its data."""

from __future__ import annotations

from collections.abc import Iterator
from inspect import getmembers, isclass
from types import MappingProxyType

from pydantic import ValidationError

from hopline.events import concepts, documents, jobs, provider, questions
from hopline.models.events import EventData, Told


def _all() -> Iterator[tuple[str, type[EventData]]]:
    for module in (jobs, questions, documents, provider, concepts):
        for _name, kind in getmembers(module, isclass):
            if issubclass(kind, EventData) and kind.event:
                yield kind.event, kind


CATALOGUE = MappingProxyType(dict(_all()))


def read_event(event: Told) -> EventData | None:
    """Return what an event says; None for one that this version does not know."""
    kind = CATALOGUE.get(event.name)
    try:
        return kind.read_stored(event.data) if kind else None
    except ValidationError:
        return None
