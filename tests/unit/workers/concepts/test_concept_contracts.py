"""What the steps of a concept map store is what the version before stores: each reads the other's."""

from typing import Any

import pytest
from doubles.stored_records import N, S, assert_stored_as, each

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

BOTH = "Both spread out. One follows from the other."
MARKET = {"name": "Market", "domain": "economics", "definition": "A place of trade."}
RELATED = {**MARKET, "relation": BOTH, "strength": 3}
TIMES = {"created": "2026-01-01T00:00:06Z", "updated": "2026-01-01T00:00:07Z"}
ENDS = {"id": "r1", "source": "n1", "target": "n2"}
KEPT = {**RELATED, **ENDS, **TIMES}
LINK = {**ENDS, "relation": BOTH, "strength": 3, **TIMES}
BY_HAND = {"version?": 2, "by?": "Ada"}
NODE = {"id": "n1", "name": S, "domain": S, "definition": S, "core": True}
VALID = {"valid": None, "reason": "", "domain": S, "definition": S, "failed?": S, "spent?": True}
MAP = {"version": N, "relations": [{**KEPT, **BY_HAND}], "retired": [S], "banned?": [S]}
OFFERED = {"wanted": N, "offered": [RELATED], "none": False, "failed?": S, "spent?": True}
SAVED = {"version": N, "saved": True, "changes": {"added": N}, "relations": N, "nodes": [NODE]}
CORE = {"concept": "Entropy", "domain": S, "definition": S}
BAD = {"id": S, "reason": S}
STORED: list[tuple[type[Frozen], dict[str, Any]]] = [
    (ConceptInput, {"concept": "Entropy"}),
    (ConceptResult, VALID),
    (MapResult, {**MAP, "broken": [each("id name why")]}),
    (CheckInput, {"concept": "Entropy", "id": "r1", "relation": RELATED}),
    (CheckResult, {"id": "r1", "valid": None, "reason": S, "failed?": S}),
    (ExpandInput, {**CORE, "round": N, "wanted": N, "known": [S], "refused": [S], "taken": [S]}),
    (ExpandResult, {**OFFERED, "dropped": [each("name reason")]}),
    (RelationInput, {"concept": "Entropy", "relation": RELATED, "domain?": S, "definition?": S}),
    (RelationResult, {"valid": False, "reason": S}),
    (SaveInput, {**CORE, "related": [RELATED], "deleted": [BAD], "abnormal": [BAD], "unchecked": [S]}),
    (SaveResult, {**SAVED, "links": [{**LINK, **BY_HAND}]}),
]


@pytest.mark.parametrize(("model", "fields"), STORED, ids=[model.__name__ for model, _fields in STORED])
def test_what_is_stored_is_what_the_version_before_stores(model, fields):
    assert_stored_as(model, fields)


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
