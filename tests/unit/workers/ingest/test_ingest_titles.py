"""Which facts have the document's title for a key element that they do not name."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from workers.core import ids
from workers.core.records import Chunk
from workers.ingest.extract import build_facts
from workers.ingest.schema import ExtractedFact


def title_of(title: str, text: str, *names: str) -> tuple[bool, bool]:
    """Return whether the title is an element of the fact, and whether it is marked as only the title's."""
    chunk = Chunk(id="c", index=0, text=text, start=0, end=len(text), tokens=9, content_hash="")
    ports = SimpleNamespace(limits=SimpleNamespace(grounding_threshold=0.5))
    extracted = ExtractedFact(text=text, key_elements=list(names))
    [fact] = build_facts("c", chunk, [extracted], ports, title=title)
    marked = fact.title_id is not None
    assert not marked or fact.title_id in {element.id for element in fact.key_elements}
    return ids.element_id("c", title.lower()) in {element.id for element in fact.key_elements}, marked


@pytest.mark.parametrize(
    ("title", "text", "names"),
    [
        ("Alpha", "It was founded in 1990.", ["1990"]),
        ("Alpha", "It was founded in 1990.", ["Alpha", "1990"]),  # the model knows it from the title alone
        ("Mercury (planet)", "Mercury has no moon.", ["Mercury"]),
    ],
)
def test_a_title_that_the_fact_does_not_say_is_marked(title, text, names):
    assert title_of(title, text, *names) == (True, True)


def test_a_title_that_the_fact_says_is_an_element_like_others():
    assert title_of("Basel", "Basel's bridges are old.") == (True, False)


def test_a_title_that_is_no_element_marks_nothing():
    for title in ("", "...", "One. Two sentences. And a third one", "x" * 200):
        assert title_of(title, "It was founded in 1990.", "1990") == (False, False)
