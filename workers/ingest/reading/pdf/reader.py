"""Reads a PDF."""

from __future__ import annotations

import ctypes
from collections import Counter
from typing import Any

import pypdfium2 as pdfium
import pypdfium2.raw as c

from workers.ingest.reading.blocks import FileBytes, Quality, Reading, UnreadableError
from workers.ingest.reading.pdf.furniture import mark_furniture
from workers.ingest.reading.pdf.page import Page, read_page
from workers.ingest.reading.pdf.text import blocks_of
from workers.ingest.reading.pdf.titles import title_of
from workers.ingest.reading.scans.page import recognised_page
from workers.ingest.reading.scans.recognised import Recognised, counts_of, from_json

_END_MARK, _END_WITHIN = b"%%EOF", 2048  # bytes; some programs write more behind it
_OBJECT_MARK = b"endobj"
_MOST_PAGES = 5_000
_LONGEST_TITLE = 2_000  # bytes
MAPS_FILE = True


def read(data: FileBytes, options: dict[str, str]) -> Reading:
    """Read a PDF.

    Args:
        data: the file.
        options: `password`, "" for none; `recognised`, what was recognised on pages that are pictures.

    Raises:
        UnreadableError: encrypted with another password, cut off, no PDF inside, or far too large.
    """
    document = opened(data, options.get("password", ""))
    try:
        return _reading(document, from_json(options.get("recognised", "")))
    finally:
        document.close()


def opened(data: FileBytes, password: str = "") -> pdfium.PdfDocument:
    """Return pdfium's document of a file.

    Raises:
        UnreadableError: encrypted with another password, cut off, or no PDF inside.
    """
    try:
        # If the file is mapped, pdfium reads only the parts it needs from disk.
        mapped = data if isinstance(data, bytes) else (ctypes.c_char * len(data)).from_buffer(data)
        return pdfium.PdfDocument(mapped, password=password or None)
    except pdfium.PdfiumError as error:
        reason = c.FPDF_GetLastError()
        if reason == c.FPDF_ERR_PASSWORD:
            advice = "this is not its password"
            if not password:
                advice = "remove the password and try again (`hopline read --password` shows its text)"
            raise UnreadableError(f"encrypted: {advice}") from error
        if reason == c.FPDF_ERR_SECURITY:
            raise UnreadableError("encrypted in a way that is not supported") from error
        if _END_MARK not in data[-_END_WITHIN:] and data.find(_OBJECT_MARK) >= 0:
            raise UnreadableError("cut off: the end of the file is missing; get the whole file") from error
        raise UnreadableError("cannot be parsed: the file is damaged") from error


def _reading(document: pdfium.PdfDocument, recognised: Recognised) -> Reading:
    count = len(document)
    if count > _MOST_PAGES:
        raise UnreadableError(f"too large: {count} pages, at most {_MOST_PAGES} are read")
    document.init_forms()
    form = document.formenv.raw if document.formenv else None
    pages: list[Page] = []
    unreadable = 0
    for index in range(count):
        if index + 1 in recognised:
            pages.append(recognised_page(recognised[index + 1], index + 1))
            continue
        handle = c.FPDF_LoadPage(document.raw, index)
        if not handle:
            unreadable += 1
            continue
        if form:
            c.FORM_OnAfterLoadPage(handle, form)  # or no box counts as checked
        try:
            pages.append(read_page(handle, form, index + 1))
        finally:
            if form:
                c.FORM_OnBeforeClosePage(handle, form)
            c.FPDF_ClosePage(handle)
    if count and not pages:
        raise UnreadableError("cannot be parsed: no page can be read")
    mark_furniture(pages)
    blocks = blocks_of(pages)
    pictured = [page.number for page in pages if page.is_picture]
    left_out: Counter[str] = Counter()
    for page in pages:
        left_out.update(page.hidden)
        left_out["picture without text"] += page.pictures
        left_out["comment"] += page.comments
    left_out["running head, foot or page number"] = sum(block.kind == "furniture" for block in blocks)
    left_out["page that cannot be read"] = unreadable
    return Reading(
        blocks,
        title_of(_stated_title(document.raw), pages[0] if pages else None),
        +left_out,
        Quality(
            pages=count,
            pages_without_text=unreadable + sum(not page.regions for page in pages),
            signs=sum(page.signs for page in pages),
            signs_without_meaning=sum(page.signs_without_meaning for page in pages),
            doubtful_tables=sum(page.doubtful_tables for page in pages),
            pictured_pages=len(pictured),
            **counts_of(recognised),
        ),
        pictured=pictured,
    )


def _stated_title(document: Any) -> str:
    size = min(c.FPDF_GetMetaText(document, b"Title", None, 0), _LONGEST_TITLE)
    buffer = (ctypes.c_char * size)() if size else None
    if buffer is None:
        return ""
    c.FPDF_GetMetaText(document, b"Title", buffer, size)
    return bytes(buffer)[: size - 2].decode("utf-16-le", "replace")
