"""Turns texts into vectors through an embeddings endpoint, in batches of bounded size."""

from __future__ import annotations

import sys
import threading
from array import array
from base64 import b64decode
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from workers.adapters.openai.calls import EMBEDDINGS, Attempt, Call, ChatModel
from workers.adapters.openai.endpoint import Endpoint, RequestRefused
from workers.adapters.openai.wire import MARGIN
from workers.core.errors import Transient
from workers.core.jobs.work import Json
from workers.core.language.visible import visible
from workers.core.models.tokens import count_tokens

BATCH_TEXTS = 256
BATCH_CHARACTERS = 60_000  # some 15,000 tokens of English
_OF_BATCH = ("batch", "inputs", "array")  # in complaints; a batch of fewer texts may be taken then

Vector = list[float]


class Embeddings:
    """Vectors of one embedding model; the dimension is learnt once.

    Args:
        endpoint: where it is.
        model: the embedder there.
        more: further fields of every request.
    """

    def __init__(self, endpoint: Endpoint, model: ChatModel, more: Json | None = None) -> None:
        self.model = model.name
        self._endpoint = endpoint
        self._priced = model
        self._more = more or {}
        self._most = BATCH_TEXTS  # texts at a time; until the endpoint refuses so many
        self._base64 = True  # a third of the bytes and CPU of written numbers; until the endpoint refuses it
        self._dimension: int | None = None
        self._learning = threading.Lock()

    def dimension(self, attempt: Attempt) -> int:
        """Return the length of this model's vectors, found by embedding one word the first time."""
        if self._dimension is None:
            with self._learning:
                if self._dimension is None:
                    self._dimension = len(self._embed_batch(["word"], attempt)[0])
        return self._dimension

    def embed(self, texts: Sequence[str], attempt: Attempt) -> list[Vector]:
        """Return one vector per text, as a reader sees it; a blank one gives zeros without asking.

        Raises:
            Transient: the endpoint failed, or its vectors do not match the texts.
        """
        texts = [visible(text) for text in texts]
        vectors_by_position: dict[int, Vector] = {}
        for batch in _batches(texts):
            vectors = self._embed_parts([texts[position] for position in batch], attempt)
            vectors_by_position.update(zip(batch, vectors, strict=True))
        blank = [0.0] * (self.dimension(attempt) if len(vectors_by_position) < len(texts) else 0)
        return [vectors_by_position.get(position, blank) for position in range(len(texts))]

    def _embed_parts(self, texts: list[str], attempt: Attempt) -> list[Vector]:
        """Return the vectors of a batch, in as many requests as the endpoint needs."""
        vectors: list[Vector] = []
        most = self._most
        while len(vectors) < len(texts):
            part = texts[len(vectors) : len(vectors) + self._most]
            try:
                vectors += self._embed_batch(part, attempt)
            except RequestRefused as refused:
                if len(part) == 1 or refused.too_long or not _is_of_batch(refused.complaint):
                    self._most = most  # it was not for their number
                    raise
                self._most = min(self._most, len(part) // 2)
        return vectors

    def _embed_batch(self, texts: list[str], attempt: Attempt) -> list[Vector]:
        try:
            payload = self._ask(texts, attempt)
        except RequestRefused as refused:
            if not self._base64 or "encoding_format" not in refused.complaint:
                raise
            self._base64 = False
            payload = self._ask(texts, attempt)
        vectors = _vectors(payload)
        known = self._dimension or (len(vectors[0]) if vectors else 0)
        if len(vectors) != len(texts) or any(len(vector) != known for vector in vectors):
            raise Transient(f"{self.model} did not return one vector of {known} numbers per text")
        self._dimension = known
        return vectors

    def _ask(self, texts: list[str], attempt: Attempt) -> dict[str, Any]:
        clean = [text.encode("utf-8", "replace").decode() for text in texts]  # half surrogate pairs
        body: dict[str, Any] = self._more | {"model": self.model, "input": clean}
        if self._base64:
            body["encoding_format"] = "base64"
        tokens = int(count_tokens("\n".join(clean)) * MARGIN) + len(clean)
        call = Call(EMBEDDINGS, orjson.dumps(body), self._priced, self._priced.usage(tokens, 0))
        return attempt.send(self._endpoint, call)[0]


def _is_of_batch(complaint: str) -> bool:
    text = complaint.casefold()
    return any(word in text for word in _OF_BATCH)


def _batches(texts: Sequence[str]) -> Iterator[list[int]]:
    """Yield the positions of non-blank texts in groups within the bounds; a long text is a group alone."""
    batch: list[int] = []
    size = 0
    for position, text in enumerate(texts):
        if not text.strip():
            continue
        if batch and (len(batch) == BATCH_TEXTS or size + len(text) > BATCH_CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(position)
        size += len(text)
    if batch:
        yield batch


def _vectors(payload: dict[str, Any]) -> list[Vector]:
    try:
        rows = sorted(payload["data"], key=lambda row: row["index"])
        return [_vector(row["embedding"]) for row in rows]
    except (KeyError, TypeError, ValueError) as error:
        raise Transient("the endpoint's reply is not a list of embeddings") from error


def _vector(embedding: str | list[float]) -> Vector:
    """Read little-endian 32-bit floats in base64, or written numbers."""
    if isinstance(embedding, str):
        floats = array("f", b64decode(embedding, validate=True))
        if sys.byteorder == "big":
            floats.byteswap()
        return floats.tolist()
    return [float(number) for number in embedding]
