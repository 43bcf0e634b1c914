"""Limits a job to what its caller may see."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.models.answers import NO_WORDS, Answer
from hopline.models.jobs import Usage
from hopline.models.results import Job
from producer.reports.outcomes import view_of
from workers.core.answers.kept import documents_of_answer

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hopline.models.jobs import Json
    from producer.api.access import Caller
    from producer.api.context import Api
    from workers.core.jobs.records import JobRecord

_GONE = "The sources of this answer may no longer be seen."
_UNTOLD = "The reason for the missing answer is withheld: it may reveal what may no longer be seen."
_CLOSED = "its work was ended early"
_WAITS = "a server or a limit that its work needs"
_PAUSING = frozenset({"batch", "sync"})  # kinds of jobs that have hours and limits of their own
_WRITTEN = frozenset({"job_id", "status", "text", "reason", "missing", "citations", "calculations", "scope"})
# What tells how much was read.
_UNCOUNTED: Json = {"phase": 0, "items": {}, "done": {}, "timings": {}, "usage": Usage(), "dead": 0}
_UNCOUNTED |= {"dropped": 0, "leases_lost": 0, "models": {}}


def shown_job(caller: Caller, record: JobRecord, *, outcome: bool = True) -> Job:
    """Return a job without fields that its caller may not see, whatever its outcome.

    With principals, the reason for closing a phase, or for waiting, may name a node; and the counts of a job
    that may have read more than they may see reveal how much.
    """
    view = view_of(record, outcome=outcome)
    if caller.principals is None:
        return view
    told = {"closed_for": _CLOSED, "waits_for": _WAITS}
    hidden = {name: instead for name, instead in told.items() if getattr(view, name)}
    return view.model_copy(update=hidden | (_UNCOUNTED if caller.saw_more(record.job) else {}))


def seen_job(api: Api, caller: Caller, record: JobRecord, seen: Collection[str] | None = None) -> Job:
    """Return a job with only what its caller may see now.

    With principals, an answer is shown while they may see all documents that it rests on, and then only its
    text and citations. The walk rests on more documents, which may have been hidden since. For an answer
    written by an earlier version only its citations are known, so its reason and missing parts are not shown.

    Args:
        api: looks documents up.
        caller: the caller.
        record: the job.
        seen: those of the answer's documents that the caller may see, if already known.
    """
    view = shown_job(caller, record)
    if not is_looked_up(caller, record):
        return view
    if caller.principals is None:
        return view.model_copy(update={"pauses": api.service.jobs.pauses(record.job.id)})
    if view.outcome is None:
        return view
    if not isinstance(view.outcome, Answer):
        return view.model_copy(update={**_UNCOUNTED, "outcome": None})
    if rests_on_seen(api, record, caller.principals, seen):
        answer = _read_written_answer(view.outcome.model_dump(mode="json"), record)
        return view.model_copy(update={"outcome": answer})
    gone = Answer(job_id=record.job.id, status=record.state, reason=_GONE)
    return view.model_copy(update={**_UNCOUNTED, "outcome": gone})


def is_looked_up(caller: Caller, record: JobRecord) -> bool:
    """Return whether `seen_job` must query a server."""
    if caller.principals is None:
        return record.ended is None and record.job.kind in _PAUSING
    return record.outcome is not None


def rests_on_seen(
    api: Api, record: JobRecord, principals: Sequence[str], seen: Collection[str] | None = None
) -> bool:
    """Return whether principals may see all documents that an answer rests on; see `seen_job`."""
    outcome = record.outcome or {}
    if any("document" not in citation for citation in outcome.get("citations", ())):
        return False  # what a graph holds: its documents are not known
    documents = documents_of_answer(outcome)
    if seen is None:
        seen = api.service.documents.visible(record.job.collections, documents, principals)
    return set(documents) <= set(seen)


def _read_written_answer(outcome: Json, record: JobRecord) -> Answer:
    """Return the text and citations of an answer whose documents may all be seen."""
    fields = {name: outcome[name] for name in _WRITTEN & outcome.keys()}
    stored = record.outcome or {}
    if "rests_on" not in stored:
        reason = NO_WORDS.get(record.state) or (_UNTOLD if fields.get("reason") else None)
        fields |= {
            "reason": reason,
            "missing": (),
            "text": fields.get("text", "") if fields["citations"] else "",
        }
    coverage = stored.get("details", {}).get("coverage", {}).get("line", "")
    for name in ("text", "reason"):  # a survey's, which counts and names what no citation covers
        fields[name] = (fields.get(name) or "").removesuffix(coverage).rstrip()
    unchecked = stored.get("details", {}).get("unchecked_sentences", ()) if fields["text"] else ()
    fields["details"] = {"unchecked_sentences": unchecked} if unchecked else {}
    return Answer.read_stored({**fields, "reason": fields["reason"] or None})
