"""Decides as which format a file is read whose name and content do not agree."""

from __future__ import annotations

import io

from hopline.contents import format_of_content
from hopline.models.formats import DOCUMENT_FORMATS

# Their content has marks: without these it is none of them, and a text is read as one.
_MARKED = frozenset(("pdf", "docx", "pptx", "xlsx", "xls", "ods", "odt", "epub", "msg", "rtf"))
_SHEETS = frozenset(("xlsx", "xls", "ods"))
_OF_PLAIN = frozenset(("html", "mhtml"))  # what a text that is named as another may be


def actual_format(data: bytes, named: str) -> str:
    """Return the format to read a file as: by its content where that is plain, else by its name.

    Args:
        data: of the file.
        named: the format by its name.
    """
    found = format_of_content(io.BytesIO(data))
    if not found or found not in DOCUMENT_FORMATS or named == "code":
        return named
    if found == "txt":
        return ("csv" if named in _SHEETS else "txt") if named in _MARKED else named
    is_same = DOCUMENT_FORMATS[found].reader == DOCUMENT_FORMATS[named].reader
    return named if is_same or (found == "eml" and named in ("mhtml", "html")) else found
