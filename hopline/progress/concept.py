"""Folds the events of a concept map job into its progress."""

from __future__ import annotations

from dataclasses import dataclass, field

from hopline.events.catalogue import read_event
from hopline.events.concepts import (
    ConceptSaved,
    ConceptValidated,
    RelationChecked,
    RelationsExpanded,
    RelationsRead,
    RelationValidated,
)
from hopline.events.jobs import ItemBegun, ItemDead, JobEnded
from hopline.models.events import EventData, Told
from hopline.progress.steps import activity_of
from hopline.words import counted


@dataclass
class ConceptProgress:
    """The progress of a concept map."""

    valid: list[str] = field(default_factory=list)
    refused: int = 0
    begun: bool = False
    activity: str = "waiting for a worker"
    state: str | None = None

    def add(self, event: Told) -> str | None:
        """Fold in one event; return a line for views that cannot redraw, if it is worth one."""
        match read_event(event):
            case ItemBegun(step=step):
                self.begun = True
                self.activity = activity_of(step) or self.activity
            case RelationChecked() | RelationValidated() as relation:
                return self._relation(relation)
            case JobEnded(state=state):
                self.state = state.value
            case other:
                return _line(other)
        return None

    def _relation(self, relation: RelationChecked | RelationValidated) -> str:
        if relation.valid:
            self.valid.append(relation.name)
        else:
            self.refused += 1
        return _judged(relation.name, valid=relation.valid, reason=relation.reason)


def _judged(name: str, *, valid: bool | None, reason: str) -> str:
    if valid:
        return f"{name}: valid"
    verdict = "no verdict" if valid is None else "invalid"
    return f"{name}: {verdict}" + (f", {reason}" if reason else "")


def _line(event: EventData | None) -> str | None:
    match event:
        case ConceptValidated(concept=concept, valid=valid, reason=reason):
            return _judged(concept, valid=valid, reason=reason)
        case RelationsRead(n=n):
            return f"{counted(n, 'relation')} kept"
        case RelationsExpanded(round=number, names=names):
            return f"round {number}: offered {', '.join(names) or 'nothing'}"
        case ConceptSaved(version=version):
            return f"saved as version {version}"
        case ItemDead(step=step, error=error):
            return f"failed after all attempts: {step}: {error}"
    return None
