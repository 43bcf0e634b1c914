"""Key elements that workers find to be one: the next spelling follows, and undoing parts them."""

from __future__ import annotations

import secrets
from pathlib import Path

import pytest
from fleet.crew import Crew

from workers.core.errors import NotFound

FIRST = """Bridges of Wales

Thomas Telford designed the Menai Suspension Bridge. Telford was born in Eskdale. The bridge opened in 1826.
"""
SECOND = """Canals of Scotland

Telford surveyed the Caledonian Canal. The Caledonian Canal opened in 1822.
"""


def facts_of(crew: Crew, collection: str, name: str) -> set[str]:
    graph = crew.client.services.graph
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
    assert not crew.client.ingest([tmp_path / "first.txt"], collection).failed
    before = facts_of(crew, collection, "Thomas Telford")
    assert len(before) > 1
    assert facts_of(crew, collection, "Telford") == before
    [merge] = [merge for merge in crew.client.merges(collection) if merge.source_name == "telford"]
    assert (merge.target_name, merge.rule) == ("thomas telford", "short form")
    assert not crew.client.ingest([tmp_path / "second.txt"], collection).failed
    later = facts_of(crew, collection, "Thomas Telford") - before
    assert later
    crew.client.undo_merge(merge.id, timeout=180)
    long, short = (facts_of(crew, collection, name) for name in ("Thomas Telford", "Telford"))
    assert (long | short, long & short) == (before | later, set())
    assert later < short
    again = crew.client.merge_elements(collection, timeout=180)
    assert "telford" not in [
        merge.source_name for merge in crew.client.merges(collection) if not merge.undone
    ]
    assert again["made"] == 0
    with pytest.raises(NotFound, match="no merge m0"):
        crew.client.undo_merge("m0")


def test_a_model_is_asked_once_about_likely_names_and_its_merge_comes_apart(
    crew: Crew, tmp_path: Path
) -> None:
    collection = f"asking-{secrets.token_hex(4)}"
    for nth, name in enumerate(("Caledonian Canal", "Caladonian Canal")):
        text = f"Waters {nth}\n\nThomas Telford surveyed the {name}. The {name} has lock number {nth}.\n"
        (tmp_path / f"{nth}.txt").write_text(text, encoding="utf-8")
        assert not crew.client.ingest([tmp_path / f"{nth}.txt"], collection).failed
    crew.model.set()
    dry = crew.client.merge_elements(collection, ask=2, dry_run=True, timeout=180)
    assert (dry["made"], dry["likely"] > 0, dry["calls"] > 0) == (0, True, True)
    assert "SameThings" not in crew.model.requests()
    outcome = crew.client.merge_elements(collection, ask=2, timeout=180)
    assert (outcome["same"], outcome["made"], outcome["error"]) == (1, 1, None)
    made = outcome["calls"]
    assert crew.model.requests()["SameThings"] == made
    assert made == (1 if outcome["likely"] == 1 else 2)
    [merge] = [merge for merge in crew.client.merges(collection) if merge.rule == "model"]
    assert {merge.source_name, merge.target_name} == {"caledonian canal", "caladonian canal"}
    assert facts_of(crew, collection, "Caledonian Canal") == facts_of(crew, collection, "Caladonian Canal")
    crew.client.undo_merge(merge.id, timeout=180)
    again = crew.client.merge_elements(collection, ask=2, timeout=180)
    assert (again["made"], again["calls"]) == (0, 0)
    assert crew.model.requests()["SameThings"] == made
    assert not facts_of(crew, collection, "Caledonian Canal") & facts_of(crew, collection, "Caladonian Canal")


def test_replies_that_make_no_sense_merge_nothing_and_leave_the_job_partial(
    crew: Crew, tmp_path: Path
) -> None:
    collection = f"nonsense-{secrets.token_hex(4)}"
    for nth, name in enumerate(("Caledonian Canal", "Caladonian Canal")):
        (tmp_path / f"{nth}.txt").write_text(f"Waters {nth}\n\nThe {name} is old.\n", encoding="utf-8")
        assert not crew.client.ingest([tmp_path / f"{nth}.txt"], collection).failed
    crew.model.set(chat={"fail": {"schema": 1}})
    outcome = crew.client.merge_elements(collection, ask=5, timeout=180)
    crew.model.set()
    assert (outcome["made"], outcome["same"], outcome["left"]) == (0, 0, outcome["likely"])
    assert "SameThings" in outcome["error"]
    assert not any(merge.rule == "model" for merge in crew.client.merges(collection))
