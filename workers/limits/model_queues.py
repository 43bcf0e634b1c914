"""Reports how many calls wait for each rate limit, and why."""

from __future__ import annotations

from collections import Counter
from typing import cast

import redis

from hopline.models.base import Frozen
from workers.adapters.redis.lua import lua_source
from workers.core.models.permits import Line
from workers.limits.keys import LINES, line_keys

_SCRIPT = "look_turns"


class LineState(Frozen):
    """The current state of one model at one endpoint."""

    line: Line
    pause: float = 0.0  # seconds that its endpoint asked to be left alone
    allowed: float | None = None  # calls in flight, since it refused some; None where it did not
    bulk: int = 0  # calls in flight
    interactive: int = 0
    requests: int = 0  # of the last minute
    tokens: int = 0
    waiting: dict[str, int] = {}  # "tokens bulk" -> calls that wait, here or sent back

    @property
    def busy(self) -> bool:
        """Whether there is anything to report."""
        return bool(self.pause or self.allowed or self.waiting or self.bulk or self.interactive)


def lines_now(client: redis.Redis) -> list[LineState]:
    """Return the state of every rate limit in use."""
    look = client.register_script(lua_source("workers.limits", _SCRIPT))
    texts = cast("dict[str, str]", client.hgetall(LINES))
    states = []
    for text in texts.values():
        line = Line.read_stored(text)
        pause, allowed, bulk, interactive, requests, tokens, waiting = look(keys=line_keys(line))
        states.append(
            LineState(
                line=line,
                pause=pause / 1000,
                allowed=float(allowed) if allowed else None,
                bulk=bulk,
                interactive=interactive,
                requests=requests,
                tokens=tokens,
                waiting=dict(Counter(name.rpartition(" ")[0] for name in waiting)),
            )
        )
    return sorted(states, key=lambda state: (state.line.kind, state.line.endpoint, state.line.model))
