"""Metadata schemas of collections: how they are read, and what fits them."""

from __future__ import annotations

from datetime import date

import pytest

from workers.core.errors import InvalidInput
from workers.core.metadata.schema import NO_SCHEMA, MetadataSchema, parse_schema

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


@pytest.mark.parametrize(
    ("fields", "field", "value", "allowed"),
    [
        ({"kind": "bill"}, "metadata.kind", "bill", "one of: offer, contract"),
        ({"tags": ("signed", "lost")}, "metadata.tags", ["signed", "lost"], "some of: signed, draft"),
        ({"date": date(2019, 12, 31)}, "metadata.date", "2019-12-31", "at least 2020-01-01"),
        ({"priority": 6}, "metadata.priority", 6, "1 to 5"),
        ({"owner": "Bo"}, "metadata.owner", "Bo", "only the fields of the collection's schema: author, date"),
    ],
)
def test_what_does_not_fit_is_named_with_what_is_allowed(fields, field, value, allowed):
    with pytest.raises(InvalidInput) as caught:
        SCHEMA.check(fields)
    assert (caught.value.field, caught.value.value) == (field, value)
    assert allowed in caught.value.allowed


def test_a_required_field_is_neither_missing_nor_taken_away():
    with pytest.raises(InvalidInput, match=r"metadata\.kind: got None") as caught:
        SCHEMA.check_whole({name: value for name, value in FITS.items() if name != "kind"})
    assert "requires it" in caught.value.allowed
    with pytest.raises(InvalidInput, match="unset: got 'kind'"):
        SCHEMA.check_unset(["author", "kind"])
    SCHEMA.check_unset(["author"])


def test_of_fields_for_other_programs_only_those_that_fit_and_the_required_ones_are_kept():
    assert SCHEMA.fitting({"kind": "bill", "owner": "Bo", "priority": 6, "author": "Ann"}) == {
        "kind": "bill",
        "author": "Ann",
    }


@pytest.mark.parametrize(
    ("schema", "field", "allowed"),
    [
        ([], "schema", "an object"),
        ({"fields": {"a b": {"type": "text"}}}, "metadata", "a name of letters"),
        ({"fields": {"A": {"type": "text"}, "a": {"type": "text"}}}, "fields.a", "there twice"),
        ({"only": 0}, "only", "a valid boolean"),
        ({"fields": {"a": {"type": "words"}}}, "fields.a.type.0", "'text', 'number', 'date' or 'list'"),
        ({"fields": {"tags": {"type": "text"}}}, "fields.tags.type", "list"),
        ({"fields": {"a": {"type": "number", "allowed": ["1"]}}}, "fields.a", "text or list"),
        ({"fields": {"a": {"type": "number", "min": 3, "max": 2}}}, "fields.a", "not above the `max`"),
        ({"fields": {"a": {"type": "number", "max": float("nan")}}}, "fields.a.max", "a number from"),
    ],
)
def test_a_schema_that_is_not_valid_is_refused_with_its_place(schema, field, allowed):
    with pytest.raises(InvalidInput) as caught:
        parse_schema(schema)
    assert caught.value.field == field
    assert allowed in caught.value.allowed


def test_what_is_shown_fits_what_is_documented_of_it():
    field = MetadataSchema.model_json_schema(mode="serialization")["$defs"]["FieldRule"]["properties"]["type"]
    assert {part["type"] for part in field["anyOf"]} == {"string", "array"}
