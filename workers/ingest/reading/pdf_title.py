"""Finds a PDF's title: its metadata unless that is a file name, else the first page's headline."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BytesIO

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
    )
)
_LARGER = 1.15  # times the size of most letters: a headline
_SAME = 0.5  # points; lines of one headline
_MOST_LINES = 5
_FEWEST_LETTERS = 3


def pdf_title(stream: BytesIO) -> str:
    """Return the title of a PDF; "" if it has none that could be told."""
    return _stated(stream) or _headline(stream)


def _stated(stream: BytesIO) -> str:
    from pdfminer.pdfdocument import PDFDocument  # noqa: PLC0415 - the limits must stand before it loads
    from pdfminer.pdfparser import PDFParser  # noqa: PLC0415
    from pdfminer.pdftypes import resolve1  # noqa: PLC0415
    from pdfminer.utils import decode_text  # noqa: PLC0415

    for info in PDFDocument(PDFParser(stream)).info:
        value = resolve1(info.get("Title"))
        title = " ".join(decode_text(value).split()) if isinstance(value, bytes) else ""
        title = _MADE_BY.sub("", title)
        if _is_title(title):
            return title
    return ""


def _is_title(text: str) -> bool:
    if not 1 < len(text) <= _LONGEST or not any(map(str.isalpha, text)):
        return False
    return text.lower() not in _NO_TITLES and not _FILE.search(text) and not _CODE.match(text)


def _headline(stream: BytesIO) -> str:
    """Return the lines in the largest letters of the first page, if larger than the text's."""
    lines = list(_lines(stream))
    letters: Counter[float] = Counter()
    for size, text in lines:
        letters[size] += len(text)
    if not letters:
        return ""
    largest = max(letters)
    headline = [text for size, text in lines if largest - size < _SAME]
    title = " ".join(headline)
    smaller = Counter({size: count for size, count in letters.items() if largest - size >= _SAME})
    usual = smaller.most_common(1)
    if not usual or largest < _LARGER * usual[0][0] or len(headline) > _MOST_LINES:
        return ""
    return title if len(title) <= _LONGEST else ""


def _lines(stream: BytesIO) -> Iterator[tuple[float, str]]:
    """Yield (points, text) of the upright lines of the first page, in the order of reading."""
    from pdfminer.high_level import extract_pages  # noqa: PLC0415
    from pdfminer.layout import LAParams, LTChar, LTTextBox, LTTextLine  # noqa: PLC0415

    def chars(line: Any) -> list[LTChar]:
        return [sign for sign in line if isinstance(sign, LTChar)]

    for page in extract_pages(stream, maxpages=1, laparams=LAParams()):
        for box in page:
            for line in box if isinstance(box, LTTextBox) else ():
                signs = chars(line) if isinstance(line, LTTextLine) else []
                text = " ".join(line.get_text().split()) if signs else ""
                if sum(map(str.isalpha, text)) >= _FEWEST_LETTERS and all(sign.upright for sign in signs):
                    yield round(max(sign.size for sign in signs), 1), text
