"""Principals, and which documents they may see."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from workers.core.errors import InvalidInput
from workers.core.metadata.changes import change_by_ingestion
from workers.core.metadata.fields import (
    bounded,
    checked_metadata,
    filled_up,
    fitting,
    metadata_of_command,
    value_of_text,
)
from workers.core.metadata.filter import matches
from workers.core.metadata.filter_text import parse_filter
from workers.core.metadata.schema import parse_schema
from workers.core.principals import MOST_PRINCIPALS, checked_principals, common
from workers.core.scope import Scope, scope_for


def test_principals_are_kinds_with_names() -> None:
    for value, read in (
        ("user:ann, group:legal", ("user:ann", "group:legal")),
        (["user:ann", "user:ann"], ("user:ann",)),
        ("*", ("*",)),
        ("group:legal/eu@example.org:1, group:法務", ("group:legal/eu@example.org:1", "group:法務")),
    ):
        assert checked_principals("allow", value) == read
        assert checked_metadata({"Allow": value})["allow"] == read


def test_what_is_no_principal_is_refused_with_the_field() -> None:
    many = [f"user:{n}" for n in range(MOST_PRINCIPALS + 1)]
    texts = ("", " ", "ann", "user:", ":ann", "User:ann", "user:a b", "user:*", "user:ann,,", "**")
    for value in (*texts, "user:" + "a" * 200, [], {}, 3, None, True, ["user:ann", None], many):
        with pytest.raises(InvalidInput, match=r"metadata\.allow: .*user:ann"):
            checked_metadata({"allow": value})


def test_a_command_takes_principals_between_commas() -> None:
    assert metadata_of_command([], "", "user:ann, group:legal") == {"allow": ("user:ann", "group:legal")}
    assert value_of_text("allow", '["user:ann"]') == ("user:ann",)
    for wrong in ((["allow=user:ann"], "", "user:bo"), ([], "", ""), (["allow=ann"], "", None)):
        with pytest.raises(InvalidInput):
            metadata_of_command(*wrong)


@pytest.mark.parametrize(
    ("metadata", "principals", "seen"),
    [
        ({}, (), True),
        ({"allow": ("*",)}, (), True),
        ({"allow": ("user:ann",)}, (), False),
        ({"allow": ("user:ann",)}, ("user:bo",), False),
        ({"allow": ("user:ann", "group:legal")}, ("user:bo", "group:legal"), True),
        ({"allow": "user:ann"}, ("user:ann",), False),  # a text: from before the field had this meaning
        ({"allow": 3}, ("user:ann",), False),
    ],
)
def test_a_document_is_seen_by_whom_it_allows(metadata: Any, principals: Any, seen: bool) -> None:  # noqa: FBT001
    scope = scope_for(None, principals)
    assert scope is not None
    assert scope.filter is not None
    assert matches(scope.filter, metadata) is seen


def test_a_scope_and_principals_leave_what_both_leave() -> None:
    scope = Scope(where='tags has "a"', as_of=date(2024, 1, 1), documents=("d",))
    both = scope_for(scope, ("user:ann",))
    assert both is not None
    assert both.filter is not None
    fields = {"tags": ("a",), "date": date(2023, 1, 1), "allow": ("user:ann",)}
    assert matches(both.filter, fields)
    for other in ({"tags": ("b",)}, {"date": date(2025, 1, 1)}, {"allow": ("user:bo",)}):
        assert not matches(both.filter, fields | other)
    assert both.documents == ("d",)
    assert scope_for(scope, None) is scope
    assert scope_for(None, None) is None
    assert both.model_dump_json() != scope.model_dump_json()


def test_a_filter_of_the_largest_size_leaves_room_for_principals() -> None:
    where = parse_filter(" or ".join(f'a{n} = "x"' for n in range(100)))
    both = scope_for(Scope.model_construct(where=where), tuple(f"user:{n}" for n in range(MOST_PRINCIPALS)))
    assert both is not None
    assert both.model_dump_json()


def test_what_two_name_is_what_both_name() -> None:
    assert common(None, None) is None
    assert common(("a", "b"), None) == ("a", "b") == common(None, ["a", "b"])
    assert common(("a", "b"), ("b", "c")) == ("b",)
    assert common(("a",), ("b",)) == ()


def test_who_may_see_a_document_stays_until_somebody_says_otherwise() -> None:
    narrow = {"allow": ("user:ann",)}
    assert not change_by_ingestion({}, narrow, (), ())
    kept = change_by_ingestion({"author": "Bo"}, narrow, (), ("allow",))
    assert (kept.unset, kept.values) == ((), {"author": "Bo"})
    assert (kept.ingested or {})["allow"] == ("user:ann",)
    wider = change_by_ingestion({"allow": ("*",)}, narrow)
    assert wider.values == {"allow": ("*",)}
    # What a hand narrowed stays while the source says what it said before.
    assert not change_by_ingestion(narrow, narrow)


def test_a_schema_neither_drops_nor_forbids_who_may_see_a_document() -> None:
    schema = parse_schema({"fields": {"kind": {"type": "text"}}, "only": True})
    assert schema.fitting({"allow": ("user:ann",), "other": "x"}) == {"allow": ("user:ann",)}
    schema.check({"allow": ("user:ann",)})
    ruled = parse_schema(
        {"fields": {"allow": {"type": "list", "required": True, "allowed": ["group:legal"]}}}
    )
    with pytest.raises(InvalidInput, match="allow"):
        ruled.check(ruled.fitting({"allow": ("user:ann",)}))
    with pytest.raises(InvalidInput, match="allow"):
        ruled.check_whole({})


def test_what_is_left_out_of_other_programs_fields_is_never_who_may_see_them() -> None:
    with pytest.raises(InvalidInput, match="allow"):
        fitting([("allow", True)])
    many = [(f"a{n}", "x" * 70) for n in range(60)]
    assert fitting([*many, ("allow", "user:ann")])["allow"] == ("user:ann",)
    full = bounded({f"b{n}": "x" * 70 for n in range(45)})
    with pytest.raises(InvalidInput, match="metadata"):
        filled_up(full, {"aa": "x", "allow": tuple(f"user:{n}{'x' * 50}" for n in range(20))})
