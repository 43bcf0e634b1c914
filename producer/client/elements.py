"""Client calls for merges of key elements: make them, list them, undo one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from producer.client.part import Part, Pending
from producer.reports.outcomes import ended_well

if TYPE_CHECKING:
    from hopline.models.jobs import Json
    from hopline.models.merges import Merge, NameCandidates
    from workers.ledger.records import JobRecord


class Elements(Part):
    """What a client does with key elements."""

    def merge_elements(
        self,
        collection: str = "default",
        *,
        dry_run: bool = False,
        ask: int = 0,
        timeout: float | None = None,
    ) -> Pending[Json]:
        """Merge the key elements of a collection that name one thing; return what was done.

        Args:
            collection: whose elements.
            dry_run: find them, merge nothing and ask no model.
            ask: model calls, at most, about pairs that the rules leave open; what a model said before of a
                pair is not asked again.
            timeout: seconds to wait; the job goes on after it.

        Returns: as `merge_outcome`.

        Raises:
            Permanent: it could not be done.
        """
        return self.merge_outcome(self.submit_merge(collection, dry_run=dry_run, ask=ask), timeout=timeout)

    def submit_merge(self, collection: str = "default", *, dry_run: bool = False, ask: int = 0) -> str:
        """Submit a merge; return its job's id at once. Arguments are those of `merge_elements`."""
        return self._link.graph.submit_merge(collection, dry_run=dry_run, ask=ask).job.id

    def merge_outcome(self, job_id: str, *, timeout: float | None = None) -> Pending[Json]:
        """Wait for a merging, or an undoing; return what was done.

        Returns:
            elements: how many were compared; found, made, refused: how many merges; proposals: with dry_run
            the first [source, target, rule, evidence]; error: why not all was done, None if all was;
            given_up: how many items; another merging does what is left. With `ask` also likely: how many
            pairs are open; calls: made, with dry_run needed for all, and up to one more for each that is the
            same; asked, same, left: of these pairs, how many a model judged, called the same, and did not
            judge; pairs: with dry_run the first of them, as proposals. Of an undoing {merge, restored: names,
            removed}.

        Raises:
            Permanent: nothing was done.
        """
        return Pending.job(job_id, _merged, timeout)

    def merges(self, collection: str | None = None) -> Iterator[Merge]:
        """Yield the merges of a collection, or of all, undone ones too, ordered by id."""
        return self._link.graph.merges(collection)

    def name_candidates(self, collection: str | None = None) -> Iterator[NameCandidates]:
        """Yield the names of a collection, or of all, that documents give to several or also use otherwise.

        They lead to nobody; each comes with whom it may mean.
        """
        return self._link.graph.name_candidates(collection)

    def undo_merge(self, merge: str, *, timeout: float | None = None) -> Pending[Json]:
        """Undo a merge; it is not made again. Return {merge, restored: names, removed}.

        Raises:
            NotFound: there is no such merge.
            Permanent: it could not be undone.
        """
        return self.merge_outcome(self.submit_undo(merge), timeout=timeout)

    def submit_undo(self, merge: str) -> str:
        """Submit the undoing of a merge; return its job's id at once.

        Raises:
            NotFound: there is no such merge.
        """
        return self._link.graph.submit_undo(merge).job.id


def _merged(record: JobRecord) -> Json:
    return ended_well(record, partly=True).outcome or {}
