"""Replies that were kept under an earlier text of the extraction prompt."""

from dataclasses import replace
from pathlib import Path

import pytest
from doubles.library import Library, ScriptedModel, ports_for
from doubles.replies import MemoryReplies
from doubles.vectors import MemoryVectors

from hopline.models.documents import Chunk
from workers.core import ids
from workers.core.models.replies import reply_key
from workers.core.prompts import load_prompt
from workers.ingest.requests import ask_once, plain_request
from workers.ingest.schema import ExtractedFact, ExtractedFacts

CASES = Path(__file__).parents[3] / "data" / "reading"
TEXT = "The Alda Bridge crosses the Skerne."
KEPT = ExtractedFacts(facts=[ExtractedFact(text=TEXT, key_elements=["Alda Bridge", "Skerne"])])


class NamedModel(ScriptedModel):
    def name_of(self, _tier: str) -> str:
        return "a-model"


@pytest.fixture
def ports():
    model = NamedModel({ExtractedFacts: ExtractedFacts(facts=[])})
    return replace(ports_for(Library(), model, MemoryVectors()), replies=MemoryReplies())


def chunk(text: str = TEXT) -> Chunk:
    hashed = ids.content_hash(text)
    return Chunk(id="c1", index=0, text=text, start=0, end=len(text), tokens=9, content_hash=hashed)


def keep_as_before(ports, prompt: str) -> None:
    """Keep a reply as the version did that had this text of the prompt."""
    name, schema = ports.model.name_of("fast"), ExtractedFacts.model_json_schema()
    text, material = load_prompt("workers.ingest", prompt).text, {"title": "Bridges", "text": TEXT}
    key = reply_key(name, text, schema, material, 4096)
    ports.replies.put(chunk().content_hash, key, KEPT.model_dump_json().encode())


def test_a_reply_kept_before_the_prompt_changed_is_not_paid_for_again_and_another_is_asked_for(ports):
    keep_as_before(ports, "extract_1")
    request = plain_request(ports, "Bridges", chunk())
    assert ask_once(ports, request) == (KEPT, True)
    assert ports.model.asked == []
    assert ports.replies.get(chunk().content_hash, request.key) is not None  # found at once from now on
    reply, kept = ask_once(ports, plain_request(ports, "Other bridges", chunk()))
    assert (reply.facts, kept) == ([], False)
    assert ports.model.asked[0][0] == "extract"


def test_a_text_is_asked_about_with_its_letters_composed(ports):
    files = ("txt-vietnamese-nfd.txt", "txt-vietnamese-nfc-control.txt")
    apart, composed = ((CASES / file).read_text("utf-8") for file in files)
    assert apart != composed
    asked = [plain_request(ports, "Bridges", chunk(text)).material["text"] for text in (apart, composed)]
    assert asked == [composed, composed]


@pytest.mark.parametrize("name", ["extract", "extract_profile"])
def test_the_earlier_text_is_another_one_and_no_request_is_made_of_it(name, ports):
    assert load_prompt("workers.ingest", name).text != load_prompt("workers.ingest", f"{name}_1").text
    assert plain_request(ports, "Bridges", chunk()).prompt.name == "extract"
