"""Folds the events of a concept map job into its progress."""

from __future__ import annotations

from dataclasses import dataclass, field

from producer.progress.steps import activity_of
from workers.core.jobs.work import Event, Json


@dataclass
class ConceptProgress:
    """The progress of a concept map."""

    valid: list[str] = field(default_factory=list)
    refused: int = 0
    begun: bool = False
    activity: str = "waiting for a worker"
    state: str | None = None

    def add(self, event: Event) -> str | None:
        """Fold in one event; return a line for views that cannot redraw, if it is worth one."""
        data = event.data
        match event.name:
            case "item.begun":
                self.begun = True
                self.activity = activity_of(str(data.get("step"))) or self.activity
            case "relation.checked" | "relation.validated":
                return self._relation(data)
            case "job.ended":
                self.state = str(data.get("state", "done"))
            case _:
                return _line(event.name, data)
        return None

    def _relation(self, data: Json) -> str:
        name = str(data.get("name", "?"))
        if data.get("valid"):
            self.valid.append(name)
        else:
            self.refused += 1
        return _judged(name, data)


def _judged(name: str, data: Json) -> str:
    if data.get("valid"):
        return f"{name}: valid"
    verdict = "no verdict" if data.get("valid") is None else "invalid"
    return f"{name}: {verdict}" + (f", {data['reason']}" if data.get("reason") else "")


def _line(name: str, data: Json) -> str | None:
    match name:
        case "concept.validated":
            return _judged(str(data.get("concept", "?")), data)
        case "relations.read":
            return f"{data.get('n', 0)} relations are kept"
        case "relations.expanded":
            names = ", ".join(str(one) for one in data.get("names") or ())
            return f"round {data.get('round', '?')}: offered {names or 'nothing'}"
        case "concept.saved":
            return f"saved as version {data.get('version', '?')}"
        case "item.dead":
            return f"given up: {data.get('step', 'an item')}: {data.get('error', 'no reason recorded')}"
    return None
