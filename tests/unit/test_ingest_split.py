from __future__ import annotations

import itertools

import pytest

from workers.core.errors import InvalidInput
from workers.core.tokens import count_tokens
from workers.ingest.spans import SentenceIndex
from workers.ingest.split import split_text

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
