"""Reads notebooks (.ipynb, format 4): text cells, code and its output."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

from workers.ingest.reading.blocks import Block, Quality, Reading, UnreadableError, count_signs
from workers.ingest.reading.html import reader as html

_LONGEST_OUTPUT = 20_000  # characters of what one cell wrote


def read(data: bytes, options: dict[str, str]) -> Reading:
    """Return the cells of a notebook in order: Markdown unchanged, code and its output as code, its tables.

    Raises:
        UnreadableError: it is no notebook.
    """
    try:
        cells = json.loads(data)["cells"]
        written = [(cell["cell_type"], _joined(cell["source"]), cell.get("outputs", [])) for cell in cells]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnreadableError(
            "not a notebook of format 4, whatever its name says: it has no cells"
        ) from error
    blocks: list[Block] = []
    left_out: Counter[str] = Counter()
    for number, (kind, source, outputs) in enumerate(written, start=1):
        said = (
            [Block("code" if kind == "code" else "paragraph", source.strip("\n"))] if source.strip() else []
        )
        for output in outputs if isinstance(outputs, list) else ():
            said += _shown(output if isinstance(output, dict) else {}, options, left_out)
        blocks += [replace(block, part=f"cell {number}") for block in said]
    return Reading(blocks, "", +left_out, Quality(signs=count_signs(blocks)))


def _shown(output: dict[str, Any], options: dict[str, str], left_out: Counter[str]) -> list[Block]:
    forms = output.get("data")
    forms = forms if isinstance(forms, dict) else {}
    page = _joined(forms.get("text/html", ""))
    if "<table" in page:
        return html.read(page.encode("utf-8", "replace"), options).blocks
    text = (
        _joined(output.get("text", ""))
        or _joined(forms.get("text/markdown", ""))
        or _joined(forms.get("text/plain", ""))
    )
    left_out["picture"] += any(form.startswith("image/") for form in forms)
    left_out["error message"] += output.get("output_type") == "error"
    if any(form.startswith("image/") for form in forms) or not text.strip():
        return []
    left_out["end of a long output"] += len(text) > _LONGEST_OUTPUT
    return [Block("code", text[:_LONGEST_OUTPUT].strip("\n"))]


def _joined(text: Any) -> str:
    """Return a text that a notebook may also keep as a list of lines."""
    return "".join(map(str, text)) if isinstance(text, list) else str(text)
