# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""Merges of key elements that name the same thing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from hopline.models.collections import CollectionName
from hopline.models.merges import MOST_ASKED, Merge, MergePage, NameCandidates, NameCandidatesPage
from hopline.models.results import Job
from hopline.operation import Cursor, IdempotencyKey, Wait, operation
from hopline.sync.noun import Noun
from hopline.sync.paging import each

_MergeId = Annotated[str, Field(max_length=100)]
_Limit = Annotated[int, Field(ge=1, le=200)]


class Merges(Noun):
    """Merges of a collection's key elements."""

    @operation("POST", "/v1/collections/{name}/merge", right="submit")
    def merge(
        self,
        name: CollectionName,
        *,
        dry_run: Annotated[
            bool, Field(description="Only show what would be merged, without asking a model.")
        ] = False,
        ask: Annotated[
            int,
            Field(
                ge=0,
                le=MOST_ASKED,
                description="Maximum number of model calls about pairs that the rules leave open; each "
                "call covers several pairs.",
            ),
        ] = 0,
        key: IdempotencyKey = None,
        wait: Wait = 0,
    ) -> Job:
        """Merge the key elements of a collection that name the same thing.

        Returns:
            The job that does it.

        Raises:
            KeyReused: the key was used for another request.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError

    @operation("GET", "/v1/collections/{name}/merges", right="read")
    def list(
        self,
        name: CollectionName,
        *,
        cursor: Cursor = "",
        limit: _Limit = 100,
        prefix: Annotated[str, Field(max_length=100, description="Prefix of ids.")] = "",
    ) -> MergePage:
        """List the merges of a collection, including undone ones, ordered by id."""
        raise NotImplementedError

    def iterate(self, name: CollectionName) -> Iterator[Merge]:
        """Yield all merges of a collection, including undone ones, ordered by id."""
        return each(lambda cursor: self.list(name, cursor=cursor), lambda page: page.merges)

    @operation("GET", "/v1/collections/{name}/name-candidates", right="read")
    def name_candidates(
        self, name: CollectionName, *, cursor: Cursor = "", limit: _Limit = 100
    ) -> NameCandidatesPage:
        """List the ambiguous names of a collection, with those whom each may mean."""
        raise NotImplementedError

    def iterate_name_candidates(self, name: CollectionName) -> Iterator[NameCandidates]:
        """Yield all ambiguous names of a collection."""
        return each(lambda cursor: self.name_candidates(name, cursor=cursor), lambda page: page.names)

    @operation("GET", "/v1/merges/{merge_id}", right="read")
    def get(self, merge_id: _MergeId) -> Merge:
        """Show a merge.

        Raises:
            NotFound: there is no such merge.
        """
        raise NotImplementedError

    @operation("POST", "/v1/merges/{merge_id}/undo", right="submit")
    def undo(self, merge_id: _MergeId, *, key: IdempotencyKey = None, wait: Wait = 0) -> Job:
        """Undo a merge; it is not made again.

        Returns:
            The job that does it.

        Raises:
            NotFound: there is no such merge.
            KeyReused: the key was used for another request.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError
