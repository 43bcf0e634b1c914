"""What becomes of vectors when names no longer lead to others."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest
from doubles.library import C, Library, ScriptedModel, k, ports_for
from doubles.vectors import MemoryVectors

from hopline.errors import Transient
from hopline.models.metadata import Kind
from workers.core.graph.vectors import MOST_DUE, DueVector
from workers.core.ports import Removed
from workers.ingest.vectors import forget_vectors, store_vectors

UNMERGED = SimpleNamespace(redirects=lambda _collection, _ids: {})


def test_a_name_that_stands_alone_again_has_a_vector_before_another_is_gone(monkeypatch):
    names = {k(name): name for name in ("Ada Lovelace", "London")}
    seen: list[str] = []
    store = SimpleNamespace(vectors_seen=lambda _collection, ids: seen.extend(ids))
    graph = SimpleNamespace(nodes=SimpleNamespace(held=partial(_held, names)), store=store, merging=UNMERGED)
    ports = replace(ports_for(Library(), ScriptedModel({}), MemoryVectors()), graph=cast("Any", graph))
    ports.vectors.prepare(C, ports.model.embedder)
    store_vectors(ports, C, ports.graph.nodes.held(C, [k("Ada Lovelace")]))
    due = (DueVector("1", k("Ada Lovelace")), DueVector("2", k("London")))
    removed = Removed(elements=("kgone",), due=due)
    with monkeypatch.context() as outage:
        outage.setattr(type(ports.model), "embed", _away)
        with pytest.raises(Transient):
            forget_vectors(ports, C, removed)
    assert ports.vectors.missing(C, [k("Ada Lovelace"), k("London")]) == {k("London")}
    assert seen == []
    assert forget_vectors(ports, C, removed) == 1
    assert ports.vectors.missing(C, [k("Ada Lovelace"), k("London")]) == set()
    assert seen == ["1", "2"]


@pytest.mark.parametrize(("waiting", "left"), [(3000, 0), (12_000, 2000)])
def test_vectors_that_are_due_are_worked_off_page_by_page(waiting: int, left: int) -> None:
    notes = {str(nth): DueVector(str(nth), k("London")) for nth in range(waiting)}

    def see(_collection: str, ids: Sequence[str]) -> None:
        for note_id in ids:
            del notes[note_id]

    def due(_collection: str) -> list[DueVector]:
        return list(notes.values())[:MOST_DUE]

    store = SimpleNamespace(vectors_due=due, vectors_seen=see)
    held = partial(_held, {k("London"): "London"})
    graph = SimpleNamespace(nodes=SimpleNamespace(held=held), store=store, merging=UNMERGED)
    ports = replace(ports_for(Library(), ScriptedModel({}), MemoryVectors()), graph=cast("Any", graph))
    ports.vectors.prepare(C, ports.model.embedder)
    forget_vectors(ports, C, Removed(due=tuple(due(C))))
    assert len(notes) == left
    assert ports.vectors.missing(C, [k("London")]) == set()


def _held(names: dict[str, str], _collection: str, ids: Sequence[str]) -> list[tuple[str, Kind, str]]:
    return [(graph_id, "element", names[graph_id]) for graph_id in ids if graph_id in names]


def _away(*_args: object, **_named: object) -> None:
    raise Transient("no model")
