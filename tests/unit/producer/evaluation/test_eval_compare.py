"""Two reports of an evaluation, compared question by question."""

import json
from pathlib import Path
from typing import Any

import pytest
from doubles.command_line import run_hopline
from doubles.evaluated import answer_row

from hopline.errors import InvalidInput
from hopline.models.jobs import JobState
from producer.evaluation.answers import AnswerRow, measure_answers
from producer.evaluation.comparison import compare_reports, read_report
from producer.evaluation.report import EvalReport, Ingested, MeasuredFile, circumstances
from producer.evaluation.retrieval import RankedRow, measure_retrieval
from workers.core.prompts import prompt_versions
from workers.settings import Settings


def ranked(name: str, *first: str) -> RankedRow:
    rankings = dict.fromkeys(("search", "words", "vectors", "hybrid"), first)
    question = {"id": name, "question": f"{name}?", "type": "single", "gold": ("g1", "g2")}
    return RankedRow(**question, rankings=rankings, seconds=0.1, parts={}, failed={})


def answered(name: str, text: str, f1: float, calls: int) -> AnswerRow:
    status = JobState.DONE if text else JobState.ABSTAINED
    asked = {"id": name, "question": f"{name}?", "type": "single", "status": status, "text": text}
    return answer_row(**asked, exact=float(f1 == 1), f1=f1, model_calls=calls, prompt_tokens=100 * calls)


def report(rows: list[RankedRow], answers: list[AnswerRow], **more: Any) -> EvalReport:
    fields = {"collection": "made", "at": 0.0, "seed": 4, "resamples": 2000, "machine": {}, "versions": {}}
    return EvalReport(
        file=MeasuredFile(name="made", passages=2, questions=len(rows), types={"single": len(rows)}),
        settings={"fast_model": "m"},
        ingested=Ingested(),
        retrieval=measure_retrieval(rows, warm_up=0, seed=4),
        answers=measure_answers(answers, strategy="graph", parallel=1, seed=4) if answers else None,
        ranked=tuple(rows),
        answered=tuple(answers),
        **fields,
        **more,
    )


BEFORE = report(
    [ranked("q1", "g1", "x"), ranked("q2", "x", "y"), ranked("q3", "g1", "g2")],
    [answered("q1", "Lunden", 0, 10), answered("q2", "Vestby", 1, 10), answered("q3", "In Vestby", 0.5, 10)],
    prompts={"visit": "aaa", "plan": "ppp"},
)
AFTER = report(
    [ranked("q4", "g1"), ranked("q2", "x", "y"), ranked("q1", "g1", "g2")],
    [answered("q4", "?", 0, 1), answered("q2", "", 0, 4), answered("q1", "Vestby", 1, 4)],
    prompts={"visit": "bbb", "plan": "ppp", "score_each": "ccc"},
)


def test_questions_are_matched_by_id_and_each_that_became_other_is_told() -> None:
    comparison = compare_reports(BEFORE, AFTER, ("a", "b"))
    assert (comparison.questions, comparison.only_before, comparison.only_after) == (2, 1, 1)
    assert {change.id: change.verdict for change in comparison.answered} == {"q1": "better", "q2": "worse"}
    assert [(ranking.id, ranking.lost, ranking.won) for ranking in comparison.rankings] == [
        ("q1", (), ("g2",))
    ]
    calls = comparison.answers["model calls a question"]
    assert (calls.before, calls.after, calls.difference.mean) == (10, 4, -6)
    assert comparison.answers["F1"].difference.mean == 0
    assert comparison.retrieval["R@5"].before == pytest.approx(0.25)
    assert comparison.retrieval["R@5"].after == pytest.approx(0.5)
    assert comparison.prompts == {"visit": ("aaa", "bbb"), "score_each": (None, "ccc")}


def test_a_report_compared_with_itself_shows_no_difference_and_one_without_answers_only_searches() -> None:
    comparison = compare_reports(AFTER, AFTER, ("a", "a"))
    assert not any((comparison.answered, comparison.rankings, comparison.prompts, comparison.settings))
    assert all(change.difference.mean == 0 for change in (comparison.answers | comparison.retrieval).values())
    comparison = compare_reports(report(list(BEFORE.ranked), []), AFTER, ("a", "b"))
    assert (comparison.answers, comparison.answered) == ({}, ())
    assert comparison.rankings


def test_what_is_no_pair_of_reports_of_the_same_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="in common"):
        compare_reports(report([ranked("q9", "g1")], []), AFTER, ("a", "b"))
    assert run_hopline("eval", "made.json", "--compare", *files(tmp_path)).exit_code == 2
    assert run_hopline("eval").exit_code == 2


def files(folder: Path) -> list[str]:
    paths = [folder / "before.json", folder / "after.json"]
    for path, content in zip(paths, (BEFORE, AFTER), strict=True):
        path.write_text(content.model_dump_json(), encoding="utf-8")
    return [str(path) for path in paths]


def test_the_command_tells_the_runs_apart_without_any_server(tmp_path: Path) -> None:
    done = run_hopline("eval", "--compare", *files(tmp_path))
    assert done.exit_code == 0, done.output
    for line in ("2 questions in both", "answers: 1 better, 1 worse", "+ q1: q1?", "- q2: q2?", "Lunden"):
        assert line in done.stdout
    assert "prompt visit: aaa → bbb" in done.stdout
    as_json = json.loads(run_hopline("eval", "--compare", *files(tmp_path), "--json").stdout)
    assert as_json["answers"]["model calls a question"]["after"] == 4


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff"])
def test_a_file_that_is_no_report_is_named(tmp_path: Path, content: bytes) -> None:
    wrong = tmp_path / "wrong.json"
    wrong.write_bytes(content)
    with pytest.raises(InvalidInput, match=r"wrong\.json.*hopline eval"):
        read_report(wrong)


def test_a_report_names_the_versions_of_all_prompts_that_questions_are_answered_with():
    answering = prompt_versions("workers.traverse", "workers.traverse.survey")
    assert answering.items() <= circumstances(Settings(), [])["prompts"].items()
