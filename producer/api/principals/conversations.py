"""Shows a conversation as far as its reader may see what its answers rest on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopline.models.answers import Answer
from hopline.models.conversations import ConversationTurn
from hopline.models.jobs import JobState
from producer.api.principals.jobs import rests_on_seen, seen_job

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from producer.api.access import Caller
    from producer.api.context import Api
    from workers.core.answers.kept import KeptAnswer, KeptQuestion
    from workers.core.jobs.records import JobRecord

_LOST = "Its job is not known any more, and no answer was kept: ask again."
_UNANSWERED = (JobState.FAILED, JobState.CANCELLED)


def own_turns(
    api: Api, caller: Caller, conversation: str, questions: Sequence[KeptQuestion]
) -> Iterator[ConversationTurn]:
    """Yield the questions of the caller's own conversation; answers as they may be seen now."""
    answers = api.service.conversations.answers(conversation)
    for question in questions:
        if not all(map(caller.sees, question.collections)):
            continue
        kept = answers.get(question.job_id)
        record = kept.record if kept else api.service.jobs.find(question.job_id)
        yield _turn(api, caller, question, record)


def shared_turns(
    api: Api, caller: Caller, conversation: str, questions: Sequence[KeptQuestion]
) -> Iterator[ConversationTurn]:
    """Yield the questions of another's conversation up to the first answer that the caller may not see.

    What follows may have been asked because of that answer. Questions without an answer are left out: the
    reason may tell of what the caller may not see.
    """
    answers = api.service.conversations.answers(conversation)
    for question in questions:
        kept = answers.get(question.job_id)
        if kept is None or kept.state in _UNANSWERED:
            continue
        if not _may_see(api, caller, kept):
            return
        turn = _turn(api, caller, question, kept.record)
        if caller.principals is not None and isinstance(turn.outcome, Answer):  # it may name documents
            turn = turn.model_copy(update={"outcome": turn.outcome.model_copy(update={"scope": {}})})
        yield turn


def _may_see(api: Api, caller: Caller, kept: KeptAnswer) -> bool:
    """Return whether another's answer is shown: all that it rests on is known, may be seen and still stands.

    Who may see a document may not have been allowed to see the text that it had before.
    """
    record, conversations = kept.record, api.service.conversations
    if not caller.sees_all_of(record.job):
        return False
    if caller.principals is None:
        return True
    return (
        "rests_on" in (record.outcome or {})
        and conversations.sees_any(record.job.collections, caller.principals)
        and rests_on_seen(api, record, caller.principals)
        and conversations.unchanged(kept)
    )


def _turn(api: Api, caller: Caller, question: KeptQuestion, record: JobRecord | None) -> ConversationTurn:
    fields = question.model_dump()
    if record is None:
        lost = Answer(job_id=question.job_id, status=JobState.FAILED, reason=_LOST)
        return ConversationTurn(**fields, state=JobState.FAILED, outcome=lost)
    job = seen_job(api, caller, record)
    return ConversationTurn(**fields, state=job.state, ended=job.ended, outcome=job.outcome)
