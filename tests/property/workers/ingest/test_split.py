"""However a text is cut, its chunks are the text; an edited one keeps the chunks of the text that it was."""

from collections.abc import Sequence
from itertools import pairwise

from fleet.cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from hopline.models.documents import Chunk
from workers.core.graph.neighbourhood import Piece, join_pieces
from workers.core.models.tokens import count_tokens
from workers.ingest.chunking.split import Part, chapters_of, split_text

WORDS = ["the", "river", "castle", "Zürich", "1843", "built", "über", "日本", "e.g.", "Dr."]
SENTENCE = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(
    lambda row: "The " + " ".join(row) + " stood."
)
GAP = st.sampled_from([" ", " ", "\n\n", "\n", "\r\n", "  \n"])
ROWS = st.lists(st.tuples(SENTENCE, GAP), min_size=1, max_size=40)
# A sentence fits a piece, which is a chunk without what it repeats: of a longer one no border can be kept.
SIZES = st.tuples(st.integers(45, 80), st.integers(0, 12))
ANY_SIZES = st.tuples(st.integers(8, 80), st.integers(0, 7))
EDITS = st.tuples(st.sampled_from(["insert", "remove", "change"]), st.integers(0, 1000), SENTENCE, GAP)


def joined(rows: Sequence[tuple[str, str]]) -> str:
    return "".join(sentence + gap for sentence, gap in rows)


ANY = st.one_of(st.text(min_size=1, max_size=400), ROWS.map(joined)).filter(str.strip)


def edited(rows: list[tuple[str, str]], edit: tuple[str, int, str, str]) -> list[tuple[str, str]]:
    kind, at, sentence, gap = edit
    kind = kind if rows else "insert"
    at %= len(rows) + (kind == "insert")
    new = [] if kind == "remove" else [(sentence, gap)]
    return [*rows[:at], *new, *rows[at + (kind != "insert") :]]


def check_chunks(text: str, chunks: Sequence[Chunk], size: int) -> None:
    covered = 0
    for index, chunk in enumerate(chunks):
        assert chunk.index == index
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()
        assert not text[covered : chunk.start].strip()
        assert chunk.end > covered
        assert chunk.tokens == count_tokens(chunk.text)
        assert chunk.tokens <= size or len(chunk.text) == 1
        covered = chunk.end
    assert not text[covered:].strip()
    assert len({chunk.id for chunk in chunks}) == len(chunks)


@given(ANY, ANY_SIZES)
@settings(max_examples=cases(250), deadline=None)
def test_chunks_are_the_text_within_their_bounds_and_the_same_at_every_run(text, sizes):
    size, overlap = sizes
    chunks = split_text("d", text, size, overlap)
    check_chunks(text, chunks, size)
    for before, chunk in pairwise(chunks):
        assert count_tokens(text[chunk.start : max(chunk.start, before.end)]) <= overlap
    assert split_text("d", text, size, overlap) == chunks
    assert not {chunk.id for chunk in chunks} & {chunk.id for chunk in split_text("other", text, *sizes)}


@given(ROWS, st.integers(0, 7))
@settings(max_examples=cases(10), deadline=None)
def test_long_texts_are_covered_across_sections(rows: list[tuple[str, str]], overlap: int) -> None:
    text = joined(rows * 100)
    check_chunks(text, split_text("d", text, 400, overlap), 400)


LINES = st.one_of(
    st.sampled_from(
        ["# One", "## Two", "Chapter 3", "CHAPTER IV. Sea", "第五章 风", "Kapitel 6", "", "", "```", "\u2028"]
    ),
    st.text(max_size=40),
    st.lists(st.sampled_from(["the", "lamp", "went", "out."]), min_size=1, max_size=60).map(" ".join),
)
WITH_CHAPTERS = st.builds(
    lambda lines, end: end.join(lines),
    st.lists(LINES, min_size=1, max_size=25),
    st.sampled_from(["\n", "\n\n", "\r\n"]),
).filter(str.strip)


@given(WITH_CHAPTERS, st.sampled_from(["txt", "md"]), ANY_SIZES)
@settings(max_examples=cases(200), deadline=None)
def test_chapters_are_the_text_and_each_chunk_stands_in_one(text, kind, sizes):
    parts = chapters_of(text, kind).parts
    assert "".join(text[part.start : part.end] for part in parts) == text
    assert all(part.end == other.start for part, other in pairwise(parts))
    chunks = split_text("d", text, *sizes, parts)
    check_chunks(text, chunks, sizes[0])
    for chunk in chunks:
        [part] = [part for part in parts if part.start <= chunk.start and chunk.end <= part.end]
        assert chunk.chapter == part.chapter


@given(ROWS, SIZES, st.lists(EDITS, min_size=1, max_size=8))
@settings(max_examples=cases(250), deadline=None)
def test_a_sentence_that_comes_goes_or_changes_touches_three_chunks_at_most(rows, sizes, edits):
    chunks = split_text("d", joined(rows), *sizes)
    for edit in edits:
        rows = edited(rows, edit)
        if not rows:
            return
        text, known = joined(rows), {chunk.text for chunk in chunks}
        chunks = split_text("d", text, *sizes, known=chunks)
        check_chunks(text, chunks, sizes[0])
        assert sum(chunk.text not in known for chunk in chunks) <= 3
        assert split_text("d", text, *sizes, known=chunks) == chunks, "an unchanged text keeps all of them"


@given(ANY, ANY, ANY_SIZES, ANY_SIZES)
@settings(max_examples=cases(200), deadline=None)
def test_whatever_was_there_before_and_however_it_was_cut_the_text_is_covered(before, after, sizes, other):
    known = split_text("d", before, *other)
    check_chunks(after, split_text("d", after, *sizes, known=known), sizes[0])
    check_chunks(before, split_text("d", before, *sizes, known=known), sizes[0])


@given(ROWS, ROWS, SIZES, EDITS)
@settings(max_examples=cases(60), deadline=None)
def test_no_kept_chunk_lies_in_two_chapters(first, second, sizes, edit):
    known = split_text("d", joined(first) + joined(second), *sizes)
    first = edited(first, edit)
    cut = len(joined(first))
    text = joined(first) + joined(second)
    chunks = split_text("d", text, *sizes, [Part(0, cut, 1), Part(cut, len(text), 2)], known)
    check_chunks(text, chunks, sizes[0])
    assert all((chunk.chapter == 1) == (chunk.end <= cut) for chunk in chunks)
    assert all(chunk.start >= cut for chunk in chunks if chunk.chapter == 2)


@given(ANY, st.integers(0, 200), st.integers(0, 200), st.integers(0, 8))
@settings(deadline=None)
def test_any_stretch_of_a_split_text_comes_back_but_for_the_kind_of_white_space(text, start, width, overlap):
    chunks = split_text("d1", text, 12, overlap)
    length = max(chunk.end for chunk in chunks)
    first = min(start, length)
    last = min(first + width, length)
    stretch = join_pieces([Piece(chunk.start, chunk.text) for chunk in chunks], first, last)
    assert len(stretch) == last - first
    assert stretch.split() == text[first:last].split()
    for character, other in zip(stretch, text[first:last], strict=True):
        assert character == other or (character.isspace() and other.isspace())
