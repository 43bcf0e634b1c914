"""Counts markup that is not text: directives, macros, components."""

from __future__ import annotations

from collections import Counter

_LONGEST = 40  # characters of a name
_MOST = 20  # names that are counted separately


class LeftOut(Counter[str]):
    """What was left out, by kind and name: "directive toctree"."""

    def add(self, kind: str, name: str = "") -> None:
        """Count one more; of many names the rarest that come late have none."""
        told = f"{kind} {name[:_LONGEST]}" if name else kind
        self[told if told in self or len(self) < _MOST else f"other {kind}"] += 1
