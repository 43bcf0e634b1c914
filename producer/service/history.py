"""Service for the history: searches ended jobs, sums their costs, erases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.service.backend import Part
from workers.core.jobs.params import check_collection

if TYPE_CHECKING:
    from hopline.models.audit import AuditPage
    from hopline.models.history import Cost, CostGroup, HistoryOrder, HistoryPage
    from workers.core.audit import WantedAudit
    from workers.core.jobs.history import WantedHistory


class History(Part):
    """The history of ended jobs."""

    def page(
        self, wanted: WantedHistory, *, before: str = "", limit: int = 50, order: HistoryOrder = "ended"
    ) -> HistoryPage:
        """Return a page of the selected ended jobs, newest or most expensive first.

        Raises:
            InvalidInput: the cursor or a field of the filter is not valid.
        """
        _check(wanted)
        return self._services.history_search.page(wanted, before=before, limit=limit, order=order)

    def costs(self, wanted: WantedHistory, by: CostGroup) -> list[Cost]:
        """Return the costs of the selected jobs by day, API key, collection, kind or model.

        Raises:
            InvalidInput: a field of the filter is not valid.
        """
        _check(wanted)
        return self._services.history_search.costs(wanted, by)

    def audit(self, wanted: WantedAudit, *, before: str = "", limit: int = 50) -> AuditPage:
        """Return a page of the audit, newest first.

        Raises:
            InvalidInput: the cursor is not valid.
        """
        return self._services.audit_search.page(wanted, before=before, limit=limit)

    def erase_collection(self, name: str) -> int:
        """Erase the rows of a collection; return how many files were rewritten."""
        from workers.history.erasure import without_collection

        with self._audit.act("erase", "history", name, check_collection(name)) as acted:
            files = self._services.history.erase(without_collection(name))
            self._services.conversations.erase_collection(name)
            self._erase_versions(collection=name)
            acted.on(count=files)
        return files

    def erase_name(self, name: str) -> int:
        """Erase all texts that contain a document's name; return how many files were rewritten."""
        from workers.history.erasure import without_name

        with self._audit.act("erase", "history") as acted:  # whose name it was is to be forgotten
            files = self._services.history.erase(without_name(name))
            self._services.conversations.erase_name(name)
            self._erase_versions(name=name)
            acted.on(count=files)
        return files

    def _erase_versions(self, **meant: str) -> None:
        """Remove kept versions of documents at once, with their vectors; see `KeptGraph.named`."""
        from workers.ingest.versions import erase_versions

        erase_versions(self._services, self._services.graph.kept.named(**meant))


def _check(wanted: WantedHistory) -> None:
    from workers.flows.registry import check_names

    check_names(wanted.kind, wanted.step)
