"""Counts many documents by sampling: reads an even sample of each format and extrapolates."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import BinaryIO

from hopline.errors import DependencyAway, DocumentUnreadable, Permanent, Transient
from hopline.models.estimates import Refusal, Total
from hopline.models.formats import DOCUMENT_FORMATS
from workers.adapters.openai.dialect import Dialect
from workers.adapters.openai.wire import MARGIN, ReplyRequest
from workers.core.jobs.params import DocumentParams
from workers.core.language.text import words
from workers.core.ports import Blobs, Limits
from workers.core.prompts import load_prompt
from workers.ingest.chunking.split import parts_of, split_text
from workers.ingest.reading.read import read_text
from workers.ingest.reading.scans.extra import can_recognise
from workers.ingest.reading.source import open_source
from workers.ingest.requests import reply_tokens
from workers.ingest.schema import ExtractedFacts
from workers.sources.formats import Found, Named, Refused

_PARSED_SHARE = 10  # of what needs a parser a tenth is read, as parsing one takes a second or so
_SHOWN = 5  # of what is no document, and of what cannot be read
_SURE = 1.96  # standard errors of a 95% interval
Progress = Callable[[int, int], None]


@dataclass
class _Stratum:
    """The documents of one format: how many, and an even sample of them."""

    most: int
    documents: int = 0
    size: int = 0
    sample: list[Found] = field(default_factory=list)

    def add(self, entry: Found, dice: random.Random) -> None:
        """Take one in; any of those seen so far is as likely in the sample as any other (reservoir)."""
        self.documents += 1
        self.size += _size(entry)
        if not self.most or len(self.sample) < self.most:
            self.sample.append(entry)
        elif (place := dice.randrange(self.documents)) < self.most:
            self.sample[place] = entry


def count_listed(
    named: Iterable[Named],
    limits: Limits,
    *,
    most: int,
    progress: Progress = lambda *_: None,
    blobs: Blobs | None = None,
) -> Total:
    """List everything, read a sample, and extrapolate by the documents' sizes.

    Args:
        named: documents and refusals of the sources.
        limits: how they are split.
        most: documents of plain text to be read, of other formats a tenth of it; 0 reads all.
        progress: called with (read, to be read) now and then.
        blobs: store of uploaded documents.
    """
    strata: dict[str, _Stratum] = {}
    refused: list[Refusal] = []
    count = 0
    dice = random.Random(0)  # noqa: S311 - the same sources give the same estimate
    for entry in named:
        if isinstance(entry, Refused):
            count += 1
            if count <= _SHOWN:
                refused.append(Refusal(place=entry.place, reason=entry.reason))
            continue
        is_parsed = DOCUMENT_FORMATS[entry.document.format].reader
        cap = math.ceil(most / _PARSED_SHARE) if is_parsed else most
        strata.setdefault(_stratum(entry), _Stratum(cap)).add(entry, dice)
    reading = _Reading(limits, blobs, sum(len(stratum.sample) for stratum in strata.values()), progress)
    parts = [reading.total(name, stratum) for name, stratum in sorted(strata.items())]
    return _sum(parts, count, (*refused, *reading.refused))


def _stratum(entry: Found) -> str:
    """Return the sampling group: lines and addresses are counted apart, as their sizes are unknown."""
    if entry.size is None:
        return f"{entry.document.format} of a list"
    return "line of .jsonl" if entry.place != entry.document.uri else entry.document.format


def _size(entry: Found) -> int:
    return 1 if entry.size is None else max(1, entry.size)


class _Reading:
    """Reads samples, one after another."""

    def __init__(self, limits: Limits, blobs: Blobs | None, documents: int, progress: Progress) -> None:
        self._limits = limits
        self._blobs = blobs
        self._documents = documents
        self._progress = progress
        self._read = 0
        self.refused: list[Refusal] = []

    def total(self, name: str, stratum: _Stratum) -> Total:
        counted = [(_size(entry), self._count(entry)) for entry in stratum.sample]
        unread = sum(counts is None for _size, counts in counted)
        known = [(size, counts or Counted()) for size, counts in counted]
        whole = sum((counts for _size, counts in known), Counted())
        grow = stratum.size / max(1, sum(size for size, _counts in known))
        return Total(
            documents=stratum.documents,
            read=len(known),
            bytes=stratum.size,
            unreadable=round(unread * stratum.documents / max(1, len(known))),
            refused_count=0,
            chunks=whole.chunks * grow,
            chunks_error=_error(stratum, known, whole),
            calls=whole.calls * grow,
            tokens=whole.tokens * grow,
            prompt_tokens=whole.prompt_tokens * grow,
            reserved_tokens=whole.reserved_tokens * grow,
            pictured=whole.pictured * grow,
            formats={name: stratum.documents},
        )

    def _count(self, entry: Found) -> Counted | None:
        self._progress(self._read, self._documents)
        self._read += 1
        try:
            return count_document(entry.document, self._limits, self._blobs)
        except (DocumentUnreadable, DependencyAway, Transient, OSError) as error:
            if len(self.refused) < _SHOWN:
                self.refused.append(Refusal(place=entry.place, reason=str(error)))
            return None


def _error(stratum: _Stratum, known: list[tuple[int, Counted]], whole: Counted) -> float:
    """Return half the 95% interval of the chunks, for a ratio estimator by size (Cochran 1977, 6.4)."""
    count = len(known)
    if count in (stratum.documents, 0, 1):
        return 0.0
    ratio = whole.chunks / max(1, sum(size for size, _counts in known))
    spread = sum((counts.chunks - ratio * size) ** 2 for size, counts in known) / (count - 1)
    return _SURE * stratum.documents * math.sqrt((1 - count / stratum.documents) * spread / count)


def _sum(parts: list[Total], count: int, refused: tuple[Refusal, ...]) -> Total:
    numbers = Counter[str]()
    for part in parts:
        numbers.update({name: value for name, value in part if isinstance(value, int | float)})
    formats = Counter[str]()
    for part in parts:
        formats.update(part.formats)
    named = {name: numbers[name] for name in Total.model_fields if name not in ("refused", "formats")}
    error = math.sqrt(sum(part.chunks_error**2 for part in parts))
    rest = {"refused_count": count, "refused": refused, "formats": dict(formats)}
    return Total.model_validate(named | rest | {"chunks_error": error})


@dataclass(frozen=True)
class Counted:
    """Counts for one document, or for several together.

    Attributes:
        chunks: pieces of it.
        calls: chat calls; a chunk without a word needs none.
        tokens: tokens of the chunks' texts.
        prompt_tokens: of all calls, as counted; the endpoint's own count differs by some percent.
        reserved_tokens: what is booked before the calls: an upper bound of prompts and replies.
        pictured: pages that are pictures and will be recognised; their text is not in the other counts.
    """

    chunks: int = 0
    calls: int = 0
    tokens: int = 0
    prompt_tokens: int = 0
    reserved_tokens: int = 0
    pictured: int = 0

    def __add__(self, other: Counted) -> Counted:
        return Counted(
            self.chunks + other.chunks,
            self.calls + other.calls,
            self.tokens + other.tokens,
            self.prompt_tokens + other.prompt_tokens,
            self.reserved_tokens + other.reserved_tokens,
            self.pictured + other.pictured,
        )


class _NoBlobs:
    """Keeps nothing: an estimate reads documents in place."""

    def put(self, _data: bytes, _suffix: str = "") -> str:
        raise Permanent("an estimate stores nothing")

    def put_file(self, _file: BinaryIO, _suffix: str = "") -> str:
        raise Permanent("an estimate stores nothing")

    def get(self, reference: str) -> bytes:
        raise Permanent(f"blob {reference}: an estimate reads no blobs")

    def open(self, reference: str) -> BinaryIO:
        raise Permanent(f"blob {reference}: an estimate reads no blobs")

    def has(self, _reference: str) -> bool:
        return False

    def delete(self, _reference: str) -> None:
        raise Permanent("an estimate stores nothing")


def count_document(params: DocumentParams, limits: Limits, blobs: Blobs | None = None) -> Counted:
    """Read, parse and split one document, and count what its chunks ask of the model.

    Args:
        params: parameters of the document.
        limits: how it is split.
        blobs: its store, if it was uploaded.

    Raises:
        DocumentUnreadable: ingestion will refuse it, for this reason.
    """
    with open_source(params.source, blobs or _NoBlobs(), limits.max_document_bytes) as file:
        read = read_text(file, params, limits)
    parts = parts_of(read.text, params).parts
    chunks = split_text(params.uri, read.text, limits.chunk_tokens, limits.chunk_overlap, parts)
    total = Counted(pictured=len(read.pictured) if can_recognise() else 0)
    for chunk in chunks:
        total += _of_chunk(read.title, chunk.text, chunk.tokens)
    return total


def _of_chunk(title: str, text: str, tokens: int) -> Counted:
    if not words(text):
        return Counted(chunks=1, tokens=tokens)
    prompt = load_prompt("workers.ingest", "extract")
    bound = ReplyRequest(prompt, {"title": title, "text": text}, ExtractedFacts).bound(Dialect())
    return Counted(
        chunks=1,
        calls=1,
        tokens=tokens,
        prompt_tokens=round(bound / MARGIN),
        reserved_tokens=bound + reply_tokens(tokens),
    )
