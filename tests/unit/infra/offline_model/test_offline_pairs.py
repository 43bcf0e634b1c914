"""How the rule-based reader judges whether two names are one: by their spelling alone."""

from __future__ import annotations

import pytest

from infra.offline_model.replies import KINDS
from workers.ingest.schema import SameThings


@pytest.mark.parametrize(
    ("name", "other", "same"),
    [
        ("al-andalus", "al andalus", True),
        ("caledonian canal", "caladonian canal", True),
        ("telford", "thomas telford", False),
        ("the heron", "corvin drake", False),
        ("henry iv", "henry v", False),
    ],
)
def test_names_are_the_same_where_they_are_spelled_alike(name: str, other: str, *, same: bool):
    pair = {"n": 7, "one": {"name": name, "facts": []}, "other": {"name": other, "facts": []}}
    [thing] = SameThings.model_validate(KINDS["SameThings"]({"pairs": [pair]})).things
    assert (thing.n, thing.same, bool(thing.why)) == (7, same, True)
