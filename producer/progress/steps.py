"""What steps do, and in which order, from the English catalogue that infra/step_texts.py generates."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import orjson


@cache
def _texts() -> dict[str, str]:
    """Return the catalogue's texts by key."""
    catalogue = files("producer").joinpath("web", "texts", "en.json").read_bytes()
    return {key: text for key, text in orjson.loads(catalogue).items() if isinstance(text, str)}


@cache
def _positions() -> dict[str, int]:
    names = (key.partition(".")[2] for key in _texts() if key.startswith("step."))
    return {name: position for position, name in enumerate(names)}


def activity_of(step: str) -> str | None:
    """Return what a step does, such as "walking the graph"; None of an unknown one."""
    text = _texts().get(f"activity.{step}")
    return text[:1].lower() + text[1:] if text else None


def position_of(step: str) -> int:
    """Return a step's position in its flow, from 0 on; unknown steps come last."""
    return _positions().get(step, len(_positions()))
