"""Folds the events of a query into its progress; tolerates missing events."""

from __future__ import annotations

from dataclasses import dataclass, field

from producer.progress.counts import count_of, facts_of
from producer.progress.reader import ReadingProgress
from producer.progress.tools import AskingProgress
from workers.core.jobs.work import Event, Json


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
    facts_found: int = 0
    facts_to_score: int = 0
    facts_scored: int = 0
    begun: bool = False  # a worker has taken an item
    activity: str = "waiting for a worker"
    failures: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)  # of the answer, as far as it is written
    state: str | None = None

    def add(self, event: Event) -> str | None:
        """Fold in one event; return a line for views that cannot redraw, if it is worth one.

        A sentence is worth none: it is provisional, and the answer is printed at the end.
        """
        data = event.data
        match event.name:
            case "phase.opened":
                return self._opened(data)
            case "item.begun":
                self.begun = True
                self.activity = _ACTIVITIES.get(str(data.get("step")), self.activity)
            case "visit.finished":
                return self._visited(data)
            case "fact.scored":
                self.facts_scored += 1
            case "answer.sentence":
                self.sentences.append(str(data.get("text", "")))
            case "answer.restarted":
                self.sentences.clear()
            case "item.dead":
                return self._dead(data)
            case "job.ended":
                self.state = str(data.get("state", "done"))
        return "\n".join([*self.reading.add(event), *self.asking.add(event)]) or None

    def _opened(self, data: Json) -> str | None:
        items = count_of(data.get("items"))
        if data.get("step") == "critic.score_fact":
            self.activity = "scoring facts"
            if self.asking.parts:  # the answer critic is one of the items, and more rounds may come
                return None
            self.facts_to_score = items
            return f"{items} facts to score"
        return None

    def _visited(self, data: Json) -> str:
        parent = data.get("parent")
        node = VisitedNode(
            name=str(data.get("node", "?")),
            depth=count_of(data.get("depth")),
            parent=None if parent is None else str(parent),
            facts=count_of(data.get("facts")),
        )
        self.nodes.append(node)
        self.facts_found += node.facts
        return f"depth {node.depth}: {node.name}, {facts_of(node.facts)}"

    def _dead(self, data: Json) -> str:
        line = f"given up: {data.get('step', 'an item')}: {data.get('error', 'no reason recorded')}"
        self.failures.append(line)
        return line


_ACTIVITIES = {
    "traverse.plan": "planning",
    "traverse.seed": "choosing where to start",
    "traverse.visit": "walking the graph",
    "traverse.rational_plan": "planning",
    "traverse.choose_starts": "choosing where to start",
    "traverse.check_facts": "reading facts",
    "traverse.read_chunk": "reading chunks",
    "traverse.select_neighbour": "going on to a neighbour",
    "traverse.choose_strategy": "choosing a strategy",
    "traverse.normalise": "taking the question apart",
    "traverse.choose_tools": "choosing tools",
    "traverse.run_tool": "asking the graph",
    "critic.check_answer": "checking whether it is answered",
    "critic.score_fact": "scoring facts",
    "critic.synthesize": "writing the answer",
    "critic.answer_from_tools": "writing the answer",
    "critic.reason": "reasoning over the notebooks",
}
