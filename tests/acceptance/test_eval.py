"""`hopline eval` on a small made file, with real workers: its figures, a second run, what it refuses."""

import json
from pathlib import Path

import pytest
from fleet.checks import one_object
from fleet.crew import Crew, wait_until
from fleet.worlds import BRIDGE_QUESTION

from workers.telemetry.presence import workers_by_queue

PASSAGES = [
    ("Alda Bridge", "The Alda Bridge was designed by Maren Holt. The Alda Bridge crosses the Skerne river."),
    ("Maren Holt", "Maren Holt was born in Vestby. Maren Holt studied at the Kolder Academy."),
    ("Ivo Brandl", "Ivo Brandl praised Ostrava. Ivo Brandl painted harbours."),
    ("Ostrava", "Ostrava has a coal museum. The museum was opened in 1971."),
    ("Lunden", "Lunden is known for its cherries. Petra Zwick praised Lunden."),
]
QUESTIONS = [
    ("q1", BRIDGE_QUESTION, "Vestby", "bridge", [0, 1]),
    ("q2", "Which museum does the town that Ivo Brandl praised have?", "a coal museum", "bridge", [2, 3]),
    ("q3", "What is Lunden known for?", "its cherries", "single", [4]),
]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    passages = [{"id": f"p{n}", "title": title, "text": text} for n, (title, text) in enumerate(PASSAGES)]
    questions = [
        {"id": i, "question": q, "answer": a, "type": t, "gold": [f"p{n}" for n in gold]}
        for i, q, a, t, gold in QUESTIONS
    ]
    path = tmp_path / "made.json"
    path.write_text(json.dumps({"passages": passages, "questions": questions}), encoding="utf-8")
    return path


def test_search_and_answers_are_measured_and_a_second_run_is_free(crew, collection, file, tmp_path):
    out = tmp_path / "out" / "report.json"
    words = ("eval", str(file), "-c", collection, "--answers", "--json", "--out", str(out))
    done = crew.run(*words, seconds=120)
    assert done.returncode == 0, done.stderr
    report = one_object(done.stdout)
    assert json.loads(out.read_text(encoding="utf-8")) == report

    assert report["file"]["types"] == {"bridge": 2, "single": 1}
    assert report["ingested"]["new"] == len(PASSAGES)
    assert report["ingested"]["model_calls"] > 0
    assert report["ingested"]["seconds"] > 0
    groups = report["retrieval"]["groups"]
    assert set(groups) == {"all", "bridge", "single"}
    assert groups["all"]["questions"] == 3
    assert groups["all"]["systems"]["search"]["recall_5"]["mean"] == 1.0
    assert report["retrieval"]["milliseconds"]["p50"] > 0
    assert all(row["rankings"]["search"][0].startswith("p") for row in report["ranked"])

    bridge, _museum, cherries = report["answered"]
    assert [row["id"] for row in report["answered"]] == ["q1", "q2", "q3"]
    assert bridge["cited"] == ["p0", "p1"]
    assert cherries["f1"] > 0
    assert cherries["seconds"] > 0
    measured = report["answers"]["groups"]["all"]
    assert measured["model_calls"]["mean"] > 0
    assert measured["tokens"]["mean"] > 0

    crew.model.set()
    again = crew.run("eval", str(file), "-c", collection, "--limit", "2")
    assert again.returncode == 0, again.stderr
    assert crew.model.requests().keys() <= {"embeddings", "texts"}  # of the questions
    assert "all (2)" in again.stdout
    assert "made.json: 2 questions, 5 passages" in again.stdout


@pytest.mark.long
def test_without_workers_it_says_so_instead_of_waiting(crew: Crew, collection: str, file: Path) -> None:
    crew.have(interactive="interactive")
    wait_until(lambda: not workers_by_queue(crew.redis)["bulk"], "the worker that was killed is forgotten")
    try:
        done = crew.run("eval", str(file), "-c", collection)
    finally:
        crew.have(interactive="interactive", bulk="bulk")
    assert done.returncode == 1
    assert "worker bulk: no worker takes from this queue" in done.stderr
