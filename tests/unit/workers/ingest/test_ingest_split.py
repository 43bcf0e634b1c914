from __future__ import annotations

import itertools

import pytest

from workers.core.errors import InvalidInput
from workers.core.jobs.params import DocumentParams
from workers.core.models.tokens import count_tokens
from workers.ingest.chunking.split import parts_of, split_text
from workers.ingest.spans import SentenceIndex

PARAGRAPHS = [" ".join(f"Sentence {n} of part {part} is here." for n in range(6)) for part in range(8)]
TEXT = "\n\n".join(PARAGRAPHS)


def test_a_chunk_begins_with_whole_sentences_of_the_one_before():
    chunks = split_text("d", TEXT, 120, 30)
    for before, chunk in itertools.pairwise(chunks):
        shared = TEXT[chunk.start : before.end]
        assert shared.startswith("Sentence")
        assert shared.endswith("here.")
        assert 0 < count_tokens(shared) <= 30


def test_without_overlap_chunks_end_with_paragraphs():
    for chunk in split_text("d", TEXT, 120, 0):
        assert set(chunk.text.split("\n\n")) <= set(PARAGRAPHS)


def test_equal_chunks_are_told_apart_by_their_occurrence():
    chunks = split_text("d", "\n\n".join(["The same words again and again, all day."] * 3), 12, 0)
    assert len({chunk.text for chunk in chunks}) == 1
    assert len({chunk.id for chunk in chunks}) == 3


@pytest.mark.parametrize("profile", ["", "story"])
@pytest.mark.parametrize("fence", ["---", "+++"])
def test_front_matter_is_in_no_chunk_and_offsets_stay(profile, fence):
    sign = ":" if fence == "---" else " ="
    front = f"{fence}\ntitle{sign} Engines\n# a comment\ntags{sign} [a, b]\n{fence}\n"
    text = f"{front}\n# One\n\nAda wrote.\n\n---\n\n# Two\n\nnote: it rained.\n"
    params = DocumentParams(uri="/a.md", source="x", format="md", profile=profile)
    chunks = split_text("d", text, 600, 60, parts_of(text, params).parts)
    assert all(chunk.text == text[chunk.start : chunk.end] for chunk in chunks)
    assert chunks[0].text.startswith("# One")
    assert {chunk.chapter for chunk in chunks} == ({"One", "Two"} if profile else {None})
    assert "it rained." in chunks[-1].text


def test_what_is_no_front_matter_is_text():
    markdown = ("---\nAda wrote.\n---\nMore.", "---\n\nkey: value\n", "text\n---\nkey: value\n---\n")
    for text, kind in (*((text, "md") for text in markdown), ("---\nkey: value\n---\nText.", "txt")):
        params = DocumentParams(uri="/a", source="x", format=kind)
        [chunk] = split_text("d", text, 600, 60, parts_of(text, params).parts)
        assert chunk.text == text.strip()


def test_an_overlap_as_large_as_the_chunk_is_refused():
    with pytest.raises(InvalidInput, match="chunk_overlap"):
        split_text("d", TEXT, 60, 60)


@pytest.mark.parametrize(
    "text", ["a" * 150_000, "漢字" * 60_000, " x" * 80_000, "\n" * 90_000 + "x", "." * 80_000]
)
def test_a_text_without_borders_is_split_all_the_same(text):
    chunks = split_text("d", text, 600, 60)
    assert sum(len(chunk.text) for chunk in chunks) >= len(text.replace(" ", "").strip())
    assert all(chunk.tokens <= 600 for chunk in chunks)


def test_a_long_row_of_dots_costs_no_more_than_its_length():
    assert SentenceIndex("a " + "." * 200_000).locate("no such fact").score == 0


def test_tokens_of_a_text_of_millions_are_counted():
    assert count_tokens("word " * 300_000) == pytest.approx(300_000, rel=0.01)
