"""Tags of jobs: names and values by which submitters find their jobs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from hopline.allowed_values import InWords
from hopline.errors import InvalidInput

MOST_TAGS = 10
TAG_PATTERN = r"^[a-z0-9_.-]{1,40}=[^\x00-\x1f\x7f]{1,100}$"
TAG_WORDS = "NAME=VALUE: of up to 40 small letters, digits, '_', '.' or '-', and up to 100 letters"
_WORDS = (
    "at most 10 names of 1 to 40 small letters, digits, '_', '.' or '-', each with a text of 1 to 100 "
    "letters without control characters"
)
TagName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_.-]{1,40}$")]
TagValue = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]+$")]
Tags = Annotated[dict[TagName, TagValue], Field(max_length=MOST_TAGS), InWords(_WORDS)]

_TAGS: TypeAdapter[dict[str, str]] = TypeAdapter(Tags)


def checked_tags(tags: Mapping[str, str] | None) -> dict[str, str]:
    """Return tags after checking them.

    Raises:
        InvalidInput: there are too many, or a name or a value is not valid.
    """
    try:
        return _TAGS.validate_python(dict(tags or {}))
    except ValidationError as error:
        raise InvalidInput("tags", tags, _WORDS) from error


def parse_tags(pairs: Iterable[str]) -> dict[str, str]:
    """Parse tags from texts of the form NAME=VALUE.

    Raises:
        InvalidInput: a text has another form, or two texts name the same tag.
    """
    tags: dict[str, str] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or tags.get(name, value) != value:
            raise InvalidInput("tag", pair, f"{TAG_WORDS}; each name once")
        tags[name] = value
    return checked_tags(tags)


def has_tags(tags: Mapping[str, str], wanted: Mapping[str, str]) -> bool:
    """Return whether some tags contain every wanted tag with the same value."""
    return wanted.items() <= tags.items()
