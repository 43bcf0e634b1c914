"""What the steps of a concept map store is what the version before stores: each reads the other's."""

from __future__ import annotations

from typing import Any

import pytest

from workers.concepts.records import (
    CheckInput,
    CheckResult,
    ConceptInput,
    ConceptResult,
    ExpandInput,
    ExpandResult,
    MapResult,
    RelationInput,
    RelationResult,
    SaveInput,
    SaveResult,
)
from workers.core.jobs.work import as_json
from workers.core.records import Frozen

RELATED = {
    "name": "Market",
    "domain": "economics",
    "definition": "A place of trade.",
    "relation": "Both spread out. One follows from the other.",
    "strength": 3,
}
KEPT = {
    **RELATED,
    "id": "r1",
    "source": "n1",
    "target": "n2",
    "created": "2026-01-01T00:00:06Z",
    "updated": "2026-01-01T00:00:07Z",
}
BY_HAND = {"version": 2, "by": "Ada"}
NODE = {
    "id": "n1",
    "name": "Entropy",
    "domain": "physics",
    "definition": "It measures disorder.",
    "core": True,
}
LINK = {
    "id": "r1",
    "source": "n1",
    "target": "n2",
    "relation": RELATED["relation"],
    "strength": 3,
    "created": "2026-01-01T00:00:06Z",
    "updated": "2026-01-01T00:00:07Z",
}
FAILED = {"failed": "no model call left", "spent": True}
STORED: dict[str, tuple[type[Frozen], dict[str, Any]]] = {
    "a concept": (ConceptInput, {"concept": "Entropy"}),
    "a valid concept": (
        ConceptResult,
        {"valid": True, "reason": "", "domain": "physics", "definition": "It measures disorder."},
    ),
    "a concept without a verdict": (
        ConceptResult,
        {"valid": None, "reason": "", "domain": "", "definition": "", **FAILED},
    ),
    "no map": (MapResult, {"version": 0, "relations": [], "retired": [], "broken": []}),
    "a map": (
        MapResult,
        {
            "version": 2,
            "relations": [{**KEPT, **BY_HAND}],
            "retired": ["Phlogiston", "Soap"],
            "banned": ["Soap"],
            "broken": [{"id": "r2", "name": "Law", "why": "strength: too high"}],
        },
    ),
    "a kept relation": (CheckInput, {"concept": "Entropy", "id": "r1", "relation": RELATED}),
    "a kept relation that holds": (CheckResult, {"id": "r1", "valid": True, "reason": ""}),
    "a kept relation without a verdict": (
        CheckResult,
        {"id": "r1", "valid": None, "reason": "could not be checked", "failed": "no"},
    ),
    "what to look for": (
        ExpandInput,
        {
            "concept": "Entropy",
            "domain": "physics",
            "definition": "It measures disorder.",
            "round": 1,
            "wanted": 5,
            "known": ["Diffusion"],
            "refused": ["Phlogiston"],
            "taken": ["biology"],
        },
    ),
    "relations offered": (
        ExpandResult,
        {
            "wanted": 5,
            "offered": [RELATED],
            "dropped": [{"name": "Law", "reason": "the map has it already"}],
            "none": False,
        },
    ),
    "nothing offered": (
        ExpandResult,
        {"wanted": 5, "offered": [], "dropped": [], "none": False, **FAILED},
    ),
    "a new relation": (RelationInput, {"concept": "Entropy", "relation": RELATED}),
    "a new relation beside what its core means": (
        RelationInput,
        {
            "concept": "Entropy",
            "relation": RELATED,
            "domain": "physics",
            "definition": "It measures disorder.",
        },
    ),
    "a new relation that does not hold": (RelationResult, {"valid": False, "reason": "too general"}),
    "what to save": (
        SaveInput,
        {
            "concept": "Entropy",
            "domain": "physics",
            "definition": "It measures disorder.",
            "related": [RELATED],
            "deleted": [{"id": "r3", "reason": "was given up long ago"}],
            "abnormal": [{"id": "r2", "reason": "strength: too high"}],
            "unchecked": ["r1"],
        },
    ),
    "a saved map": (
        SaveResult,
        {
            "version": 3,
            "saved": True,
            "changes": {"added": 1},
            "relations": 1,
            "nodes": [NODE],
            "links": [{**LINK, **BY_HAND}],
        },
    ),
    "nothing saved": (
        SaveResult,
        {"version": 0, "saved": False, "changes": {}, "relations": 0, "nodes": [], "links": []},
    ),
}


@pytest.mark.parametrize("name", STORED)
def test_what_is_stored_is_what_the_version_before_stores(name: str) -> None:
    model, stored = STORED[name]
    assert as_json(model.read_stored(stored)) == stored


def test_relations_and_links_are_read_as_the_version_before_writes_them() -> None:
    unchanged = {"state": "active", "reason": "", "version": 1, "by": ""}  # now left out
    [relation] = MapResult.read_stored(
        {"version": 1, "relations": [{**KEPT, **unchanged}], "retired": [], "banned": [], "broken": []}
    ).relations
    assert as_json(relation) == KEPT
    assert (relation.state, relation.version, relation.by) == ("active", 1, "")
    saved = {"version": 1, "saved": False, "changes": {}, "relations": 1, "nodes": [NODE]}
    [link] = SaveResult.read_stored({**saved, "links": [{**LINK, "version": 1, "by": ""}]}).links
    assert as_json(link) == LINK
