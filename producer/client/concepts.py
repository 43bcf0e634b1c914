"""Client calls for concept maps: make one, read one, list its versions."""

from __future__ import annotations

import getpass
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hopline.models.concepts import ConceptOutcome
from hopline.models.jobs import Json, Priority
from producer.client.part import Part, Pending
from producer.client.terms import patience_of, terms_of
from producer.reports.outcomes import view_of

if TYPE_CHECKING:
    from hopline.models.concepts import ConceptGraph, ConceptVersion, RelationEdited
    from workers.core.concepts.maps import EditAction


class Concepts(Part):
    """What a client does with concept maps."""

    def concept(
        self,
        /,
        name: str,
        collection: str = "default",
        *,
        refresh: bool = False,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        tags: Mapping[str, str] | None = None,
        **params: Any,
    ) -> Pending[ConceptOutcome]:
        """Make a concept's map: check stored relations, add new ones to other disciplines, save it.

        An invalid concept gives the state abstained, and the reason.

        Args:
            name: of the concept, in English or Chinese, up to 200 characters.
            collection: where the map is kept.
            refresh: look for new relations also where it has enough of them.
            key: idempotency key: asking again with it returns the first job's map.
            priority: high, normal or low, among what waits.
            webhook: an address that is told of the job's end.
            tags: of the job, to find it by: {"team": "legal"}.
            **params: further fields of `workers.core.jobs.params.ConceptParams`: wanted, tries, timeout, …

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            TimeoutError: no worker has ended the job well after its own timeout.
        """
        job_id = self.submit_concept(
            name,
            collection,
            refresh=refresh,
            key=key,
            priority=priority,
            webhook=webhook,
            tags=tags,
            **params,
        )
        return self.concept_outcome(job_id, timeout=patience_of(params))

    def submit_concept(
        self,
        /,
        name: str,
        collection: str = "default",
        *,
        refresh: bool = False,
        key: str | None = None,
        priority: Priority = "normal",
        webhook: str = "",
        tags: Mapping[str, str] | None = None,
        **params: Any,
    ) -> str:
        """Submit a concept; return its job's id at once. Arguments and errors are those of `concept`."""
        terms = terms_of(priority, webhook, tags)
        params = {**params, "refresh": refresh}
        return self._link.concepts.submit(name, collection, key, params, terms).job.id

    def concept_outcome(self, job_id: str, *, timeout: float | None = None) -> Pending[ConceptOutcome]:
        """Wait until a concept's job has ended; return what it made.

        Raises:
            NotFound: the job is unknown, or has expired.
            TimeoutError: still running after `timeout` seconds; the job goes on.
        """
        return Pending.job(job_id, lambda record: ConceptOutcome.of(view_of(record)), timeout)

    def concept_map(self, name: str, collection: str = "default") -> ConceptGraph:
        """Return a concept's stored map, without a job or a model.

        Version 0 and no nodes mean that there is none.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """
        return self._link.concepts.map(name, collection)

    def concept_versions(
        self, name: str, collection: str = "default", limit: int = 50, before: int | None = None
    ) -> list[ConceptVersion]:
        """Return the versions of a concept's map with what changed in each, newest first.

        With `before`, the number of a version, those older than it: so one page follows another.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
        """
        return self._link.concepts.versions(name, collection, limit, before)

    def edit_relation(
        self,
        relation: str,
        action: EditAction,
        collection: str = "default",
        *,
        reason: str = "",
        by: str = "",
        correction: Mapping[str, Any] | None = None,
        seen: int | None = None,
        key: str | None = None,
    ) -> RelationEdited:
        """Edit one relation of a concept's map, as a new version of the map.

        Jobs leave alone what was changed by hand: they neither take it out nor bring it back. Where the
        relation is like that already, there is no new version and `change` is None.

        Args:
            relation: its id, as the links of `concept_map` and the changes of `concept_versions` tell it.
            action: delete takes it out; abnormal marks it as one that cannot be right; correct writes the
                fields of `correction`; undo takes its newest change back.
            collection: where the map is kept.
            reason: why; of all actions but undo it is needed.
            by: who does it; over HTTP it is the name of the API key, else by default the system's user.
            correction: any of domain, definition (one sentence), relation (two sentences), strength (1..5).
            seen: version of the relation that was looked at: a newer one is not overwritten.
            key: idempotency key.

        Raises:
            InvalidInput: names the field, what was given and what is allowed.
            NotFound: there is no such relation.
        """
        fields: Json = {"action": action, "by": by or _user(), "reason": reason, "seen": seen}
        fields |= {"correction": dict(correction)} if correction else {}
        return self._link.concepts.edit(collection, relation, fields, key)


def _user() -> str:
    """Return the operating system's user name; a container may have none."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "somebody"
