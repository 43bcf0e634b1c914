"""Models of the tool calls that a model chose."""

from __future__ import annotations

from hopline.models.base import Frozen
from hopline.models.jobs import Json

MOST_CALLS = 8  # of one choice; what a model wants beyond is left out


class ToolCall(Frozen):
    """A tool and its arguments."""

    name: str
    arguments: Json


class RefusedCall(Frozen):
    """A call that was invalid even after the model had been told why; it is dropped."""

    name: str  # empty where the reply could not be read at all
    arguments: str  # as the model wrote them, cut
    why: str


class ToolCalls(Frozen):
    """A model's choice of tool calls, in its order; choosing none is valid."""

    calls: tuple[ToolCall, ...] = ()
    refused: tuple[RefusedCall, ...] = ()
