"""Reads web archives (MHTML): the saved page, without its pictures (RFC 2557)."""

from __future__ import annotations

from workers.ingest.reading.blocks import Reading, UnreadableError, in_sections
from workers.ingest.reading.html import reader as html
from workers.ingest.reading.mail import text_of
from workers.sources.mail import MailError, parse_mail


def read(data: bytes, options: dict[str, str]) -> Reading:
    """Return the contents of the saved page; pages within it are left out and counted.

    Raises:
        UnreadableError: it contains no page.
    """
    try:
        pages = [part for part in parse_mail(data).walk() if part.get_content_type() == "text/html"]
    except MailError as error:
        raise UnreadableError(str(error)) from error
    if not pages:
        raise UnreadableError("not an archive of a web page, whatever its name says: it contains no page")
    reading = html.read(text_of(pages[0]).encode(), options)
    reading.blocks = list(in_sections(reading.blocks, counts_paragraphs=True))
    reading.left_out["page within the page"] += len(pages) - 1
    reading.left_out = +reading.left_out
    return reading
