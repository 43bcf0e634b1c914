"""Memory of a session: earlier questions and answers, which the next question may refer to.

Within a scope those are left out that were read within another scope, and those whose answer rests on a
document that is not in it any more: the question must not know of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from hopline.errors import Permanent
from hopline.models.jobs import JobState, Json
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Job
from workers.core.ports import Ports
from workers.core.scope import Scope, scope_for
from workers.ledger.sessions import Exchange, Remembered
from workers.services import Services

_NOTHING = "(nothing was found)"


def session_of(job: Job) -> str | None:
    """Return the session that a query belongs to.

    Sessions of one API key never meet those of another, nor those of some principals those of others, nor
    those of several collections those of others.
    """
    return _session_of(job).kept_as if job.params.get("session") else None


def session_home(job: Job) -> str:
    """Return the collection under which a query's session is kept."""
    return min(job.collections)


def _session_of(job: Job) -> Remembered:
    readers = None if job.principals is None else tuple(sorted(set(job.principals)))
    within = tuple(sorted(set(job.collections)))
    return Remembered(name=job.params["session"], collections=within, caller=job.caller, principals=readers)


def history(services: Services, job: Job, session: str) -> list[dict[str, str]]:
    """Return {question, answer} of those exchanges of a session that a query may know of, oldest first.

    Raises:
        DependencyAway: a query within a scope has earlier answers, and the graph cannot be asked about them.
    """
    kept = services.sessions.exchanges(session_home(job), session)
    scope = _scope_of(job)
    if scope is not None:
        alike = [exchange for exchange in kept if exchange.scope == scope.model_dump_json()]
        kept = _still_in(services, job.collections, scope, alike)
    return [{"question": exchange.question, "answer": exchange.answer} for exchange in kept]


def without_history(job: Job, ports: Ports, step_input: Json) -> Json:
    """Return a step's input without a session's earlier answers, where its job may read less than it might.

    Args:
        job: as it was submitted, when the session was looked up.
        ports: of the step, with the job as it may read now.
        step_input: the input.

    Raises:
        Permanent: what it is asked was made out of these answers already.
    """
    if not job.params.get("session") or ports.job.principals == job.principals:
        return step_input
    if "history" in step_input:
        return {**step_input, "history": []}
    question = job.params.get("question")
    if step_input.get("question", question) != question:
        raise Permanent("what is asked was made out of earlier answers that may not be seen any more")
    return step_input


def remember(services: Services, record: JobRecord) -> None:
    """Keep the exchange of a query that has ended; one that failed says nothing."""
    job, outcome = record.job, record.outcome or {}
    text, scope = outcome.get("text"), _scope_of(job)
    answered = record.state in (JobState.DONE, JobState.PARTIAL) and text
    # What was asked in vain still says what the next question is about.
    answer = text if answered else _NOTHING if record.state is JobState.ABSTAINED else None
    if answer:
        exchange = Exchange(
            job_id=job.id,
            question=job.params.get("question", ""),
            answer=answer,
            scope=scope.model_dump_json() if scope else "",
            documents=_resting_on(outcome) if scope else (),
        )
        services.sessions.add(_session_of(job), exchange)


def _scope_of(job: Job) -> Scope | None:
    principals = None if job.principals is None else sorted(set(job.principals))
    return scope_for(Scope.of(job.params), principals)


def _resting_on(outcome: Json) -> tuple[str, ...]:
    cited = [citation["document"]["id"] for citation in outcome.get("citations", ())]
    return tuple(dict.fromkeys((*cited, *outcome.get("rests_on", ()))))


def _still_in(
    services: Services, collections: Sequence[str], scope: Scope, exchanges: Sequence[Exchange]
) -> list[Exchange]:
    """Return the exchanges all of whose documents are in the scope now."""
    cited = {document for exchange in exchanges for document in exchange.documents}
    seen = services.scopes.among(collections, cited, scope)
    return [exchange for exchange in exchanges if seen.issuperset(exchange.documents)]
