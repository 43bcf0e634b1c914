"""Relations of a concept map are listed strongest first, and of equals the older first."""

from __future__ import annotations

import pytest

from workers.core.concepts.maps import ConceptRelation, by_strength


def relation(name: str, created: str, strength: int = 4) -> ConceptRelation:
    fields = {"id": name, "source": "s", "target": "t", "name": name, "strength": strength}
    return ConceptRelation.model_construct(**fields, created=created, updated=created)


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("2026-11-25T12:00:01.5Z", "2026-11-25T12:00:01.507Z"),
        ("2026-11-25T12:00:01Z", "2026-11-25T12:00:01.004Z"),
        ("2026-11-25T12:00:01.999Z", "2026-11-25T12:00:02Z"),
    ],
)
def test_of_equals_the_older_comes_first(older: str, newer: str) -> None:
    relations = sorted([relation("a", newer), relation("b", older), relation("c", newer, 5)], key=by_strength)
    assert [relation.name for relation in relations] == ["c", "b", "a"]
