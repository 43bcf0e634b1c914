"""Limits a conversation to what its reader may see."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from hopline.models.answers import Answer
from hopline.models.conversations import ConversationTurn
from hopline.models.jobs import JobState
from producer.api.principals.jobs import rests_on_seen, seen_job
from workers.core.answers.kept import documents_of_answer

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from hopline.models.results import Job
    from producer.api.access import Caller
    from producer.api.context import Api
    from workers.core.answers.kept import KeptAnswer, KeptConversation, KeptQuestion

_LOST = "Its job is not known any more, and no answer was kept: ask again."
_UNANSWERED = (JobState.FAILED, JobState.CANCELLED)


class _Sight:
    """The visible documents among those that answers rest on; one query serves all answers."""

    def __init__(self, api: Api, answers: Collection[KeptAnswer], principals: Sequence[str]) -> None:
        self._api, self._answers, self._principals = api, answers, principals
        resting: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for answer in answers:
            resting[answer.job.collections].update(documents_of_answer(answer.outcome))
        visible = api.service.documents.visible
        self._seen = {names: visible(names, ids, principals) for names, ids in resting.items()}

    def seen(self, answer: KeptAnswer) -> frozenset[str]:
        """Return the visible documents of the collections that an answer read."""
        return self._seen[answer.job.collections]

    @cached_property
    def _texts(self) -> dict[str, str]:
        seen = frozenset[str]().union(*self._seen.values())
        return self._api.service.conversations.live_texts(seen) if seen else {}

    @cached_property
    def _readable(self) -> dict[tuple[str, ...], bool]:
        sees_any = self._api.service.conversations.sees_any
        return {names: sees_any(names, self._principals) for names in self._seen}

    def opens(self, answer: KeptAnswer) -> bool:
        """Return whether somebody else's answer is shown: its documents are known, visible and unchanged.

        A reader who may see a document may not have been allowed to see its earlier text. It is not recorded
        which text a question about an earlier time read, so its answer is never shown.
        """
        documents = documents_of_answer(answer.outcome)
        return (
            "rests_on" in answer.outcome
            and not answer.job.params.get("known_at")
            and self._readable[answer.job.collections]
            and rests_on_seen(self._api, answer.record, self._principals, self.seen(answer))
            and all(answer.texts.get(each, "") == self._texts.get(each) for each in documents)
        )


def own_turns(
    api: Api, caller: Caller, conversation: str, questions: Sequence[KeptQuestion]
) -> Iterator[ConversationTurn]:
    """Yield the questions of the caller's own conversation, with the answers that the caller may see now."""
    answers = api.service.conversations.answers(conversation)
    sight = None if caller.principals is None else _Sight(api, answers.values(), caller.principals)
    for question in questions:
        if not all(map(caller.sees, question.collections)):
            continue
        if kept := answers.get(question.job_id):
            seen = None if sight is None else sight.seen(kept)
            yield _turn(question, seen_job(api, caller, kept.record, seen))
        else:
            record = api.service.jobs.find(question.job_id)
            yield _turn(question, seen_job(api, caller, record) if record else None)


def shared_turns(
    api: Api, caller: Caller, about: KeptConversation, questions: Sequence[KeptQuestion]
) -> Iterator[ConversationTurn]:
    """Yield the questions of somebody else's conversation up to the first answer that the caller may not see.

    Later questions may repeat what that answer said. An erased question counts as one that the caller may not
    see; for one that was removed because of its age, the documents of its answer are still known. Questions
    without an answer are left out, because the reason may reveal hidden documents.
    """
    answers = api.service.conversations.answers(about.id)
    sight = None if caller.principals is None else _Sight(api, answers.values(), caller.principals)

    def opens(answer: KeptAnswer) -> bool:
        return caller.sees_all_of(answer.job) and (sight is None or sight.opens(answer))

    earlier = [answer for answer in answers.values() if answer.created < questions[0].asked]
    if not all(opens(answer) for answer in earlier if answer.state not in _UNANSWERED):
        return
    for question in questions:
        if sight is not None and about.hidden_from is not None and question.asked >= about.hidden_from:
            return
        kept = answers.get(question.job_id)
        if kept is None or kept.state in _UNANSWERED:
            continue
        if not opens(kept):
            return
        seen = None if sight is None else sight.seen(kept)
        turn = _turn(question, seen_job(api, caller, kept.record, seen))
        if sight is not None and isinstance(turn.outcome, Answer):  # its scope may name documents
            turn = turn.model_copy(update={"outcome": turn.outcome.model_copy(update={"scope": {}})})
        yield turn


def _turn(question: KeptQuestion, job: Job | None) -> ConversationTurn:
    fields = question.model_dump()
    if job is None:
        lost = Answer(job_id=question.job_id, status=JobState.FAILED, reason=_LOST)
        return ConversationTurn(**fields, state=JobState.FAILED, outcome=lost)
    return ConversationTurn(**fields, state=job.state, ended=job.ended, outcome=job.outcome)
