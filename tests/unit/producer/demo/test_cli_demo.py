"""The demo's documents and questions fit one another, and its verdict is strict."""

import io
import json
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from doubles.command_line import run_hopline, work_on
from doubles.desk import Desk, SentMessages
from rich.console import Console

from hopline import Hopline
from hopline.models.answers import Answer
from hopline.models.documents import DocumentReport
from hopline.models.ingest_reports import IngestReport
from hopline.models.jobs import JobState, Usage
from hopline.models.tools import ToolResult
from infra.local.process import Program
from infra.local.settings import SUPERVISOR_FILE, LocalSettings
from infra.local.supervise import configuration, section, start_supervisor, stop_supervisor
from producer.demo.movies_graph import movies_statements
from producer.demo.questions import DemoQuestion, load_questions
from producer.demo.run import Demo, Language, StoryQuestion, story_folder, story_questions
from workers.core.models.tokens import count_tokens
from workers.ingest.chunking.split import chapters_of
from workers.settings import Settings

QUESTIONS = load_questions(DemoQuestion)
TEXTS = {
    place.name: place.read_text(encoding="utf-8")
    for place in (files("producer.demo") / "documents").iterdir()
    if place.name.endswith((".md", ".txt"))
}


def test_the_two_hop_question_needs_two_documents_and_what_is_declined_is_in_none() -> None:
    first, second = TEXTS["clifton-suspension-bridge.md"], TEXTS["isambard-kingdom-brunel.md"]
    assert "designed by Isambard Kingdom Brunel" in first
    assert "Portsmouth" not in first
    assert "born in Portsmouth" in second
    assert "Clifton" not in second
    assert [name for name, text in TEXTS.items() if "Portsmouth" in text] == ["isambard-kingdom-brunel.md"]
    declined = ("carmen", "opera", "cost", "dollar", "price")
    assert not [word for text in TEXTS.values() for word in declined if word in text.casefold()]


def test_an_answer_or_result_without_what_it_must_have_is_a_mistake() -> None:
    declined = next(question for question in load_questions(DemoQuestion) if question.status == "abstained")
    assert declined.mistakes(Answer(job_id="j", status="abstained")) == []
    assert declined.mistakes(Answer(job_id="j", status="done", text="Bizet."))
    hop = next(question for question in load_questions(DemoQuestion) if question.documents == 2)
    (words, documents) = hop.mistakes(Answer(job_id="j", status="done", text="In London."))
    assert "'Portsmouth'" in words
    assert "cites 0 documents" in documents
    question = StoryQuestion(question="Who?", tool="respond", found=("Ada", "Bern"))
    result = ToolResult(tool="respond", arguments={}, markdown="Ada lives in Thun.")
    assert question.mistakes(result) == ["“Who?” does not tell 'Bern'"]


def test_a_run_tells_what_did_not_end_as_it_should_and_what_to_try_next(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_on(monkeypatch, desk, SentMessages())
    client = Hopline.local()

    def run(usage: Usage, *documents: DocumentReport) -> tuple[list[str], str]:
        report = IngestReport(job_id="j", status=JobState.DONE, documents=documents, usage=usage)
        page = io.StringIO()

        def answer(job_id: str) -> tuple[Answer, float]:
            return Answer(job_id=job_id, status=JobState.ABSTAINED, reason="nothing says so"), 0.5

        demo = Demo(
            client, desk.settings, Console(file=page, width=200), ingest=lambda _submitted: report, ask=answer
        )
        wrong = demo.run()
        assert [asked["question"] for asked in demo.asked] == [each.question for each in QUESTIONS]
        return wrong, page.getvalue()

    unchanged = DocumentReport(uri="a.md", document_id="d", status="unchanged", chunks=0, facts=0)
    wrong, page = run(Usage(model_calls=2), unchanged)
    answered = [question for question in QUESTIONS if question.status == "done"]
    assert all(any(question.question in line for line in wrong) for question in answered)
    assert "unchanged documents were given to a model again" in wrong
    assert "All are unchanged since the last run; model calls for them: 2." in page
    assert "rule-based reader" in page
    assert "in a browser" not in page
    desk.settings = Settings(
        _env_file=None, model="large", api_url="http://a.test", flower_url="http://f.test"
    )
    failed = unchanged.model_copy(update={"status": "failed", "error": "it is empty"})
    wrong, page = run(Usage(), failed)
    assert "a.md: it is empty" in wrong
    for told in ("in a browser: http://a.test", "in Flower: http://f.test", "read and written by large"):
        assert told in page


def movies_facts() -> dict[str, Any]:
    place = files("producer.demo") / "movies" / "facts.json"
    facts: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return facts


def test_the_movies_are_facts_alone_and_their_people_are_known() -> None:
    facts = movies_facts()
    assert (len(facts["people"]), len(facts["films"])) == (133, 38)
    assert {key for person in facts["people"] for key in person} == {"name", "born", "follows"}
    kinds = {"acted", "directed", "produced", "wrote", "rated"}
    assert {key for film in facts["films"] for key in film} == {"title", "released"} | kinds
    named = {name for person in facts["people"] for name in person.get("follows", ())}
    parts = [part for film in facts["films"] for kind in kinds for part in film.get(kind, ())]
    named |= {part if isinstance(part, str) else part["name"] for part in parts}
    assert named <= {person["name"] for person in facts["people"]}
    statements = movies_statements()
    assert [statement.kind for statement in statements[:3]] == ["schema", "schema", "data"]
    assert all(set(statement.parameters) == {"people", "films"} for statement in statements)


def test_the_movies_are_asked_for_all_that_the_demo_is_to_show() -> None:
    questions = load_questions(DemoQuestion, "movies")
    text = json.dumps(movies_facts(), ensure_ascii=False)
    for question in questions:
        assert all(word in text or word.isdigit() for word in question.words)
    declined = next(question for question in questions if question.status == "abstained")
    assert "Tokyo Story" not in text
    assert declined.mistakes(Answer(job_id="j", status="abstained")) == []
    count = next(question for question in questions if question.question.startswith("How many"))
    mistakes = count.mistakes(Answer(job_id="j", status="done", text="Many."))
    assert [mistake.rpartition("” ")[2] for mistake in mistakes] == [
        "the answer does not say '12'",
        "cites nothing in the graph",
    ]


def test_the_demo_starts_no_stack_beside_ones_own_nor_two_at_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOPLINE_VAR", str(tmp_path / "var"))
    monkeypatch.setenv("HOPLINE_NEO4J_URL", "bolt://graph.invalid:7687")
    result = run_hopline("demo", "--movies")
    assert result.exit_code == 2
    assert "name an empty Neo4j in HOPLINE_TOOLS_NEO4J_URL" in result.stderr
    assert not (tmp_path / "var").exists()
    result = run_hopline("demo", "--movies", "--story")
    assert (result.exit_code, "one of the two" in result.stderr) == (2, True)


def test_a_stack_of_another_folder_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOPLINE_VAR", str(tmp_path))
    text = configuration(tmp_path, {}, {}).replace(str(tmp_path), "/elsewhere/100%%")
    (tmp_path / SUPERVISOR_FILE).write_text(text, encoding="utf-8")
    result = run_hopline("demo", "--movies")
    assert result.exit_code == 2
    assert "was started in /elsewhere/100%, whose .env it reads" in result.stderr


def test_a_running_stack_is_not_restarted_unasked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOPLINE_VAR", str(tmp_path))
    sleeper = Program("sleeper", (sys.executable, "-c", "import time; time.sleep(600)"), lambda _pid: True)
    start_supervisor(
        tmp_path, configuration(tmp_path, {"sleeper": section(sleeper, tmp_path, "", is_work=False)}, {})
    )
    try:
        refused = run_hopline("demo", "--movies")
        assert refused.exit_code == 2
        assert "the local stack is started again with a second Neo4j" in " ".join(refused.stderr.split())
        assert "add --yes" in " ".join(refused.stderr.split())
    finally:
        stop_supervisor(tmp_path)


def test_the_tools_server_of_the_settings_goes_before_the_demos() -> None:
    plain = LocalSettings(_env_file=None)
    assert plain.with_tools(7688).runs_tools
    assert not plain.runs_tools
    assert LocalSettings(_env_file=None, tools_neo4j_port=7000).with_tools(7688).tools_neo4j_port == 7000
    named = LocalSettings(_env_file=None, tools_neo4j_url="bolt://graph.invalid:7687")
    assert not named.with_tools(7688).runs_tools


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_story_has_chapters_and_a_question_for_each_tool(language: Language) -> None:
    chapters = sorted(place.read_text(encoding="utf-8") for place in story_folder(language).iterdir())
    assert sorted(chapters_of(text, "md").parts[0].chapter for text in chapters) == [1, 2, 3, 4, 5, 6, 7]
    assert 1000 <= sum(count_tokens(text) for text in chapters) <= 2000  # two pages
    tools = {question.tool for question in story_questions(language)}
    kinds = {"find_connection", "track_journey", "get_character_events"}
    assert tools == kinds | {"lookup_knowledge", "search_memory"}
