"""The child process that draws a page of one untrusted file, under the limits of `parse_child`.

Run as a script: `picture_child.py FILE DRAWER PAGE WIDTH TURNS MEMORY_MB SECONDS`. FILE is the descriptor of
the file, which is open. DRAWER names a module with `draw(data, number, width, turns)`. On standard output
a line of JSON: the page's {"width", "height"} in points, and behind it the picture; or {"error"}, or how many
{"pages"} there are if PAGE is none of them.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workers.ingest.reading.blocks import Drawn


def main(file: int, drawer: str, page: int, width: int, turns: int, memory_mb: int, seconds: int) -> bytes:
    """Return what goes to standard output."""
    from workers.ingest.reading.parse_child import (  # noqa: PLC0415 - found once the path is set
        contents_of,
        describe,
        forbid_side_effects,
        set_limits,
    )

    set_limits(memory_mb, seconds, os.fstat(file).st_size)
    try:
        module = importlib.import_module(drawer)
        forbid_side_effects()
        drawn: Drawn | int = module.draw(contents_of(file, is_mapped=True), page, width, turns)
    except Exception as error:  # noqa: BLE001 - whatever a library raises is this document's fault
        return json.dumps({"error": describe(error)}).encode()
    if isinstance(drawn, int):
        return json.dumps({"pages": drawn}).encode()
    return json.dumps({"width": drawn.width, "height": drawn.height}).encode() + b"\n" + drawn.png


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
    sys.stdout.buffer.write(main(int(sys.argv[1]), sys.argv[2], *map(int, sys.argv[3:])))
    sys.stdout.flush()
    os._exit(0)  # what the libraries left running is of no interest
