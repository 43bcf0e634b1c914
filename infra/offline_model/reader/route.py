"""ToolChoice: which of the offered tools are called, and with what."""

from __future__ import annotations

from typing import Any

_SEARCH = "search_memory"


def choose_tools(given: dict[str, Any]) -> dict[str, Any]:
    """Return {calls: [{tool, arguments}]} for {question, tools: [descriptions of the OpenAI form]}."""
    question = str(given.get("question") or "")
    offered = {one["function"]["name"]: one["function"] for one in given.get("tools") or []}
    names = [_SEARCH] if _SEARCH in offered else list(offered)
    for name in names:
        taken = _first_text(offered[name].get("parameters") or {})
        if taken is not None:
            return {"calls": [{"tool": name, "arguments": {taken: question}}]}
    return {"calls": []}


def _first_text(parameters: dict[str, Any]) -> str | None:
    properties = (parameters.get("properties") or {}).items()
    return next((name for name, one in properties if one.get("type") == "string"), None)
