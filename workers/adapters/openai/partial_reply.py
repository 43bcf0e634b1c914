"""Parses a streamed JSON reply as it grows: returns the parts that are complete so far."""

from __future__ import annotations

import structlog
from pydantic_core import from_json

from hopline.errors import Conflict
from hopline.visible import visible_value
from workers.adapters.openai.replies import begun_object
from workers.core.ports import Partial

_log = structlog.get_logger()

_ENDS = frozenset('",]}')  # what a value of JSON, or the next one's beginning, ends with


class Growing:
    """Shows a caller the growing object of a reply, and of its replacement if the call is repeated.

    Args:
        partial: called first with an empty object for each reply, then with its complete parts; an error ends
            these calls, and a Conflict ends the reply.
    """

    def __init__(self, partial: Partial) -> None:
        self._partial: Partial | None = partial
        self.begin()

    def begin(self) -> None:
        """Start a new reply."""
        self.content = ""
        self._read = 0  # characters
        self._shown = False

    def __call__(self, content: str) -> None:
        """Publish the complete part of the reply's JSON object, in a code fence or among words."""
        if self._partial is None or _ENDS.isdisjoint(content[self._read :]):
            return
        self.content = content
        self._read = len(content)
        try:
            begun = begun_object(content)
            seen = from_json(begun, allow_partial=True) if begun else None
        except ValueError:
            return  # words behind the object, or no JSON: the validation of the whole will tell
        if not isinstance(seen, dict):
            return
        try:
            if not self._shown:
                self._shown = True
                self._partial({})
            if seen:
                self._partial(visible_value(seen))
        except Conflict:  # nobody waits for the reply any more: who streams it closes the connection
            raise
        except Exception as error:  # noqa: BLE001 - the reply is worth more than its showing
            _log.warning("reply.not_shown", error=f"{type(error).__name__}: {error}")
            self._partial = None
