"""The child process that recognises pages of one untrusted file, under limits like those of `parse_child`.

Run as a script: `recognition_child.py FILE MEMORY_MB SECONDS`. FILE is the descriptor of the file, which is
open. On standard input a line of JSON, {"form", "password"}, answered on standard output by {"opened"}, or by
{"error"} and the end.
Then for each page a line of JSON, {"draw": NUMBER}, answered by {"picture"}, the sha-256 of what the page
looks like; and {"read": true}, where that is not known, answered by {"page"}. Either may be answered by
{"error"}.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workers.ingest.reading.scans.drawing import DrawnPage
    from workers.ingest.reading.scans.recogniser import Recogniser


def main(file: int) -> Iterator[dict[str, Any]]:
    """Yield what goes to standard output, line by line."""
    from workers.ingest.reading.parse_child import (  # noqa: PLC0415 - found once the path is set
        contents_of,
        describe,
        forbid_side_effects,
    )

    try:
        from workers.ingest.reading.scans.drawing import open_pages  # noqa: PLC0415 - libraries are large
        from workers.ingest.reading.scans.recogniser import Recogniser  # noqa: PLC0415 - likewise

        head = json.loads(sys.stdin.buffer.readline())
        forbid_side_effects()
        data = contents_of(file, is_mapped=True)
        session = _Session(open_pages(data, head["form"], head["password"]), Recogniser)
    except Exception as error:  # noqa: BLE001 - whatever a library raises is this document's fault
        yield {"error": describe(error)}
        return
    yield {"opened": True}
    for line in iter(sys.stdin.buffer.readline, b""):
        try:
            yield session.answer(json.loads(line))
        except Exception as error:  # noqa: BLE001 - as above
            yield {"error": describe(error)}


class _Session:
    """The page that was drawn last, and the models once they are needed."""

    def __init__(self, draw: Callable[[int], DrawnPage], load: Callable[[], Recogniser]) -> None:
        self._draw, self._load = draw, load
        self._drawn: DrawnPage | None = None
        self._models: Recogniser | None = None

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        from dataclasses import asdict  # noqa: PLC0415 - as above

        if "draw" in asked:
            self._drawn = None  # two large ones would not fit
            self._drawn = self._draw(asked["draw"])
            return {"picture": self._drawn.digest}
        self._models = self._models or self._load()
        assert self._drawn is not None  # noqa: S101 - it was asked for before
        return {"page": asdict(self._models.read(self._drawn.picture, self._drawn.width, self._drawn.height))}


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[4]))
    from workers.ingest.reading.parse_child import set_limits

    _file, _memory_mb, _seconds = map(int, sys.argv[1:])
    set_limits(_memory_mb, _seconds, os.fstat(_file).st_size)
    for _reply in main(_file):
        sys.stdout.write(json.dumps(_reply) + "\n")
        sys.stdout.flush()
    os._exit(0)  # what the libraries left running is of no interest
