from __future__ import annotations

import itertools

from fleet.cases import cases
from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.models.tokens import count_tokens
from workers.ingest.chunking.split import split_text

SENTENCES = st.lists(
    st.lists(
        st.sampled_from(["the", "river", "Zürich", "1843", "built", "über", "日本", "e.g.", "Dr.", "castle"]),
        min_size=1,
        max_size=30,
    ),
    min_size=1,
    max_size=25,
).map(lambda rows: ["".join((" ".join(row), ".")) for row in rows])
TEXTS = st.one_of(
    st.text(min_size=1, max_size=400),
    st.builds(lambda rows, gap: gap.join(rows), SENTENCES, st.sampled_from([" ", "\n\n", "\r\n", "  \n"])),
).filter(str.strip)
SIZES = st.tuples(st.integers(8, 80), st.integers(0, 7))


@given(TEXTS, SIZES)
@settings(max_examples=cases(150), deadline=None)
def test_a_chunk_is_the_text_at_its_offsets(text, sizes):
    for index, chunk in enumerate(split_text("d", text, *sizes)):
        assert chunk.index == index
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.text.strip()


@given(TEXTS, SIZES)
@settings(max_examples=cases(150), deadline=None)
def test_chunks_cover_all_but_white_space_in_order(text, sizes):
    covered = 0
    for chunk in split_text("d", text, *sizes):
        assert not text[covered : chunk.start].strip()
        assert chunk.end > covered
        covered = chunk.end
    assert not text[covered:].strip()


@given(TEXTS, SIZES)
@settings(max_examples=cases(150), deadline=None)
def test_chunks_and_their_overlap_are_bounded(text, sizes):
    size, overlap = sizes
    chunks = split_text("d", text, size, overlap)
    for before, chunk in zip([None, *chunks], chunks, strict=False):
        assert chunk.tokens == count_tokens(chunk.text)
        assert chunk.tokens <= size or len(chunk.text) == 1
        if before and chunk.start < before.end:
            assert count_tokens(text[chunk.start : before.end]) <= overlap


@given(TEXTS, SIZES)
@settings(max_examples=cases(100), deadline=None)
def test_ids_are_distinct_and_the_same_at_every_run(text, sizes):
    first, second = split_text("d", text, *sizes), split_text("d", text, *sizes)
    assert first == second
    assert len({chunk.id for chunk in first}) == len(first)
    assert not {chunk.id for chunk in first} & {chunk.id for chunk in split_text("other", text, *sizes)}


PARAGRAPHS = st.lists(
    st.lists(
        st.sampled_from(["river", "stone", "castle", "bridge", "mill", "road"]), min_size=12, max_size=14
    ).map(lambda row: " ".join(row) + "."),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(PARAGRAPHS, st.sampled_from(["now", "at last", "it really"]))
@settings(max_examples=cases(60), deadline=None)
def test_an_edit_before_a_chunk_does_not_rename_it(paragraphs, edit):
    def ids(first):
        text = "\n\n".join([f"{first} begins here and goes on for a while until it stops.", *paragraphs])
        return {chunk.text: chunk.id for chunk in split_text("d", text, 20, 0)}

    plain, edited = ids("This"), ids(f"This {edit}")
    for paragraph in paragraphs:
        assert plain[paragraph] == edited[paragraph]


@given(PARAGRAPHS, st.integers(0, 7))
@settings(max_examples=cases(10), deadline=None)
def test_long_texts_are_covered_across_sections(paragraphs, overlap):
    text = "\n\n".join(paragraphs * 200)
    chunks = split_text("d", text, 400, overlap)
    assert all(chunk.text == text[chunk.start : chunk.end] for chunk in chunks)
    assert all(not text[a.end : b.start].strip() for a, b in itertools.pairwise(chunks))
    assert (chunks[0].start, chunks[-1].end) == (0, len(text))
