"""Metadata of documents: types by shape, the language of filters, and schemas of collections."""

import json
import unicodedata
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopline.errors import InvalidInput
from hopline.models.documents import Document
from hopline.models.metadata import (
    checked_metadata,
    fitting,
    metadata_json,
    metadata_of_command,
    value_of_text,
)
from hopline.models.schemas import MetadataSchema
from hopline.views.answers import filter_in_words
from workers.core.metadata.changes import NO_CHANGE, change_by_ingestion
from workers.core.metadata.filter import matches
from workers.core.metadata.filter_text import filter_json, filter_of_json, parse_filter
from workers.core.metadata.schema import NO_SCHEMA, parse_schema

FIELDS = {"author": "Ann", "date": date(2024, 5, 1), "priority": 2, "tags": ("a", "b")}


def test_types_go_by_shape() -> None:
    raw = {"Author": " Ann ", "date": "2024-05-01", "priority": 2.0, "tags": ["a", "b", "a"], "none": None}
    assert checked_metadata(raw) == FIELDS
    assert checked_metadata({"date": datetime(2024, 5, 1, 10, tzinfo=UTC)}) == {"date": date(2024, 5, 1)}
    assert checked_metadata({"tags": "a, b"}) == {"tags": ("a", "b")}
    assert checked_metadata({"größe": 1.5, "状态": "done"}) == {"größe": 1.5, "状态": "done"}


def test_true_is_a_text_and_a_date_may_have_a_time_behind_it() -> None:
    raw = {"draft": True, "done": False, "date": "2024-05-01T10:00:00+02:00", "seen": "2024-05-01T10:00:00Z"}
    assert checked_metadata(raw) == {
        "draft": "true",
        "done": "false",
        "date": date(2024, 5, 1),
        "seen": "2024-05-01T10:00:00Z",
    }


def test_what_does_not_fit_is_refused_with_field_and_what_is_allowed() -> None:
    for raw, field, allowed in [
        ({"author": 5}, "metadata.author", "a text of 1 to 500 characters or a list"),
        ({"date": "May"}, "metadata.date", "a date that there is"),
        ({"due": "2024-02-30"}, "metadata.due", "a date that there is"),
        ({"size": 2**53}, "metadata.size", "a number"),
        ({"size": float("nan")}, "metadata.size", "a number"),
        ({"size": 10**400}, "metadata.size", "a number"),
        ({"draft": {}}, "metadata.draft", "a text, a number, a date"),
        ({"date": "2024-02-30T10:00:00Z"}, "metadata.date", "a date that there is"),
        ({"note": " "}, "metadata.note", "1 to 500 characters"),
        ({"note": "x" * 501}, "metadata.note", "1 to 500 characters"),
        ({"note": "\ud800"}, "metadata.note", "1 to 500 characters"),
        ({"tags": []}, "metadata.tags", "a list of 1 to 100"),
        ({"a`b": 1}, "metadata", "a name of letters"),
        ({"A": 1, "a": 2}, "metadata.a", "appears twice"),
        ({f"f{nth}": nth for nth in range(51)}, "metadata", "at most 50"),
        ({f"f{nth}": "x" * 499 for nth in range(9)}, "metadata", "at most 4000"),
        (["author"], "metadata", "an object"),
    ]:
        with pytest.raises(InvalidInput) as refused:
            checked_metadata(raw)
        assert refused.value.field == field, raw
        assert allowed in str(refused.value), raw


def test_one_letter_is_one_however_it_is_composed() -> None:
    apart = unicodedata.normalize("NFD", "José")
    assert checked_metadata({apart: apart, "tags": [apart]}) == {"josé": "José", "tags": ("José",)}
    with pytest.raises(InvalidInput, match="appears twice"):
        checked_metadata({apart: 1, "José": 2})
    assert matches(
        parse_filter(f'{apart} = "{apart}" and tags has "José"'), {"josé": "José", "tags": ("José",)}
    )


def test_a_command_gives_plain_texts() -> None:
    assignments = ["author=Ann", "date=2024-05-01", "priority=2"]
    assert metadata_of_command(assignments, "a, b") == FIELDS
    expected = {"code": "0123", "isbn": "2024", "places": ("x", "y"), "share": -0.5}
    assert metadata_of_command(['isbn="2024"', "code=0123", 'places=["x", "y"]', "share=-0.5"]) == expected
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


ANN = {"author": "Ann", "date": date(2024, 5, 1), "priority": 2, "tags": ("contract", "2024-01-01")}


@pytest.mark.parametrize("text", [
    'tags has "signed"',
    'date >= 2024-01-01 and (author = "Ann" or not exists(author))',
    'size in (1, 2.5, "a \\"b\\" \\\\ c") and not (size < -3)',
])  # fmt: skip
def test_a_filter_in_words_is_the_filter(text: str) -> None:
    tree = parse_filter(text)
    assert parse_filter(filter_in_words(filter_json(tree))) == tree
    assert filter_of_json(filter_json(tree)) == tree


def test_one_thing_that_is_allowed_is_not_called_one_of_several() -> None:
    with pytest.raises(InvalidInput, match='there, give a text in quotes, "…"'):
        parse_filter("tags has signed")


def test_what_a_filter_means() -> None:
    for text, meant in [
        ('tags has "contract" and date >= 2024-01-01 and author = "Ann"', True),
        ('author = "ann"', False),
        ("not (date < 2024-05-01 or priority >= 2)", False),
        ('author in ("Bo", "Ann")', True),
        ("size in (1, 3, 2024-05-01)", False),
        ('author != "Ann"', False),
        ('not editor = "Ann"', True),
        ("size > 5", False),
        ('tags has "2024-01-01"', True),
        ("priority = 2.0", True),
        ('date = "2024-05-01"', True),
        ('author = "A\\nn"', True),
        ('author = "Ann" or author = "Bo" and priority = 1', True),
        ("not not-final = 1 and not exists(in-part) and not or-1 = 2", True),
        ('author = "Ann" AND NOT(exists(editor))or exists(and-so)', True),
    ]:
        tree = parse_filter(text)
        assert matches(tree, ANN) is meant, text
        assert filter_of_json(filter_json(tree)) == tree, text


def test_a_field_of_another_type_is_as_one_that_is_not_there() -> None:
    for text in ("size = 5", 'size = "5"', "size > 2", "size = 2024-05-01", 'size in ("x", 5)'):
        for held in ({"size": ("5",)}, {"size": date(2024, 5, 2)} if "2024" not in text else {}):
            assert not matches(parse_filter(text), held)
            assert matches(parse_filter(f"not {text}"), held)
    assert not matches(parse_filter('size has "5"'), {"size": "5"})


def test_an_error_says_where_and_what_was_expected() -> None:
    for text, says in [
        ("", "at its end"),
        ("date >= foo", "at character 9, 'foo'; there, give one of: a date such as 2024-05-01; a number"),
        ("author =", "at its end; there, give one of: a date"),
        ("priority = 1 $", "at character 14, '$'"),
        ('author = "Ann', "at character 10"),
        ("date = 2024-02-30", "a date that there is"),
        ("priority in (1, 2024-05-01)", "where priority in is '2024-05-01', but must be a number"),
        ('tags = "a"', 'use tags has "…"'),
        ('author > "a"', "text has no order"),
        ('priority has "a"', "`has` needs a list"),
        ("not " * 30 + "a = 1", "nested at most 20 deep"),
        (" or ".join(["a = 1"] * 101), "at most 100 comparisons"),
        ("x" * 2001, "at most 2000"),
        ("priority = " + "1" * 400, "where priority = is 111"),
        ('{"field": "priority", "op": "=", "value": ' + "1" * 5000 + "}", "a filter as JSON"),
        ('{"field": "a", "op": "like", "value": "b"}', "one of: =, !="),
        ('{"field": "a", "op": "=", "value": ["b"]}', "one text, number or date"),
        ('{"field": "a", "op": "exists", "value": 1}', "where a exists is 1, but must be left out"),
        ('{"not": ' * 200 + "1" + "}" * 200, "nested at most 20 deep"),
    ]:
        with pytest.raises(InvalidInput) as refused:
            parse_filter(text)
        assert says in str(refused.value), text


def test_brackets_nested_as_deep_as_the_text_is_long_are_read() -> None:
    assert matches(parse_filter("(" * 900 + "priority = 2" + ")" * 900), ANN)


SCHEMA = parse_schema(
    {
        "fields": {
            "Kind": {"type": "text", "required": True, "allowed": ["offer", "contract"]},
            "tags": {"type": "list", "allowed": ["signed", "draft"]},
            "date": {"type": "date", "min": "2020-01-01"},
            "author": {"type": ["text", "list"]},
            "priority": {"type": "number", "min": 1, "max": 5},
        },
        "only": True,
    }
)
FITS = {"kind": "offer", "tags": ("draft",), "date": date(2020, 1, 1), "author": ("Ann",), "priority": 5}


def test_what_fits_passes_and_is_read_back_as_it_was_stored():
    SCHEMA.check_whole(FITS)
    NO_SCHEMA.check_whole({"anything": 1})
    stored = SCHEMA.model_dump_json()
    assert MetadataSchema.read_stored(stored) == SCHEMA
    newer = stored.replace('{"fields"', '{"later": 1, "fields"').replace('"type"', '"later": 1, "type"', 1)
    assert MetadataSchema.read_stored(newer) == SCHEMA


def test_what_does_not_fit_is_named_with_what_is_allowed():
    for fields, field, value, allowed in [
        ({"tags": ("signed", "lost")}, "metadata.tags", ["signed", "lost"], "some of: signed, draft"),
        ({"date": date(2019, 12, 31)}, "metadata.date", "2019-12-31", "at least 2020-01-01"),
        ({"priority": 6}, "metadata.priority", 6, "1 to 5"),
        ({"owner": "Bo"}, "metadata.owner", "Bo", "only the fields of the collection's schema: author, date"),
    ]:
        with pytest.raises(InvalidInput) as caught:
            SCHEMA.check(fields)
        assert (caught.value.field, caught.value.value) == (field, value), fields
        assert allowed in caught.value.allowed, fields


def test_a_required_field_is_neither_missing_nor_taken_away():
    with pytest.raises(InvalidInput, match=r"metadata\.kind is missing") as caught:
        SCHEMA.check_whole({name: value for name, value in FITS.items() if name != "kind"})
    assert "requires it" in caught.value.allowed
    with pytest.raises(InvalidInput, match="unset is 'kind'"):
        SCHEMA.check_unset(["author", "kind"])
    SCHEMA.check_unset(["author"])


def test_of_fields_for_other_programs_only_those_that_fit_and_the_required_ones_are_kept():
    expected = {"kind": "bill", "author": "Ann"}
    assert SCHEMA.fitting({"kind": "bill", "owner": "Bo", "priority": 6, "author": "Ann"}) == expected


def test_a_schema_that_is_not_valid_is_refused_with_its_place():
    for schema, field, allowed in [
        ([], "schema", "an object"),
        ({"fields": {"a b": {"type": "text"}}}, "metadata", "a name of letters"),
        ({"fields": {"A": {"type": "text"}, "a": {"type": "text"}}}, "fields.a", "appears twice"),
        ({"only": 0}, "only", "a valid boolean"),
        ({"fields": {"a": {"type": "words"}}}, "fields.a.type.0", "'text', 'number', 'date' or 'list'"),
        ({"fields": {"tags": {"type": "text"}}}, "fields.tags.type", "list"),
        ({"fields": {"a": {"type": "number", "allowed": ["1"]}}}, "fields.a", "text or list"),
        ({"fields": {"a": {"type": "number", "min": 3, "max": 2}}}, "fields.a", "not above the `max`"),
        ({"fields": {"a": {"type": "number", "max": float("nan")}}}, "fields.a.max", "a number from"),
    ]:
        with pytest.raises(InvalidInput) as caught:
            parse_schema(schema)
        assert caught.value.field == field, schema
        assert allowed in caught.value.allowed, schema


def test_what_is_shown_fits_what_is_documented_of_it():
    field = MetadataSchema.model_json_schema(mode="serialization")["$defs"]["FieldRule"]["properties"]["type"]
    assert {part["type"] for part in field["anyOf"]} == {"string", "array"}
