"""Tools that answer by a script: for tests of the steps and the flow that ask them."""

from collections.abc import Callable, Mapping
from typing import Any

from hopline.errors import InvalidInput
from hopline.models.jobs import Json
from workers.core.models.tool_calls import ToolCall
from workers.core.models.tools import FoundBy, ToolAnswer, ToolFact

Reply = ToolAnswer | Exception | Callable[[Mapping[str, Any]], ToolAnswer]
SCHEMA = (
    "Nodes:\n(:Movie {title: STRING})\n(:Person {name: STRING})\n"
    "Relationships:\n(:Person)-[:DIRECTED]->(:Movie)"
)


def found(
    tool: str, *texts: str, cypher: str = "MATCH (n) RETURN n", words: str = "", **more: Any
) -> ToolAnswer:
    """What a tool brings back: a fact per text, each with a node of its own."""
    facts = tuple(
        ToolFact(text=text, said=text, row={"text": text}, nodes=(f"4:x:{nth}",))
        for nth, text in enumerate(texts)
    )
    by = FoundBy(tool=tool, arguments={}, cypher=cypher, words=words)
    return ToolAnswer(by=by, facts=facts, markdown="\n".join(texts), **more)


def nothing(tool: str, note: str = "Nothing of that name.") -> ToolAnswer:
    """What a tool brings back that found nothing."""
    return ToolAnswer(by=FoundBy(tool=tool, arguments={}), note=note, markdown=note)


class ScriptedTools:
    """`Tools`; each tool takes `about`, and answers by its reply in the script."""

    def __init__(self, **script: Reply) -> None:
        self.script = script
        self.ran: list[tuple[str, Json, str]] = []
        self.schemas: list[str] = []  # what each was about that was read

    def offered(self) -> list[Json]:
        names = [*self.script, "respond"]
        return [{"type": "function", "function": {"name": name, "description": f"{name}."}} for name in names]

    def schema(self, about: str = "") -> str:
        self.schemas.append(about)
        return SCHEMA

    def fault(self, call: ToolCall) -> str | None:
        if call.name == "respond":
            return None if "answer" in call.arguments else "answer: got None, allowed is a text"
        if call.name not in self.script:
            return f"tool: got {call.name!r}, allowed is one of: {', '.join(self.script)}"
        wrong = set(call.arguments) - {"about", "question"}
        return f"{min(wrong)}: got nothing of ours, allowed is about" if wrong else None

    def run(self, call: ToolCall, question: str) -> ToolAnswer:
        self.ran.append((call.name, call.arguments, question))
        reply = self.script[call.name]
        if isinstance(reply, Exception):
            raise reply
        answer = reply if isinstance(reply, ToolAnswer) else reply(call.arguments)
        by = answer.by.model_copy(update={"arguments": call.arguments})
        return answer.model_copy(update={"by": by})


REFUSED = InvalidInput("relation", "LOVES", "one of: DIRECTED")
