"""Reads every file of a folder as ingestion would, and keeps the texts for a measurement.

Each file is read in a limited child of its own, so a time holds the start of Python and of the reader.

    python bench/reading.py FILES TEXTS [--only pdf,docx]

TEXTS gets a NAME.txt for each file that could be read. Standard output has a line per file: seconds,
characters, title, or why it was refused; then how many files were read and the mean time.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from hopline.errors import DocumentUnreadable
from hopline.models.formats import DOCUMENT_FORMATS
from workers.core.jobs.params import DocumentParams
from workers.core.ports import Limits
from workers.ingest.reading.read import read_text

FORMATS = {suffix: form.name for form in DOCUMENT_FORMATS.values() for suffix in form.suffixes}


def main() -> None:
    """Read the files of a folder and write their texts."""
    parser = argparse.ArgumentParser(description="Keep what hopline reads in the files of a folder.")
    parser.add_argument("files", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--only", default="", help="formats, with commas: pdf,docx")
    arguments = parser.parse_args()
    kinds = set(filter(None, arguments.only.split(",")))
    arguments.texts.mkdir(parents=True, exist_ok=True)
    seconds: list[float] = []
    refused = 0
    for path in sorted(arguments.files.iterdir()):
        kind = FORMATS.get(path.suffix.lower())
        if kind is None or (kinds and kind not in kinds):
            continue
        params = DocumentParams(uri=path.name, source=str(path), format=kind)
        began = time.perf_counter()
        try:
            read = read_text(path.read_bytes(), params, Limits())
        except DocumentUnreadable as error:
            refused += 1
            print(f"{path.name:60} refused: {error}")
            continue
        seconds.append(time.perf_counter() - began)
        (arguments.texts / f"{path.name}.txt").write_text(read.text, encoding="utf-8", newline="")
        print(f"{path.name:60} {seconds[-1]:6.2f} s {len(read.text):9,} characters  {read.title}")
    mean = sum(seconds) / max(1, len(seconds))
    print(f"{len(seconds)} files read, {refused} refused, {mean:.2f} s each on average")


if __name__ == "__main__":
    main()
