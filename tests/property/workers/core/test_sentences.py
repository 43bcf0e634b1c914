import time

import pytest
from fleet.cases import cases
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workers.core.language.sentence_ends import sentence_ends
from workers.core.language.text import sentences

LONG = 1_000_000  # characters
MARKS = st.sampled_from(".!?…。！)(\"'“”„«»「」\n•-:;,_é東\U0001f600\u00a0") | st.sampled_from(
    ["\n\n", "1.", "2.", "a)", "Dr.", "e.g.", "[1]", "。」"]
)
WORDS = st.sampled_from(
    ["Ada", "wrote", "in", "1843", "Jahrhundert", "U.S.", "p.", "iOS", "これは", "Ж", "न", "مرحبا"]
)
TEXTS = st.lists(st.one_of(MARKS, WORDS, st.just(" "), st.characters()), max_size=60).map("".join)


@given(TEXTS)
@example("\ud800. A. \udfff B.")
@example(" \n\n. \n")
@settings(max_examples=cases(400), deadline=None)
def test_sentences_ascend_and_leave_out_nothing_but_white_space(text):
    covered = 0
    for start, end in sentences(text):
        assert covered <= start < end <= len(text)
        assert not text[covered:start].strip()
        assert text[start:end] == text[start:end].strip()
        covered = end
    assert not text[covered:].strip()


@settings(max_examples=cases(300))
@given(
    st.lists(
        st.sampled_from(["Ada", "né", "1843", "No", "a", "ja", "the", " ", "  ", ",", "'s", "-", "’"]),
        max_size=20,
    ),
    st.sampled_from(["", ".", "!", "?", ". ", "?\n"]),
)
def test_a_text_without_marks_inside_is_one_sentence_as_the_library_finds(words: list[str], end: str) -> None:
    text = "".join(["Ada", *words]) + end
    assert list(sentence_ends(text)) == [len(text)]
    # A space before it is enough for the library to be asked.
    assert list(sentence_ends(f" {text}")) == [len(text) + 1]


PIECES = ("word ", "a", ".", '"A b. ', "(", "1. ", "\n\n", "• ", "'", "Dr. ", "字", ":\n", "A. b) ")


@pytest.mark.long
@pytest.mark.parametrize("text", [*(piece * (LONG // len(piece)) for piece in PIECES), f"A{' ' * LONG}("])
def test_a_long_text_of_one_kind_is_split_to_its_end(text: str) -> None:
    """A rule that takes the square of a text's length would not come to its end."""
    begun, ends = time.process_time(), [0]
    for _start, end in sentences(text):
        ends.append(end)
        assert time.process_time() - begun < 600, "it hangs"
    assert ends[-1] == len(text.rstrip())
