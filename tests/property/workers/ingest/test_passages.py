"""Chunks that overlap give back the text that they were cut from."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from workers.core.graph.neighbourhood import Piece, join_pieces
from workers.ingest.chunking.split import split_text

WORDS = st.lists(
    st.sampled_from(["Ada", "wrote.", "A bridge", "stood", "over.", "水。", "\n\n", "  "]), max_size=60
)


@settings(deadline=None)  # the splitter loads its tokens with the first
@given(WORDS, st.integers(0, 200), st.integers(0, 200), st.integers(0, 8))
def test_any_stretch_of_a_split_text_comes_back_but_for_the_kind_of_white_space(words, start, width, overlap):
    text = " ".join(words).strip()
    chunks = split_text("d1", text, 12, overlap)
    length = max((chunk.end for chunk in chunks), default=0)
    first = min(start, length)
    last = min(first + width, length)
    joined = join_pieces([Piece(chunk.start, chunk.text) for chunk in chunks], first, last)
    assert len(joined) == last - first
    assert joined.split() == text[first:last].split()
    for character, other in zip(joined, text[first:last], strict=True):
        assert character == other or (character.isspace() and other.isspace())
