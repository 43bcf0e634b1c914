"""A story, ingested with the narrative profile by real workers: what the tools say of it, for people."""

import os
from importlib.resources import as_file
from pathlib import Path
from typing import Any

import pytest
from fleet.crew import Crew

from hopline.models.ingest_reports import IngestReport
from producer.demo.run import PROFILE, Language, story_folder, story_questions

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "tools" / "story"
CHAPTERS = 7
EVENTS = {
    "sacrifice", "transformation", "acquisition", "loss", "encounter", "conflict", "revelation", "milestone",
}  # fmt: skip


class Told:
    def __init__(self, crew: Crew, collection: str, language: Language = "en") -> None:
        self.crew, self.collection, self.language = crew, collection, language
        self.first = self.ingest(PROFILE)
        self.requests = {kind: count for kind, count in crew.model.requests().items() if "Facts" in kind}

    def ingest(self, profile: str) -> IngestReport:
        with as_file(story_folder(self.language)) as folder:
            return self.crew.ingest(folder, self.collection, profile=profile)

    def tool(self, name: str, **arguments: Any) -> str:
        return self.crew.client.tools.run(name, arguments, collection=self.collection).markdown


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


def test_every_chapter_goes_in_and_search_finds_the_passage_of_a_hint(story: Told) -> None:
    report = story.first
    assert [document.status for document in report.documents] == ["done"] * CHAPTERS
    assert story.requests == {"ProfiledFacts": CHAPTERS}  # one call a chunk, as without a profile
    assert sum(document.events for document in report.documents) >= len(EVENTS)
    assert all(document.entities and document.relations + document.events for document in report.documents)
    text = story.tool("search_memory", question="What was the silver whistle cast from?")
    assert "cast from the filings of Long Margit" in text


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.long)])
def test_all_kinds_of_turning_points_are_in_order(request: pytest.FixtureRequest, language: Language) -> None:
    told: Told = request.getfixturevalue("story" if language == "en" else "chinese")
    result = told.crew.client.tools.run("get_character_events", {"limit": 100}, collection=told.collection)
    at = result.columns.index
    assert {item.values[at("type")] for item in result.items} == EVENTS
    chapters = [item.values[at("chapter")] for item in result.items]
    assert chapters == sorted(chapters)
    assert {*chapters} == set(range(1, CHAPTERS + 1))
    assert all(item.values[at("evidence")] for item in result.items)


@pytest.mark.parametrize("language", ["en", pytest.param("zh", marks=pytest.mark.long)])
def test_the_storys_questions_are_answered(request: pytest.FixtureRequest, language: Language) -> None:
    told: Told = request.getfixturevalue("story" if language == "en" else "chinese")
    for question in story_questions(language):
        result = told.crew.client.tools.run(question.tool, question.arguments, collection=told.collection)
        assert question.mistakes(result) == [], question.question


@pytest.mark.parametrize(("golden", "tool", "arguments"), [
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
])  # fmt: skip
def test_what_a_person_reads(story: Told, golden: str, tool: str, arguments: dict[str, Any]) -> None:
    check_golden(GOLDEN / f"{golden}.md", story.tool(tool, **arguments) + "\n")


def test_the_same_profile_changes_nothing_and_another_takes_the_text_anew(story):
    before = story.tool("get_character_events")
    again = story.ingest(PROFILE)
    assert {document.status for document in again.documents} == {"unchanged"}
    assert again.usage.model_calls == 0
    assert story.tool("get_character_events") == before
    own = '[entities]\nPerson = "a person"\n'
    roake = story.tool("lookup_knowledge", entity="Captain Roake")
    assert {document.status for document in story.ingest(own).documents} == {"done"}
    assert story.tool("lookup_knowledge", entity="Captain Roake").startswith("### Captain Roake (Person)")
    assert "Chapter" not in story.tool("get_character_events")
    assert {document.status for document in story.ingest(PROFILE).documents} == {"done"}
    assert story.tool("lookup_knowledge", entity="Captain Roake") == roake
