"""Reads a document's text and title from the bytes of any supported format."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from hopline.errors import DocumentUnreadable, InvalidInput
from hopline.models.formats import DOCUMENT_FORMATS, MARKDOWN
from hopline.models.metadata import Metadata, fitting
from hopline.visible import visible
from workers.core.jobs.params import DocumentParams
from workers.core.language.sentence_ends import STOPS
from workers.core.ports import Limits
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.encoding import Decoded, declared_encoding, decode_text
from workers.ingest.reading.file_checks import CHECKS
from workers.ingest.reading.front_matter import FrontMatter, front_matter, front_matter_metadata
from workers.ingest.reading.parse import Parsed, parse_markup
from workers.ingest.reading.scans.extra import can_recognise, told_pictures, with_remedy
from workers.ingest.reading.scans.recognised import NOTHING, Recognised
from workers.ingest.reading.site_markup import without_site_markup
from workers.ingest.reading.stored_text import Map
from workers.ingest.reading.unread_allow import refuse_unread
from workers.sources.line_address import LINE

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S.*)$", re.MULTILINE)
_HEADING_WITHIN = 4000  # characters; what decorates the top of a Markdown file may take many
_BYLINE = 200  # characters before a heading; behind more it is a section's
_FIRST_WORDS = 60  # characters
_BYTES_OF_CHARACTER = 4  # at most, in UTF-8 and UTF-32
# Comments, tags and badges above the heading of a Markdown file.
_DECORATION = re.compile(
    r"<!--.*?-->|<[^<>]{0,500}>|!?\[[^\]\n]{0,300}\]|\(https?:[^)\n]{0,1000}\)|\]", re.DOTALL
)
# A list's item, a row of a table, a quotation, code, markup, an entry of a log, or a member of JSON.
_IS_PART = re.compile(
    r"[#|>`<{\[}\]]|[-*+•◦▪–—·‣]\s|\d{1,3}[.)]\s|[\"'][^\"']{0,100}[\"']\s*:"
    r"|\d{4}-\d\d-\d\d[T ]\d|\d\d:\d\d:\d\d"
)
_NO_TITLE = re.compile(
    r"\(?(?:anonymous|untitled(?: document)?|unspecified|no title|unknown|title)\)?", re.IGNORECASE
)
_TITLE_CHARACTERS = 120
# Stops of all scripts, also within a quotation or brackets that end with the line.
_ENDS_AS_SENTENCE = re.compile(rf"[.?!…;{STOPS}][\s\"'”“’‘»«›‹)\]）】」』》〉]*$")
_MARKUP = re.compile(r"[*_`]{1,3}|!?\[([^\]]{0,200})\]\([^)]{0,2000}\)")


class ReadText(NamedTuple):
    """A document's text as it will be stored, with the findings of reading it."""

    text: str
    title: str
    encoding: str  # of plain text; "" where a parser made the text
    metadata: Metadata = {}  # of its front matter, or that its format states
    places: Map = {}  # from offsets in the text to places in the file; none where it is a text itself
    left_out: Mapping[str, int] = {}  # what the file has besides
    quality: Mapping[str, Any] = {}  # how well it was read, see `blocks.Quality`
    pictured: Sequence[int] = ()  # numbers of pages that are pictures not recognised yet
    format: str = ""  # that it was read as; "" where nothing was read


def read_text(
    file: DocumentFile,
    params: DocumentParams,
    limits: Limits,
    password: str = "",
    recognised: Recognised | None = None,
) -> ReadText:
    """Return the text of a document; .txt and .md unchanged, everything else as Markdown.

    Args:
        file: the document's file.
        params: its format and reading options.
        limits: limits of parsing.
        password: password of an encrypted file.
        recognised: the text recognised on scanned pages; None if that was not tried, in which case the text
            may be "".

    Raises:
        DocumentUnreadable: it is empty, of another format, not text, too large, not parseable, or has an
            unclear `allow`.
    """
    if file.is_blank:
        raise DocumentUnreadable("empty: there is nothing to ingest")
    named, form = params.format, file.format_as(params.format)
    params = params.model_copy(update={"format": form})
    try:
        parsed, encoding = _convert(file, params, limits, password, recognised or NOTHING)
        if form != named:
            parsed = parsed._replace(quality={**parsed.quality, "misnamed": 1})
        if parsed.text.strip():
            front, metadata = _checked(parsed, form, limits)
            title = _title(params, parsed.title or front.title, parsed.text[front.end :])
        elif parsed.pictured and recognised is None and can_recognise():
            parsed, metadata, title = parsed._replace(text=""), {}, parsed.title
        else:
            raise DocumentUnreadable(_why_empty(parsed, recognised))
    except InvalidInput as error:
        raise DocumentUnreadable(str(error)) from error
    return ReadText(
        text=parsed.text,
        title=title,
        encoding=encoding,
        metadata=metadata,
        places=parsed.places,
        left_out=parsed.left_out,
        quality=parsed.quality,
        pictured=parsed.pictured,
        format=form,
    )


def _checked(parsed: Parsed, form: str, limits: Limits) -> tuple[FrontMatter, Metadata]:
    """Check a text; return its front matter and the document's metadata."""
    text, most = parsed.text, limits.max_document_characters
    if len(text) > most:
        raise DocumentUnreadable(f"too large: {len(text)} characters, at most {most} are read")
    front = front_matter(text, form)
    body = text[front.end :]
    if not body.strip():
        raise DocumentUnreadable("empty: it contains front matter but no text")
    refuse_unread(body)
    return front, front_matter_metadata(text[: front.end]) or fitting(parsed.metadata.items())


def _why_empty(parsed: Parsed, recognised: Recognised | None) -> str:
    """Return why a text is empty, and what to do about it."""
    if parsed.pictured and recognised is None:
        return with_remedy(len(parsed.pictured))
    if parsed.pictured:
        return f"{told_pictures(len(parsed.pictured))} that could not be recognised"
    if parsed.quality.get("unread_lines"):
        return (
            "its pages are pictures of text in a script that recognition cannot read, or too poor to be read"
        )
    return "empty: it holds no text"


def _convert(
    file: DocumentFile, params: DocumentParams, limits: Limits, password: str, recognised: Recognised
) -> tuple[Parsed, str]:
    form, kind = DOCUMENT_FORMATS[params.format], params.format
    decoded = None
    if form.is_text:
        most = _BYTES_OF_CHARACTER * limits.max_document_characters
        if file.size > most:
            raise DocumentUnreadable(
                f"too large: a text of {file.size} bytes, at most {most} are read: divide it, or raise"
                " limits.max_document_characters (settings)"
            )
        data = file.read()
        declared = declared_encoding(data) if kind == "html" else None
        decoded = decode_text(data, declared, params.encoding, is_page=kind == "html")
        if not form.reader:
            return _as_it_is(decoded, kind), decoded.encoding
        refuse_unread(decoded.text)
        file = DocumentFile.of(decoded.text.encode())
    if kind in CHECKS:
        CHECKS[kind](file.file)
    suffix = PurePosixPath(params.uri).suffix.lower()
    parsed = parse_markup(form, file.file, limits, password, recognised, suffix)
    if decoded is None:
        return parsed, ""
    return parsed._replace(quality=_quality(parsed.quality, decoded)), decoded.encoding


def _as_it_is(decoded: Decoded, kind: str) -> Parsed:
    """Return a text unchanged, except that Markdown loses markup for site generators."""
    text, left_out = decoded.text, Counter[str]()
    if kind in MARKDOWN:
        begin = front_matter(text, kind).end
        body, left_out = without_site_markup(text[begin:], is_mdx=kind == "mdx")
        text = text[:begin] + body
    return Parsed(text, left_out=left_out, quality=_quality({}, decoded))


def _quality(read: Mapping[str, Any], decoded: Decoded) -> Mapping[str, Any]:
    return {**read, "replaced_bytes": decoded.replaced} if decoded.replaced else read


def _title(params: DocumentParams, own_title: str, text: str) -> str:
    """Return the title: given, declared, or the first heading, else the name of the file.

    For a line of a list, which has no file, it is its id or its first words.
    """
    first_line = text.strip().partition("\n")[0].strip()
    candidates = (
        params.title,
        "" if _NO_TITLE.fullmatch(own_title.strip()) else own_title,
        _first_heading(text) if DOCUMENT_FORMATS[params.format].has_headings else "",
        first_line if _could_be_title(first_line) else "",
        (params.name or _first_words(text)) if params.source.startswith(LINE) else "",
        PurePosixPath(params.uri).stem,
    )
    named = (" ".join(visible(candidate).split()) for candidate in candidates)
    return next((name for name in named if name), params.uri)[:500]


def _first_heading(text: str) -> str:
    """Return the first heading, if only a few words precede it, such as a date or an author."""
    heading = _HEADING.search(text[:_HEADING_WITHIN])
    before = _DECORATION.sub("", text[: heading.start()]) if heading else ""
    if heading is None or len(before.strip()) > _BYLINE:
        return ""
    return _MARKUP.sub(r"\1", heading[1].rstrip("# \t\r"))


def _could_be_title(line: str) -> bool:
    if len(line) > _TITLE_CHARACTERS or not any(map(str.isalpha, line)):
        return False
    return not _IS_PART.match(line) and not _ENDS_AS_SENTENCE.search(line)


def _first_words(text: str) -> str:
    words = " ".join(text.split())
    if len(words) <= _FIRST_WORDS:
        return words
    return (words[:_FIRST_WORDS].rpartition(" ")[0] or words[:_FIRST_WORDS]).rstrip(",;:")
