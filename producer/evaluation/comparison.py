"""Compares two reports of an evaluation, question by question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import ValidationError

from hopline.errors import InvalidInput
from hopline.models.base import Frozen
from hopline.models.jobs import JobState
from producer.evaluation.answers import AnswerRow
from producer.evaluation.measures import Bootstrap, Interval, all_found, recall
from producer.evaluation.report import EvalReport
from producer.evaluation.retrieval import SEARCH, RankedRow

_CLOSE = 1e-9
_FIRST = 5  # ranks within which a gold passage counts as found
Row = TypeVar("Row", RankedRow, AnswerRow)
Value = TypeVar("Value")
Verdict = Literal["better", "worse", "other"]


class MeasureChange(Frozen):
    """One measure of both reports, over the questions that both have."""

    before: float
    after: float
    difference: Interval  # after minus before, question by question


class GivenAnswer(Frozen):
    """The result of a question in one report."""

    status: JobState
    text: str
    f1: float
    model_calls: int
    tokens: int


class AnswerChange(Frozen):
    """A question that was answered otherwise."""

    id: str
    question: str
    expected: str
    verdict: Verdict  # by F1; other: as good, in other words or with another status
    before: GivenAnswer
    after: GivenAnswer


class RankingChange(Frozen):
    """A question for which the search found more or fewer gold passages among the first five."""

    id: str
    question: str
    verdict: Verdict
    lost: tuple[str, ...]  # gold passages that were among them
    won: tuple[str, ...]  # gold passages that are now


class Comparison(Frozen):
    """Differences between two evaluation reports."""

    before: str
    after: str
    questions: int  # that both have
    only_before: int
    only_after: int
    retrieval: dict[str, MeasureChange]
    answers: dict[str, MeasureChange]  # empty where one report has none
    rankings: tuple[RankingChange, ...]
    answered: tuple[AnswerChange, ...]
    # Versions of those that are not the same, None: absent; empty where a report names none.
    prompts: dict[str, tuple[str | None, str | None]]
    settings: dict[str, tuple[object, object]]  # those that are not the same


def read_report(path: Path) -> EvalReport:
    """Read a report that `hopline eval` wrote.

    Raises:
        InvalidInput: the file cannot be read, or is not such a report.
    """
    allowed = "a report that `hopline eval FILE` has written"
    try:
        return EvalReport.read_stored(path.read_bytes())
    except (OSError, ValidationError) as error:
        why = error.strerror if isinstance(error, OSError) else "no report of an evaluation"
        raise InvalidInput("compare", f"{path} ({why})", allowed) from error


def compare_reports(before: EvalReport, after: EvalReport, names: tuple[str, str]) -> Comparison:
    """Compare two reports over the questions that both have, matched by their ids.

    Args:
        before: of the first run.
        after: of the second.
        names: names of the two, as they are shown.

    Raises:
        InvalidInput: they have no question in common.
    """
    ranked = _both(before.ranked, after.ranked)
    if not ranked:
        raise InvalidInput("compare", f"{names[0]} and {names[1]}", "two reports with questions in common")
    answered = _both(before.answered, after.answered)
    return Comparison(
        before=names[0],
        after=names[1],
        questions=len(ranked),
        only_before=len(before.ranked) - len(ranked),
        only_after=len(after.ranked) - len(ranked),
        retrieval=_measures(ranked, _RETRIEVAL, after.seed),
        answers=_measures(answered, _ANSWERS, after.seed) if answered else {},
        rankings=tuple(filter(None, (_ranking_change(*pair) for pair in ranked))),
        answered=tuple(filter(None, (_answer_change(*pair) for pair in answered))),
        prompts=_differing(before.prompts, after.prompts) if before.prompts and after.prompts else {},
        settings=_differing(before.settings, after.settings),
    )


def _both(before: Sequence[Row], after: Sequence[Row]) -> list[tuple[Row, Row]]:
    earlier = {row.id: row for row in before}
    return [(earlier[row.id], row) for row in after if row.id in earlier]


def _find_gold(row: RankedRow) -> set[str]:
    return set(row.gold) & set(row.rankings.get(SEARCH, ())[:_FIRST])


_RETRIEVAL: Mapping[str, Callable[[RankedRow], float]] = {
    "R@2": lambda row: recall(row.rankings.get(SEARCH, ()), set(row.gold), 2),
    "R@5": lambda row: recall(row.rankings.get(SEARCH, ()), set(row.gold), _FIRST),
    "all gold@5": lambda row: all_found(row.rankings.get(SEARCH, ()), set(row.gold), _FIRST),
}
_ANSWERS: Mapping[str, Callable[[AnswerRow], float]] = {
    "answered": lambda row: float(row.status in {JobState.DONE, JobState.PARTIAL} and bool(row.text)),
    "exact match": lambda row: row.exact,
    "expected answer is contained": lambda row: row.contained,
    "F1": lambda row: row.f1,
    "gold passages that are cited": lambda row: row.gold_cited,
    "model calls a question": lambda row: float(row.model_calls),
    "tokens a question": lambda row: float(row.prompt_tokens + row.completion_tokens),
    "seconds a question": lambda row: row.seconds,
}


def _measures(
    pairs: Sequence[tuple[Row, Row]], measures: Mapping[str, Callable[[Row], float]], seed: int
) -> dict[str, MeasureChange]:
    bootstrap = Bootstrap(len(pairs), seed=seed)
    changes = {}
    for name, measure in measures.items():
        values = [(measure(before), measure(after)) for before, after in pairs]
        changes[name] = MeasureChange(
            before=sum(before for before, _ in values) / len(values),
            after=sum(after for _, after in values) / len(values),
            difference=bootstrap.interval([after - before for before, after in values]),
        )
    return changes


def _ranking_change(before: RankedRow, after: RankedRow) -> RankingChange | None:
    earlier, later = _find_gold(before), _find_gold(after)
    if earlier == later:
        return None
    return RankingChange(
        id=after.id,
        question=after.question,
        verdict=_verdict(len(later) - len(earlier)),
        lost=tuple(sorted(earlier - later)),
        won=tuple(sorted(later - earlier)),
    )


def _answer_change(before: AnswerRow, after: AnswerRow) -> AnswerChange | None:
    if (before.status, before.text) == (after.status, after.text):
        return None
    return AnswerChange(
        id=after.id,
        question=after.question,
        expected=after.expected,
        verdict=_verdict(after.f1 - before.f1),
        before=_summarise_answer(before),
        after=_summarise_answer(after),
    )


def _verdict(difference: float) -> Verdict:
    if abs(difference) < _CLOSE:
        return "other"
    return "better" if difference > 0 else "worse"


def _summarise_answer(row: AnswerRow) -> GivenAnswer:
    return GivenAnswer(
        status=row.status,
        text=row.text,
        f1=row.f1,
        model_calls=row.model_calls,
        tokens=row.prompt_tokens + row.completion_tokens,
    )


def _differing(
    before: Mapping[str, Value], after: Mapping[str, Value]
) -> dict[str, tuple[Value | None, Value | None]]:
    names = sorted({*before, *after})
    return {
        name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)
    }
