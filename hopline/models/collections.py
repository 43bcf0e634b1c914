"""Collections."""

from __future__ import annotations

from pydantic import BaseModel, Field


class CollectionSize(BaseModel):
    """A collection."""

    name: str
    documents: int


class Collections(BaseModel):
    """The collections that the caller may see."""

    collections: list[CollectionSize]


class SchemaSet(BaseModel):
    """A metadata schema was set."""

    misfits: int = Field(description="Documents of the collection that do not fit; 0 unless set anyway.")


class ExampleQuestions(BaseModel):
    """Questions to begin with, formed from facts of the collection without a model."""

    collection: str
    questions: list[str]
