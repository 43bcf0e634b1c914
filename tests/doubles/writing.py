# ruff: noqa: ARG002 - doubles take what the ports take
"""A model that writes the statements of a script, one after another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopline.models.jobs import Usage
from workers.core.graph.vectors import Embedder
from workers.core.models.tool_calls import ToolCalls
from workers.core.ports import Answered
from workers.text2cypher.write import CypherDraft


class WritingModel:
    """`Model`; a pair in the script is (cypher, reason), an exception is raised. No reply is left over."""

    embedder = Embedder(name="none", dimension=2)

    def __init__(self, *script: str | tuple[str, str] | Exception) -> None:
        self.script = list(script)
        self.asked: list[Mapping[str, Any]] = []
        self.tiers: list[str] = []
        self.prompts: list[str] = []

    def metered(self, _meter: object, _turns: object = None) -> WritingModel:
        return self

    def ask(
        self, prompt: Any, material: Mapping[str, Any], reply: type[Any], *, tier: str = "fast", **_: Any
    ) -> Answered[Any]:
        assert reply is CypherDraft
        self.asked.append(material)
        self.tiers.append(tier)
        self.prompts.append(prompt.text)
        draft = self.script.pop(0)
        if isinstance(draft, Exception):
            raise draft
        cypher, reason = draft if isinstance(draft, tuple) else (draft, "")
        value = CypherDraft(cypher=cypher, reason=reason)
        return Answered[CypherDraft](value=value, usage=Usage(model_calls=1))

    def choose_tools(self, *_: Any, **__: Any) -> Answered[ToolCalls]:
        raise AssertionError("no tools are chosen")

    def embed(self, texts: Any) -> list[list[float]]:
        raise AssertionError("nothing is embedded")
