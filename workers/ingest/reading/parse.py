"""Converts office files, PDFs and web pages to Markdown, in a separate process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import orjson

from hopline.errors import Deferred, DocumentUnreadable
from hopline.models.formats import DocumentFormat
from workers.core.ports import Limits
from workers.ingest.reading.stored_text import Map

_CHILD = str(Path(__file__).with_name("parse_child.py"))
# One parser per core: with more, a folder of heavy PDFs would drive each of them into its time limit.
_PARSERS = threading.BoundedSemaphore(os.cpu_count() or 1)
_WAIT_SECONDS = 20.0
_ENVIRONMENT = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Parsed(NamedTuple):
    """A document as its reader read it."""

    text: str  # as it is stored: Markdown
    title: str = ""  # that it states; "" for none
    places: Map = {}
    left_out: Mapping[str, int] = {}  # what the file has besides
    quality: Mapping[str, int] = {}  # see `blocks.Quality`


def parse_markup(form: DocumentFormat, data: bytes, limits: Limits, password: str = "") -> Parsed:
    """Return what the reader of a format makes of a file; text as UTF-8.

    The child gets no environment of ours, no network, and may not follow what the document points to.

    Raises:
        DocumentUnreadable: the parser failed or went past its limits of time, memory or output.
        Deferred: all parsers of this process are busy.
    """
    if not _PARSERS.acquire(timeout=_WAIT_SECONDS):
        raise Deferred("all document parsers are busy", retry_after=2.0)
    try:
        output = _run(form, json.dumps({"password": password}).encode() + b"\n" + data, limits)
    finally:
        _PARSERS.release()
    return _read_reply(output)


def _run(form: DocumentFormat, data: bytes, limits: Limits) -> bytes:
    seconds = max(1, int(limits.parse_seconds))
    numbers = (limits.parse_memory_mb, seconds, limits.max_document_characters)
    command = [sys.executable, "-I", "-B", _CHILD, form.reader, *map(str, numbers)]
    try:
        done = subprocess.run(  # noqa: S603 - our own script, and no part of the command is the document's
            command,
            input=data,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_ENVIRONMENT,
            timeout=limits.parse_seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise DocumentUnreadable(f"parsing took longer than {limits.parse_seconds:g} seconds") from error
    if done.returncode != 0:
        raise DocumentUnreadable(
            f"the parser died (exit {done.returncode}): too much memory or a broken file"
        )
    return done.stdout


def _read_reply(output: bytes) -> Parsed:
    try:
        reply = orjson.loads(output)
    except orjson.JSONDecodeError as error:
        raise DocumentUnreadable("the parser's output is not readable") from error
    if "error" in reply:
        raise DocumentUnreadable(reply["error"])
    return Parsed(**reply)
