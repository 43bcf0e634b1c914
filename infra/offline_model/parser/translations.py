"""TranslationVerdicts: none, for a rule-based reader knows no translations."""

from __future__ import annotations

from typing import Any


def judge_translations(_material: dict[str, Any]) -> dict[str, Any]:
    """Return no verdict, as is asked of who cannot read a language: the sentences are kept and marked."""
    return {"verdicts": []}
