"""A model that answers badly one time in five: jobs still end, and nothing that it invents is believed."""

from __future__ import annotations

from pathlib import Path

import pytest
from fleet.checks import assert_citations_stored, assert_quotes_stand_in_files
from fleet.crew import Crew
from fleet.worlds import TREE_QUESTION, write_tree

QUERIES = 8
BAD = dict.fromkeys(("malformed", "schema", "invented", "empty", "refusal"), 0.02) | {
    "429": 0.05,
    "500": 0.05,
}


@pytest.fixture(scope="module")
def tree(standing_crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> str:
    standing_crew.model.set()
    standing_crew.ingest(write_tree(tmp_path_factory.mktemp("tree")), "bad-model")
    return "bad-model"


def test_questions_end_and_cite_only_stored_facts(crew: Crew, tree: str) -> None:
    crew.model.set(chat={"fail": BAD}, seed=4)
    jobs = [
        crew.client.submit_question(TREE_QUESTION, tree, strategy="graph", max_seeds=1)
        for _ in range(QUERIES)
    ]
    answers = [crew.client.wait(job, 180) for job in jobs]
    assert {answer.status for answer in answers} <= {"done", "partial", "abstained"}
    assert sum(answer.status == "done" for answer in answers) >= QUERIES // 2
    for answer in answers:
        if answer.status == "done":
            assert_quotes_stand_in_files(answer)
            assert_citations_stored(crew, tree, answer)
        assert "green cheese" not in answer.text


def test_visits_that_failed_are_listed_with_their_reason(crew: Crew, tree: str) -> None:
    # The adapter asks once more with the error before it gives up.
    crew.model.set(schemas={"NodeNotes": {"fail_next": ["refusal"] * 2}})
    answer = crew.client.ask(TREE_QUESTION, tree, strategy="graph", max_seeds=1)
    assert all(item["reason"] for item in answer.details["visits_failed"]["items"]), answer


def test_failed_chunks_are_dead_letters_until_retried(crew: Crew, collection: str, tmp_path: Path) -> None:
    paragraphs = [f"Maren Holt praised Town{chr(97 + n)}. " * 60 for n in range(8)]
    (tmp_path / "long.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
    crew.model.set(schemas={"ExtractedFacts": {"fail_next": ["refusal"] * 2}})
    partial = crew.client.ingest([tmp_path / "long.txt"], collection)
    assert [document.status for document in partial.documents] == ["partial"]
    assert "chunks failed" in str(partial.documents[0].error)
    (tmp_path / "short.txt").write_text("Maren Holt praised Vestby.\n", encoding="utf-8")
    crew.model.set(schemas={"ExtractedFacts": {"fail": {"malformed": 1.0}}})
    failed = crew.client.ingest([tmp_path / "short.txt"], collection)
    assert [document.status for document in failed.documents] == ["failed"]
    for report in (partial, failed):
        crew.model.set()
        [letter] = crew.client.dead_letters(report.job_id)
        assert (letter.step, letter.error != "") == ("ingest.document", True)
        retried = crew.run("retry", report.job_id)
        assert retried.returncode == 0, retried.stderr
        finished = crew.client.wait(report.job_id, 180)
        assert [document.status for document in finished.documents] == ["done"], finished
        assert not crew.client.dead_letters(report.job_id)
    assert {document.status for document in crew.client.documents(collection)} == {"indexed"}
