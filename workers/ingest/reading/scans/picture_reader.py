"""Reads image files from the text that was recognised on their pages."""

from __future__ import annotations

from collections import Counter

from workers.ingest.reading.blocks import FileBytes, Quality, Reading
from workers.ingest.reading.pdf.furniture import mark_furniture
from workers.ingest.reading.pdf.text import blocks_of
from workers.ingest.reading.scans.page import recognised_page
from workers.ingest.reading.scans.pictures import PictureFile
from workers.ingest.reading.scans.recognised import counts_of, from_json

MAPS_FILE = True


def read(data: FileBytes, options: dict[str, str]) -> Reading:
    """Read pictures.

    Args:
        data: the file.
        options: `recognised`, what was recognised on them.

    Raises:
        UnreadableError: it is not a picture, or is too large; or the extra `ocr` is not installed.
    """
    recognised = from_json(options.get("recognised", ""))
    file = PictureFile(data)
    for number in range(1, file.pages + 1):
        file.size(number)
    pages = [recognised_page(page, number) for number, page in sorted(recognised.items())]
    pictured = [number for number in range(1, file.pages + 1) if number not in recognised]
    mark_furniture(pages)
    blocks = blocks_of(pages)
    furniture = sum(block.kind == "furniture" for block in blocks)
    return Reading(
        blocks,
        left_out=+Counter({"running head, foot or page number": furniture}),
        quality=Quality(
            pages=file.pages,
            pages_without_text=len(pictured) + sum(not page.regions for page in pages),
            signs=sum(page.signs for page in pages),
            pictured_pages=len(pictured),
            **counts_of(recognised),
        ),
        pictured=pictured,
    )
