"""Finds a PDF's title: its metadata unless that is a file name, else the first page's headline."""

from __future__ import annotations

import re
from collections import Counter
from itertools import dropwhile, takewhile

from workers.ingest.reading.pdf.page import Page
from workers.ingest.reading.pdf.words import Vocabulary
from workers.ingest.reading.raised import written

_LONGEST = 300  # characters
_MADE_BY = re.compile(r"^(?:Microsoft (?:Office )?(?:Word|PowerPoint|Excel|Publisher)) - ", re.IGNORECASE)
_FILE = re.compile(
    r"\.(?:docx?|dotx?|pdf|tex|dvi|e?ps|indd|qxd|fm|pptx?|xlsx?|od[tps]|rtf|pages|key|txt|md|html?|pub|wpd)$",
    re.IGNORECASE,
)
_CODE = re.compile(r"^(?=\S*[\d_])\S+$")  # report_v2, 2004-17
_NO_TITLES = frozenset(
    (
        "untitled",
        "title",
        "document",
        "no title",
        "powerpoint presentation",
        "presentation",
        "slide 1",
        "layout 1",
        "(anonymous)",
        "anonymous",
        "unspecified",
        "(unspecified)",
        "none",
    )
)
_LARGER = 1.15  # times the size of most letters: a headline
_SAME = 0.5  # points; lines of one headline
_MOST_LINES = 5
_FEWEST_LETTERS = 3


def title_of(stated: str, first_page: Page | None) -> str:
    """Return the title of a PDF; "" if it has none that can be told.

    Args:
        stated: the property of the document.
        first_page: whose largest letters are its headline; None if there is no page.
    """
    stated = _MADE_BY.sub("", " ".join(stated.split()))
    return stated if _is_title(stated) else _headline(first_page) if first_page else ""


def _is_title(text: str) -> bool:
    if not 1 < len(text) <= _LONGEST or not any(map(str.isalpha, text)):
        return False
    return text.lower() not in _NO_TITLES and not _FILE.search(text) and not _CODE.match(text)


def _headline(page: Page) -> str:
    """Return the lines in the largest letters of a page, if larger than the text's."""
    lines = [
        (round(line.size, 1), line.text)
        for region in page.regions
        for line in region
        if line.is_plain and sum(map(str.isalpha, line.text)) >= _FEWEST_LETTERS
    ]
    letters: Counter[float] = Counter()
    for size, text in lines:
        letters[size] += len(text)
    if not letters:
        return ""
    largest = max(letters)
    begun = dropwhile(lambda line: largest - line[0] >= _SAME, lines)
    headline = [text for _, text in takewhile(lambda line: largest - line[0] < _SAME, begun)]
    title = written(Vocabulary(()).rejoined(" ".join(headline)))
    smaller = Counter({size: count for size, count in letters.items() if largest - size >= _SAME})
    usual = smaller.most_common(1)
    if not usual or largest < _LARGER * usual[0][0] or len(headline) > _MOST_LINES:
        return ""
    is_sentence = len(headline) > 1 and title.endswith(".")
    return title if len(title) <= _LONGEST and not is_sentence else ""
