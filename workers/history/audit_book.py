"""Notes acts in the audit: before each is begun, and again when it has ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import cast

import redis
import structlog
from redis.commands.core import Script
from redis.exceptions import RedisError, ResponseError

from hopline.errors import HoplineError, Transient
from hopline.models.audit import Act, AuditEvent
from hopline.models.times import STORED
from workers.adapters.redis.lua import lua_source
from workers.core.audit import current_actor, event_of
from workers.history.books import EVENTS

log = structlog.get_logger()

MOST_WAITING = 100_000  # events; some 400 bytes of Redis each


class Acted:
    """An act in progress, on which later known properties are set.

    Args:
        event: as it was begun.
    """

    def __init__(self, event: AuditEvent) -> None:
        self.event = event

    def on(self, target: str | None = None, collection: str | None = None, count: int | None = None) -> None:
        """Set the target of the act."""
        fields = {"target": target, "collection": collection, "count": count}
        known = {name: value for name, value in fields.items() if value is not None}
        self.event = self.event.model_copy(update=known)


class AuditBook:
    """The events that wait to be written as Parquet, beside history.

    An act does not begin if its event cannot be recorded, unless Redis is full, because acts that free memory
    must work.

    Args:
        client: the ledger's Redis.
        kept: whether events are kept at all.
        most_waiting: events for which there is room until they are written.
    """

    def __init__(self, client: redis.Redis, *, kept: bool, most_waiting: int = MOST_WAITING) -> None:
        self._client = client
        self._kept = kept
        self._most_waiting = most_waiting

    @cached_property
    def _note(self) -> Script:
        return self._client.register_script(lua_source("workers.history", "note"))

    @contextmanager
    def act(self, act: Act, kind: str, target: str = "", collection: str = "") -> Iterator[Acted]:
        """Note an act of the current actor, and how the block ends.

        Args:
            act: the action.
            kind: kind of thing that it is done to.
            target: its id or name.
            collection: that it belongs to.
        """
        acted = Acted(event_of(current_actor(), act, kind, target, collection))
        self.note([acted.event])
        try:
            yield acted
        except BaseException as error:
            self._note_end([_failed(acted.event, error)])
            raise
        self._note_end([acted.event.model_copy(update={"outcome": "done"})])

    def end(self, events: Sequence[AuditEvent], errors: Sequence[BaseException | None]) -> None:
        """Note how acts have ended that were noted before: with an error, or without."""
        both = zip(events, errors, strict=True)
        self._note_end(
            [
                _failed(event, error) if error else event.model_copy(update={"outcome": "done"})
                for event, error in both
            ]
        )

    def note(self, events: Sequence[AuditEvent]) -> None:
        """Record events; if there is no room, an event appears only in the log.

        Raises:
            RedisError: Redis is away.
        """
        if not self._kept or not events:
            return
        pairs = [text for event in events for text in (event.id, event.model_dump_json(context=STORED))]
        try:
            args: list[int | str] = [self._most_waiting, *pairs]
            lost = set(cast("list[str]", self._note(keys=[EVENTS.waiting], args=args)))
        except ResponseError:
            lost = {event.id for event in events}
        for event in events:
            if event.id in lost:
                log.error("audit.lost", **event.model_dump(mode="json", exclude_defaults=True))

    def _note_end(self, events: Sequence[AuditEvent]) -> None:
        """Note how acts ended; they have, so that nothing is raised."""
        try:
            self.note(events)
        except RedisError:
            for event in events:
                log.exception("audit.lost", **event.model_dump(mode="json", exclude_defaults=True))


def _failed(event: AuditEvent, error: BaseException) -> AuditEvent:
    # A server that went away under way, as the broker in a submission, may leave a part that is done.
    refused = isinstance(error, HoplineError) and not isinstance(error, Transient)
    outcome = "refused" if refused else "failed"
    return event.model_copy(update={"outcome": outcome, "error": type(error).__name__})
