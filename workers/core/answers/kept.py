"""Records of conversations: stored questions and answers, also after documents are deleted."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Self

from hopline.models.base import Frozen
from hopline.models.jobs import Budget, JobState, Json, Usage
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Job
from workers.core.language.text import sentences

DELETED = "A document that this answer rested on was deleted since: ask again."
_MARKER = re.compile(r"\[([0-9]{1,6})\]")
_MOST_RESTING = 2000  # documents that are kept of removed answers
# Words that cite nothing: they may name what any of the evidence says.
_UNCITED = frozenset(("missing", "details", "walk", "calculations", "calls"))


class KeptConversation(Frozen):
    """The properties of a conversation."""

    id: str
    owner: str  # see `producer.api.access.Caller.owner`
    created: float  # seconds since the epoch
    title: str = ""  # that its owner chose; "" for the beginning of the first question
    shared: bool = False
    # Seconds since the epoch: when the earliest erased question was asked. Later ones may repeat its answer.
    hidden_from: float | None = None

    def without(self, questions: Iterable[KeptQuestion]) -> Self:
        """Return the properties after some questions are erased."""
        removed = [each.asked for each in questions]
        known = [] if self.hidden_from is None else [self.hidden_from]
        return self.model_copy(update={"hidden_from": min(removed + known, default=None)})


class KeptQuestion(Frozen):
    """A question of a conversation."""

    job_id: str
    question: str
    collections: tuple[str, ...]  # that it reads
    asked: float  # seconds since the epoch


class KeptAnswer(Frozen):
    """The end of a question's job."""

    job: Job
    state: JobState
    created: float  # seconds since the epoch
    ended: float
    outcome: Json = {}
    usage: Usage = Usage()
    timings: dict[str, float] = {}
    # Document → which text of it was live, by `ScopeKeeper.live_texts`; "" if newer than the job.
    texts: dict[str, str] = {}

    @classmethod
    def of(cls, record: JobRecord, texts: dict[str, str]) -> Self:
        """Return the stored parts of an ended job."""
        kept = {name: getattr(record, name) for name in ("job", "state", "created", "usage", "timings")}
        ended = record.ended or record.created
        return cls(**kept, ended=ended, outcome=record.outcome or {}, texts=texts)

    @classmethod
    def without_words(cls, answers: Sequence[Self]) -> Self:
        """Return a record without texts, with the documents that decide who may see the questions after it.

        Without `rests_on`, no reader with principals may see them.
        """
        job = Job(id="", kind=answers[0].job.kind, collection=answers[0].job.collection)
        names = list(dict.fromkeys(name for each in answers for name in each.job.collections))
        texts: dict[str, str] = {}
        for each in answers:
            for document in documents_of_answer(each.outcome):
                text = each.texts.get(document, "")
                texts[document] = text if texts.get(document, text) == text else ""
        is_known = len(texts) <= _MOST_RESTING and all(map(_rests_on_documents, answers))
        return cls(
            job=job.model_copy(update={"params": {"collections": names}}),
            state=JobState.DONE,
            created=min(each.created for each in answers),
            ended=max(each.ended for each in answers),
            outcome={"rests_on": list(texts)} if is_known else {},
            texts=texts if is_known else {},
        )

    @property
    def record(self) -> JobRecord:
        """The record of the job, without the course of its work."""
        return JobRecord(
            job=self.job,
            state=self.state,
            phase=0,
            epoch=self.job.epoch,
            created=self.created,
            ended=self.ended,
            items={},
            done={},
            timings=self.timings,
            usage=self.usage,
            budget=Budget(),
            leases_lost=0,
            dead=0,
            dropped=0,
            closed_for=None,
            outcome=self.outcome,
        )


def documents_of_answer(outcome: Json) -> tuple[str, ...]:
    """Return the ids of the documents that an answer is known to rest on, cited ones first."""
    cited = (_document(citation) for citation in outcome.get("citations", ()))
    return tuple(dict.fromkeys((*filter(None, cited), *outcome.get("rests_on", ()))))


def _rests_on_documents(answer: KeptAnswer) -> bool:
    """Return whether an answer rests only on documents in their state at the time of the question."""
    cited = answer.outcome.get("citations", ())
    is_known = "rests_on" in answer.outcome and all("document" in citation for citation in cited)
    return is_known and not answer.job.params.get("known_at")


def without_documents(outcome: Json, gone: Collection[str]) -> Json:
    """Return an answer without deleted documents.

    Their quotes are removed, with every sentence that cites one, and so is everything without citations that
    may reveal their contents: the reason, the missing parts, details, the walk, and sentences such as a
    survey's coverage.

    Args:
        outcome: outcome of a question's job, as its flow stored it.
        gone: ids of deleted documents.
    """
    if not set(gone).intersection(documents_of_answer(outcome)):
        return outcome
    kept = [each for each in outcome.get("citations", ()) if _document(each) not in gone]
    lost = {each["n"] for each in outcome.get("citations", ())} - {each["n"] for each in kept}
    left = {name: value for name, value in outcome.items() if name not in _UNCITED}
    text = _without_sentences(outcome.get("text", ""), lost)
    # It still rests on them: whoever might not see them does not see what is left.
    rests_on = list(dict.fromkeys((*outcome.get("rests_on", ()), *documents_of_answer(outcome))))
    return {**left, "citations": kept, "reason": DELETED, "text": text, "rests_on": rests_on}


def _document(citation: Json) -> str:
    """Return the id of the document that a citation quotes; "" if it is only a row of a graph."""
    place = citation.get("document") or (citation.get("stated") or {}).get("document") or {}
    return str(place.get("id", ""))


def _without_sentences(text: str, lost: set[int]) -> str:
    """Return the sentences of a text with citations, but none of certain numbers; lines stay separate."""
    return "\n".join(" ".join(_kept_sentences(line, lost)) for line in text.split("\n")).strip()


def _kept_sentences(line: str, lost: set[int]) -> Iterator[str]:
    for begin, end in sentences(line):
        sentence = line[begin:end]
        cited = {int(n) for n in _MARKER.findall(sentence)}
        if cited and not cited & lost:
            yield sentence
