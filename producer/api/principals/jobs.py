"""Shows a job as far as its caller may see what it read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from producer.api.schemas import JobView, view_of
from workers.core.answers.answer import Answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from producer.api.access import Caller
    from producer.api.context import Api
    from workers.core.jobs.work import Json
    from workers.ledger.records import JobRecord

_GONE = "What this answer rests on may not be seen any more."
_WRITTEN = frozenset({"job_id", "status", "text", "reason", "missing", "citations", "scope"})


def seen_job(api: Api, caller: Caller, record: JobRecord) -> JobView:
    """Return a job as its caller may see it now.

    For some principals, an answer is shown while all that it cites may be seen, and of it what was written:
    text and citations. The way there rests on more than is cited, which may have been hidden since.
    """
    view = view_of(record)
    if caller.principals is None or view.outcome is None:
        return view
    if _all_seen(api, record.job.collection, view.outcome, caller.principals):
        told = Answer.read_stored({name: view.outcome[name] for name in _WRITTEN & view.outcome.keys()})
    else:
        told = Answer(job_id=record.job.id, status=record.state, reason=_GONE)
    return view.model_copy(update={"outcome": told.model_dump(mode="json")})


def _all_seen(api: Api, collection: str, answer: Json, principals: Sequence[str]) -> bool:
    citations = answer.get("citations", ())
    if any("document" not in citation for citation in citations):
        return False  # what a graph holds: nobody knows out of which documents
    cited = {str(citation["document"]["id"]) for citation in citations}
    return cited <= api.service.documents.visible(collection, cited, principals)
