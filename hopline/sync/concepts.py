# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""Concept maps: a concept, its relations to other disciplines, and manual edits of these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, TypedDict, Unpack

from pydantic import Field

from hopline.allowed_values import InWords
from hopline.models.collections import CollectionName
from hopline.models.concepts import (
    MOST_REASON,
    MOST_VERSIONS,
    ConceptGraph,
    ConceptOutcome,
    ConceptVersion,
    ConceptVersions,
    RelationEdited,
    RelationFound,
)
from hopline.models.jobs import JobTags, Priority
from hopline.models.params import ConceptBounds
from hopline.models.results import Job
from hopline.models.webhooks import WebhookUrl
from hopline.operation import Cursor, IdempotencyKey, Query, operation
from hopline.sync.noun import Noun
from hopline.sync.paging import each

_Concept = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="One line with a letter or digit in it, in English or Chinese.",
        examples=["entropy", "熵"],
    ),
]
_RelationId = Annotated[str, Field(description="The relation's id, as in links and changes.", max_length=200)]
_Reason = Annotated[
    str,
    Field(
        max_length=MOST_REASON,
        description="The reason, which is stored with the version.",
        examples=["too vague"],
    ),
]
_Version = Annotated[
    int | None,
    Field(ge=1, description="The relation's version that you saw; a newer one is not overwritten (409)."),
]


class CorrectedFields(TypedDict, total=False):
    """Corrected fields of a relation; others do not change."""

    domain: Annotated[
        Annotated[str, Field(min_length=1, max_length=60)] | None,
        Field(description="The other concept's discipline, in one line."),
    ]
    definition: Annotated[
        Annotated[str, Field(min_length=1, max_length=400)] | None,
        Field(description="A definition of the other concept, in one sentence."),
    ]
    relation: Annotated[
        Annotated[str, Field(min_length=1, max_length=800)] | None,
        Field(description="How the two concepts are related, in two sentences."),
    ]
    strength: Annotated[int, Field(ge=1, le=5)] | None


class Concepts(Noun):
    """Concept maps of collections."""

    @operation("GET", "/v1/concepts", right="read")
    def read(self, concept: _Concept, *, collection: CollectionName = "default") -> ConceptGraph:
        """Return a concept's stored map, strongest relations first, without a model.

        Version 0 and no nodes mean that there is none.

        Raises:
            InvalidInput: the text is not a concept's name.
        """
        raise NotImplementedError

    @operation("POST", "/v1/concepts", right="submit")
    def generate(
        self,
        concept: _Concept,
        *,
        collection: CollectionName = "default",
        refresh: Annotated[
            bool, Field(description="Look for new relations even if there are enough.")
        ] = False,
        parameters: ConceptBounds = ConceptBounds(),  # noqa: B008 - it is immutable
        priority: Priority = "normal",
        webhook: WebhookUrl | None = None,
        tags: JobTags = {},  # noqa: B006 - nobody changes it
        key: IdempotencyKey = None,
        wait: Annotated[
            float,
            Query(),
            Field(ge=0, description="Seconds to wait for the map; 0 returns the job at once."),
        ] = 30.0,
    ) -> ConceptOutcome | Job:
        """Make a concept's map: check stored relations, add new ones to other disciplines, save it.

        An invalid concept is a problem (422) whose detail is the reason.

        Returns:
            The map, or the job that makes it if that has not ended within the wait.

        Raises:
            InvalidInput: the concept or another value is not valid.
            KeyReused: the key was used for another request.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError

    @operation("GET", "/v1/concepts/versions", right="read")
    def versions(
        self,
        concept: _Concept,
        *,
        collection: CollectionName = "default",
        cursor: Cursor = "",
        limit: Annotated[int, Field(ge=1, le=MOST_VERSIONS)] = 50,
    ) -> ConceptVersions:
        """Return the versions of a concept's map with everything that changed in each, newest first."""
        raise NotImplementedError

    def iterate_versions(
        self, concept: _Concept, *, collection: CollectionName = "default"
    ) -> Iterator[ConceptVersion]:
        """Yield all versions of a concept's map, newest first."""
        return each(
            lambda cursor: self.versions(concept, collection=collection, cursor=cursor),
            lambda page: page.versions,
        )

    @operation("GET", "/v1/concepts/relations", right="read")
    def find_relation(
        self, concept: _Concept, other: _Concept, *, collection: CollectionName = "default"
    ) -> RelationFound:
        """Find the relation that leads from a concept's map to another concept.

        A removed relation is found, too: it can be corrected, or its removal undone.

        Raises:
            InvalidInput: the map has no such relation; the error lists the existing ones.
            NotFound: there is no map.
        """
        raise NotImplementedError

    @operation("DELETE", "/v1/concepts/relations/{relation_id}", right="submit")
    def delete_relation(
        self,
        relation_id: _RelationId,
        reason: Annotated[_Reason, Field(min_length=1), InWords("a reason: it is stored with the version")],
        *,
        collection: CollectionName = "default",
        version: _Version = None,
        key: IdempotencyKey = None,
    ) -> RelationEdited:
        """Remove a relation from its map. It stays stored: undo restores it.

        Raises:
            NotFound: there is no such relation.
            StateConflict: it has a newer version than the one that was seen.
        """
        raise NotImplementedError

    @operation("PATCH", "/v1/concepts/relations/{relation_id}", right="submit")
    def change_relation(
        self,
        relation_id: _RelationId,
        *,
        reason: _Reason = "",
        state: Annotated[Literal["abnormal"] | None, Field(description="Mark the relation as wrong.")] = None,
        collection: CollectionName = "default",
        version: _Version = None,
        key: IdempotencyKey = None,
        **correction: Unpack[CorrectedFields],
    ) -> RelationEdited:
        """Correct fields of a relation, or mark it as abnormal.

        A correction restores a removed relation.

        Raises:
            InvalidInput: there is no reason, nothing to correct, or both a mark and a correction.
            NotFound: there is no such relation.
            StateConflict: it has a newer version than the one that was seen.
        """
        raise NotImplementedError

    @operation("POST", "/v1/concepts/relations/{relation_id}/undo", right="submit")
    def undo_relation(
        self,
        relation_id: _RelationId,
        *,
        reason: _Reason = "",
        collection: CollectionName = "default",
        version: _Version = None,
        key: IdempotencyKey = None,
    ) -> RelationEdited:
        """Undo a relation's newest change, a job's or a person's; doing so twice restores it.

        Raises:
            NotFound: there is no such relation.
            StateConflict: it has a newer version than the one that was seen.
        """
        raise NotImplementedError
