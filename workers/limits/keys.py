"""Redis keys of the rate limits; those of one endpoint share a hash tag."""

from __future__ import annotations

import hashlib
from functools import lru_cache

from workers.core.models.permits import Line

LINES = "hop:turns"  # hash: name of a line -> the line, for who wants to know how it stands
REFUSED = "hop:turns:refused"  # hash: name of a line -> until when it counts as one that refused lately


@lru_cache(maxsize=256)
def line_name(line: Line) -> str:
    """Return a short name of a line."""
    return f"{_short(line.endpoint)}.{_short(line.kind + ' ' + line.model)}"


def line_keys(line: Line) -> list[str]:
    """Return a line's keys in the order of KEYS of take_turn.lua; give_turn.lua also takes `wake_keys`."""
    endpoint, _, model = line_name(line).partition(".")
    tag = f"hop:turns:{{{endpoint}}}:"
    parts = [f"{tag}{model}:{part}" for part in ("state", "door", "bulk", "interactive", "waiting")]
    return [*parts, f"{tag}pause"]


def wake_keys(line: Line) -> list[str]:
    """Return the Redis lists that wake waiting calls: one for bulk, one for interactive work."""
    endpoint, _, model = line_name(line).partition(".")
    return [f"hop:turns:{{{endpoint}}}:{model}:wake:{name}" for name in ("bulk", "interactive")]


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
