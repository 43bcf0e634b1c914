"""Reads a document's text and title from the bytes of any supported format."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from hopline.errors import DocumentUnreadable, InvalidInput
from hopline.models.formats import DOCUMENT_FORMATS
from hopline.models.metadata import Metadata
from hopline.visible import visible
from workers.core.jobs.params import DocumentParams
from workers.core.language.sentence_ends import STOPS
from workers.core.ports import Limits
from workers.ingest.reading.encoding import Decoded, declared_encoding, decode_text
from workers.ingest.reading.file_checks import CHECKS
from workers.ingest.reading.front_matter import front_matter, front_matter_metadata
from workers.ingest.reading.parse import Parsed, parse_markup
from workers.ingest.reading.stored_text import Map
from workers.ingest.reading.unread_allow import refuse_unread

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_HEADING_WITHIN = 4000  # characters; a heading far below the top is a section's
_TITLE_CHARACTERS = 120
# Stops of all scripts, also within a quotation or brackets that end with the line.
_ENDS_AS_SENTENCE = re.compile(rf"[.?!…;{STOPS}][\s\"'”“’‘»«›‹)\]）】」』》〉]*$")
_MARKUP = re.compile(r"[*_`]{1,3}|!?\[([^\]]{0,200})\]\([^)]{0,2000}\)")


class ReadText(NamedTuple):
    """A document's text as it will be stored, and what was learnt on the way."""

    text: str
    title: str
    encoding: str  # of plain text; "" where a parser made the text
    metadata: Metadata = {}  # of its front matter
    places: Map = {}  # from offsets in the text to places in the file; none where it is a text itself
    left_out: Mapping[str, int] = {}  # what the file has besides
    quality: Mapping[str, int] = {}  # how well it was read, see `blocks.Quality`


def read_text(data: bytes, params: DocumentParams, limits: Limits, password: str = "") -> ReadText:
    """Return the text of a document; .txt and .md unchanged, everything else as Markdown.

    Args:
        data: of the file.
        params: its format, and how it is to be read.
        limits: of parsing.
        password: of an encrypted file.

    Raises:
        DocumentUnreadable: empty, not what its name says, not text, too large, not parseable, or unclear
            about who may see it.
    """
    if not data.strip():
        raise DocumentUnreadable("empty: there is nothing to ingest")
    try:
        parsed, encoding = _convert(data, params, limits, password)
    except InvalidInput as error:
        raise DocumentUnreadable(str(error)) from error
    text = parsed.text
    if not text.strip():
        hint = " (a scan? run text recognition first)" if params.format == "pdf" else ""
        raise DocumentUnreadable(f"empty: it holds no text{hint}")
    if len(text) > limits.max_document_characters:
        raise DocumentUnreadable(
            f"too large: {len(text)} characters, at most {limits.max_document_characters} are read"
        )
    front = front_matter(text, params.format)
    body = text[front.end :]
    if not body.strip():
        raise DocumentUnreadable("empty: it holds front matter and no text")
    try:
        metadata = front_matter_metadata(text[: front.end])
        refuse_unread(body)
    except InvalidInput as error:
        raise DocumentUnreadable(str(error)) from error
    title = _title(params, parsed.title or front.title, body)
    return ReadText(text, title, encoding, metadata, parsed.places, parsed.left_out, parsed.quality)


def _convert(data: bytes, params: DocumentParams, limits: Limits, password: str) -> tuple[Parsed, str]:
    form, kind = DOCUMENT_FORMATS[params.format], params.format
    decoded = None
    if form.is_text:
        declared = declared_encoding(data) if kind == "html" else None
        decoded = decode_text(data, declared, params.encoding, is_page=kind == "html")
        if not form.reader:
            return Parsed(decoded.text, "", quality=_quality({}, decoded)), decoded.encoding
        refuse_unread(decoded.text)
        data = decoded.text.encode()
    if kind in CHECKS:
        CHECKS[kind](data)
    parsed = parse_markup(form, data, limits, password)
    if decoded is None:
        return parsed, ""
    return parsed._replace(quality=_quality(parsed.quality, decoded)), decoded.encoding


def _quality(read: Mapping[str, int], decoded: Decoded) -> Mapping[str, int]:
    return {**read, "replaced_bytes": decoded.replaced} if decoded.replaced else read


def _title(params: DocumentParams, own_title: str, text: str) -> str:
    has_headings = DOCUMENT_FORMATS[params.format].has_headings
    heading = _HEADING.search(text[:_HEADING_WITHIN]) if has_headings else None
    first_line = text.strip().partition("\n")[0].strip()
    candidates = (
        params.title,
        own_title,
        _MARKUP.sub(r"\1", heading[1].rstrip("# \t\r")) if heading else "",
        first_line if _could_be_title(first_line) else "",
        PurePosixPath(params.uri).stem,
    )
    named = (" ".join(visible(candidate).split()) for candidate in candidates)
    return next((name for name in named if name), params.uri)[:500]


def _could_be_title(line: str) -> bool:
    if len(line) > _TITLE_CHARACTERS or not any(map(str.isalpha, line)):
        return False
    return not line.startswith("#") and not _ENDS_AS_SENTENCE.search(line)
