"""How a text is split: into chapters, and within them into chunks."""

import itertools

import pytest

from hopline.errors import InvalidInput
from workers.core.jobs.params import DocumentParams
from workers.core.models.tokens import count_tokens
from workers.ingest.chunking.split import MOST_CHAPTERS, chapter_of, chapters_of, parts_of, split_text
from workers.ingest.spans import SentenceIndex

PARAGRAPHS = [" ".join(f"Sentence {n} of part {part} is here." for n in range(6)) for part in range(8)]
TEXT = "\n\n".join(PARAGRAPHS)


def test_chunks_end_with_paragraphs_and_overlap_by_whole_sentences():
    chunks = split_text("d", TEXT, 120, 30)
    for before, chunk in itertools.pairwise(chunks):
        shared = TEXT[chunk.start : before.end]
        assert shared.startswith("Sentence")
        assert shared.endswith("here.")
        assert 0 < count_tokens(shared) <= 30
    for chunk in split_text("d", TEXT, 120, 0):
        assert set(chunk.text.split("\n\n")) <= set(PARAGRAPHS)
    with pytest.raises(InvalidInput, match="chunk_overlap"):
        split_text("d", TEXT, 60, 60)


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


def test_a_text_without_borders_is_split_and_a_long_one_counted_all_the_same():
    for text in ["a" * 150_000, "漢字" * 20_000, " x" * 80_000, "\n" * 90_000 + "x", "." * 80_000]:
        chunks = split_text("d", text, 600, 60)
        assert sum(len(chunk.text) for chunk in chunks) >= len(text.replace(" ", "").strip()), text
        assert all(chunk.tokens <= 600 for chunk in chunks), text
    assert SentenceIndex("a " + "." * 200_000).locate("no such fact").score == 0
    assert count_tokens("word " * 300_000) == pytest.approx(300_000, rel=0.01)


def test_a_chapter_is_a_number_where_its_heading_has_one():
    for heading, chapter in [
        ("Chapter 3", 3),
        ("CHAPTER III", 3),
        ("Chapter Seven. The Storm", 7),
        ("Kapitel 2", 2),
        ("Глава 7", 7),
        ("Chapter Twenty-One", 21),
        ("CHAPTER THIRTY: RAIN", 30),
        ("第三十二章 风暴", 32),
        ("第一百零三回：風暴", 103),
        ("第１２章", 12),
        ("제3장", 3),
        ("12. The Storm", 12),
        ("IX", 9),
        ("The Storm", "The Storm"),
        ("MIX", "MIX"),
        ("Chapter 3 tells of a storm", "Chapter 3 tells of a storm"),
        ("", None),
        (None, None),
        (0, 0),
    ]:
        assert chapter_of(heading) == chapter, heading


def told(text, kind="txt"):
    parts = chapters_of(text, kind).parts
    assert "".join(text[part.start : part.end] for part in parts) == text
    return [(part.chapter, text[part.start : part.end].strip()[-1:]) for part in parts]


def test_plain_lines_begin_chapters_where_they_stand_alone():
    text = "Title\n\nChapter 1\n\nAs in\nChapter 2. Of a book.\n\nCHAPTER II. The Storm\nd"
    assert told(text) == [(None, "e"), (1, "."), (2, "d")]
    assert told("第一章\n甲\n\n第二章 风暴\n乙") == [(1, "甲"), (2, "乙")]
    assert told("Chapter 1 was long.\n\nSo was this.") == [(None, ".")]


def test_markdown_headings_of_the_level_that_repeats_are_chapters():
    text = "# Book\n\na\n\n## One day\n\nb\n\n### x\n\nc\n\n## Night\n\nd"
    assert told(text, "md") == [(None, "a"), ("One day", "c"), ("Night", "d")]
    assert told("# Chapter 3: The Lamp\n\na", "md") == [(3, "a")]
    assert told("# The Lamp\n\na", "md") == [("The Lamp", "a")]
    assert told("# Not a heading in plain text\n\na") == [(None, "a")]


def test_called_chapters_go_before_other_headings_but_for_those_of_their_level():
    text = "# Book\n\n## Chapter 1\n\na\n\n### Noon\n\nb\n\n## Epilogue\n\nc"
    assert told(text, "md") == [(None, "k"), (1, "b"), ("Epilogue", "c")]
    # A fence holds no headings.
    assert told("# One\n\n```\n# two\n```\n\n# Three\n\nc", "md") == [("One", "`"), ("Three", "c")]


@pytest.mark.timeout(300)  # were headings compared with each other, this many would take hours
@pytest.mark.parametrize(
    ("heading", "kind"), [("Chapter {}\n\n", "txt"), ("# Chapter {}\n", "md"), ("# a {}\n", "md")]
)
def test_more_headings_than_a_book_has_begin_no_more_chapters(heading, kind):
    headings = [heading.format(number) for number in range(10 * MOST_CHAPTERS)]
    parts, beyond = chapters_of("".join(headings), kind)
    assert (len(parts), beyond) == (MOST_CHAPTERS + 1, 9 * MOST_CHAPTERS)
    assert parts[-1] == (sum(map(len, headings[:MOST_CHAPTERS])), sum(map(len, headings)), None)
    told_of = [chapter_of(heading.strip("# \n")) for heading in headings[:MOST_CHAPTERS]]
    assert [part.chapter for part in parts[:-1]] == told_of
