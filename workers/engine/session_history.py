"""What a session remembers: earlier questions and answers, which the next question may refer to."""

from __future__ import annotations

from workers.core.jobs.work import Job, JobState
from workers.ledger.records import JobRecord
from workers.services import Services

_NOTHING = "(nothing was found)"


def session_of(job: Job) -> str | None:
    """Return the session that a query belongs to; sessions of one API key never meet those of another."""
    named = job.params.get("session")
    return f"{job.caller}/{named}" if named and job.caller else named


def history(services: Services, job: Job, session: str) -> list[dict[str, str]]:
    """Return {question, answer} of a session's exchanges, oldest first."""
    return services.sessions.history(job.collection, session)


def remember(services: Services, record: JobRecord, session: str) -> None:
    """Keep the exchange of a query that has ended; one that failed says nothing."""
    job, text = record.job, (record.outcome or {}).get("text")
    answered = record.state in (JobState.DONE, JobState.PARTIAL) and text
    # What was asked in vain still says what the next question is about.
    answer = text if answered else _NOTHING if record.state is JobState.ABSTAINED else None
    if answer:
        services.sessions.add(job.collection, session, job.id, job.params.get("question", ""), answer)
