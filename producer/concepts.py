"""Concept maps from a client: make one, read what is held, list its versions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from producer.concept_report import concept_outcome_of
from producer.terms import patience_of, terms_of
from workers.core.work import Priority

if TYPE_CHECKING:
    from producer.concept_report import ConceptGraph, ConceptOutcome
    from producer.link import Link
    from workers.core.concepts import ConceptVersion
    from workers.ledger.records import JobRecord


class ConceptCalls(ABC):
    """What `Hopline` does with concept maps."""

    @property
    @abstractmethod
    def _link(self) -> Link:
        """The way to hopline."""

    @abstractmethod
    def _ended(self, job_id: str, timeout: float | None) -> JobRecord:
        """Wait until a job has ended; return its record."""

    def concept(
        self,
        name: str,
        collection: str = "default",
        *,
        refresh: bool = False,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        **params: Any,
    ) -> ConceptOutcome:
        """Make a concept's map: check what is kept, add relations to other disciplines, keep it.

        An invalid concept gives the state abstained, and the reason.

        Args:
            name: of the concept, in English or Chinese, up to 200 characters.
            collection: where the map is kept.
            refresh: look for new relations also where it has enough of them.
            key: idempotency key: asking again with it returns the first job's map.
            priority: high, normal or low, among what waits.
            webhook: an address that is told of the job's end.
            **params: further fields of `workers.core.params.ConceptParams`: wanted, tries, timeout, …

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            TimeoutError: no worker has ended the job well after its own timeout.
        """
        job_id = self.submit_concept(
            name, collection, refresh=refresh, key=key, priority=priority, webhook=webhook, **params
        )
        return self.concept_outcome(job_id, timeout=patience_of(params))

    def submit_concept(
        self,
        name: str,
        collection: str = "default",
        *,
        refresh: bool = False,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        **params: Any,
    ) -> str:
        """Hand a concept over; return its job's id at once. Arguments and errors are those of `concept`."""
        terms = terms_of(priority, webhook)
        return self._link.submit_concept(name, collection, key, {**params, "refresh": refresh}, terms)

    def concept_outcome(self, job_id: str, *, timeout: float | None = None) -> ConceptOutcome:
        """Wait until a concept's job has ended; return what it made.

        Raises:
            Gone: the job is unknown, or has expired.
            TimeoutError: still running after `timeout` seconds; the job goes on.
        """
        return concept_outcome_of(self._ended(job_id, timeout))

    def concept_map(self, name: str, collection: str = "default") -> ConceptGraph:
        """Return what the graph holds of a concept's map, at once and without a model.

        Version 0 and no nodes mean that there is none.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """
        return self._link.concept_map(name, collection)

    def concept_versions(
        self, name: str, collection: str = "default", limit: int = 50, before: int | None = None
    ) -> list[ConceptVersion]:
        """Return the versions of a concept's map with what changed in each, newest first.

        With `before`, the number of a version, those older than it: so one page follows another.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """
        return self._link.concept_versions(name, collection, limit, before)
