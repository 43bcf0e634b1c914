"""Folds the events of a tools query into its progress: each tool's calls and results."""

from __future__ import annotations

from dataclasses import dataclass, field

from hopline.events.questions import AnswerChecked, QuestionNormalised, StrategyChosen, ToolFinished
from hopline.models.events import EventData
from hopline.models.jobs import Json

_VALUE = 60  # characters of an argument


@dataclass
class Asked:
    """A call of a tool."""

    tool: str
    arguments: str  # in words
    found: str  # in words: how much, or why nothing

    @property
    def line(self) -> str:
        """The call in one line."""
        return f"{self.tool}({self.arguments}) → {self.found}"


@dataclass
class AskingProgress:
    """All calls so far, in the order in which they ended."""

    parts: list[str] = field(default_factory=list)  # the atomic questions
    asked: list[Asked] = field(default_factory=list)
    found: int = 0  # facts

    def add(self, event: EventData | None) -> list[str]:
        """Take one event in; return lines for views that cannot redraw."""
        match event:
            case StrategyChosen(strategy=strategy, why=why):
                return [f"strategy: {strategy}: {why}"]
            case QuestionNormalised(sub_questions=parts):
                self.parts = list(parts)
                return [f"to find out: {part}" for part in parts]
            case ToolFinished(tool=tool, arguments=arguments, facts=facts, note=note):
                call = Asked(tool=tool, arguments=_in_words(arguments), found=_describe_result(facts, note))
                self.asked.append(call)
                self.found += facts
                return [call.line]
            case AnswerChecked(missing=missing):
                self.parts += missing
                return [f"still to find out: {part}" for part in missing]
        return []


def read_tool_calls(details: Json) -> list[Asked]:
    """Return the tool calls in an answer's details."""
    return [_read_tool_call(call) for call in details.get("tools") or () if isinstance(call, dict)]


def _read_tool_call(data: Json) -> Asked:
    arguments = data.get("arguments")
    return Asked(
        tool=str(data.get("tool", "?")),
        arguments=_in_words(arguments if isinstance(arguments, dict) else {}),
        found=_describe_result(int(data.get("facts") or 0), str(data.get("note") or "")),
    )


def _in_words(arguments: Json) -> str:
    return ", ".join(f"{name}={str(value)[:_VALUE]}" for name, value in arguments.items())


def _describe_result(facts: int, note: str) -> str:
    return f"{facts} found" if facts else note or "nothing found"
