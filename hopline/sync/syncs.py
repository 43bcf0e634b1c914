# Written from hopline/aio by `python -m infra.client_code`: edit it there.
"""Syncs of collections with the places of their documents."""

from __future__ import annotations

from typing import Annotated, Unpack

from pydantic import Field

from hopline.models.collections import CollectionName
from hopline.models.ingestion import NO_TAGS, IngestionBounds, Places, ProfileText, RemovedShare
from hopline.models.jobs import JobId, JobTags, Priority
from hopline.models.results import Job
from hopline.models.webhooks import WebhookUrl
from hopline.operation import IdempotencyKey, Wait, operation
from hopline.sync.noun import Noun


class Syncs(Noun):
    """Syncs of collections with places."""

    @operation("POST", "/v1/syncs", right="admin")
    def submit(
        self,
        sources: Places,
        collection: CollectionName = "default",
        *,
        profile: ProfileText = None,
        dry_run: Annotated[
            bool, Field(strict=True, description="Only find the differences, without applying them.")
        ] = False,
        most_removed: RemovedShare = 0.5,
        priority: Priority = "normal",
        webhook: WebhookUrl | None = None,
        tags: JobTags = NO_TAGS,
        key: IdempotencyKey = None,
        wait: Wait = 0,
        **bounds: Unpack[IngestionBounds],
    ) -> Job:
        """Sync a collection with some places: ingest new, changed and moved documents, delete removed ones.

        Only documents under the sources are ever removed, and none whose source cannot be read.

        Returns:
            The job, after it was submitted or `wait` has passed.

        Raises:
            InvalidInput: a value is not valid, or a place may not be read.
            AccessDenied: the key may not use the collection.
            KeyReused: the key was used for another request.
            TooManyJobs: too much work is waiting.
        """
        raise NotImplementedError

    @operation("POST", "/v1/syncs/{job_id}/resume", right="admin", safe=True)
    def resume(
        self,
        job_id: JobId,
        *,
        max_cost: Annotated[float | None, Field(gt=0, description="In the currency of the prices.")] = None,
        max_tokens: Annotated[int | None, Field(ge=1)] = None,
        max_calls: Annotated[int | None, Field(ge=1)] = None,
        now: Annotated[
            bool, Field(strict=True, description="Run at once, even outside its hours, until they next end.")
        ] = False,
    ) -> Job:
        """Resume a paused sync, optionally with new limits; outside its hours it still waits.

        Limits that are not given do not change.

        Raises:
            NotFound: there is no such job.
            InvalidInput: it is not a running sync, or a limit is below what it has already used.
        """
        raise NotImplementedError
