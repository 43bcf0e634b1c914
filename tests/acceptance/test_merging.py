"""Key elements that workers find to be one: the next spelling follows, and undoing parts them."""

import secrets
from pathlib import Path

import pytest
from fleet.crew import Crew

from hopline.errors import NotFound

FIRST = """Bridges of Wales

Thomas Telford designed the Menai Suspension Bridge. Telford was born in Eskdale. The bridge opened in 1826.
"""
SECOND = """Canals of Scotland

Telford surveyed the Caledonian Canal. The Caledonian Canal opened in 1822.
"""


def facts_of(crew: Crew, collection: str, name: str) -> set[str]:
    graph = crew.services.graph
    elements = graph.nodes.elements_named(collection, [name])[name]
    node = (
        graph.nodes.read_node(collection, elements[0].id, max_facts=50, max_neighbours=0)
        if elements
        else None
    )
    return {fact.fact for fact in node.facts} if node else set()


def test_two_names_become_one_are_followed_and_come_apart(crew: Crew, tmp_path: Path) -> None:
    collection = f"merging-{secrets.token_hex(4)}"
    (tmp_path / "first.txt").write_text(FIRST, encoding="utf-8")
    (tmp_path / "second.txt").write_text(SECOND, encoding="utf-8")
    crew.ingest(tmp_path / "first.txt", collection)
    before = facts_of(crew, collection, "Thomas Telford")
    assert len(before) > 1
    assert facts_of(crew, collection, "Telford") == before
    [merge] = [merge for merge in crew.client.merges.iterate(collection) if merge.source_name == "telford"]
    assert (merge.target_name, merge.rule) == ("thomas telford", "short form")
    crew.ingest(tmp_path / "second.txt", collection)
    later = facts_of(crew, collection, "Thomas Telford") - before
    assert later
    assert crew.client.merges.undo(merge.id, wait=60).state == "done"
    long, short = (facts_of(crew, collection, name) for name in ("Thomas Telford", "Telford"))
    assert (long | short, long & short) == (before | later, set())
    assert later < short
    again = crew.client.merges.merge(collection, wait=60)
    assert "telford" not in [
        merge.source_name for merge in crew.client.merges.iterate(collection) if not merge.undone
    ]
    assert (again.state, again.outcome.made) == ("done", 0)
    with pytest.raises(NotFound, match="no merge m0"):
        crew.client.merges.undo("m0")
