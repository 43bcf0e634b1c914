"""Memory of a session or conversation: earlier questions and answers that the next one may refer to.

For a question with a scope, exchanges from another scope are left out, as are those with answers based on a
document that is no longer in the scope: the question must not use them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import structlog

from hopline.errors import DependencyAway, Permanent, Transient
from hopline.models.jobs import JobState, Json
from workers.core.answers.kept import KeptAnswer, KeptQuestion, documents_of_answer
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Job
from workers.core.ports import Ports
from workers.core.scope import Scope, scope_for
from workers.ledger.sessions import MOST_EXCHANGES, Exchange, Remembered
from workers.services import Services

log = structlog.get_logger()

_NOTHING = "(nothing was found)"


def session_of(job: Job) -> str | None:
    """Return the session that a query belongs to.

    Sessions are separate for different API keys, different principals and different sets of collections.
    """
    return _session_of(job).kept_as if _name_of(job) else None


def _name_of(job: Job) -> str | None:
    return job.params.get("conversation") or job.params.get("session")


def session_home(job: Job) -> str:
    """Return the collection that a query's session is stored under."""
    return min(job.collections)


def _session_of(job: Job) -> Remembered:
    readers = None if job.principals is None else tuple(sorted(set(job.principals)))
    within = tuple(sorted(set(job.collections)))
    return Remembered(name=_name_of(job) or "", collections=within, caller=job.caller, principals=readers)


def history(services: Services, job: Job, session: str) -> list[dict[str, str]]:
    """Return {question, answer} of the session's exchanges that a query may use, oldest first.

    Raises:
        DependencyAway: a query with a scope has earlier answers, and the graph is unavailable for checking
            them.
    """
    if conversation := job.params.get("conversation"):
        kept = _exchanges_of(services, conversation, session)
    else:
        kept = services.sessions.exchanges(session_home(job), session)
    scope = _scope_of(job)
    if scope is not None:
        alike = [exchange for exchange in kept if exchange.scope == scope.model_dump_json()]
        kept = _still_in(services, job.collections, scope, alike)
    return [{"question": exchange.question, "answer": exchange.answer} for exchange in kept]


def without_history(job: Job, ports: Ports, step_input: Json) -> Json:
    """Return a step's input without a session's earlier answers if its job may read less than before.

    Args:
        job: the job as submitted, when the session was looked up.
        ports: ports of the step, with the job as it may read now.
        step_input: the input.

    Raises:
        Permanent: the question itself was formed from these answers.
    """
    if not _name_of(job) or ports.job.principals == job.principals:
        return step_input
    if "history" in step_input:
        return {**step_input, "history": []}
    question = job.params.get("question")
    if step_input.get("question", question) != question:
        raise Permanent(
            "the question was rewritten with earlier answers that may no longer be seen; ask it again"
        )
    return step_input


def remember(services: Services, record: JobRecord) -> bool:
    """Store the exchange of an ended query; return whether that is done.

    A session stores nothing of a failed query. A conversation stores every question with its answer.
    """
    conversation = record.job.params.get("conversation")
    if conversation:
        return _keep_answer(services, conversation, record)
    if exchange := _exchange_of(record):
        services.sessions.add(_session_of(record.job), exchange)
    return True


def question_of(record: JobRecord) -> KeptQuestion:
    """Return the question of a query as stored in its conversation."""
    job = record.job
    question = job.params.get("question", "")
    return KeptQuestion(job_id=job.id, question=question, collections=job.collections, asked=record.created)


def _keep_answer(services: Services, conversation: str, record: JobRecord) -> bool:
    """Store a question with its answer, without quotes of documents that were deleted meanwhile.

    They are looked up after the answer is kept: whoever deletes one later finds the answer.
    """
    documents = documents_of_answer(record.outcome or {})
    try:
        live = services.scopes.live_texts(documents) if documents else {}
        texts = {name: text.name if text.since < record.created else "" for name, text in live.items()}
        answer = KeptAnswer.of(record, texts)
        if services.conversations.answer(conversation, question_of(record), answer) and documents:
            gone = set(documents) - services.scopes.live_texts(documents).keys()
            if gone and not record.job.params.get("known_at"):  # it may quote what is live no more
                for collection in record.job.collections:
                    services.conversations.take_out(collection, *gone)
    except (DependencyAway, Transient) as error:  # the watchdog does it when the graph is back
        log.warning("conversation.left", job_id=record.job.id, error=str(error))
        return False
    return True


def _exchanges_of(services: Services, conversation: str, session: str) -> list[Exchange]:
    """Return the last exchanges of a conversation that one key asked for the same principals."""
    records = (answer.record for answer in services.conversations.newest_answers(conversation))
    exchanges = (_exchange_of(record) for record in records if session_of(record.job) == session)
    newest = list(islice((exchange for exchange in exchanges if exchange), MOST_EXCHANGES))
    return newest[::-1]


def _exchange_of(record: JobRecord) -> Exchange | None:
    job, outcome = record.job, record.outcome or {}
    text, scope = outcome.get("text"), _scope_of(job)
    answered = record.state in (JobState.DONE, JobState.PARTIAL) and text
    # Even an unanswered question shows what the next one is about.
    answer = text if answered else _NOTHING if record.state is JobState.ABSTAINED else None
    if not answer:
        return None
    return Exchange(
        job_id=job.id,
        question=job.params.get("question", ""),
        answer=answer,
        scope=scope.model_dump_json() if scope else "",
        documents=documents_of_answer(outcome) if scope else (),
    )


def _scope_of(job: Job) -> Scope | None:
    principals = None if job.principals is None else sorted(set(job.principals))
    return scope_for(Scope.of(job.params), principals)


def _still_in(
    services: Services, collections: Sequence[str], scope: Scope, exchanges: Sequence[Exchange]
) -> list[Exchange]:
    """Return the exchanges all of whose documents are in the scope now."""
    cited = {document for exchange in exchanges for document in exchange.documents}
    seen = services.scopes.among(collections, cited, scope)
    return [exchange for exchange in exchanges if seen.issuperset(exchange.documents)]
