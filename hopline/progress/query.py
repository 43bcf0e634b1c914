"""Folds the events of a query into its progress; tolerates missing events."""

from __future__ import annotations

from dataclasses import dataclass, field

from hopline.events.catalogue import read_event
from hopline.events.jobs import (
    ItemBegun,
    ItemDead,
    ItemDeferred,
    ItemDone,
    ItemEvent,
    ItemFailed,
    JobEnded,
    PhaseOpened,
)
from hopline.events.questions import AnswerRestarted, AnswerSentence, FactScored, VisitFinished
from hopline.models.events import Told
from hopline.progress.reader import ReadingProgress
from hopline.progress.steps import activity_of
from hopline.progress.survey import SurveyProgress
from hopline.progress.tools import AskingProgress
from hopline.words import counted, distance


@dataclass
class VisitedNode:
    """One node of the walk so far."""

    name: str
    depth: int
    parent: str | None
    facts: int


@dataclass
class QueryProgress:
    """The progress of a question."""

    nodes: list[VisitedNode] = field(default_factory=list)
    reading: ReadingProgress = field(default_factory=ReadingProgress)
    asking: AskingProgress = field(default_factory=AskingProgress)
    survey: SurveyProgress = field(default_factory=SurveyProgress)
    facts_found: int = 0
    facts_to_score: int = 0
    facts_scored: int = 0
    begun: bool = False  # a worker has taken an item
    activity: str = "waiting for a worker"
    waits_for: str = ""  # why its newest item was put off, where none was done since
    failures: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)  # of the answer that are written so far
    state: str | None = None

    def add(self, event: Told) -> str | None:
        """Fold in one event; return a line for views that cannot redraw, if it is worth one.

        A sentence is worth none: it is provisional, and the answer is printed at the end.
        """
        data = read_event(event)
        match data:
            case PhaseOpened() as phase:
                return self._opened(phase)
            case VisitFinished() as visit:
                return self._visited(visit)
            case FactScored():
                self.facts_scored += 1
            case AnswerSentence(text=text):
                self.sentences.append(text)
            case AnswerRestarted():
                self.sentences.clear()
            case ItemEvent() as item:
                return self._item(item)
            case JobEnded(state=state):
                self.state = state.value
        lines = [*self.reading.add(data), *self.asking.add(data), *self.survey.add(data)]
        return "\n".join(lines) or None

    def _opened(self, phase: PhaseOpened) -> str | None:
        if phase.step == "critic.score_fact":
            self.activity = "scoring facts"
            if self.asking.parts:  # the answer critic is one of the items, and more rounds may come
                return None
            subjects = phase.subjects or phase.items
            # A survey scores in rounds: what each of them is about adds up.
            self.facts_to_score = subjects + (self.facts_to_score if self.survey.facts else 0)
            return f"{counted(subjects, 'fact')} to score"
        return None

    def _visited(self, visit: VisitFinished) -> str:
        node = VisitedNode(name=visit.node, depth=visit.depth, parent=visit.parent, facts=visit.facts)
        self.nodes.append(node)
        self.facts_found += node.facts
        return f"{distance(node.depth)}: {node.name}, {counted(node.facts, 'fact')}"

    def _item(self, event: ItemEvent) -> str | None:
        match event:
            case ItemBegun(step=step):
                self.begun = True
                self.activity = activity_of(step) or self.activity
            case ItemDone():
                self.waits_for = ""
            case ItemDeferred(why=why, until=until):
                end = f" until {until.astimezone():%H:%M:%S}" if until else ""
                return self._wait(f"{why}; waiting{end}")
            case ItemFailed(error=error):
                return self._wait(f"{error}; hopline tries again")
            case ItemDead() as item:
                return self._dead(item)
        return None

    def _wait(self, why: str) -> str | None:
        before, self.waits_for = self.waits_for, why
        return None if why == before else why

    def _dead(self, item: ItemDead) -> str:
        line = f"failed after all attempts: {item.step}: {item.error}"
        self.failures.append(line)
        return line
