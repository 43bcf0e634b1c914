"""A family name is merged into the full name only where the text has named the person before."""

from __future__ import annotations

from typing import Any

import pytest
from doubles.documents import Sentence, write
from doubles.graph import MemoryGraph
from doubles.vectors import MemoryVectors

from workers.core.jobs.work import Job
from workers.core.ports import Limits, Ports
from workers.ingest.resolution.candidates import propose_merges

C = "c"
FULL = ("Thomas Telford built the bridge.", ["Thomas Telford", "bridge"])
SHORT = ("Telford was a mason.", ["Telford"])
TOWN = ("Telford is a town in Shropshire.", ["Telford", "Shropshire"])
NAMED = ("The town is called after Thomas Telford.", ["Thomas Telford"])


def surnames(graph: MemoryGraph) -> list[str]:
    fields: dict[str, Any] = dict.fromkeys(Ports.__dataclass_fields__)
    fields |= {"job": Job(id="j", kind="merge", collection=C), "graph": graph, "vectors": MemoryVectors()}
    page, _following = graph.merging.element_page(C, after="", before="~", limit=1000)
    proposals = propose_merges(page, Ports(**{**fields, "limits": Limits()})).sure
    return [proposal.source_name for proposal in proposals if proposal.rule == "surname"]


def written(uri: str, *paragraphs: list[Sentence]) -> MemoryGraph:
    graph = MemoryGraph()
    write(graph, C, uri, *paragraphs)
    return graph


@pytest.mark.parametrize("paragraphs", [[[FULL, SHORT]], [[FULL], [SHORT]], [[FULL], [SHORT, NAMED]]])
def test_after_the_full_name_the_family_name_is_the_person(paragraphs):
    assert surnames(written("a", *paragraphs)) == ["telford"]


@pytest.mark.parametrize("paragraphs", [[[TOWN, NAMED]], [[TOWN], [NAMED]], [[TOWN], [NAMED, SHORT]]])
def test_what_is_named_before_the_full_name_is_something_else(paragraphs):
    assert surnames(written("a", *paragraphs)) == []


def test_one_document_that_names_something_else_is_enough():
    graph = written("a", [FULL, SHORT])
    write(graph, C, "b", [TOWN, NAMED])
    assert surnames(graph) == []


def test_a_title_with_the_full_name_names_the_person_first():
    assert surnames(written("thomas telford", [SHORT, FULL])) == ["telford"]


def test_the_family_name_within_the_title_is_the_title_s():
    posed = ("Tarski Problem was posed by Alfred Tarski.", ["Tarski Problem", "Alfred Tarski", "Tarski"])
    assert surnames(written("tarski problem", [posed])) == ["tarski"]
    assert surnames(written("a", [posed])) == []


def test_a_title_that_is_the_family_name_alone_is_looked_at_in_the_text():
    assert surnames(written("telford", [FULL, SHORT])) == ["telford"]
    assert surnames(written("telford", [TOWN, NAMED])) == []


def test_a_name_that_the_text_has_in_other_letters_is_no_objection():
    elsewhere = ("He built the bridge.", ["Thomas Telford"])
    assert surnames(written("a", [SHORT, elsewhere])) == ["telford"]
