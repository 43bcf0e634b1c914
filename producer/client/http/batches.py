"""Named batches over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.client.http.connection import HttpPart, quoted, read_answer
from producer.service.batches.status import BatchStatus
from workers.core.jobs.report import Report

if TYPE_CHECKING:
    from workers.core.jobs.work import Budget, Json

_PATH = "/v1/batches"


class HttpBatches(HttpPart):
    """Named batches over HTTP; see `producer.client.link.BatchesLink`."""

    def get(self, name: str) -> BatchStatus:
        """Return a batch's status."""
        return read_answer(BatchStatus, self._connection.get(_path(name)))

    def all(self) -> list[BatchStatus]:
        """Return the status of all batches, newest first."""
        return [read_answer(BatchStatus, batch) for batch in self._connection.get(_PATH)["batches"]]

    def pause(self, name: str) -> BatchStatus:
        """Pause a batch."""
        return read_answer(BatchStatus, self._connection.request("POST", f"{_path(name)}/pause"))

    def resume(
        self,
        name: str,
        *,
        budget: Budget | None = None,
        now: bool = False,
        between: str | None = None,
        zone: str = "",
    ) -> BatchStatus:
        """Resume a batch, with new limits and hours if given."""
        body: Json = {"now": now, "between": between, "zone": zone}
        if budget is not None:
            body |= {"max_cost": budget.cost, "max_tokens": budget.tokens, "max_calls": budget.model_calls}
        return read_answer(BatchStatus, self._connection.request("POST", f"{_path(name)}/resume", json=body))

    def cancel(self, name: str) -> BatchStatus:
        """Cancel a batch."""
        return read_answer(BatchStatus, self._connection.request("DELETE", _path(name)))

    def retry(self, name: str) -> BatchStatus:
        """Retry the documents of an ended batch that failed or were not done."""
        sent = self._connection.request("POST", f"{_path(name)}/retry", safe=False)
        return read_answer(BatchStatus, sent)

    def report(self, name: str) -> Report:
        """Return a batch's report."""
        return read_answer(Report, self._connection.get(f"{_path(name)}/report"))


def _path(name: str) -> str:
    return f"{_PATH}/{quoted(name)}"
