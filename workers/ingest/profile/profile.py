"""Reads profiles: files that name the types of entities, relations and events to extract."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, ConfigDict, Field, StringConstraints, ValidationError, model_validator

from hopline.errors import InvalidInput, no_toml, unknown_name, unreadable_file
from hopline.models.base import Frozen
from hopline.models.graph_schema import INTERNAL_LABELS, INTERNAL_RELATIONSHIPS
from hopline.models.jobs import Json
from hopline.trees import expanded
from workers.core.ports import Blobs

_MOST_BYTES = 100_000  # of a file
_SUFFIX = ".toml"
_TAKEN_LABELS = INTERNAL_LABELS | {"MajorEvent"}
_TAKEN_RELATIONS = INTERNAL_RELATIONSHIPS | {"EXPERIENCES", "SHARES_FACT"}


def _free(taken: frozenset[str], name: str) -> str:
    if name.casefold() in map(str.casefold, taken):
        raise ValueError(f"a name that hopline does not use itself, so none of: {', '.join(sorted(taken))}")
    return name


def _free_label(name: str) -> str:
    return _free(_TAKEN_LABELS, name)


def _free_relation(name: str) -> str:
    return _free(_TAKEN_RELATIONS, name)


Description = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
EntityType = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]*$", max_length=40),
    AfterValidator(_free_label),
]
RelationType = Annotated[
    str,
    StringConstraints(pattern=r"^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$", max_length=40),
    AfterValidator(_free_relation),
]
EventType = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$", max_length=40)]

# Explanations of the patterns for authors of profile files.
_SPELLED = {
    "entities": "letters and digits in CamelCase, as in Character or LegalParty, 40 characters at most",
    "relations": "capitals, digits and underscores, as in MEMBER_OF, 40 characters at most",
    "events": "small letters, digits and underscores, as in sacrifice, 40 characters at most",
}
# And what pydantic means by some of its errors.
_PLAIN = {
    "missing": "required",
    "string_type": "a text",
    "string_too_short": "a text that is not empty",
    "string_too_long": "a text of 300 characters at most",
    "tuple_type": "a list of entity types",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "dict_type": "a table",
    "model_type": "a table with a description",
    "too_short": "at least one",
    "too_long": "30 at most, of relations 60",
}


class RelationKind(Frozen):
    """A type of relations between two entities."""

    model_config = ConfigDict(populate_by_name=True)

    description: Description
    source: tuple[EntityType, ...] = Field(default=(), alias="from", max_length=30)  # empty: any type
    target: tuple[EntityType, ...] = Field(default=(), alias="to", max_length=30)
    symmetric: bool = False  # says the same in either direction


class Profile(Frozen):
    """What extraction looks for besides facts; each type with a description that tells a model what it is."""

    description: Description = "What the documents tell."
    entities: dict[EntityType, Description] = Field(min_length=1, max_length=30)
    relations: dict[RelationType, RelationKind] = Field(default={}, max_length=60)
    events: dict[EventType, Description] = Field(default={}, max_length=30)

    @model_validator(mode="after")
    def _ends_exist(self) -> Profile:
        for name, kind in self.relations.items():
            for side, ends in (("from", kind.source), ("to", kind.target)):
                if unknown := [end for end in ends if end not in self.entities]:
                    raise _Misfit(f"relations.{name}.{side}", unknown[0], _one_of(self.entities))
            if kind.symmetric and set(kind.source) != set(kind.target):
                raise _Misfit(
                    f"relations.{name}.symmetric",
                    value=True,
                    allowed="true only where from and to are the same",
                )
        return self

    def for_model(self) -> Json:
        """Return the profile's description for a model."""
        relations = {
            name: {
                "description": kind.description,
                "from": list(kind.source or self.entities),
                "to": list(kind.target or self.entities),
                "symmetric": kind.symmetric,
            }
            for name, kind in self.relations.items()
        }
        return {
            "description": self.description,
            "entities": dict(self.entities),
            "relations": relations,
            "events": dict(self.events),
        }

    def joins(self, relation: str, source: frozenset[str], target: frozenset[str]) -> bool:
        """Return whether a relation may join entities of these types."""
        kind = self.relations[relation]
        known = frozenset(self.entities)
        return bool(source & (frozenset(kind.source) or known)) and bool(
            target & (frozenset(kind.target) or known)
        )


class _Misfit(AssertionError):
    """A field that does not fit the others; pydantic wraps it, `load_profile` takes it out again."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        super().__init__(field)
        self.field, self.value, self.allowed = field, value, allowed


def shipped() -> list[str]:
    """Return the names of the bundled profiles."""
    return sorted(path.stem for path in _folder().glob(f"*{_SUFFIX}"))


def load_profile(profile: str | Path) -> Profile:
    """Return a bundled profile by name, or one from a TOML file.

    Raises:
        InvalidInput: names the file, the field, its value, and what is allowed.
    """
    path = _path(str(profile))
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise InvalidInput(str(path), f"more than {_MOST_BYTES} bytes", f"at most {_MOST_BYTES} bytes")
        return read_profile(data.decode("utf-8-sig"), str(path))
    except UnicodeDecodeError as error:
        raise no_toml(path, error) from error
    except OSError as error:
        raise unreadable_file("profile", profile, error) from error


def named_profile(profile: str) -> Profile:
    """Return a profile by the name of one that is shipped, or from TOML; reads no other file.

    Raises:
        InvalidInput: names the field, its value, and what is allowed.
    """
    if profile in shipped():
        return load_profile(_path(profile))
    if "=" not in profile:
        raise unknown_name("profile", profile, shipped())
    return read_profile(profile, "profile")


def read_profile(text: str, where: str) -> Profile:
    """Return a profile from TOML; where: what errors call its source.

    Raises:
        InvalidInput: names the source, the field, its value, and what is allowed.
    """
    try:
        return Profile.model_validate(tomllib.loads(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise no_toml(where, error) from error
    except ValidationError as error:
        raise _as_invalid_input(error, where) from error


def put_profile(blobs: Blobs, profile: Profile) -> str:
    """Store a profile for workers on other machines; return its reference, which changes with its content."""
    return blobs.put(profile.model_dump_json(by_alias=True).encode(), ".profile.json")


def get_profile(blobs: Blobs, reference: str) -> Profile:
    """Return a stored profile.

    Raises:
        Permanent: it is not there.
        InvalidInput: it is no profile; names the field.
    """
    data = blobs.get(reference)
    try:
        return Profile.read_stored(data)
    except ValidationError as error:
        raise _as_invalid_input(error, f"stored profile {reference}") from error


def _folder() -> Path:
    return Path(str(files("workers.ingest.profile"))) / "profiles"


def _path(profile: str) -> Path:
    if profile in shipped():
        return _folder() / f"{profile}{_SUFFIX}"
    path = expanded(profile, "profile")
    if not path.is_file():
        if path.suffix == _SUFFIX:
            raise unreadable_file("profile", path)
        raise unknown_name("profile", profile, shipped())
    return path


def _one_of(known: Any) -> str:
    return "one of: " + ", ".join(known)


def _as_invalid_input(error: ValidationError, where: str) -> InvalidInput:
    first = error.errors(include_url=False)[0]
    misfit = first.get("ctx", {}).get("error")
    if isinstance(misfit, _Misfit):
        return InvalidInput(f"{where}: {misfit.field}", misfit.value, misfit.allowed)
    place = [str(part) for part in first["loc"] if part != "[key]"]
    value = None if first["type"] == "missing" else first["input"]
    return InvalidInput(f"{where}: {'.'.join(place) or 'profile'}", value, _allowed(first, place))


def _allowed(first: Any, place: list[str]) -> str:
    if first["type"] == "extra_forbidden":
        fields = (
            Profile.model_fields
            if len(place) == 1
            else {"description": 0, "from": 0, "to": 0, "symmetric": 0}
        )
        return _one_of(fields)
    if "[key]" in first["loc"] and first["type"].startswith("string"):
        return _SPELLED[place[0]]
    if first["type"] == "string_pattern_mismatch":
        return _SPELLED["entities"]
    message: str = first["msg"]
    return _PLAIN.get(first["type"], message.removeprefix("Value error, "))
