"""SameThings: calls two names the same where they are plainly one by their spelling."""

from __future__ import annotations

from typing import Any

from workers.ingest.resolution.spellings import spelled_alike

_WHY = {"spelling": "Both are spelled with the same letters.", "typo": "One letter of a long word differs."}


def judge_pairs(material: dict[str, Any]) -> dict[str, Any]:
    """Return what is said of each pair of names."""
    return {"things": [_judged(pair) for pair in material.get("pairs") or () if isinstance(pair, dict)]}


def _judged(pair: dict[str, Any]) -> dict[str, Any]:
    name, other = (str((pair.get(end) or {}).get("name") or "") for end in ("one", "other"))
    rule = spelled_alike(name, other)
    why = _WHY.get(rule or "", "The names are not spelled alike.")
    return {"n": pair.get("n"), "why": why, "same": rule is not None}
