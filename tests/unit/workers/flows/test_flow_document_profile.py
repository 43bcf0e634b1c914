"""A document with a profile: one call per chunk, chapters, and what makes it be taken again."""

import json

import pytest
from doubles.blobs import MemoryBlobs
from doubles.model import Ingestion, sentences_as_facts
from structlog.testing import capture_logs

from hopline.models.jobs import JobState
from producer.service.sources import expand_sources
from workers.core.ports import Limits
from workers.ingest.pages import get_chunks, get_facts
from workers.ingest.profile.profile import load_profile, put_profile
from workers.ingest.schema import ProfiledFact, ProfiledFacts

STORY = (
    "# The Lamp\n\n## Chapter 1\n\nMara joined the Guild.\n\nMara lost the key.\n\n"
    "## Chapter II. The Pier\n\nMara met Zoe."
)
RULES = {
    "Mara joined the Guild.": ("MEMBER_OF", "Guild", None),
    "Mara lost the key.": (None, "key", "loss"),
    "Mara met Zoe.": ("FRIEND_OF", "Zoe", "encounter"),
}
TYPES = {"Mara": "Character", "Guild": "Organization", "key": "Item", "Zoe": "Character"}


def extract(material):
    if "profile" not in material:
        return sentences_as_facts(material)
    assert set(material) == {"profile", "title", "chapter", "text"}
    facts = []
    for text, (relation, other, event) in RULES.items():
        if text in material["text"]:
            fact = {"text": text, "key_elements": ["Mara", other]}
            if relation:
                fact["relations"] = [{"source": "Mara", "type": relation, "target": other}]
            if event:
                fact["event"] = {"type": event, "name": text[:-1], "participants": [{"name": "Mara"}]}
            facts.append(ProfiledFact.model_validate(fact))
    entities = [{"name": name, "type": kind} for name, kind in TYPES.items() if name in material["text"]]
    return ProfiledFacts.model_validate({"facts": facts, "entities": entities})


class StoryDesk(Ingestion):
    """Ingests one text with what is told of it; every step runs twice."""

    def __init__(self, folder):
        super().__init__(folder, extract=extract, limits=Limits(chunk_tokens=20, chunk_overlap=4))
        self.narrative = put_profile(self.blobs, load_profile("narrative"))

    def ingest(self, text=STORY, **params):
        return super().ingest(text, "story.md", twice=True, format="md", **params)

    def asked(self):
        """Return how often the model was asked since this was called before."""
        materials, self.model.asked = self.model.asked, []
        return len(materials)

    def chunks(self):
        return get_chunks(self.blobs, self.runner.results[1][0].result["pages"])

    def facts(self):
        done = [item.result["facts"] for item in self.runner.results[2]]
        return [fact for reference in done for fact in get_facts(self.blobs, reference)]


@pytest.fixture
def desk(tmp_path):
    return StoryDesk(tmp_path)


def test_the_outcome_tells_what_the_profile_found_in_chunks_that_keep_to_their_chapters(desk):
    end = desk.ingest(profile=desk.narrative)
    assert end.state is JobState.DONE
    counts = {name: end.outcome[name] for name in ("facts", "entities", "relations", "events")}
    assert counts == {"facts": 3, "entities": 4, "relations": 2, "events": 2}
    assert {fact.text: [relation.type for relation in fact.relations] for fact in desk.facts()} == {
        "Mara joined the Guild.": ["MEMBER_OF"],
        "Mara lost the key.": [],
        "Mara met Zoe.": ["FRIEND_OF"],
    }
    assert all(STORY[fact.start : fact.end] == fact.text for fact in desk.facts())
    places = [(chunk.chapter, chunk.order) for chunk in desk.chunks()]
    assert places == [(None, 1), (1, 2), (1, 3), (2, 4)]
    assert all(STORY[chunk.start : chunk.end] == chunk.text for chunk in desk.chunks())
    assert [material["chapter"] for material in desk.model.asked][::2] == [chapter for chapter, _ in places]


def test_headings_beyond_the_most_are_told_and_what_they_hold_is_in_no_chapter(desk, monkeypatch):
    monkeypatch.setattr("workers.ingest.chunking.split.MOST_CHAPTERS", 1)
    with capture_logs() as logs:
        desk.ingest(profile=desk.narrative)
    assert {line["beyond"] for line in logs if line["event"] == "headings.left_out"} == {1}
    assert {chunk.chapter for chunk in desk.chunks()} == {None, 1}
    split = next(event for event in desk.runner.told if event.name == "document.split")
    assert split.data["headings_left_out"] == 1


def test_what_a_line_says_of_chapter_and_order_goes_before_headings_and_counts_with_a_profile_only(desk):
    desk.ingest(profile=desk.narrative, chapter="Chapter Seven", order=3)
    assert {chunk.chapter for chunk in desk.chunks()} == {7}
    assert desk.chunks()[0].order == 30_001
    desk.asked()
    end = desk.ingest(chapter=1, order=2)
    assert "entities" not in end.outcome
    assert {(chunk.chapter, chunk.order) for chunk in desk.chunks()} == {(None, None)}
    assert not any("profile" in material for material in desk.model.asked)
    assert not any(element.types for fact in desk.facts() for element in fact.key_elements)


def test_the_same_profile_again_changes_nothing_and_another_takes_the_text_anew(desk, tmp_path):
    assert desk.ingest().outcome["status"] == "done"
    assert desk.asked() > 0
    assert desk.ingest(profile=desk.narrative).outcome["status"] == "done"
    assert desk.asked() > 0
    again = desk.ingest(profile=desk.narrative)
    assert again.outcome["status"] == "unchanged"
    assert desk.asked() == 0

    own = tmp_path / "own.toml"
    own.write_text('[entities]\nCharacter = "who acts"\n')
    other = put_profile(desk.blobs, load_profile(own))
    assert desk.ingest(profile=other).outcome["relations"] == 0
    assert desk.asked() > 0
    assert desk.ingest(profile=other, order=2).outcome["status"] == "done"
    assert desk.ingest().outcome["status"] == "done"


def test_lines_tell_chapter_and_order_or_why_they_cannot(tmp_path):
    lines = [
        {"id": "a", "text": "x", "chapter": 3, "order": 0},
        {"id": "b", "text": "x", "chapter": "第三章"},
        {"id": "c", "text": "x", "chapter": True},
        {"id": "d", "text": "x", "chapter": [1]},
        {"id": "e", "text": "x", "order": "2"},
        {"id": "f", "text": "x", "order": -1},
    ]
    file = tmp_path / "story.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines))
    sources = expand_sources([file], MemoryBlobs())
    expected = [(3, 0), ("第三章", None)]
    assert [(document.chapter, document.order) for document in sources.documents] == expected
    assert [refusal.reason.partition(" ")[0] for refusal in sources.refused] == ["chapter"] * 2 + [
        "order"
    ] * 2
