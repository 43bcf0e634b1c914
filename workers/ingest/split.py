"""Step ingest.split: a text to overlapping chunks on sentence and paragraph borders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import structlog
from semantic_text_splitter import TextSplitter

from workers.core import ids
from workers.core.errors import InvalidInput
from workers.core.model import Chunk, Document
from workers.core.params import DocumentParams, parse_params
from workers.core.ports import Ports
from workers.core.text import sentences
from workers.core.tokens import count_tokens
from workers.core.work import Event, Json, Outcome
from workers.ingest.chapters import MOST_CHAPTERS, Chapters, Part, chapter_of, chapters_of
from workers.ingest.store import get_text, put_chunks

_SECTION = 40_000  # characters
_STRIDE = 10_000  # more chunks than a document has: a later document's come after an earlier one's
_BORDERS = ("\n\n", "\n", ". ", "。", " ")

_log = structlog.get_logger()


def split_document(given: Json, ports: Ports) -> Outcome:
    """Split a loaded document.

    With a profile, no chunk lies in two chapters, and each knows its chapter and its place in the story.

    Input: {document, text}. Result: {pages: references of pages of CHUNKS_PER_PAGE chunks, chunks: how many}.
    Event: also how many headings begin no chapter because there are too many, where that is so.
    """
    document = Document.model_validate(given["document"])
    text = get_text(ports.blobs, given["text"])
    params = parse_params(DocumentParams, ports.job.params)
    found = _chapters(text, params) if params.profile else Chapters([])
    chunks = split_text(document.id, text, ports.limits.chunk_tokens, ports.limits.chunk_overlap, found.parts)
    if params.profile:
        chunks = [_placed(chunk, params.order) for chunk in chunks]
    pages = put_chunks(ports.blobs, chunks)
    ports.graph.set_status(document.id, document.version, "split")
    told = {"headings_left_out": found.beyond} if found.beyond else {}
    if told:
        _log.warning("headings.left_out", uri=document.uri, most=MOST_CHAPTERS, beyond=found.beyond)
    event = Event(name="document.split", data={"uri": document.uri, "chunks": len(chunks), **told})
    return Outcome(result={"pages": pages, "chunks": len(chunks)}, events=(event,))


def _chapters(text: str, params: DocumentParams) -> Chapters:
    if params.chapter is not None:
        return Chapters([Part(0, len(text), chapter_of(params.chapter))])
    return chapters_of(text, params.format)


def _placed(chunk: Chunk, document_order: int | None) -> Chunk:
    """Number a chunk among all of the story, from 1."""
    return chunk.model_copy(update={"order": (document_order or 0) * _STRIDE + chunk.index + 1})


def split_text(
    document_id: str, text: str, chunk_tokens: int, chunk_overlap: int, parts: Sequence[Part] = ()
) -> list[Chunk]:
    """Return the chunks of a text in order; each one's text is text[start:end].

    A chunk has at most chunk_tokens tokens. It begins with up to chunk_overlap tokens of whole sentences of
    the chunk before it, so that a sentence that leans on its predecessor is not read without it. All but
    white space is covered. Where parts are given, which together are the text, no chunk lies in two.

    Raises:
        InvalidInput: the overlap is not smaller than the chunk.
    """
    if not 0 <= chunk_overlap < chunk_tokens:
        raise InvalidInput("chunk_overlap", chunk_overlap, f"0 to {chunk_tokens - 1}")
    seen: Counter[str] = Counter()
    chunks = []
    pieces = (
        (part, *piece)
        for part in parts or [Part(0, len(text), None)]
        for piece in _ranges(text[part.start : part.end], chunk_tokens, chunk_overlap)
    )
    for index, (part, first, last, tokens) in enumerate(pieces):
        start, end = part.start + first, part.start + last
        piece = text[start:end]
        chunk_id = ids.chunk_id(document_id, piece, seen[piece])
        seen[piece] += 1
        content_hash = ids.content_hash(piece)
        chunks.append(
            Chunk(
                id=chunk_id,
                index=index,
                text=piece,
                start=start,
                end=end,
                tokens=tokens,
                content_hash=content_hash,
                chapter=part.chapter,
            )
        )
    return chunks


def _ranges(text: str, chunk_tokens: int, chunk_overlap: int) -> Iterator[tuple[int, int, int]]:
    # The splitter's own overlap works in units of its borders and so is mostly none between paragraphs.
    splitter = TextSplitter.from_callback(count_tokens, chunk_tokens - chunk_overlap)
    before = 0, 0
    pieces = (
        (first + start, piece)
        for first, last in _sections(text)
        for start, piece in splitter.chunk_indices(text[first:last])
    )
    for start, piece in pieces:
        end = start + len(piece)
        begin = _overlapping(text, before, start, end, chunk_tokens, chunk_overlap)
        yield begin, end, count_tokens(text[begin:end])
        before = start, end


def _sections(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of sections that the splitter takes one at a time, cut at the best border near.

    It needs the square of the length for text without borders (a million Chinese characters in a row).
    """
    start = 0
    while len(text) - start > _SECTION:
        window = start + _SECTION // 2, start + _SECTION
        cuts = (text.rfind(border, *window) + len(border) for border in _BORDERS)
        end = next((cut for cut in cuts if cut > window[0]), window[1])
        yield start, end
        start = end
    yield start, len(text)


def _overlapping(
    text: str, before: tuple[int, int], start: int, end: int, chunk_tokens: int, chunk_overlap: int
) -> int:
    """Return where a chunk begins when it takes in the last sentences of the piece before it."""
    # No sentence that fits into the overlap is longer than this; it keeps the search short.
    first = max(before[0], before[1] - 12 * chunk_overlap)
    begin = start
    for sentence_start, _end in reversed(list(sentences(text[first : before[1]]))):
        candidate = first + sentence_start
        cut_off = sentence_start == 0 and first > before[0]
        too_long = count_tokens(text[candidate : before[1]]) > chunk_overlap
        if cut_off or too_long or count_tokens(text[candidate:end]) > chunk_tokens:
            break
        begin = candidate
    return begin
