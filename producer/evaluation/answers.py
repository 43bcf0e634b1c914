"""Evaluates a strategy's answers: their text, citations and cost for each question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from hopline.models.answers import Answer
from hopline.models.base import Frozen
from hopline.models.jobs import JobState
from hopline.models.params import patience_of
from hopline.models.times import seconds_between
from producer.evaluation.flight import in_flight
from producer.evaluation.measures import Bootstrap, Interval, contains, exact_match, f1
from producer.evaluation.retrieval import ALL
from workers.core import ids

if TYPE_CHECKING:
    from hopline import Hopline
    from hopline.models.results import Job
    from producer.evaluation.dataset import Dataset, EvalQuestion

_ANSWERED = (JobState.DONE, JobState.PARTIAL)


class AnswerRow(Frozen):
    """One question with what became of it."""

    id: str
    question: str
    type: str
    expected: str
    gold: tuple[str, ...]
    job_id: str
    status: JobState
    text: str
    reason: str | None
    exact: float  # 0 or 1
    contained: float = 0.0  # 0 or 1: the expected answer stands in the text
    f1: float
    cited: tuple[str, ...]  # ids of passages, or of documents that are none of the file's
    visits: int
    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float  # from submission to end, with the others that were under way

    @property
    def gold_cited(self) -> float:
        """The share of the gold passages that the answer cites."""
        return len(set(self.gold) & set(self.cited)) / len(set(self.gold))

    @property
    def cited_gold(self) -> float:
        """The share of the cited passages that are gold; of an answer that cites some."""
        return len(set(self.gold) & set(self.cited)) / len(self.cited)


class AnsweredGroup(Frozen):
    """The questions of one type, or all of them; means per question."""

    questions: int
    answered: Interval  # share
    abstained: Interval  # share
    exact_match: Interval  # an abstention counts as wrong
    contained: Interval  # as for exact_match; a sentence that holds the expected answer counts as right
    f1: Interval
    gold_cited: Interval  # recall of the citations; an abstention cites nothing
    cited_gold: Interval | None  # precision of the citations, over the questions that cite; None without any
    visits: Interval
    model_calls: Interval
    tokens: Interval
    seconds: Interval


class Answers(Frozen):
    """Answers of a run over all questions."""

    strategy: str
    parallel: int  # questions under way at a time
    groups: dict[str, AnsweredGroup]  # "all", then the types


def ask_questions(
    client: Hopline,
    collection: str,
    dataset: Dataset,
    strategy: str,
    parallel: int,
    advance: Callable[[], None],
) -> list[AnswerRow]:
    """Ask every question, several at a time; return what became of them, in the file's order.

    Args:
        client: the servers.
        collection: where the passages are.
        dataset: the questions.
        strategy: how to look for the answers.
        parallel: questions under way at a time.
        advance: called as each has ended.
    """
    passages = {ids.document_id(collection, passage.id): passage.id for passage in dataset.passages}

    def submit(question: EvalQuestion, key: str) -> None:
        client.queries.submit(question.question, collection=collection, strategy=strategy, key=key)

    rows: dict[str, AnswerRow] = {}
    flight = in_flight(client, dataset.questions, submit, parallel=parallel, patience=patience_of())
    with closing(flight) as ended:
        for question, job in ended:
            rows[question.id] = _row(question, job, passages)
            advance()
    return [rows[question.id] for question in dataset.questions]


def _row(question: EvalQuestion, job: Job, passages: dict[str, str]) -> AnswerRow:
    answer = Answer.of(job)
    documents = dict.fromkeys(citation.document.id for citation in answer.citations if citation.document)
    text = answer.text if answer.status in _ANSWERED else ""
    return AnswerRow(
        id=question.id,
        question=question.question,
        type=question.type,
        expected=question.answer,
        gold=question.gold,
        job_id=answer.job_id,
        status=answer.status,
        text=answer.text,
        reason=answer.reason,
        exact=exact_match(text, question.answer),
        contained=contains(text, question.answer),
        f1=f1(text, question.answer),
        cited=tuple(passages.get(document_id, document_id) for document_id in documents),
        visits=len(answer.walk),
        model_calls=answer.usage.model_calls,
        prompt_tokens=answer.usage.prompt_tokens,
        completion_tokens=answer.usage.completion_tokens,
        seconds=seconds_between(job.created, job.ended or job.created),
    )


def measure_answers(rows: Sequence[AnswerRow], *, strategy: str, parallel: int, seed: int) -> Answers:
    """Return the measures of the rows, over all questions and per type."""
    groups = {ALL: _group(rows, seed)}
    types = sorted({row.type for row in rows})
    if len(types) > 1:
        groups |= {name: _group([row for row in rows if row.type == name], seed) for name in types}
    return Answers(strategy=strategy, parallel=parallel, groups=groups)


def _group(rows: Sequence[AnswerRow], seed: int) -> AnsweredGroup:
    mean = Bootstrap(len(rows), seed=seed).interval
    citing = [row.cited_gold for row in rows if row.cited]
    return AnsweredGroup(
        questions=len(rows),
        answered=mean([float(row.status in _ANSWERED and bool(row.text)) for row in rows]),
        abstained=mean([float(row.status is JobState.ABSTAINED) for row in rows]),
        exact_match=mean([row.exact for row in rows]),
        contained=mean([row.contained for row in rows]),
        f1=mean([row.f1 for row in rows]),
        gold_cited=mean([row.gold_cited for row in rows]),
        cited_gold=Bootstrap(len(citing), seed=seed).interval(citing) if citing else None,
        visits=mean([float(row.visits) for row in rows]),
        model_calls=mean([float(row.model_calls) for row in rows]),
        tokens=mean([float(row.prompt_tokens + row.completion_tokens) for row in rows]),
        seconds=mean([row.seconds for row in rows]),
    )
