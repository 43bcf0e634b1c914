"""That a collection has documents holds for a second; that it has none is asked each time."""

from __future__ import annotations

import pytest
from doubles.desk import Desk

from producer.service import questions as module
from producer.service.questions import Questions
from producer.service.service import Service
from workers.core.errors import DependencyAway, NoDocuments


class Asked(Desk):
    """Counts what the graph was asked."""

    count = 0
    away = False

    def has(self, collection: str) -> bool:
        self.count += 1
        if self.away:
            raise DependencyAway("Neo4j is away")
        return collection not in self.graph.missing


@pytest.fixture
def counting_desk(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked(settings=desk.settings)
    monkeypatch.setattr(made.graph, "has_documents", made.has)
    return made


@pytest.fixture
def questions(counting_desk: Asked) -> Questions:
    return Service(services=counting_desk).questions  # type: ignore[arg-type]


def test_documents_are_known_for_a_second(questions, counting_desk, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    assert not questions.has_documents("bridges")
    questions.require_documents("bridges", "graph")
    now[0] += 0.9
    assert questions.has_documents("bridges")
    assert not questions.has_documents("notes")
    now[0] += 0.2
    assert not questions.has_documents("bridges")
    questions.require_documents("bridges", "graph")
    assert counting_desk.count == 2


def test_that_there_are_none_is_never_remembered_nor_said_by_a_graph_that_is_away(questions, counting_desk):
    with pytest.raises(NoDocuments):
        questions.require_documents("nope", "graph")
    assert not questions.has_documents("nope")
    counting_desk.graph.missing.clear()
    questions.require_documents("nope", "graph")
    assert questions.has_documents("nope")
    counting_desk.away = True
    questions.require_documents("bridges", "graph")
    assert not questions.has_documents("bridges")
