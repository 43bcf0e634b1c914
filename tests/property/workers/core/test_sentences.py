from __future__ import annotations

import re
import time

import pytest
from fleet.cases import cases
from hypothesis import example, given, settings
from hypothesis import strategies as st

from workers.core.language import sentence_ends
from workers.core.language.text import sentences

MARKS = st.sampled_from(
    [
        *".!?…。！)(\"'“”„«»「」\n•-:;,_é東\U0001f600\u00a0",
        "\n\n",
        "1.",
        "2.",
        "a)",
        "Dr.",
        "e.g.",
        "[1]",
        "。」",
    ]
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
    ends = list(sentence_ends.sentence_ends(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentence_ends, "_ONE_SENTENCE", re.compile(r"(?!)"))
        assert list(sentence_ends.sentence_ends(text)) == ends == [len(text)]


@pytest.mark.parametrize(
    "piece",
    [
        "word ",
        "a",
        ".",
        ". ",
        '"A b. ',
        "(",
        "1. ",
        "\n\n",
        "\n \n",
        "• ",
        "'",
        "Dr. ",
        "(a) ",
        "字",
        ":\n",
        "A. b) ",
    ],
)
def test_splitting_takes_time_in_proportion_to_the_text(piece):
    _check_proportion(lambda characters: piece * (characters // len(piece)))


def test_a_gap_in_a_line_is_passed_in_proportion_to_its_length():
    _check_proportion(lambda characters: f"A{' ' * characters}(")


def _check_proportion(text):
    def seconds(characters):
        begun = time.process_time()
        for _sentence in sentences(text(characters)):
            pass
        return time.process_time() - begun

    seconds(10_000)
    # Four times the text takes four times as long, not sixteen; with room for what else the machine does.
    small, large = (min(seconds(size), seconds(size)) for size in (40_000, 160_000))
    assert large < 10 * small + 0.1
