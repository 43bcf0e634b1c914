"""Step ingest.recognise: reads the words on a few pages of a document that are pictures.

A page is recognised once: what was read is kept by the hash of its picture, page by page, so that a worker
that is lost loses the page that it was at. What is kept goes with the document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import orjson
import structlog

from hopline.errors import DocumentUnreadable
from hopline.events.documents import PagesRecognised
from hopline.models.base import Frozen
from workers.core import ids
from workers.core.jobs.params import DocumentParams, read_input
from workers.core.jobs.work import Outcome
from workers.core.models.replies import Replies
from workers.core.ports import Ports
from workers.ingest.pages import put_recognised
from workers.ingest.reading.document_file import DocumentFile
from workers.ingest.reading.scans.recognised import RECOGNISER, RecognisedPage, as_json, from_json
from workers.ingest.reading.scans.recognition import Unrecognised, recognised_pages
from workers.ingest.reading.source import open_document

PAGES = 4  # of an item
_PAGE = 1  # under which the one page of a kept entry stands
_PARTS = "parts"

_log = structlog.get_logger()


class RecogniseInput(Frozen):
    """Some pages of a document."""

    pages: tuple[int, ...]  # their numbers, 1 for the first of the document
    source: str  # sha-256 of the file
    nth: int = 0  # of the parts that the document's pages were divided into, 0 for the first
    parts: int = 1


class DoubtfulPage(Frozen):
    """A page that a vision model is to read."""

    number: int  # 1 for the first of the document
    picture: str  # sha-256 of its picture


class RecogniseResult(Frozen):
    """What was recognised."""

    pages: str  # blob of pages; "" where none could be
    recognised: int = 0
    kept: int = 0  # recognised before, and not again
    failed: int = 0
    doubtful: tuple[DoubtfulPage, ...] = ()  # none without a vision model


def in_rows(pages: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of pages in a row, of numbers in order."""
    first = last = 0
    for page in pages:
        if first and page != last + 1:
            yield first, last
            first = page
        first, last = first or page, page
    if first:
        yield first, last


def parts_of(rows: Sequence[tuple[int, int]]) -> Iterator[tuple[int, ...]]:
    """Yield pages in groups of the size that one item recognises."""
    pages = [page for first, last in rows for page in range(first, last + 1)]
    for start in range(0, len(pages), PAGES):
        yield tuple(pages[start : start + PAGES])


def recognise_pages(part: RecogniseInput, ports: Ports) -> Outcome:
    """Recognise pages, except those whose picture was recognised before.

    Raises:
        DocumentUnreadable: the file is another one now, or cannot be opened.
    """
    params = read_input(DocumentParams, ports.job.params)
    found: dict[int, RecognisedPage] = {}
    store, pictures, kept, failed = ports.recognised, list[str](), 0, 0
    looks, doubtful = bool(ports.model.name_of("vision")), list[DoubtfulPage]()

    def known(picture: str) -> RecognisedPage | None:
        pictures.append(picture)
        return find_recognised(store, picture)

    with open_document(params, ports) as file:
        check_unchanged(file, part.source)
        form = file.format_as(params.format)
        for number, page, is_kept in recognised_pages(file.file, form, part.pages, ports.limits, known):
            if isinstance(page, Unrecognised):
                _log.warning("page.not_recognised", uri=params.uri, page=number, reason=page.reason)
                failed += 1
                continue
            found[number] = page
            kept += is_kept
            if looks and page.doubtful_share > 0 and page.doubtful_share >= ports.limits.vision_from:
                doubtful.append(DoubtfulPage(number=number, picture=pictures[-1]))
            if not is_kept:
                keep_recognised(store, pictures[-1], page)
    document_id = ids.document_id(ports.job.collection, params.name or params.uri)
    _note_pictures(store, document_id, part, pictures)
    counts = {"recognised": len(found) - kept, "kept": kept, "failed": failed}
    event = PagesRecognised(uri=params.uri, first=part.pages[0], last=part.pages[-1], **counts)
    pages = put_recognised(ports.blobs, found) if found else ""
    result = RecogniseResult(pages=pages, doubtful=tuple(doubtful), **counts)
    return Outcome(result=result, events=(event,))


def check_unchanged(file: DocumentFile, sha256: str) -> None:
    """Raise DocumentUnreadable unless a file is still the one in which pages are recognised."""
    if file.sha256 != sha256:
        raise DocumentUnreadable("its file changed while its pages were recognised; ingest it again")


def find_recognised(store: Replies, picture: str) -> RecognisedPage | None:
    """Return the recognised text of a picture, by its sha-256; None if it is not kept."""
    kept = store.get(picture, RECOGNISER)
    return from_json(kept.decode())[_PAGE] if kept is not None else None


def keep_recognised(store: Replies, picture: str, page: RecognisedPage) -> None:
    """Store the recognised text of a picture."""
    store.put(picture, RECOGNISER, as_json({_PAGE: page}).encode())


def forget_recognised(store: Replies, document_id: str) -> None:
    """Remove the stored texts of a document's pictures, even if shared: recognition only costs time."""
    content = _content(document_id)
    parts = store.get(content, _PARTS)
    noted = [store.get(content, f"part-{nth}") for nth in range(int(parts or 0))]
    pictures = [picture for part in noted if part is not None for picture in orjson.loads(part)]
    if parts is not None:
        store.purge([*pictures, content])


def _note_pictures(store: Replies, document_id: str, part: RecogniseInput, pictures: Sequence[str]) -> None:
    """Record a document's pictures, so that `forget_recognised` finds their texts."""
    content = _content(document_id)
    store.put(content, f"part-{part.nth}", orjson.dumps(pictures))
    store.put(content, _PARTS, str(part.parts).encode())


def _content(document_id: str) -> str:
    return ids.content_hash(f"pictures of {document_id}")
