"""Metadata schemas of collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, PlainSerializer

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.metadata import (
    KIND_WORDS,
    LONGEST_OF_LIST,
    LONGEST_TEXT,
    MOST_FIELDS,
    WELL_KNOWN,
    Kind,
    Value,
    checked_name,
    kind_of,
    plain_text,
    shaped_value,
)
from hopline.principals import ALLOW

MOST_ALLOWED = 200  # values of a field

_LISTED = 20  # of these in an error

_ORDERED = frozenset({"number", "date"})

_OF_TEXTS = frozenset({"text", "list"})


def _kinds(raw: Any) -> Any:
    return (raw,) if isinstance(raw, str) else raw


def _texts(raw: Any) -> Any:
    if not isinstance(raw, list | tuple) or len(raw) > MOST_ALLOWED:
        raise ValueError(f"a list of at most {MOST_ALLOWED} texts")
    texts = tuple(plain_text(text) if isinstance(text, str) else "" for text in raw)
    if not all(1 <= len(text) <= LONGEST_TEXT for text in texts):
        raise ValueError(f"texts of 1 to {LONGEST_TEXT} characters")
    return tuple(dict.fromkeys(texts))


def _bound(raw: Any) -> Any:
    try:
        value = None if raw is None else shaped_value("", raw)
    except InvalidInput as error:
        raise ValueError(error.allowed) from error
    if value is not None and kind_of(value) not in _ORDERED:
        raise ValueError("a number, or a date such as 2024-05-01")
    return value


Kinds = Annotated[
    tuple[Kind, ...],
    BeforeValidator(_kinds, json_schema_input_type=Kind | list[Kind]),
    PlainSerializer(
        lambda kinds: kinds[0] if len(kinds) == 1 else list(kinds), return_type=Kind | list[Kind]
    ),
]

Bound = Annotated[int | float | date | None, BeforeValidator(_bound)]


class FieldRule(Frozen):
    """The rule for one field of a collection's documents."""

    type: Kinds = Field(min_length=1, description="Allowed type or types: text, number, date, list.")
    required: bool = Field(
        default=False, strict=True, description="Whether every document must have the field."
    )
    allowed: Annotated[tuple[str, ...], BeforeValidator(_texts, json_schema_input_type=list[str])] = Field(
        default=(), description="Allowed texts, also for the texts of a list; empty allows any."
    )
    min: Bound = Field(default=None, description="Smallest allowed number or date.")
    max: Bound = Field(default=None, description="Largest allowed number or date.")

    def misfit(self) -> str | None:
        """Return what would be allowed if the parts of the rule contradict one another; else None."""
        if self.allowed and not _OF_TEXTS.issuperset(self.type):
            return "`allowed` only where every type is text or list"
        for bound in (self.min, self.max):
            if bound is not None and self.type != (kind_of(bound),):
                return "`min` and `max` that are numbers where the type is number, dates for a date"
        if self.min is not None and self.max is not None and self.min > self.max:  # type: ignore[operator]
            return "a `min` that is not above the `max`"
        return None

    def fault(self, value: Value) -> str | None:
        """Return what would be allowed instead of a value; None if it fits."""
        if kind_of(value) not in self.type:
            return " or ".join(KIND_WORDS[kind] for kind in self.type)
        texts = value if isinstance(value, tuple) else (value,)
        if self.allowed and not set(texts) <= set(self.allowed):
            listed = ", ".join(self.allowed[:_LISTED]) + (", …" if len(self.allowed) > _LISTED else "")
            return f"{'some' if isinstance(value, tuple) else 'one'} of: {listed}"
        too_small = self.min is not None and value < self.min  # type: ignore[operator]
        too_large = self.max is not None and value > self.max  # type: ignore[operator]
        return self._range() if too_small or too_large else None

    def _range(self) -> str:
        if self.max is None:
            return f"at least {self.min}"
        return f"at most {self.max}" if self.min is None else f"{self.min} to {self.max}"


def _rules(raw: Any) -> Any:
    if not isinstance(raw, Mapping) or len(raw) > MOST_FIELDS:
        raise InvalidInput("fields", raw, f"an object of at most {MOST_FIELDS} fields and their rules")
    rules: dict[str, Any] = {}
    for name, rule in raw.items():
        field = checked_name(name)
        if field in rules:
            raise InvalidInput(f"fields.{field}", rule, "one rule: the field appears twice")
        rules[field] = rule
    return dict(sorted(rules.items()))


class MetadataSchema(Frozen):
    """The schema for the metadata of a collection's documents."""

    fields: Annotated[dict[str, FieldRule], BeforeValidator(_rules)] = Field(
        default={}, description="Rules, by field name."
    )
    only: bool = Field(default=False, strict=True, description="Whether other fields are refused.")

    def __bool__(self) -> bool:
        """Return whether the schema has any rule."""
        return bool(self.fields) or self.only

    @property
    def required(self) -> frozenset[str]:
        """The names of the required fields."""
        return frozenset(field for field, rule in self.fields.items() if rule.required)

    def check_rules(self) -> Self:
        """Check that the parts of each rule fit together; stored schemas are read without this check.

        Raises:
            InvalidInput: names the field, its rule and what is allowed.
        """
        for field, rule in self.fields.items():
            if fault := rule.misfit():
                raise InvalidInput(f"fields.{field}", rule.model_dump(exclude_defaults=True), fault)
            kinds = WELL_KNOWN.get(field)
            if kinds and not set(kinds).issuperset(rule.type):
                raise InvalidInput(f"fields.{field}.type", ", ".join(rule.type), " or ".join(kinds))
            if "list" in rule.type and any(len(text) > LONGEST_OF_LIST for text in rule.allowed):
                allowed = f"texts of 1 to {LONGEST_OF_LIST} characters in a list"
                raise InvalidInput(f"fields.{field}.allowed", list(rule.allowed), allowed)
        return self

    def check(self, fields: Mapping[str, Value]) -> None:
        """Check the fields of a change; others may be missing.

        Raises:
            InvalidInput: names the first field that does not fit, its value, and what is allowed.
        """
        for field, value in fields.items():
            if fault := self._fault(field, value):
                raise InvalidInput(f"metadata.{field}", _shown(value), fault)

    def check_whole(self, fields: Mapping[str, Value]) -> None:
        """Check all fields of a document.

        Raises:
            InvalidInput: as `check`, or a required field is missing.
        """
        self.check(fields)
        self.check_there(fields)

    def check_there(self, fields: Iterable[str]) -> None:
        """Check that no required field is missing among the names of a document's fields.

        Raises:
            InvalidInput: names the first missing field, and what is allowed.
        """
        if missing := sorted(self.required - set(fields)):
            rule = self.fields[missing[0]]
            allowed = " or ".join(KIND_WORDS[kind] for kind in rule.type)
            raise InvalidInput(f"metadata.{missing[0]}", None, f"{allowed}: the collection requires it")

    def check_unset(self, fields: Iterable[str]) -> None:
        """Check that no removed field is required.

        Raises:
            InvalidInput: a required field would be removed.
        """
        if held := sorted(self.required.intersection(fields)):
            raise InvalidInput("unset", held[0], "a field that the collection does not require")

    def fitting(self, fields: Mapping[str, Value]) -> dict[str, Value]:
        """Return the fields that fit, for a source written for other programs.

        Required fields and `allow` are kept unchanged, so that the later check names their errors.
        """
        required = self.required | {ALLOW}
        return {
            field: value
            for field, value in fields.items()
            if field in required or self._fault(field, value) is None
        }

    def _fault(self, field: str, value: Value) -> str | None:
        rule = self.fields.get(field)
        if rule is not None:
            return rule.fault(value)
        if not self.only or field == ALLOW:
            return None
        return "only the fields of the collection's schema: " + (", ".join(self.fields) or "there are none")


def _shown(value: Value) -> Any:
    if isinstance(value, tuple):
        return list(value)
    return value.isoformat() if isinstance(value, date) else value
