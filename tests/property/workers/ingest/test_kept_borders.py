"""An edited text keeps the chunks of the text that it was."""

from __future__ import annotations

from fleet.cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.models.tokens import count_tokens
from workers.ingest.chunking.chapters import Part
from workers.ingest.chunking.split import split_text

WORDS = ["river", "stone", "castle", "bridge", "mill", "Zürich", "1843", "built", "日本", "e.g.", "Dr."]
SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(
    lambda row: "The " + " ".join(row) + " stood."
)
GAP = st.sampled_from([" ", " ", "\n\n", "\n"])
TEXTS = st.lists(st.tuples(SENTENCE, GAP), min_size=1, max_size=40)
# A sentence fits a piece, which is a chunk without what it repeats: of a longer one no border can be kept.
SIZES = st.tuples(st.integers(45, 80), st.integers(0, 12))
EDITS = st.tuples(st.sampled_from(["insert", "remove", "change"]), st.integers(0, 1000), SENTENCE, GAP)


def joined(rows):
    return "".join(sentence + gap for sentence, gap in rows)


def edited(rows, edit):
    kind, at, sentence, gap = edit
    kind = kind if rows else "insert"
    at %= len(rows) + (kind == "insert")
    new = [] if kind == "remove" else [(sentence, gap)]
    return [*rows[:at], *new, *rows[at + (kind != "insert") :]]


def check_chunks(text, chunks, size):
    covered = 0
    for index, chunk in enumerate(chunks):
        assert chunk.index == index
        assert chunk.text == text[chunk.start : chunk.end]
        assert not text[covered : chunk.start].strip()
        assert chunk.end > covered
        assert chunk.tokens == count_tokens(chunk.text) <= size
        covered = chunk.end
    assert not text[covered:].strip()
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@given(TEXTS, SIZES, st.lists(EDITS, min_size=1, max_size=8))
@settings(max_examples=cases(250), deadline=None)
def test_a_sentence_that_comes_goes_or_changes_touches_three_chunks_at_most(rows, sizes, edits):
    chunks = split_text("d", joined(rows), *sizes)
    for edit in edits:
        rows = edited(rows, edit)
        text = joined(rows)
        if not text.strip():
            return
        known = {chunk.text for chunk in chunks}
        chunks = split_text("d", text, *sizes, known=chunks)
        check_chunks(text, chunks, sizes[0])
        assert sum(chunk.text not in known for chunk in chunks) <= 3


@given(TEXTS, TEXTS, SIZES)
@settings(max_examples=cases(150), deadline=None)
def test_whatever_was_there_before_all_but_white_space_is_covered(before, after, sizes):
    known = split_text("d", joined(before), *sizes)
    text = joined(after)
    check_chunks(text, split_text("d", text, *sizes, known=known), sizes[0])


ANY = st.text(min_size=1, max_size=300).filter(str.strip)


@given(ANY, ANY, st.integers(8, 40))
@settings(max_examples=cases(150), deadline=None)
def test_any_text_after_any_other_is_covered(before, after, size):
    known = split_text("d", before, size, size // 4)
    chunks = split_text("d", after, size, size // 4, known=known)
    covered = {at for chunk in chunks for at in range(chunk.start, chunk.end)}
    assert all(at in covered or not letter.strip() for at, letter in enumerate(after))


@given(TEXTS, SIZES, st.lists(EDITS, max_size=4))
@settings(max_examples=cases(100), deadline=None)
def test_an_unchanged_text_keeps_all_of_its_chunks(rows, sizes, edits):
    chunks = split_text("d", joined(rows), *sizes)
    for edit in edits:
        rows = edited(rows, edit)
        chunks = split_text("d", joined(rows), *sizes, known=chunks) if rows else chunks
    if rows:
        assert split_text("d", joined(rows), *sizes, known=chunks) == chunks


@given(TEXTS, SIZES)
@settings(max_examples=cases(60), deadline=None)
def test_smaller_chunks_than_were_allowed_are_cut_anew(rows, sizes):
    text = joined(rows)
    known = split_text("d", text, *sizes)
    check_chunks(text, split_text("d", text, 40, 5, known=known), 40)


@given(TEXTS, TEXTS, SIZES, EDITS)
@settings(max_examples=cases(60), deadline=None)
def test_no_kept_chunk_lies_in_two_chapters(first, second, sizes, edit):
    known = split_text("d", joined(first) + joined(second), *sizes)
    first = edited(first, edit)
    cut = len(joined(first))
    text = joined(first) + joined(second)
    parts = [Part(0, cut, 1), Part(cut, len(text), 2)]
    chunks = split_text("d", text, *sizes, parts, known)
    check_chunks(text, chunks, sizes[0])
    assert all((chunk.chapter == 1) == (chunk.end <= cut) for chunk in chunks)
    assert all(chunk.start >= cut for chunk in chunks if chunk.chapter == 2)
