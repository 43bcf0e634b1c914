"""Fields of documents: their types by shape, and what is refused."""

from __future__ import annotations

import json
import unicodedata
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.core.errors import InvalidInput
from workers.core.metadata.changes import NO_CHANGE, change_by_ingestion
from workers.core.metadata.fields import (
    checked_metadata,
    fitting,
    metadata_json,
    metadata_of_command,
    value_of_text,
)
from workers.core.metadata.filter import matches
from workers.core.metadata.filter_text import parse_filter
from workers.core.records import Document

FIELDS = {"author": "Ann", "date": date(2024, 5, 1), "priority": 2, "tags": ("a", "b")}


def test_types_go_by_shape() -> None:
    raw = {"Author": " Ann ", "date": "2024-05-01", "priority": 2.0, "tags": ["a", "b", "a"], "none": None}
    assert checked_metadata(raw) == FIELDS
    assert checked_metadata({"date": datetime(2024, 5, 1, 10, tzinfo=UTC)}) == {"date": date(2024, 5, 1)}
    assert checked_metadata({"tags": "a, b"}) == {"tags": ("a", "b")}
    assert checked_metadata({"größe": 1.5, "状态": "done"}) == {"größe": 1.5, "状态": "done"}


@pytest.mark.parametrize(
    ("raw", "field", "allowed"),
    [
        ({"author": 5}, "metadata.author", "a text of 1 to 500 characters or a list"),
        ({"date": "May"}, "metadata.date", "a date that there is"),
        ({"due": "2024-02-30"}, "metadata.due", "a date that there is"),
        ({"priority": "high"}, "metadata.priority", "a number"),
        ({"size": 2**53}, "metadata.size", "a number"),
        ({"size": float("nan")}, "metadata.size", "a number"),
        ({"size": 10**400}, "metadata.size", "a number"),
        ({"draft": True}, "metadata.draft", "a text, a number, a date"),
        ({"note": " "}, "metadata.note", "1 to 500 characters"),
        ({"note": "x" * 501}, "metadata.note", "1 to 500 characters"),
        ({"note": "\ud800"}, "metadata.note", "1 to 500 characters"),
        ({"tags": []}, "metadata.tags", "a list of 1 to 100"),
        ({"a b": 1}, "metadata", "a name of letters"),
        ({"a`b": 1}, "metadata", "a name of letters"),
        ({"A": 1, "a": 2}, "metadata.a", "there twice"),
        ({f"f{nth}": nth for nth in range(51)}, "metadata", "at most 50"),
        ({f"f{nth}": "x" * 499 for nth in range(9)}, "metadata", "at most 4000"),
        (["author"], "metadata", "an object"),
    ],
)
def test_what_does_not_fit_is_refused_with_field_and_what_is_allowed(raw, field, allowed) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked_metadata(raw)
    assert refused.value.field == field
    assert allowed in str(refused.value)


def test_one_letter_is_one_however_it_is_composed() -> None:
    apart = unicodedata.normalize("NFD", "José")
    assert checked_metadata({apart: apart, "tags": [apart]}) == {"josé": "José", "tags": ("José",)}
    with pytest.raises(InvalidInput, match="there twice"):
        checked_metadata({apart: 1, "José": 2})
    assert matches(
        parse_filter(f'{apart} = "{apart}" and tags has "José"'), {"josé": "José", "tags": ("José",)}
    )


def test_a_command_gives_plain_texts() -> None:
    assignments = ["author=Ann", "date=2024-05-01", "priority=2"]
    assert metadata_of_command(assignments, "a, b") == FIELDS
    assert metadata_of_command(['isbn="2024"', "code=0123", 'places=["x", "y"]', "share=-0.5"]) == {
        "code": "0123",
        "isbn": "2024",
        "places": ("x", "y"),
        "share": -0.5,
    }
    for assignments, tags in (
        (["author"], ""),
        (["tags=a"], "b"),
        (["a=1", "a=2"], ""),
        (['a="b'], ""),
        (["a=" + "1" * 400], ""),
    ):
        with pytest.raises(InvalidInput):
            metadata_of_command(assignments, tags)


def test_a_command_is_told_what_a_field_may_have_and_which_of_its_options_is_meant() -> None:
    for assignment, allowed in (
        ("date=", "a date that there is"),
        ("title=", "a text of 1 to 500 characters"),
    ):
        with pytest.raises(InvalidInput, match=allowed):
            metadata_of_command([assignment])
    for wrong in ((["author"], "", None), (["tags=a"], "b", None), (["allow=*"], "", "user:ann")):
        with pytest.raises(InvalidInput, match="--set"):
            metadata_of_command(*wrong, option="--set")


def test_a_plain_text_that_no_parser_takes_is_refused() -> None:
    for text in ("1" * 5000, "-1e" + "9" * 5000, f'["{"x" * 9}", {"1" * 5000}]', "[" * 20_000):
        with pytest.raises(InvalidInput, match=r"metadata\.size"):
            value_of_text("size", text)


TEXTS = st.text(min_size=1, max_size=20)
VALUES = TEXTS | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e15, 1e15) | st.lists(TEXTS, max_size=4)


@given(st.dictionaries(st.from_regex(r"[a-z][a-z0-9_-]{0,8}", fullmatch=True), VALUES, max_size=5))
def test_what_was_taken_is_read_back_from_json_as_it_is(raw) -> None:
    try:
        fields = checked_metadata(raw)
    except InvalidInput:
        return
    assert checked_metadata(json.loads(metadata_json(fields))) == fields
    document = Document(id="d", collection="c", uri="u", title="t", content_hash="h", metadata=fields)
    assert document.metadata == fields
    assert Document.read_stored(document.model_dump_json()).metadata == fields
    assert Document.read_stored(document.model_dump(mode="json")).metadata == fields


def test_an_ingestion_changes_only_what_it_brings_anew() -> None:
    before = {"author": "Ann", "priority": 1, "gone": "x"}
    change = change_by_ingestion({"author": "Ann", "priority": 2, "new": "y"}, before)
    assert change.values == {"new": "y", "priority": 2}
    assert change.unset == ("gone",)
    assert change.ingested == {"author": "Ann", "new": "y", "priority": 2}
    assert change_by_ingestion(before, before) == NO_CHANGE
    assert not NO_CHANGE
    assert change_by_ingestion({}, before)


def test_a_name_that_only_looks_like_allow_is_refused() -> None:
    for name in ("ａｌｌｏｗ", "al\u200blow", "allow\ufe0f", "allow\u2800"):
        with pytest.raises(InvalidInput, match="metadata"):
            checked_metadata({name: ["user:ann"]})
        with pytest.raises(InvalidInput, match="metadata"):
            fitting([(name, ["user:ann"])])
