"""Client calls for the history of ended jobs, and for the audit: search, sum what jobs cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.models.audit import Act, AuditPage, Outcome, Via
from hopline.models.history import Cost, CostGroup, HistoryPage
from hopline.models.jobs import JobState
from producer.client.part import Part
from workers.core.audit import WantedAudit
from workers.core.jobs.history import WantedHistory
from workers.core.metadata.filter_text import parse_filter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime


class History(Part):
    """What a client learns of jobs that have ended, also of those that have expired."""

    def history(  # noqa: PLR0913 - one condition, one argument
        self,
        limit: int = 50,
        *,
        state: JobState | None = None,
        kind: str | None = None,
        collection: str | None = None,
        step: str | None = None,
        error: str = "",
        since: datetime | None = None,
        until: datetime | None = None,
        tags: Mapping[str, str] | None = None,
        where: str = "",
        before: str = "",
    ) -> HistoryPage:
        """Return a page of ended jobs, newest first, each as it ended last.

        Args:
            limit: how many at most.
            state: only those that ended so.
            kind: only queries, documents, batches …
            collection: only those of a collection.
            step: only those that did this step, or gave an item of it up.
            error: only those with an error or a reason that contains this text, in any case.
            since: only those that ended then or later; in this machine's zone unless it names one.
            until: only those that ended before.
            tags: only those with these tags.
            where: a filter on the fields of history, such as `cost > 0.5 and steps has "ingest.extract"`.
            before: the `next` of the page before.

        Raises:
            InvalidInput: the filter or the cursor is not valid.
        """
        wanted = _wanted(state, collection, since, until, where).model_copy(
            update={"kind": kind, "step": step, "error": error, "tags": dict(tags or {})}
        )
        return self._link.history.page(wanted, before=before, limit=limit)

    def history_costs(
        self,
        by: CostGroup = "day",
        *,
        state: JobState | None = None,
        collection: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        where: str = "",
    ) -> list[Cost]:
        """Return what ended jobs took, by day (UTC), API key, collection, kind or model.

        Args:
            by: what they are summed over.
            state: as for `history`.
            collection: as for `history`.
            since: as for `history`.
            until: as for `history`.
            where: as for `history`.

        Raises:
            InvalidInput: the filter is not valid.
        """
        return self._link.history.costs(_wanted(state, collection, since, until, where), by)

    def audit(  # noqa: PLR0913 - one condition, one argument
        self,
        limit: int = 50,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        who: str = "",
        act: Act | None = None,
        kind: str = "",
        target: str = "",
        via: Via | None = None,
        outcome: Outcome | None = None,
        collection: str | None = None,
        before: str = "",
    ) -> AuditPage:
        """Return a page of who changed what, newest first; over HTTP it needs the scope admin.

        Args:
            limit: how many at most.
            since: only acts that were begun then or later; in this machine's zone unless it names one.
            until: only acts that were begun before.
            who: the id or name of a key, an account, or a principal acted for.
            act: what was done: submit, cancel, revoke …
            kind: what it was done to: query, key, schema …
            target: the id or name of that.
            via: from where: http, mcp, queue, cli, client, schedule.
            outcome: only acts that ended so.
            collection: only acts in a collection.
            before: the `next` of the page before.

        Raises:
            InvalidInput: the cursor is not valid.
        """
        wanted = WantedAudit(
            since=since.timestamp() if since else None,
            until=until.timestamp() if until else None,
            who=who,
            act=act or "",
            kind=kind,
            target=target,
            via=via or "",
            outcome=outcome or "",
            collections=frozenset({collection}) if collection else None,
        )
        return self._link.history.audit(wanted, before=before, limit=limit)


def _wanted(
    state: JobState | None,
    collection: str | None,
    since: datetime | None,
    until: datetime | None,
    where: str,
) -> WantedHistory:
    return WantedHistory(
        state=state,
        collections=frozenset({collection}) if collection else None,
        since=since.timestamp() if since else None,
        until=until.timestamp() if until else None,
        where=parse_filter(where) if where.strip() else None,
    )
