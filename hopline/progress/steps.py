"""Activities of steps and their order; `python -m infra.step_texts` writes them into steps.json."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files


@cache
def _activities() -> dict[str, str]:
    """Return the description of each step by name, in the order of the flows; "" if it has none."""
    activities: dict[str, str] = json.loads(files("hopline").joinpath("progress", "steps.json").read_bytes())
    return activities


@cache
def _positions() -> dict[str, int]:
    return {name: position for position, name in enumerate(_activities())}


def activity_of(step: str) -> str | None:
    """Return the description of a step, such as "walking the graph"; None if it is unknown."""
    text = _activities().get(step, "")
    return text[:1].lower() + text[1:] if text else None


def position_of(step: str) -> int:
    """Return a step's position in its flow, from 0 on; unknown steps come last."""
    return _positions().get(step, len(_positions()))
