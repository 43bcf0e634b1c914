"""Folds the events of a tools query into its progress: each tool's calls and results."""

from __future__ import annotations

from dataclasses import dataclass, field

from workers.core.jobs.work import Event, Json

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

    def add(self, event: Event) -> list[str]:
        """Take one event in; return lines for views that cannot redraw."""
        data = event.data
        match event.name:
            case "strategy.chosen":
                return [f"strategy: {data.get('strategy', '?')}: {data.get('why', '')}"]
            case "question.normalised":
                self.parts = [str(one) for one in data.get("sub_questions") or ()]
                return [f"to find out: {part}" for part in self.parts]
            case "tool.finished":
                one = _asked(data)
                self.asked.append(one)
                self.found += int(data.get("facts") or 0)
                return [one.line]
            case "answer.checked" if data.get("missing"):
                self.parts += [str(one) for one in data["missing"]]
                return [f"still to find out: {part}" for part in data["missing"]]
        return []


def asked_of(details: Json) -> list[Asked]:
    """Return the same from an answer's details."""
    return [_asked(told) for told in details.get("tools") or () if isinstance(told, dict)]


def _asked(data: Json) -> Asked:
    arguments = data.get("arguments")
    named = arguments.items() if isinstance(arguments, dict) else ()
    count = int(data.get("facts") or 0)
    found = f"{count} found" if count else str(data.get("note") or "nothing found")
    told = ", ".join(f"{name}={str(value)[:_VALUE]}" for name, value in named)
    return Asked(tool=str(data.get("tool", "?")), arguments=told, found=found)
