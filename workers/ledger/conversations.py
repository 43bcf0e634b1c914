"""Conversations: sessions whose questions and answers are stored for months and shown to people.

A conversation is stored in two hashes of Redis: its properties and questions, and its answers. Both expire
with its last answer. For each document, a set lists the conversations with answers based on it, so that they
can be found when the document is deleted.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TypeVar, cast

import redis
from redis.client import Pipeline

from hopline.models.jobs import JobState, Json
from workers.core.answers.kept import (
    KeptAnswer,
    KeptConversation,
    KeptQuestion,
    documents_of_answer,
    without_documents,
)
from workers.core.redis_keys import (
    CONVERSATION_ERASURES,
    conversation_answers_key,
    conversation_key,
    conversations_key,
    quoted_key,
)

Result = TypeVar("Result")
MOST_TURNS = 200  # of a conversation; the oldest go
MOST_KEPT = 1000  # conversations of an owner; the oldest go
_LISTED = 1_000_000  # conversations of all owners
_LARGE = 65_536  # bytes of an answer, compressed: of a larger one the walk and the details are not kept
_DAY = 86_400.0
_ANSWERED = frozenset((JobState.DONE, JobState.PARTIAL, JobState.ABSTAINED))
_NEEDED = frozenset(("coverage", "unchecked_sentences"))  # details by which an answer is shown
_ABOUT = "about"  # a field of the first hash; the others are jobs
_REMOVED = "removed"  # a field of the second: what the answers rested on that became too old or too many


class Conversations:
    """The conversations of all owners.

    Args:
        client: a Redis client with `decode_responses`.
        days: number of days for which an answer is stored.
    """

    def __init__(self, client: redis.Redis, days: float) -> None:
        self._client = client
        self._seconds = days * _DAY

    def begin(self, conversation: KeptConversation) -> KeptConversation:
        """Begin a conversation, unless one has its id already; return the one that has.

        Without a question it lasts a day.
        """
        key = conversation_key(conversation.id)
        pipeline = self._client.pipeline()
        pipeline.hsetnx(key, _ABOUT, conversation.model_dump_json())
        pipeline.expire(key, min(self._whole_seconds, round(_DAY)), nx=True)
        pipeline.hget(key, _ABOUT)
        *_, stored = pipeline.execute()
        return KeptConversation.read_stored(cast("str", stored))

    def find(self, conversation: str) -> KeptConversation | None:
        """Return a conversation; None if there is none with this id."""
        stored = cast("str | None", self._client.hget(conversation_key(conversation), _ABOUT))
        return KeptConversation.read_stored(stored) if stored else None

    def ask(self, conversation: str, question: KeptQuestion) -> None:
        """Add a question, once; a deleted conversation stays deleted."""
        self._add(conversation, question, None)

    def answer(self, conversation: str, question: KeptQuestion, answer: KeptAnswer) -> bool:
        """Keep a question with its answer; the first that is kept stays.

        Returns:
            Whether the conversation is there. One that was deleted meanwhile stays deleted, and nothing is
            kept of a question that was asked before its collection, or any name, was erased.
        """
        return self._add(conversation, question, answer)

    def _add(self, conversation: str, question: KeptQuestion, answer: KeptAnswer | None) -> bool:
        key, answers = conversation_key(conversation), conversation_answers_key(conversation)

        def add(pipeline: Pipeline) -> bool:
            stored = cast("dict[str, str]", pipeline.hgetall(key))
            if _ABOUT not in stored:
                return False
            if self._erased(pipeline, question):
                return True
            about = KeptConversation.read_stored(stored.pop(_ABOUT))
            stored.setdefault(question.job_id, question.model_dump_json())
            questions = _sorted(stored.values())
            ending = [each for each in questions[:-MOST_TURNS] if each.job_id != question.job_id]
            ending += [each for each in questions if each.asked < question.asked - self._seconds]
            fields = [each.job_id for each in ending]
            packed = cast("list[str | None]", pipeline.hmget(answers, _REMOVED, *fields) if ending else [])
            removed = [answer for answer in map(_unpacked, filter(None, packed)) if answer.state in _ANSWERED]
            pipeline.multi()
            pipeline.hsetnx(key, question.job_id, question.model_dump_json())
            if answer is not None:
                pipeline.hsetnx(answers, question.job_id, _packed(answer))
                for document in documents_of_answer(answer.outcome):
                    pipeline.sadd(quoted_key(document), conversation)
                    pipeline.expire(quoted_key(document), self._whole_seconds)
            if ending:
                pipeline.hdel(key, *fields)
                pipeline.hdel(answers, *fields)
            if removed:
                pipeline.hset(answers, _REMOVED, _packed(KeptAnswer.without_words(removed)))
            pipeline.expire(key, self._whole_seconds)
            pipeline.expire(answers, self._whole_seconds)
            for listed in (conversations_key(about.owner), conversations_key("")):
                pipeline.zadd(listed, {conversation: question.asked}, gt=True)
                pipeline.zremrangebyscore(listed, "-inf", f"({question.asked - self._seconds}")
                pipeline.expire(listed, self._whole_seconds)
            pipeline.zremrangebyrank(conversations_key(""), 0, -1 - _LISTED)
            return True

        return bool(self._transact(add, key, CONVERSATION_ERASURES))

    def _erased(self, pipeline: Pipeline, question: KeptQuestion) -> bool:
        """Return whether one of a question's collections, or all, were erased after it was asked."""
        marks = pipeline.hmget(CONVERSATION_ERASURES, "", *question.collections)
        return any(question.asked <= float(at) for at in cast("list[str | None]", marks) if at)

    def _mark_erasure(self, collection: str) -> None:
        """Have nothing kept of questions that still run; "" for those of all collections."""
        seconds, micros = self._client.time()
        pipeline = self._client.pipeline()
        pipeline.hset(CONVERSATION_ERASURES, collection, f"{seconds}.{micros:06}")
        pipeline.expire(CONVERSATION_ERASURES, self._whole_seconds)
        pipeline.execute()

    def delete_oldest(self, owner: str, most: int = MOST_KEPT) -> None:
        """Delete the oldest conversations of an owner beyond the maximum number."""
        for name in self._names(owner, after=most):
            self.delete(name)

    def of_owner(self, owner: str) -> Iterator[tuple[KeptConversation, list[KeptQuestion]]]:
        """Yield an owner's conversations with their questions, those with the newest questions first."""
        for name in self._names(owner):
            found = self.read(name)
            if found is not None and found[1]:
                yield found

    def read(self, conversation: str) -> tuple[KeptConversation, list[KeptQuestion]] | None:
        """Return a conversation with its questions, oldest first; None if there is none with this id."""
        if (found := self._stored(conversation)) is None:
            return None
        seconds, _ = self._client.time()
        about, questions = found
        return about, [each for each in questions if each.asked >= seconds - self._seconds]

    def _stored(self, conversation: str) -> tuple[KeptConversation, list[KeptQuestion]] | None:
        """Return a conversation also with the questions whose time is over."""
        stored = cast("dict[str, str]", self._client.hgetall(conversation_key(conversation)))
        about = stored.pop(_ABOUT, None)
        return None if about is None else (KeptConversation.read_stored(about), _sorted(stored.values()))

    def answers(self, conversation: str) -> dict[str, KeptAnswer]:
        """Return the answers of a conversation that are kept, by job.

        An entry without a question stands for removed ones, and records the documents they rested on.
        """
        stored = cast("dict[str, str]", self._client.hgetall(conversation_answers_key(conversation)))
        return {job: _unpacked(text) for job, text in stored.items()}

    def newest_answers(self, conversation: str) -> Iterator[KeptAnswer]:
        """Yield the stored answers of a conversation, newest first, each read on demand."""
        _, questions = self.read(conversation) or (None, [])
        for question in reversed(questions):
            stored = self._client.hget(conversation_answers_key(conversation), question.job_id)
            if stored is not None:
                yield _unpacked(cast("str", stored))

    def change(self, conversation: str, changes: Json) -> KeptConversation | None:
        """Set a conversation's title, or whether it is shared; return it, or None if it does not exist."""
        key = conversation_key(conversation)

        def change(pipeline: Pipeline) -> KeptConversation | None:
            stored = cast("str | None", pipeline.hget(key, _ABOUT))
            if stored is None:
                return None
            changed = KeptConversation.read_stored(stored).model_copy(update=changes)
            pipeline.multi()
            pipeline.hset(key, _ABOUT, changed.model_dump_json())
            return changed

        return self._transact(change, key)

    def _transact(self, act: Callable[[Pipeline], Result], *keys: str) -> Result:
        """Run a function's queued commands in one transaction, and again if a key changed meanwhile."""
        queued = cast("Callable[[Pipeline], None]", act)
        return cast("Result", self._client.transaction(queued, *keys, value_from_callable=True))

    def delete(self, conversation: str) -> None:
        """Delete a conversation; no error if it does not exist."""
        about = self.find(conversation)
        pipeline = self._client.pipeline()
        pipeline.delete(conversation_key(conversation), conversation_answers_key(conversation))
        for listed in {conversations_key(about.owner if about else ""), conversations_key("")}:
            pipeline.zrem(listed, conversation)
        pipeline.execute()

    def take_out(self, collection: str, *documents: str) -> None:
        """Remove quotes of deleted documents from every answer that drew on their collection."""
        gone = frozenset(documents)
        names = {name for each in gone for name in cast("set[str]", self._client.smembers(quoted_key(each)))}

        def taken_out(answer: KeptAnswer) -> KeptAnswer:
            if collection not in answer.job.collections:
                return answer
            return answer.model_copy(update={"outcome": without_documents(answer.outcome, gone)})

        for name in names:
            self._rewrite(name, taken_out)

    def _rewrite(self, conversation: str, rewritten: Callable[[KeptAnswer], KeptAnswer]) -> None:
        key = conversation_answers_key(conversation)

        def rewrite(pipeline: Pipeline) -> None:
            stored = cast("dict[str, str]", pipeline.hgetall(key))
            answers = {job: _unpacked(text) for job, text in stored.items()}
            pipeline.multi()
            for job, answer in answers.items():
                if (changed := rewritten(answer)) != answer:
                    pipeline.hset(key, job, _packed(changed))

        self._transact(rewrite, key)

    def erase_collection(self, collection: str) -> None:
        """Remove all questions and answers that read a collection, and the titles of their conversations."""
        self._mark_erasure(collection)
        for name in self._names(""):
            if found := self._stored(name):
                holding = {each.job_id for each in found[1] if collection in each.collections}
                removed = cast("str | None", self._client.hget(conversation_answers_key(name), _REMOVED))
                if removed and collection in _unpacked(removed).job.collections:
                    holding.add(_REMOVED)
                self._remove(name, holding, untitles=bool(holding))

    def erase_name(self, name: str) -> None:
        """Remove all questions, answers and titles that contain a text."""
        self._mark_erasure("")
        for conversation in self._names(""):
            found, answers = self._stored(conversation), self.answers(conversation)
            if found is None:
                continue
            about, questions = found
            written = json.dumps(name, ensure_ascii=False)[1:-1]  # as it stands in JSON
            holding = {job for job, each in answers.items() if written in each.model_dump_json()}
            holding |= {each.job_id for each in questions if name in each.question}
            self._remove(conversation, holding, untitles=name in about.title)

    def _remove(self, conversation: str, jobs: Collection[str], *, untitles: bool) -> None:
        """Remove questions with their answers, and a conversation that has no others."""
        key = conversation_key(conversation)

        def remove(pipeline: Pipeline) -> None:
            stored = cast("dict[str, str]", pipeline.hgetall(key))
            pipeline.multi()
            if _ABOUT in stored:
                gone = [KeptQuestion.read_stored(stored[job]) for job in jobs if job in stored]
                about = KeptConversation.read_stored(stored[_ABOUT]).without(gone)
                changes: Json = {"title": ""} if untitles else {}
                changes |= {"hidden_from": 0.0} if _REMOVED in jobs else {}
                pipeline.hset(key, _ABOUT, about.model_copy(update=changes).model_dump_json())
            if jobs:
                pipeline.hdel(key, *jobs)
                pipeline.hdel(conversation_answers_key(conversation), *jobs)

        if not jobs and not untitles:
            return
        self._transact(remove, key)
        found = self.read(conversation)
        if found is not None and not found[1]:
            self.delete(conversation)

    def _names(self, owner: str, after: int = 0) -> list[str]:
        return cast("list[str]", self._client.zrange(conversations_key(owner), after, -1, desc=True))

    @property
    def _whole_seconds(self) -> int:
        return max(1, round(self._seconds))


def _sorted(stored: Iterable[str]) -> list[KeptQuestion]:
    return sorted(map(KeptQuestion.read_stored, stored), key=lambda each: (each.asked, each.job_id))


def _packed(answer: KeptAnswer) -> str:
    packed = _compressed(answer)
    if len(packed) <= _LARGE:
        return packed
    less = {name: value for name, value in answer.outcome.items() if name not in ("walk", "details")}
    details = answer.outcome.get("details") or {}
    less["details"] = {name: details[name] for name in _NEEDED & details.keys()}
    return _compressed(answer.model_copy(update={"outcome": less}))


def _compressed(answer: KeptAnswer) -> str:
    return b64encode(zlib.compress(answer.model_dump_json(exclude_defaults=True).encode())).decode()


def _unpacked(text: str) -> KeptAnswer:
    return KeptAnswer.read_stored(zlib.decompress(b64decode(text)))
