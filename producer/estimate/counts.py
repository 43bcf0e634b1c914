"""Counts one document's chunks and model tokens as ingestion will, without calling a model."""

from __future__ import annotations

from dataclasses import dataclass

from hopline.errors import Permanent
from workers.adapters.openai.dialect import Dialect
from workers.adapters.openai.wire import MARGIN, ReplyRequest
from workers.core.jobs.params import DocumentParams
from workers.core.language.text import words
from workers.core.ports import Blobs, Limits
from workers.core.prompts import load_prompt
from workers.ingest.chunking.split import parts_of, split_text
from workers.ingest.reading.read import read_text
from workers.ingest.reading.scans.extra import can_recognise
from workers.ingest.reading.source import read_source
from workers.ingest.requests import reply_tokens
from workers.ingest.schema import ExtractedFacts


@dataclass(frozen=True)
class Counted:
    """What one document takes, or several together.

    Attributes:
        chunks: pieces of it.
        calls: chat calls; a chunk without a word needs none.
        tokens: of the chunks' texts.
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

    def get(self, reference: str) -> bytes:
        raise Permanent(f"blob {reference}: an estimate reads no blobs")

    def has(self, _reference: str) -> bool:
        return False

    def delete(self, _reference: str) -> None:
        raise Permanent("an estimate stores nothing")


def count_document(params: DocumentParams, limits: Limits, blobs: Blobs | None = None) -> Counted:
    """Read, parse and split one document, and count what its chunks ask of the model.

    Args:
        params: of the document.
        limits: how it is split.
        blobs: where it lies, if it was uploaded.

    Raises:
        DocumentUnreadable: ingestion will refuse it, for this reason.
    """
    read = read_text(
        read_source(params.source, blobs or _NoBlobs(), limits.max_document_bytes), params, limits
    )
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
