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
WORDS = {"concept": "Entropy", "domain": "physics", "definition": "It measures disorder."}
# Of each record all fields, and which of them are left out where they have nothing to say.
STORED: list[tuple[type[Frozen], dict[str, Any], set[str]]] = [
    (ConceptInput, {"concept": "Entropy"}, set()),
    (
        ConceptResult,
        {
            "valid": None,
            "reason": "",
            "domain": "physics",
            "definition": "It measures disorder.",
            "failed": "no model call left",
            "spent": True,
        },
        {"failed", "spent"},
    ),
    (
        MapResult,
        {
            "version": 2,
            "relations": [{**KEPT, **BY_HAND}],
            "retired": ["Phlogiston", "Soap"],
            "banned": ["Soap"],
            "broken": [{"id": "r2", "name": "Law", "why": "strength: too high"}],
        },
        {"banned"},
    ),
    (CheckInput, {"concept": "Entropy", "id": "r1", "relation": RELATED}, set()),
    (CheckResult, {"id": "r1", "valid": None, "reason": "could not be checked", "failed": "no"}, {"failed"}),
    (
        ExpandInput,
        {
            **WORDS,
            "round": 1,
            "wanted": 5,
            "known": ["Diffusion"],
            "refused": ["Phlogiston"],
            "taken": ["biology"],
        },
        set(),
    ),
    (
        ExpandResult,
        {
            "wanted": 5,
            "offered": [RELATED],
            "dropped": [{"name": "Law", "reason": "the map has it already"}],
            "none": False,
            "failed": "no model call left",
            "spent": True,
        },
        {"failed", "spent"},
    ),
    (RelationInput, {**WORDS, "relation": RELATED}, {"domain", "definition"}),
    (RelationResult, {"valid": False, "reason": "too general"}, set()),
    (
        SaveInput,
        {
            **WORDS,
            "related": [RELATED],
            "deleted": [{"id": "r3", "reason": "was given up long ago"}],
            "abnormal": [{"id": "r2", "reason": "strength: too high"}],
            "unchecked": ["r1"],
        },
        set(),
    ),
    (
        SaveResult,
        {
            "version": 3,
            "saved": True,
            "changes": {"added": 1},
            "relations": 1,
            "nodes": [NODE],
            "links": [{**LINK, **BY_HAND}],
        },
        set(),
    ),
]


@pytest.mark.parametrize(("model", "full", "left_out"), STORED, ids=[model.__name__ for model, *_ in STORED])
def test_what_is_stored_is_what_the_version_before_stores(
    model: type[Frozen], full: dict[str, Any], left_out: set[str]
) -> None:
    least = {name: value for name, value in full.items() if name not in left_out}
    empty = {name: [] if isinstance(value, list) else value for name, value in least.items()}
    for stored in (full, least, empty):
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
