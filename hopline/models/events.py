"""Events of jobs as streams deliver them."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

from pydantic import Field

from hopline.models.base import Frozen


class Event(Frozen):
    """Something that happened in a job."""

    name: str = Field(
        description="Name of the event as noun.verb: job.submitted, visit.finished, job.ended …"
    )
    data: dict[str, Any] = Field(default={}, description="Data of the event; later versions may add fields.")
    id: str = Field(
        default="", description="Position among the job's events, from which a stream can be resumed."
    )


class Told(Protocol):
    """Protocol of an event from any source."""

    @property
    def name(self) -> str:
        """The event's name."""

    @property
    def data(self) -> dict[str, Any]:
        """The event's data."""


class EventData(Frozen):
    """The data of an event.

    Its class has the event's name, noun.verb: `class FactScored(EventData, event=…)`. All of them
    lie in hopline/events. A class without a name is a part of others.
    """

    event: ClassVar[str | None] = None

    def __init_subclass__(cls, *, event: str | None) -> None:
        super().__init_subclass__()
        cls.event = event
