"""The metadata of a document: named fields with texts, numbers, dates and lists of texts.

Types follow from the form of a value, so that JSON, front matter and command lines mean the same: a text such
as 2024-05-01 is a date. The well-known fields have fixed types, and others are refused.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from hopline.errors import InvalidInput
from hopline.principals import ALLOW, checked_principals
from hopline.visible import shown_letters, visible

Value = str | int | float | date | tuple[str, ...]
Kind = Literal["text", "number", "date", "list"]

TAGS = "tags"
LANGUAGES = "languages"  # what a filter calls those of a document's text
READ_BY = "read_by"  # the reader of its file, with its version
DOUBTS = "doubts"  # why it may have been read badly
# Fields that everything knows, with the types that they may have.
WELL_KNOWN: Mapping[str, tuple[Kind, ...]] = {
    TAGS: ("list",),
    ALLOW: ("list",),
    "date": ("date",),
    "author": ("text", "list"),
    "priority": ("number",),
}
MOST_FIELDS, LONGEST_NAME = 50, 64
LONGEST_TEXT = 500  # characters of a text
MOST_TEXTS, LONGEST_OF_LIST = 100, 200  # texts of a list, characters of each
MOST_CHARACTERS = 4_000  # of all fields of a document, as JSON
_MOST_NUMBER = 2**53 - 1  # as far as readers of JSON count
NAME_FORM = r"[^\W\d_][\w-]*"
_NAME = re.compile(NAME_FORM)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIMED = re.compile(
    r"(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}[\d:.,Z+-]{0,25}", re.ASCII
)  # a day with a time behind it
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)

NO_METADATA: Mapping[str, Value] = {}
NAMES = f"a name of letters, digits, '_' and '-' that begins with a letter, {LONGEST_NAME} characters at most"
_ANY = "a text, a number, a date such as 2024-05-01, or a list of texts"
_TEXT = f"a text of 1 to {LONGEST_TEXT} characters"
_LIST = f"a list of 1 to {MOST_TEXTS} texts of 1 to {LONGEST_OF_LIST} characters"
_NUMBERS = f"a number from -{_MOST_NUMBER} to {_MOST_NUMBER}"
_DAY = "a date that there is, such as 2024-05-01"
KIND_WORDS: Mapping[Kind, str] = {"text": _TEXT, "number": _NUMBERS, "date": _DAY, "list": _LIST}


def kind_of(value: Value) -> Kind:
    """Return the type of a value."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, date):
        return "date"
    return "list" if isinstance(value, tuple) else "number"


def checked_metadata(raw: Any) -> dict[str, Value]:
    """Return metadata by lower-case name; fields without a value (null) are left out.

    Raises:
        InvalidInput: names the field, its value and what is allowed.
    """
    if not isinstance(raw, Mapping):
        raise InvalidInput("metadata", raw, "an object of fields and their values")
    fields: dict[str, Value] = {}
    for name, value in raw.items():
        field = checked_name(name)
        if value is None and field != ALLOW:  # who may see a document is said plainly, or not at all
            continue
        if field in fields:
            raise InvalidInput(f"metadata.{field}", value, "one value: the field appears twice")
        fields[field] = checked_value(field, value)
    return bounded(fields)


def bounded(fields: Mapping[str, Value]) -> dict[str, Value]:
    """Return fields in the order of their names.

    Raises:
        InvalidInput: there are too many fields, or they are too long together.
    """
    if len(fields) > MOST_FIELDS:
        raise InvalidInput("metadata", f"{len(fields)} fields", f"at most {MOST_FIELDS}")
    if (length := len(metadata_json(fields))) > MOST_CHARACTERS:
        raise InvalidInput("metadata", f"{length} characters", f"at most {MOST_CHARACTERS} as JSON")
    return dict(sorted(fields.items()))


def merged(*sources: Mapping[str, Value]) -> dict[str, Value]:
    """Return the fields of several sources; later sources override earlier ones.

    Raises:
        InvalidInput: together there are too many fields, or they are too long.
    """
    return bounded({name: value for source in sources for name, value in source.items()})


def checked_name(name: Any) -> str:
    """Return the lower-case name of a field.

    Raises:
        InvalidInput: it is not valid.
    """
    field = unicodedata.normalize("NFC", name.strip().lower()) if isinstance(name, str) else ""
    if len(field) > LONGEST_NAME or not _NAME.fullmatch(field):
        raise InvalidInput("metadata", name, NAMES)
    if is_allow(field) and field != ALLOW:
        raise InvalidInput("metadata", name, f"{ALLOW}, in ASCII letters: this name only looks like it")
    return field


def checked_value(field: str, raw: Any) -> Value:
    """Return the value of a field, with the type that follows from its form.

    Raises:
        InvalidInput: it has none of the types, or one that this field may not have.
    """
    if field == ALLOW:
        return checked_principals(f"metadata.{field}", _plain_texts(raw))
    if field == TAGS and isinstance(raw, str):
        raw = _parts(raw)
    if field == "date" and isinstance(raw, str) and (timed := _TIMED.fullmatch(raw.strip())):
        raw = timed[1]
    kinds = WELL_KNOWN.get(field)
    if not kinds:
        return shaped_value(f"metadata.{field}", raw)
    with suppress(InvalidInput):
        value = shaped_value(f"metadata.{field}", raw)
        if kind_of(value) in kinds:
            return value
    raise InvalidInput(f"metadata.{field}", raw, " or ".join(KIND_WORDS[kind] for kind in kinds))


def value_of_text(field: str, text: str) -> Value:
    """Return the value that a plain text means: a number, a JSON text or list, a date, else the text itself.

    Raises:
        InvalidInput: as `checked_value`.
    """
    raw: Any = text.strip()
    if field in (ALLOW, TAGS) and not raw.startswith("["):
        return checked_value(field, _parts(raw))
    if raw[:1] in ('"', "[") or _NUMBER.fullmatch(raw):
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise InvalidInput(f"metadata.{field}", text, f"{_ANY}; quotes and lists as JSON") from error
    return checked_value(field, raw)


def metadata_of_command(
    assignments: Sequence[str], tags: str = "", allow: str | None = None, option: str = "--meta"
) -> dict[str, Value]:
    """Return the metadata of a command's options.

    Args:
        assignments: FIELD=VALUE pairs.
        tags: separated by commas.
        allow: principals, separated by commas.
        option: the option that gave the assignments.

    Raises:
        InvalidInput: names the field, its value and what is allowed.
    """
    raw: dict[str, Any] = {}
    for assignment in assignments:
        name, sign, text = assignment.partition("=")
        if not sign:
            raise InvalidInput(option, assignment, "FIELD=VALUE, such as author=Ann")
        field = checked_name(name)
        if field in raw:
            raise InvalidInput(f"metadata.{field}", text, "one value: the field appears twice")
        raw[field] = value_of_text(field, text)
    if tags:
        if TAGS in raw:
            raise InvalidInput("--tags", tags, f"left out, because {option} also gives tags")
        raw[TAGS] = checked_value(TAGS, _parts(tags))
    if allow is not None:
        if ALLOW in raw:
            raise InvalidInput("--allow", allow, f"left out, because {option} also gives principals")
        raw[ALLOW] = checked_value(ALLOW, _parts(allow))
    return bounded(raw)


def fitting(raw: Iterable[tuple[Any, Any]]) -> dict[str, Value]:
    """Return the fields that are valid metadata, leaving out those written for other programs.

    Raises:
        InvalidInput: `allow` is given twice, or in a form that cannot be understood.
    """
    fields: dict[str, Value] = {}
    for name, value in _allow_first(raw):
        if is_allow(name) and ALLOW in fields:
            raise InvalidInput(f"metadata.{ALLOW}", value, "one value: the field appears twice")
        try:
            added = {checked_name(name): checked_value(checked_name(name), value)}
            fields = bounded(fields | added)
        except InvalidInput:
            if is_allow(name):
                raise
    return fields


def filled_up(fields: Mapping[str, Value], others: Mapping[str, Value]) -> dict[str, Value]:
    """Return fields, and as many of the others as there is room for.

    Raises:
        InvalidInput: the fields alone are too many or too long, or there is no room for `allow`.
    """
    filled = bounded(fields)
    for name, value in _allow_first(others.items()):
        try:
            filled = bounded({name: value} | filled)
        except InvalidInput:
            if is_allow(name):
                raise
    return filled


def _allow_first(fields: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    return sorted(fields, key=lambda field: not is_allow(field[0]))


def is_allow(name: Any) -> bool:
    """Return whether a field's name looks like `allow`, in any letters."""
    return isinstance(name, str) and shown_letters(name).strip().lower() == ALLOW


def metadata_json(fields: Mapping[str, Value]) -> str:
    """Return metadata as JSON, fields by name; `checked_metadata` reads it back."""
    return json.dumps(dict(sorted(fields.items())), default=str, ensure_ascii=False)


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def shaped_value(field: str, raw: Any) -> Value:
    """Return a value with the type that follows from its form.

    Raises:
        InvalidInput: it has none of the types.
    """
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, int | float):
        return _number(field, raw)
    if isinstance(raw, datetime):
        return raw.date()
    if isinstance(raw, date):
        return raw
    if isinstance(raw, str):
        return _text_or_date(field, raw)
    if isinstance(raw, list | tuple):
        return _texts(field, raw)
    raise InvalidInput(field, raw, _ANY)


def _number(field: str, raw: float) -> int | float:
    if not -_MOST_NUMBER <= raw <= _MOST_NUMBER:  # of NaN neither holds
        raise InvalidInput(field, raw, _NUMBERS)
    return int(raw) if isinstance(raw, float) and raw.is_integer() else raw


def _text_or_date(field: str, raw: str) -> str | date:
    text = plain_text(raw)
    if not 1 <= len(text) <= LONGEST_TEXT:
        raise InvalidInput(field, raw, _TEXT)
    if not _DATE.fullmatch(text):
        return text
    day = date_of(text)
    if day is None:
        raise InvalidInput(field, raw, _DAY)
    return day


def date_of(text: str) -> date | None:
    """Return the date that a text such as 2024-05-01 means; None if there is no such date."""
    try:
        return date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        return None


def _texts(field: str, raw: Sequence[Any]) -> tuple[str, ...]:
    texts = [plain_text(text) if isinstance(text, str) else "" for text in raw]
    if not 1 <= len(texts) <= MOST_TEXTS or any(not 1 <= len(text) <= LONGEST_OF_LIST for text in texts):
        raise InvalidInput(field, raw, _LIST)
    return tuple(dict.fromkeys(texts))


def _plain_texts(raw: Any) -> Any:
    """Return a text, or the texts of a list, in the form used for comparison; other values are unchanged."""
    if isinstance(raw, str):
        return plain_text(raw)
    return [_plain_texts(part) for part in raw] if isinstance(raw, list | tuple) else raw


def plain_text(text: str) -> str:
    """Return a text on one line as a reader sees it, composed (NFC); "" if it cannot be encoded in UTF-8."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return ""
    return " ".join(unicodedata.normalize("NFC", visible(text)).split())


def _checked(raw: Any) -> dict[str, Value]:
    return checked_metadata(raw)


Metadata = Annotated[dict[str, Value], BeforeValidator(_checked)]


def checked_values(raw: Any) -> dict[str, Value]:
    """Return the checked fields that a change sets, by name.

    Raises:
        InvalidInput: names the field, its value and what is allowed; a field without a value (null) too.
    """
    for name, value in raw.items() if isinstance(raw, Mapping) else ():
        if value is None:
            raise InvalidInput(f"set.{name}", None, "a value; to remove the field, name it in `unset`")
    return checked_metadata(raw)


ChangedMetadata = Annotated[Metadata, BeforeValidator(checked_values)]


def stored_metadata(raw: Mapping[str, Any]) -> dict[str, Value]:
    """Return stored fields with the types that follow from their forms; invalid values are left out."""
    return {name: value for name, held in sorted(raw.items()) if (value := _value(held)) is not None}


def _of_record(raw: Any) -> Any:
    return stored_metadata(raw) if isinstance(raw, Mapping) else raw


def _value(held: Any) -> Value | None:
    if isinstance(held, list | tuple):
        return tuple(text for text in held if isinstance(text, str))
    if isinstance(held, str):
        return date_of(held) or held
    return held if isinstance(held, int | float | date) and not isinstance(held, bool) else None


StoredMetadata = Annotated[dict[str, Value], BeforeValidator(_of_record)]
