"""Converts office files, PDFs and web pages to Markdown, and draws pages, in a separate process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import orjson

from hopline.errors import Deferred, DocumentUnreadable, NotFound
from hopline.models.formats import DOCUMENT_FORMATS, DocumentFormat
from hopline.words import counted
from workers.core.ports import Limits
from workers.ingest.reading.scans.recognised import NOTHING, Recognised, as_json
from workers.ingest.reading.stored_text import Map

_CHILD = str(Path(__file__).with_name("parse_child.py"))
_DRAWING_CHILD = str(Path(__file__).with_name("picture_child.py"))
# One parser per core: with more, a folder of heavy PDFs would drive each of them into its time limit.
_PARSERS = threading.BoundedSemaphore(os.cpu_count() or 1)
_WAIT_SECONDS = 20.0
_DRAWING_WAIT_SECONDS = 5.0  # somebody waits for the picture, and asks again
_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


# By the name of a format: module of `draw(data, number, width, turns)`.
_DRAWERS = {"pdf": "workers.ingest.reading.pdf.picture"} | dict.fromkeys(
    ("png", "jpeg", "tiff", "webp"), "workers.ingest.reading.scans.pictures"
)
DRAWN = {
    DOCUMENT_FORMATS[name].media_type: name for name in _DRAWERS
}  # media type -> format whose pages are drawn


class Picture(NamedTuple):
    """A page of a document, as shown."""

    png: bytes
    width: float  # of the page, in points
    height: float


class Parsed(NamedTuple):
    """A document as its reader read it."""

    text: str  # as stored: Markdown
    title: str = ""  # that it states; "" for none
    places: Map = {}
    left_out: Mapping[str, int] = {}  # what the file has besides
    quality: Mapping[str, Any] = {}  # see `blocks.Quality`
    metadata: Mapping[str, object] = {}  # that it states of itself, such as who wrote a mail
    pictured: Sequence[int] = ()  # numbers of pages that are pictures not recognised yet


def parse_markup(
    form: DocumentFormat,
    file: BinaryIO,
    limits: Limits,
    password: str = "",
    recognised: Recognised = NOTHING,
    suffix: str = "",
) -> Parsed:
    """Read a file in a child process, with the reader of its format.

    Args:
        form: the format.
        file: the document's file.
        limits: limits of reading.
        password: password of an encrypted file.
        recognised: the text recognised on its scanned pages.
        suffix: suffix of the file's name, which shows the language of source code.

    The child gets none of our environment and no network, and may not follow references in the document.

    Raises:
        DocumentUnreadable: the parser failed or went past its limits of time, memory or output.
        Deferred: all parsers of this process are busy.
    """
    given = {"password": password, "recognised": as_json(recognised), "suffix": suffix}
    options = json.dumps(given).encode()
    bounds = (limits.parse_memory_mb, max(1, int(limits.parse_seconds)), limits.max_document_characters)
    command = (_CHILD, form.reader, *map(str, bounds))
    output = _run(command, options, file, limits.parse_seconds, _WAIT_SECONDS)
    return Parsed(**_reply(output))


def draw_page(
    file: BinaryIO, page: int, width: int, limits: Limits, form: str = "pdf", turns: int = 0
) -> Picture:
    """Return a page of a file as a picture; that of a very tall page is narrower than requested.

    Args:
        file: the file.
        page: 1 for the first.
        width: width in pixels, before it is turned.
        limits: limits of drawing.
        form: the name of its format, one of `DRAWN`.
        turns: quarter turns clockwise of the picture; the size that is returned is that of the page as shown.

    Raises:
        DocumentUnreadable: the page cannot be drawn, or not within its limits of time and memory.
        NotFound: it has no such page.
        Deferred: all parsers of this process are busy.
    """
    bounds = (page, width, turns, limits.picture_memory_mb, max(1, int(limits.picture_seconds)))
    command = (_DRAWING_CHILD, _DRAWERS[form], *map(str, bounds))
    line, _, png = _run(command, b"", file, limits.picture_seconds, _DRAWING_WAIT_SECONDS).partition(b"\n")
    reply = _reply(line)
    if "pages" in reply:
        raise NotFound(f"there is no page {page}: the document has {counted(reply['pages'], 'page')}")
    return Picture(png, reply["width"], reply["height"])


def _run(command: tuple[str, ...], options: bytes, file: BinaryIO, seconds: float, patience: float) -> bytes:
    """Return a child's output for a file, whose descriptor is its first argument."""
    script, *arguments = command
    number = file.fileno()
    file.flush()
    if not _PARSERS.acquire(timeout=patience):
        raise Deferred("all document parsers are busy", retry_after=2.0)
    try:
        done = subprocess.run(  # noqa: S603 - our own script, and no part of the command is the document's
            [sys.executable, "-I", "-B", script, str(number), *arguments],
            input=options,
            pass_fds=(number,),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_ENVIRONMENT,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DocumentUnreadable(f"parsing took longer than {seconds:g} seconds") from error
    finally:
        _PARSERS.release()
    if done.returncode != 0:
        raise DocumentUnreadable(
            f"the parser died (exit {done.returncode}): too much memory or a broken file"
        )
    return done.stdout


def _reply(output: bytes) -> dict[str, Any]:
    try:
        reply: dict[str, Any] = orjson.loads(output)
    except orjson.JSONDecodeError as error:
        raise DocumentUnreadable("the parser's output is not readable") from error
    if "error" in reply:
        raise DocumentUnreadable(reply["error"])
    return reply
