from __future__ import annotations

import itertools

from fleet.cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.ingest.chunking.chapters import chapters_of
from workers.ingest.chunking.split import split_text

LINES = st.one_of(
    st.sampled_from(
        ["# One", "## Two", "Chapter 3", "CHAPTER IV. Sea", "第五章 风", "Kapitel 6", "", "", "```", "\u2028"]
    ),
    st.text(max_size=40),
    st.lists(st.sampled_from(["the", "lamp", "went", "out."]), min_size=1, max_size=60).map(" ".join),
)
TEXTS = st.builds(
    lambda lines, end: end.join(lines),
    st.lists(LINES, min_size=1, max_size=25),
    st.sampled_from(["\n", "\n\n", "\r\n"]),
).filter(str.strip)


@given(TEXTS, st.sampled_from(["txt", "md"]))
@settings(max_examples=cases(150), deadline=None)
def test_the_parts_are_the_text(text, kind):
    parts = chapters_of(text, kind).parts
    assert parts[0].start == 0
    assert parts[-1].end == len(text)
    assert all(part.end == other.start for part, other in itertools.pairwise(parts))
    assert "".join(text[part.start : part.end] for part in parts) == text


@given(TEXTS, st.sampled_from(["txt", "md"]), st.tuples(st.integers(8, 60), st.integers(0, 7)))
@settings(max_examples=cases(150), deadline=None)
def test_a_chunk_stands_at_its_offsets_in_one_chapter(text, kind, sizes):
    parts = chapters_of(text, kind).parts
    chunks = split_text("d", text, *sizes, parts)
    covered = 0
    for index, chunk in enumerate(chunks):
        assert chunk.index == index
        assert chunk.text == text[chunk.start : chunk.end]
        [part] = [part for part in parts if part.start <= chunk.start and chunk.end <= part.end]
        assert chunk.chapter == part.chapter
        assert not text[covered : chunk.start].strip()
        covered = chunk.end
    assert not text[covered:].strip()
    assert len({chunk.id for chunk in chunks}) == len(chunks)
