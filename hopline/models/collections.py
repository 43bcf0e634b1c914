"""Collections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, StringConstraints, TypeAdapter, WithJsonSchema

from hopline.allowed_values import InWords
from hopline.errors import InvalidInput
from hopline.models.base import Frozen, Page

MOST_COLLECTIONS = 10  # that one search or question is of
COLLECTION_WORDS = "1 to 100 letters, digits, '-', '_' or '.'"
_COLLECTION = r"^[\p{L}\p{N}_.-]*[\p{L}\p{N}][\p{L}\p{N}_.-]*$"
# For readers of the schema, whose patterns may know no classes of Unicode: beyond ASCII all characters pass.
_ALLOWED, _LETTER = r"[^\x00-,/:-@\[-^`{-\x7f]", r"[^\x00-/:-@\[-`{-\x7f]"
_DESCRIBED = {
    "type": "string",
    "minLength": 1,
    "maxLength": 100,
    "pattern": f"^{_ALLOWED}*{_LETTER}{_ALLOWED}*$",
    "description": "1 to 100 letters and digits of any script, '-', '_' or '.'; not signs alone.",
}
CollectionName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100, pattern=_COLLECTION),
    InWords(COLLECTION_WORDS),
    WithJsonSchema(_DESCRIBED),
    Field(examples=["default"]),
]


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


def _one_or_several(value: Any) -> tuple[str, ...]:
    names = _several(value)
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) for name in names):
        raise InvalidInput("collection", value, f"{COLLECTION_WORDS}, or a list of such names")
    return tuple(names)


_ONE = TypeAdapter(CollectionName).json_schema()
_LIST = {"type": "array", "items": _ONE, "minItems": 1, "maxItems": MOST_COLLECTIONS}
if TYPE_CHECKING:
    CollectionNames = str | Sequence[str]
    SearchedCollections = str | Sequence[str]
else:
    # In a body; which names are valid, and how many, the server says.
    CollectionNames = Annotated[
        tuple[str, ...],
        BeforeValidator(_one_or_several),
        WithJsonSchema({"anyOf": [_ONE, _LIST]}),
        Field(description="The collection to read; several are read as one."),
    ]
    # In an address.
    SearchedCollections = Annotated[
        tuple[CollectionName, ...],
        Field(
            min_length=1,
            max_length=MOST_COLLECTIONS,
            description="The collection to read; may be repeated for several collections.",
        ),
        BeforeValidator(_several),
    ]


Title = Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)]
Description = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2000)]


class CollectionTitle(Frozen):
    """The display name of a collection; its name cannot change, as ids are derived from it."""

    title: Title = ""
    description: Description = ""


class Collection(CollectionTitle):
    """A collection."""

    name: str
    documents: int


class CollectionList(Page):
    """The collections that the caller may see."""

    collections: list[Collection]


class SchemaSet(BaseModel):
    """A metadata schema was set."""

    misfits: int = Field(
        description="Number of documents that do not fit; 0 unless the schema was set anyway."
    )


class ExampleQuestions(BaseModel):
    """Example questions, formed from facts of the collection without a model."""

    collection: str
    questions: list[str]
