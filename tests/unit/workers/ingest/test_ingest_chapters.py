"""Chapters and places in a story: from headings, or as told."""

from __future__ import annotations

import pytest

from workers.ingest.chunking.chapters import MOST_CHAPTERS, chapter_of, chapters_of


@pytest.mark.parametrize(
    ("heading", "chapter"),
    [
        ("Chapter 3", 3),
        ("CHAPTER III", 3),
        ("Chapter Seven. The Storm", 7),
        ("Kapitel 2", 2),
        ("Глава 7", 7),
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
    ],
)
def test_a_chapter_is_a_number_where_its_heading_has_one(heading, chapter):
    assert chapter_of(heading) == chapter


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
    assert told("# Book\n\na\n\n## One day\n\nb\n\n### x\n\nc\n\n## Night\n\nd", "md") == [
        (None, "a"),
        ("One day", "c"),
        ("Night", "d"),
    ]
    assert told("# Chapter 3: The Lamp\n\na", "md") == [(3, "a")]
    assert told("# The Lamp\n\na", "md") == [("The Lamp", "a")]
    assert told("# Not a heading in plain text\n\na") == [(None, "a")]


def test_called_chapters_go_before_other_headings_but_for_those_of_their_level():
    text = "# Book\n\n## Chapter 1\n\na\n\n### Noon\n\nb\n\n## Epilogue\n\nc"
    assert told(text, "md") == [(None, "k"), (1, "b"), ("Epilogue", "c")]


def test_a_fence_holds_no_headings():
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
    assert [part.chapter for part in parts[:-1]] == [
        chapter_of(heading.strip("# \n")) for heading in headings[:MOST_CHAPTERS]
    ]
