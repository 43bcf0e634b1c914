"""Collections."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from hopline.allowed_values import InWords

COLLECTION_WORDS = "1 to 100 letters, digits, '-', '_' or '.'"
# Of any script, with a letter or digit in it; the server has the last word.
_COLLECTION = r"^[\p{L}\p{N}_.-]*[\p{L}\p{N}][\p{L}\p{N}_.-]*$"
CollectionName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100, pattern=_COLLECTION),
    InWords(COLLECTION_WORDS),
    Field(examples=["default"]),
]


class CollectionSize(BaseModel):
    """A collection."""

    name: str
    documents: int


class CollectionList(BaseModel):
    """The collections that the caller may see."""

    collections: list[CollectionSize]


class SchemaSet(BaseModel):
    """A metadata schema was set."""

    misfits: int = Field(description="Documents of the collection that do not fit; 0 unless set anyway.")


class ExampleQuestions(BaseModel):
    """Questions to begin with, formed from facts of the collection without a model."""

    collection: str
    questions: list[str]
