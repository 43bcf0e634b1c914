"""Concept maps from the asynchronous client."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from producer.client.asynchronous.threads import InThreads
from producer.client.link import DEFAULT_COLLECTION
from producer.client.terms import patience_of
from producer.reports.concept import concept_outcome_of

if TYPE_CHECKING:
    from producer.reports.concept import ConceptGraph, ConceptOutcome
    from workers.core.concepts.maps import ConceptVersion, EditAction, RelationEdited
    from workers.core.jobs.work import Json, Priority
    from workers.ledger.records import JobRecord


class AsyncConceptCalls(InThreads):
    """What `AsyncHopline` does with concept maps; see `Hopline`."""

    @abstractmethod
    async def _ended(self, job_id: str, timeout: float | None) -> JobRecord:  # noqa: ASYNC109 - as below
        """Wait until a job has ended; return its record."""

    async def concept(
        self,
        name: str,
        collection: str = DEFAULT_COLLECTION,
        *,
        refresh: bool = False,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        **params: Any,
    ) -> ConceptOutcome:
        """Make a concept's map; see `Hopline.concept`."""
        told: Json = {"refresh": refresh, "key": key, "priority": priority, "webhook": webhook}
        job_id = await self.submit_concept(name, collection, **told, **params)
        return await self.concept_outcome(job_id, timeout=patience_of(params))

    async def submit_concept(
        self,
        name: str,
        collection: str = DEFAULT_COLLECTION,
        *,
        refresh: bool = False,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        **params: Any,
    ) -> str:
        """Submit a concept; see `Hopline.submit_concept`."""
        told: Json = {"refresh": refresh, "key": key, "priority": priority, "webhook": webhook}
        return await self._run(self._client.submit_concept, name, collection, **told, **params)

    async def concept_outcome(
        self,
        job_id: str,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the deadline also reaches the waiting thread
    ) -> ConceptOutcome:
        """Wait until a concept's job has ended; see `Hopline.concept_outcome`."""
        return concept_outcome_of(await self._ended(job_id, timeout))

    async def concept_map(self, name: str, collection: str = DEFAULT_COLLECTION) -> ConceptGraph:
        """Return a concept's stored map; see `Hopline.concept_map`."""
        return await self._run(self._client.concept_map, name, collection)

    async def concept_versions(
        self, name: str, collection: str = DEFAULT_COLLECTION, limit: int = 50, before: int | None = None
    ) -> list[ConceptVersion]:
        """Return the versions of a concept's map; see `Hopline.concept_versions`."""
        return await self._run(self._client.concept_versions, name, collection, limit, before)

    async def edit_relation(
        self,
        relation: str,
        action: EditAction,
        collection: str = DEFAULT_COLLECTION,
        *,
        reason: str = "",
        by: str = "",
        correction: Mapping[str, Any] | None = None,
        seen: int | None = None,
        key: str | None = None,
    ) -> RelationEdited:
        """Edit one relation of a concept's map; see `Hopline.edit_relation`."""
        told: Json = {"reason": reason, "by": by, "correction": correction, "seen": seen, "key": key}
        return await self._run(self._client.edit_relation, relation, action, collection, **told)
