"""Step ingest.split: cuts a text by chapters into overlapping chunks that end at sentences and paragraphs."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

import structlog

from hopline.errors import InvalidInput
from hopline.events.documents import DocumentSplit
from hopline.models.base import Frozen
from hopline.models.documents import Chunk, Document
from hopline.models.formats import DOCUMENT_FORMATS, MARKDOWN, format_of
from hopline.visible import visible
from workers.core import ids
from workers.core.graph.stored_document import standing_chunks
from workers.core.jobs.params import DocumentParams, read_input
from workers.core.jobs.work import Outcome
from workers.core.language.chapter_numbers import MARKS, number_called, numeral_value
from workers.core.language.sentence_ends import SPLITTER
from workers.core.models.tokens import count_tokens
from workers.core.places import Map, PlaceMap
from workers.core.ports import Ports
from workers.core.records import IN_FULL
from workers.ingest.chunking.boundaries import Sizes
from workers.ingest.chunking.kept_boundaries import Piece, begin_of, keep_borders, place_known
from workers.ingest.chunking.sizes import own_sizes, sized
from workers.ingest.pages import get_places, get_text, put_chunks
from workers.ingest.reading.front_matter import front_matter
from workers.ingest.reading.markdown_tables import markdown_tables
from workers.sources.archives import INSIDE
from workers.sources.mail import MAILS

_STRIDE = 10_000  # more chunks than a document has: a later document's come after an earlier one's

_log = structlog.get_logger()


class SplitInput(Frozen):
    """A loaded document."""

    document: Annotated[Document, IN_FULL]
    text: str  # blob
    places: str = ""  # blob


class SplitResult(Frozen):
    """A document in chunks."""

    pages: tuple[str, ...]  # blobs of CHUNKS_PER_PAGE chunks, in order
    chunks: int


def split_document(loaded: SplitInput, ports: Ports) -> Outcome:
    """Split a loaded document.

    Boundaries of an older version's chunks are kept where the text is unchanged, because replies to these
    chunks are cached. With a profile, no chunk spans two chapters, and each has its chapter and its position
    in the story.
    """
    document = loaded.document
    text = get_text(ports.blobs, loaded.text)
    params = read_input(DocumentParams, ports.job.params)
    if document.reading:  # by its content it may be of another format than by its name
        params = params.model_copy(update={"format": format_of(document.reading.reader)})
    is_new = document.version == 1
    chunks, chapters = chunks_of(document.id, text, params, ports, is_new=is_new)
    known = place_map(text, get_places(ports.blobs, loaded.places), params.format, params.uri)
    chunks = [chunk.model_copy(update={"places": known.cut(chunk.start, chunk.end)}) for chunk in chunks]
    pages = put_chunks(ports.blobs, chunks)
    if chapters.beyond:
        _log.warning("headings.left_out", uri=document.uri, most=MOST_CHAPTERS, beyond=chapters.beyond)
    event = DocumentSplit(uri=document.uri, chunks=len(chunks), headings_left_out=chapters.beyond or None)
    return Outcome(result=SplitResult(pages=tuple(pages), chunks=len(chunks)), events=(event,))


def chunks_of(
    document_id: str, text: str, params: DocumentParams, ports: Ports, *, is_new: bool = False
) -> tuple[list[Chunk], Chapters]:
    """Return a document's chunks and chapters; writes nothing. A new document has no older version."""
    chapters = parts_of(text, params)
    names = [name for name in ("" if is_new else document_id, params.moved_from) if name]
    limits, known = sized(ports.limits, params), _known(names, params, ports)
    chunks = split_text(document_id, text, limits.chunk_tokens, limits.chunk_overlap, chapters.parts, known)
    if params.profile:
        chunks = [_placed(chunk, params.order) for chunk in chunks]
    return chunks, chapters


def place_map(text: str, places: Map, form: str, uri: str = "") -> PlaceMap:
    """Return the positions of a document's text.

    Args:
        text: text as stored.
        places: positions found by its reader; none if the text is the file itself.
        form: name of its format.
        uri: the document's address; for a mail attachment, its name is part of a position.
    """
    by_line = not DOCUMENT_FORMATS[form].reader
    page = DOCUMENT_FORMATS[form].page
    known = markdown_tables(text) if by_line and form in MARKDOWN else places
    holder, _, name = uri.rpartition(INSIDE)
    within = f"attachment {name}" if holder.lower().endswith(MAILS) else ""
    return PlaceMap(text, known, by_line=by_line, page=page, within=within)


def _known(names: Sequence[str], params: DocumentParams, ports: Ports) -> list[Chunk]:
    """Return the chunks of the text that this one replaces, of the first of these documents that has any.

    None if they were asked for in other sizes: all is split again.
    """
    own = own_sizes(ports.limits, params)
    sizes = (own.chunk_tokens, own.chunk_overlap)
    for name in names:
        if known := list(standing_chunks(ports.graph.store, name)):
            before = ports.graph.store.document(name)
            same = before and (before.chunk_tokens, before.chunk_overlap) == sizes
            return known if same else []
    return []


def parts_of(text: str, params: DocumentParams) -> Chapters:
    """Return the parts of a text to split: all except front matter; with a profile, by chapters."""
    begin = front_matter(text, params.format).end
    if not params.profile or params.chapter is not None:
        chapter = chapter_of(params.chapter) if params.profile else None
        return Chapters([Part(begin, len(text), chapter)])
    chapters = chapters_of(text[begin:], params.format)
    return Chapters(
        [Part(begin + p.start, begin + p.end, p.chapter) for p in chapters.parts], chapters.beyond
    )


def _placed(chunk: Chunk, document_order: int | None) -> Chunk:
    """Number a chunk among all of the story, from 1."""
    return chunk.model_copy(update={"order": (document_order or 0) * _STRIDE + chunk.index + 1})


def split_text(
    document_id: str,
    text: str,
    chunk_tokens: int,
    chunk_overlap: int,
    parts: Sequence[Part] = (),
    known: Sequence[Chunk] = (),
) -> list[Chunk]:
    """Return the chunks of a text in order; each one's text is text[start:end].

    A chunk has at most chunk_tokens tokens. It begins with up to chunk_overlap tokens of whole sentences of
    the chunk before it, so that a sentence that leans on its predecessor is not read without it. All but
    white space is covered. Where parts are given, only they are, and no chunk lies in two. Where
    chunks of an older text are given, their borders are kept where the text is unchanged.

    Raises:
        InvalidInput: the overlap is not smaller than the chunk.
    """
    if not 0 <= chunk_overlap < chunk_tokens:
        raise InvalidInput("chunk_overlap", chunk_overlap, f"0 to {chunk_tokens - 1}")
    sizes = Sizes(chunk_tokens, chunk_overlap)
    seen: Counter[str] = Counter()
    chunks = []
    for index, (chapter, start, end) in enumerate(_ranges(text, sizes, parts, known)):
        piece = text[start:end]
        chunk_id = ids.chunk_id(document_id, piece, seen[piece])
        seen[piece] += 1
        chunks.append(
            Chunk(
                id=chunk_id,
                index=index,
                text=piece,
                start=start,
                end=end,
                tokens=count_tokens(piece),
                content_hash=ids.content_hash(piece),
                chapter=chapter,
                splitter=SPLITTER,
            )
        )
    return chunks


def _ranges(
    text: str, sizes: Sizes, parts: Sequence[Part], known: Sequence[Chunk]
) -> Iterator[tuple[Chapter, int, int]]:
    """Yield chapter, start and end of each chunk."""
    placed = place_known(text, known, sizes) if known else []
    for part in parts or [Part(0, len(text), None)]:
        inside = [
            placed_core
            for placed_core in placed
            if part.start <= placed_core.start and placed_core.end <= part.end
        ]
        before: Piece | None = None
        for piece in keep_borders(text, (part.start, part.end), inside, sizes):
            yield part.chapter, begin_of(text, before, piece, sizes), piece.end
            before = piece


Chapter = int | str | None

MOST_CHAPTERS = 10_000  # a text with more holds no chapters but a list that looks like headings
_LONGEST = 120  # characters of a heading line
_LONGEST_NAME = 100
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_MARKDOWN = re.compile(r" {0,3}(#{1,6})[ \t]+(\S.*)")
_NUMBERED = re.compile(r"(?P<number>\d{1,6}|[IVXL]{1,7})(?:[.:)](?:\s+.*)?)?")  # MIX is a word


class Part(NamedTuple):
    """A half-open range of a text that lies in one chapter."""

    start: int
    end: int
    chapter: Chapter


class Chapters(NamedTuple):
    """The parts of a text in order; together they make up the whole text."""

    parts: list[Part]
    beyond: int = 0  # headings that begin no chapter, there being MOST_CHAPTERS before them


class _Heading(NamedTuple):
    start: int
    level: int  # of Markdown; 0 for a plain line
    text: str
    called: bool  # such as "Chapter 3"


def chapters_of(text: str, kind: str = "txt") -> Chapters:
    """Return the parts of a text: at most one before the first chapter, MOST_CHAPTERS, and one after them.

    Lines such as "Chapter 3", "CHAPTER III. The Storm", "第三章 风暴" start a chapter; if there are none,
    Markdown headings of the highest level that occurs more than once do, or the only heading there is.

    Args:
        text: text of the document.
        kind: its format; plain text has no Markdown.
    """
    begins = _begins(list(_headings(text, markdown=DOCUMENT_FORMATS[kind].has_headings)))
    starts = [(heading.start, chapter_of(heading.text)) for heading in begins[:MOST_CHAPTERS]]
    beyond = begins[MOST_CHAPTERS:]
    if beyond:
        starts.append((beyond[0].start, None))  # it is not the last chapter's either
    if not starts or starts[0][0] > 0:
        starts.insert(0, (0, None))
    ends = [start for start, _ in starts[1:]] + [len(text)]
    parts = [Part(start, end, chapter) for (start, chapter), end in zip(starts, ends, strict=True)]
    return Chapters(parts, len(beyond))


def _begins(headings: list[_Heading]) -> list[_Heading]:
    if any(heading.called for heading in headings):
        # An epilogue between them is no part of the chapter before it.
        levels = {heading.level for heading in headings if heading.called and heading.level}
        return [heading for heading in headings if heading.called or heading.level in levels]
    level = _level([heading.level for heading in headings])
    return [heading for heading in headings if heading.level == level]


def chapter_of(heading: str | int | None) -> Chapter:
    """Return a chapter as stored in the graph: a number if the heading has one, else its text."""
    if heading is None or isinstance(heading, int):
        return heading
    text = " ".join(MARKS.sub("", visible(heading)).split())
    number = number_called(text)
    if number is None and (numbered := _NUMBERED.fullmatch(unicodedata.normalize("NFKC", text))):
        number = numeral_value(numbered["number"])
    return number if number is not None else text[:_LONGEST_NAME].rstrip() or None


def _headings(text: str, *, markdown: bool) -> Iterator[_Heading]:
    place = 0
    fenced = False
    after_gap = True  # a plain heading stands alone: wrapped lines of prose may begin like one
    for line in text.splitlines(keepends=True):
        bare = line.strip()
        marked = _MARKDOWN.match(line) if markdown and not fenced else None
        if markdown and _FENCE.match(line):
            fenced = not fenced
        elif marked and len(bare) <= _LONGEST:
            heading = marked[2].rstrip("# \t\r\n")
            yield _Heading(place, len(marked[1]), heading, number_called(heading) is not None)
        elif not fenced and after_gap and len(bare) <= _LONGEST and number_called(bare) is not None:
            yield _Heading(place, 0, bare, called=True)
        after_gap = not bare
        place += len(line)


def _level(levels: list[int]) -> int:
    """Return the highest level that occurs more than once; of those that never do, the first."""
    repeated = [level for level, count in Counter(levels).items() if count > 1]
    return min(repeated or levels[:1], default=0)
