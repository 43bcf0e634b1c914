"""The answer object, the same for the command line, the client and HTTP."""

from __future__ import annotations

from typing import Any


def with_calls(outcome: dict[str, Any]) -> dict[str, Any]:
    """Return an answer's outcome with the call that found each row; calls are stored once, separately."""
    calls = outcome.get("calls") or {}
    citations = []
    for citation in outcome.get("citations", ()):
        call = calls.get(citation.get("call"), {})
        known = {name: call[name] for name in ("tool", "arguments", "cypher", "parameters") if name in call}
        citations.append({**known, **{name: value for name, value in citation.items() if name != "call"}})
    return {**{name: value for name, value in outcome.items() if name != "calls"}, "citations": citations}
