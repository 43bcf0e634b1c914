"""The lines recognised on a page that is a picture, and their form in JSON.

Standard library alone, for the processes that recognise and read import it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

RECOGNISER = "rapidocr-3-2"  # of what is kept: raised where other words or places come out of a picture
DPI = 200  # at which pages are drawn, and pictures are taken to be
TALL = 1.5  # times its width: the height of a line that is turned, or whose signs stand below one another
# Confidence of a line below which it is counted as doubtful. Of 450 lines of pages at 60 to 150 dots per
# inch, with noise and blur, those from .98 on were right in 95 of 100, from .96 in 49, from .93 in 30;
# letters were right in 100, 96 and 90 of 100, from .75 in 75, from .6 in 61.
DOUBTFUL = 0.96


@dataclass(slots=True)
class RecognisedLine:
    """A stretch of text without a wide gap, on the upright page without its skew; in points."""

    text: str
    confidence: float  # 0 to 1
    left: float
    top: float
    right: float
    bottom: float
    turn: int = 0  # quarter turns clockwise, of a line beside upright ones
    is_vertical: bool = False  # signs below one another
    words: list[tuple[str, float, float]] = field(default_factory=list)  # text, left, right

    @property
    def is_doubtful(self) -> bool:
        """Whether it was recognised with little confidence."""
        return self.confidence < DOUBTFUL


@dataclass(slots=True)
class RecognisedPage:
    """A page that is a picture."""

    width: float  # of the page as shown, in points
    height: float
    turns: int = 0  # quarter turns clockwise from the shown page to the upright one
    skew: float = 0.0  # degrees clockwise by which lines of the upright page run down
    lines: list[RecognisedLine] = field(default_factory=list)
    unread: int = 0  # lines in a script that the models do not have, or too poor to be read
    # Left, top, right and bottom of these lines, on the upright page without its skew.
    unread_boxes: list[tuple[float, float, float, float]] = field(default_factory=list)
    transcribed: int = 0  # lines that a vision model read
    is_blank: bool = True  # nothing is printed on it

    @property
    def doubtful(self) -> int:
        """Number of lines that were recognised with little confidence."""
        return sum(line.is_doubtful for line in self.lines)

    @property
    def doubtful_share(self) -> float:
        """Share of its lines that are doubtful or unread, 0 to 1; 1 if none was found, 0 of a blank page."""
        lines = len(self.lines) + self.unread
        return (self.doubtful + self.unread) / lines if lines else float(not self.is_blank)

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> RecognisedPage:
        """Return the page that `asdict` made this of."""
        lines = [
            RecognisedLine(**{**line, "words": [(text, left, right) for text, left, right in line["words"]]})
            for line in stored["lines"]
        ]
        return cls(
            **{
                **stored,
                "lines": lines,
                "unread_boxes": [tuple(box) for box in stored.get("unread_boxes", ())],
            }
        )


Recognised = Mapping[int, RecognisedPage]  # by the page's number, 1 for the first
NOTHING: Recognised = {}


def counts_of(pages: Recognised) -> dict[str, Any]:
    """Return the recognition counts for `blocks.Quality`."""
    return {
        "recognised_pages": len(pages),
        "recognised_lines": sum(len(page.lines) for page in pages.values()),
        "doubtful_lines": {str(number): page.doubtful for number, page in pages.items() if page.doubtful},
        "unread_lines": {str(number): page.unread for number, page in pages.items() if page.unread},
        "transcribed_lines": {
            str(number): page.transcribed for number, page in pages.items() if page.transcribed
        },
    }


def as_json(pages: Recognised) -> str:
    """Serialise pages for another process."""
    return json.dumps({number: asdict(page) for number, page in pages.items()}, ensure_ascii=False)


def from_json(text: str) -> dict[int, RecognisedPage]:
    """Return pages that were passed on; none of an empty text."""
    stored = json.loads(text) if text else {}
    return {int(number): RecognisedPage.of(page) for number, page in stored.items()}
