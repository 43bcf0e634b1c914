"""A story, ingested with the narrative profile by real workers: what the tools say of it, for people."""

from __future__ import annotations

import os
from importlib.resources import as_file
from pathlib import Path
from typing import Any

import pytest
from fleet.crew import Crew

from producer.demo.story_run import PROFILE, Language, StoryQuestion, story_folder, story_questions
from producer.reports.ingest import IngestReport

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "tools" / "story"
CHAPTERS = 7
EVENTS = {
    "sacrifice",
    "transformation",
    "acquisition",
    "loss",
    "encounter",
    "conflict",
    "revelation",
    "milestone",
}


class Told:
    """The story in a collection of its own."""

    def __init__(self, crew: Crew, collection: str, language: Language = "en") -> None:
        self.crew, self.collection, self.language = crew, collection, language
        self.first = self.ingest(PROFILE)
        self.requests = {kind: count for kind, count in crew.model.requests().items() if "Facts" in kind}

    def ingest(self, profile: str | Path | None) -> IngestReport:
        with as_file(story_folder(self.language)) as folder:
            return self.crew.client.ingest([folder], self.collection, profile=profile, timeout=180)

    def tool(self, name: str, **arguments: Any) -> str:
        return self.crew.client.tool(name, self.collection, **arguments).markdown


def check_golden(path: Path, text: str) -> None:
    if os.environ.get("HOPLINE_TEST_GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text("utf-8")


@pytest.fixture(scope="module")
def story(standing_crew: Crew) -> Told:
    standing_crew.model.set()
    return Told(standing_crew, "test-the-story")


@pytest.fixture(scope="module")
def chinese(standing_crew: Crew) -> Told:
    standing_crew.model.set()
    return Told(standing_crew, "test-the-chinese-story", "zh")


def test_every_chapter_goes_in_with_what_the_profile_asks_for(story: Told) -> None:
    report = story.first
    assert [document.status for document in report.documents] == ["done"] * CHAPTERS
    assert story.requests == {"ProfiledFacts": CHAPTERS}  # one call a chunk, as without a profile
    assert sum(document.events for document in report.documents) >= len(EVENTS)
    assert all(document.entities and document.relations + document.events for document in report.documents)


def test_all_kinds_of_turning_points_are_told_in_order(story: Told) -> None:
    result = story.crew.client.tool("get_character_events", story.collection, limit=100)
    at = result.columns.index
    assert {item.values[at("type")] for item in result.items} == EVENTS
    chapters = [item.values[at("chapter")] for item in result.items]
    assert chapters == sorted(chapters)
    assert {*chapters} == set(range(1, CHAPTERS + 1))
    assert all(item.values[at("evidence")] for item in result.items)


@pytest.mark.parametrize("question", story_questions(), ids=lambda question: question.question)
def test_the_storys_questions_are_answered(story: Told, question: StoryQuestion) -> None:
    result = story.crew.client.tool(question.tool, story.collection, **question.arguments)
    assert question.mistakes(result) == []


@pytest.mark.parametrize(
    ("golden", "tool", "arguments"),
    [
        ("lookup", "lookup_knowledge", {"entity": "the Heron"}),
        ("lookup-guild", "lookup_knowledge", {"entity": "bell guild"}),
        ("lookup-bell", "lookup_knowledge", {"entity": "the great bell"}),
        ("connection", "find_connection", {"entity1": "the ferrywoman", "entity2": "Old Hesk"}),
        ("connection-far", "find_connection", {"entity1": "Tobin", "entity2": "Perrin Roake"}),
        ("connection-none", "find_connection", {"entity1": "Maud Pell", "entity2": "Queen Aldis"}),
        ("journey", "track_journey", {"entity": "the captain"}),
        ("journey-target", "track_journey", {"entity": "Ilse", "target": "Captain Roake"}),
        ("events", "get_character_events", {}),
        ("events-of", "get_character_events", {"entity": "Linnet"}),
        ("events-type", "get_character_events", {"event_type": "revelation"}),
    ],
)
def test_what_a_person_reads(story: Told, golden: str, tool: str, arguments: dict[str, Any]) -> None:
    check_golden(GOLDEN / f"{golden}.md", story.tool(tool, **arguments) + "\n")


def test_the_demo_ends_well(story: Told) -> None:
    done = story.crew.run("demo", "--story", "--quiet", seconds=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "7 documents (7 done)" in done.stdout
    assert "### The journey of Ilse Varn with Captain Roake" in done.stdout


@pytest.mark.parametrize("question", story_questions("zh"), ids=lambda question: question.question)
def test_the_questions_of_the_chinese_story_are_answered(chinese: Told, question: StoryQuestion) -> None:
    result = chinese.crew.client.tool(question.tool, chinese.collection, **question.arguments)
    assert question.mistakes(result) == []


@pytest.mark.parametrize(
    ("golden", "tool", "arguments"),
    [
        ("lookup", "lookup_knowledge", {"entity": "山雀"}),
        ("connection", "find_connection", {"entity1": "山雀", "entity2": "守风会"}),
        ("journey", "track_journey", {"entity": "赵铁山"}),
        ("journey-range", "track_journey", {"entity": "柳青禾", "chapter": "1-3"}),
        ("events", "get_character_events", {"chapter": "第1至7章"}),
        ("events-type", "get_character_events", {"event_type": "揭示"}),
    ],
)
def test_what_a_person_reads_of_the_chinese_story(
    chinese: Told, golden: str, tool: str, arguments: dict[str, Any]
) -> None:
    check_golden(GOLDEN / "zh" / f"{golden}.md", chinese.tool(tool, **arguments) + "\n")


def test_all_kinds_of_turning_points_are_found_in_chinese(chinese: Told) -> None:
    result = chinese.crew.client.tool("get_character_events", chinese.collection, limit=100)
    at = result.columns.index
    assert {item.values[at("type")] for item in result.items} == EVENTS
    chapters = [item.values[at("chapter")] for item in result.items]
    assert chapters == sorted(chapters)
    assert all(item.values[at("evidence")] for item in result.items)


def test_the_demo_in_chinese_ends_well(chinese: Told) -> None:
    done = chinese.crew.run("demo", "--story", "--language", "zh", "--quiet", seconds=120)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "7 documents (7 done)" in done.stdout
    assert "### 柳青禾与赵铁山的经历" in done.stdout
    assert "卫长风为风口镇献出了生命" in done.stdout


def test_only_the_story_is_there_in_chinese(chinese: Told) -> None:
    done = chinese.crew.run("demo", "--language", "zh")
    assert done.returncode == 2
    assert "--story" in done.stderr


def test_search_finds_the_passage_that_a_tool_hints_at(story: Told) -> None:
    text = story.tool("search_memory", question="What was the silver whistle cast from?")
    assert "cast from the filings of Long Margit" in text


def test_the_same_profile_again_changes_nothing_and_calls_no_model(story: Told) -> None:
    before = story.tool("get_character_events")
    again = story.ingest(PROFILE)
    assert {document.status for document in again.documents} == {"unchanged"}
    assert again.usage.model_calls == 0
    assert story.tool("get_character_events") == before


def test_another_profile_takes_the_text_anew_and_back_again(story: Told, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[entities]\nPerson = "a person"\n', encoding="utf-8")
    before = story.tool("lookup_knowledge", entity="Captain Roake")
    assert {document.status for document in story.ingest(own).documents} == {"done"}
    assert story.tool("lookup_knowledge", entity="Captain Roake").startswith("### Captain Roake (Person)")
    assert "Chapter" not in story.tool("get_character_events")
    assert {document.status for document in story.ingest(PROFILE).documents} == {"done"}
    assert story.tool("lookup_knowledge", entity="Captain Roake") == before
