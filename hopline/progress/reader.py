"""Folds the events of a reader query into its progress: each path's actions, decisions and notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hopline.events.questions import PathEnded, PathMoved, PlanFinished, StartChosen, StartsChosen
from hopline.models.events import EventData
from hopline.models.jobs import Json

ENDINGS = {
    "complete": "the answer is complete",
    "terminated": "stopped without an answer",
    "exhausted": "nothing left to read",
    "calls": "no model call left",
    "wrong": "twice chose something that does not exist",
    "failed": "the model failed",
}


@dataclass
class PathAction:
    """One action of a path."""

    step: str
    at: str  # the nodes or the document that was read
    decision: str
    notes: int  # new in the notebook
    notebook: int  # entries since the path began
    error: str = ""
    reason: str = ""  # the model's, for the decision

    @property
    def line(self) -> str:
        """The action in one line."""
        grown = f"notebook {self.notebook}" + (f" (+{self.notes})" if self.notes else "")
        wrong = f" · error: {self.error}" if self.error else ""
        where = f" {self.at}" if self.at else ""
        return f"{self.step}{where} → {self.decision or 'none'} · {grown}{wrong}"


@dataclass
class Path:
    """The progress of one path."""

    start: str = ""
    actions: list[PathAction] = field(default_factory=list)
    why: str = ""  # it ended

    @property
    def ending(self) -> str:
        """The reason of the end in words; empty while it runs."""
        return ENDINGS.get(self.why, self.why)


@dataclass
class ReadingProgress:
    """All paths of a question by number."""

    paths: dict[int, Path] = field(default_factory=dict)
    newest: str = ""  # the note that was written last

    @property
    def noted(self) -> int:
        """Number of notes in all notebooks."""
        return sum(action.notes for path in self.paths.values() for action in path.actions)

    def add(self, event: EventData | None) -> list[str]:
        """Take one event in; return lines for views that cannot redraw."""
        match event:
            case PlanFinished(asked=str() as question):
                return [f"plan: {question}"]
            case StartsChosen(starts=starts):
                return self._started(starts)
            case PathMoved():
                return self._moved(event)
            case PathEnded():
                return self._ended(event)
        return []

    def _started(self, starts: Sequence[StartChosen]) -> list[str]:
        for start in starts:
            self._path(start.path).start = start.name
        return [f"path {number}: starts at {path.start}" for number, path in self.paths.items()]

    def _moved(self, event: PathMoved) -> list[str]:
        action = PathAction(
            step=event.step,
            at=event.at,
            decision=event.decision,
            notes=len(event.noted),
            notebook=event.notebook,
            error=event.error,
            reason=event.reason,
        )
        self._path(event.path).actions.append(action)
        self.newest = event.noted[-1] if event.noted else self.newest
        why = [f"  why: {action.reason}"] if action.reason else []
        return [f"path {event.path}: {action.line}", *why, *(f"  noted: {note}" for note in event.noted)]

    def _ended(self, event: PathEnded) -> list[str]:
        path = self._path(event.path)
        path.why = event.why
        reason = f": {event.reason}" if event.reason else ""
        return [f"path {event.path}: ended, {path.ending}{reason}"]

    def _path(self, number: int) -> Path:
        return self.paths.setdefault(number, Path())


def reading_of(details: Json) -> ReadingProgress:
    """Return the same from an answer's details, which hold its actions and starts."""
    reading = ReadingProgress()
    for number, start in enumerate(_entries(details.get("starts")), 1):
        reading.paths[number] = Path(start=str(start.get("name", "?")))
    for action in _entries(details.get("actions")):
        path = reading.paths.setdefault(_number(action.get("path")), Path())
        notes = _number(action.get("noted"))
        path.actions.append(
            PathAction(
                step=str(action.get("step", "?")),
                at=str(action.get("at") or ""),
                decision=str(action.get("decision") or ""),
                notes=notes,
                notebook=notes + (path.actions[-1].notebook if path.actions else 0),
                error=str(action.get("error") or action.get("failed") or ""),
                reason=str(action.get("reason") or ""),
            )
        )
        path.why = str(action.get("why") or path.why)
    return reading


def _entries(value: object) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _number(value: object) -> int:
    try:
        return int(str(value))
    except ValueError:
        return 0
