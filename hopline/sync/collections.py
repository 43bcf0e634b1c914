# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""Collections: list, describe and delete them, and set schemas for their metadata."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from hopline.models.census import GraphCensus
from hopline.models.collections import (
    Collection,
    CollectionList,
    CollectionName,
    Description,
    ExampleQuestions,
    SchemaSet,
    Title,
)
from hopline.models.results import Job
from hopline.models.schemas import MetadataSchema
from hopline.operation import Body, Cursor, IdempotencyKey, IfMatch, Query, Wait, operation
from hopline.sync.noun import Noun


class Collections(Noun):
    """Collections of documents."""

    @operation("GET", "/v1/collections", right="read")
    def list(
        self, *, cursor: Cursor = "", limit: Annotated[int, Field(ge=1, le=1000)] = 1000
    ) -> CollectionList:
        """List the collections by name, each with its number of documents."""
        raise NotImplementedError

    @operation("GET", "/v1/collections/{name}", right="read")
    def census(
        self,
        name: CollectionName,
        *,
        lengths: Annotated[
            bool, Field(description="Also return the lengths of facts, which means reading every text.")
        ] = False,
    ) -> GraphCensus:
        """Return a collection's graph in numbers; takes some seconds if it is large.

        Raises:
            NotFound: the collection has no documents.
        """
        raise NotImplementedError

    @operation("PATCH", "/v1/collections/{name}", right="submit", safe=True)
    def update(
        self,
        name: CollectionName,
        *,
        title: Annotated[Title | None, Field(description='"" removes it.')] = None,
        description: Annotated[Description | None, Field(description='"" removes it.')] = None,
    ) -> Collection:
        """Set a collection's title and description; its name cannot change.

        Fields that are null or not given do not change.

        Raises:
            NotFound: there is no such collection.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/collections/{name}", right="submit")
    def delete(self, name: CollectionName, *, key: IdempotencyKey = None, wait: Wait = 0) -> Job:
        """Delete a collection: its documents with their kept versions, and everything else it holds.

        That means its graph, vectors, topics, merges, concept maps, metadata schema, title and description.
        If documents arrive meanwhile, they stay, as does everything else that the collection holds, and the
        job ends partial.

        Returns:
            The job that does it.

        Raises:
            NotFound: there is no such collection.
            StateConflict: a schedule syncs into it.
            KeyReused: the key was used for another request.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError

    @operation("GET", "/v1/collections/{name}/questions", right="read")
    def questions(
        self, name: CollectionName, *, limit: Annotated[int, Field(ge=1, le=20)] = 3
    ) -> ExampleQuestions:
        """Return example questions, formed from the collection's facts without a model.

        There may be none, because facts without names lead to no question.

        Raises:
            NotFound: the collection has no documents.
        """
        raise NotImplementedError

    @operation("GET", "/v1/collections/{name}/schema", right="read")
    def get_schema(self, name: CollectionName) -> MetadataSchema:
        """Return the metadata schema of a collection; one without fields has no rules."""
        raise NotImplementedError

    @operation("PUT", "/v1/collections/{name}/schema", right="submit")
    def set_schema(
        self,
        name: CollectionName,
        schema: Annotated[MetadataSchema, Body()],
        *,
        anyway: Annotated[
            bool, Query(), Field(description="Set the schema even if some documents do not fit.")
        ] = False,
        if_match: IfMatch = None,
    ) -> SchemaSet:
        """Set the metadata schema of a collection; it is refused if documents do not fit.

        Raises:
            InvalidInput: a rule is not valid, or documents do not fit.
            EditConflict: somebody changed it since it was read.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/collections/{name}/schema", right="submit")
    def clear_schema(self, name: CollectionName, *, if_match: IfMatch = None) -> MetadataSchema:
        """Remove the metadata schema of a collection; return the empty schema.

        Raises:
            EditConflict: somebody changed it since it was read.
        """
        raise NotImplementedError

    @operation("POST", "/v1/collections/{name}/reindex", right="submit")
    def reindex(self, name: CollectionName, *, key: IdempotencyKey = None, wait: Wait = 0) -> Job:
        """Rebuild a collection's vectors and stated names from the graph.

        Returns:
            The job that does it.

        Raises:
            KeyReused: the key was used for another request.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError
