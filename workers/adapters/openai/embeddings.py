"""Turns texts into vectors through an embeddings endpoint, in batches of bounded size."""

from __future__ import annotations

import re
import sys
import threading
from array import array
from base64 import b64decode
from collections.abc import Iterator, Sequence
from math import isfinite
from typing import Any

import orjson

from workers.adapters.openai.calls import EMBEDDINGS, TRIES, Attempt, Call, ChatModel
from workers.adapters.openai.endpoint import Endpoint
from workers.adapters.openai.failures import RequestRefused, ServerFailed
from workers.adapters.openai.wire import MARGIN
from workers.core.errors import Permanent, Transient
from workers.core.jobs.work import Json
from workers.core.language.visible import visible
from workers.core.models.learnt import Learnt, Unlearnt
from workers.core.models.tokens import count_tokens

BATCH_TEXTS = 256
BATCH_CHARACTERS = 60_000  # some 15,000 tokens of English
# In complaints: of how the vectors are written; of how many texts there are (Zhipu's are Chinese).
_OF_FORM = ("encoding", "base64")
_OF_BATCH = ("batch", "inputs", "array", "at most", "maximum", "too many", "limit", "最大", "超过", "string")
_NUMBER = re.compile(r"\d{1,5}+")
_SHOWN = 80  # characters of a text that cannot be embedded

Vector = list[float]


class OddVectors(Transient):
    """What came back is not one vector per text."""


class UnusableVector(Permanent):
    """A text's vector is empty, or holds what is no number; asked again, it will be the same."""


class Embeddings:
    """Vectors of one embedding model; the dimension is learnt once.

    Args:
        endpoint: where it is.
        model: the embedder there.
        more: further fields of every request.
        learnt: what other processes have found out of the requests that are taken.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        model: ChatModel,
        more: Json | None = None,
        learnt: Learnt | None = None,
    ) -> None:
        self.model = model.name
        self._endpoint = endpoint
        self._priced = model
        self._more = more or {}
        self._learnt: Learnt = learnt or Unlearnt()
        self._recalled = False
        self._shared_name = f"{model.name} (embeddings)"  # beside what is known of a chat model of this name
        self._most = BATCH_TEXTS  # texts at a time; until the endpoint refuses so many
        self._base64 = True  # a third of the bytes and CPU of written numbers; until the endpoint refuses it
        self._dimension: int | None = None
        self._learning = threading.Lock()

    def dimension(self, attempt: Attempt) -> int:
        """Return the length of this model's vectors, found by embedding one word the first time."""
        if self._dimension is None:
            with self._learning:
                if self._dimension is None:
                    self._dimension = len(self._embed_parts(["word"], attempt)[0])
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
        """Return the vectors of a batch, in as many requests and in the form that the endpoint needs."""
        vectors: list[Vector] = []
        self._recall()
        before, by_failing = (self._most, self._base64), False
        while len(vectors) < len(texts):
            part = texts[len(vectors) : len(vectors) + self._most]
            try:
                vectors += self._embed_batch(part, attempt)
            except (RequestRefused, ServerFailed, OddVectors, UnusableVector) as failed:
                by_failing = isinstance(failed, ServerFailed)  # which may be chance: others need not know
                if not self._simplify(len(part), failed):
                    self._most, self._base64 = before  # it was not for these
                    raise
        if before != (self._most, self._base64) and not by_failing:
            self._learnt.keep(self._endpoint.url, self._shared_name, self.learnt())
        return vectors

    def learnt(self) -> Json:
        """Return what refusals have taught: how many texts go at a time, and whether as base64."""
        most = {"most": self._most} if self._most < BATCH_TEXTS else {}
        return most if self._base64 else {**most, "base64": False}

    def _recall(self) -> None:
        if not self._recalled:
            known = self._learnt.recall(self._endpoint.url, self._shared_name)
            self._most, self._base64 = known.get("most", self._most), known.get("base64", self._base64)
            self._recalled = True

    def _simplify(self, count: int, failed: Exception) -> bool:
        """Ask for fewer texts at a time, or for written numbers, from now on; False if neither can help."""
        words = (failed.complaint if isinstance(failed, RequestRefused) else str(failed)).casefold()
        if isinstance(failed, ServerFailed) and self._dimension is not None and "nan" not in words:
            return False  # it has answered in this form
        of_form = isinstance(failed, OddVectors | UnusableVector) or any(word in words for word in _OF_FORM)
        if of_form or count == 1:
            simplified, self._base64 = self._base64, False
            return simplified
        if not any(word in words for word in _OF_BATCH):
            self._base64 = False  # the words tell neither
        numbers = [int(number) for number in _NUMBER.findall(words)]
        allowed = max((number for number in numbers if 0 < number < count), default=count // 2)
        self._most = 1 if "string" in words else allowed
        return True

    def _embed_batch(self, texts: list[str], attempt: Attempt) -> list[Vector]:
        vectors = _vectors(self._ask(texts, attempt), len(texts))
        known = self._dimension or (len(vectors[0]) if vectors else 0)
        for text, vector in zip(texts, vectors, strict=True):
            if not vector or not all(map(isfinite, vector)):
                what = "numbers that are none (NaN)" if vector else "an empty vector"
                raise UnusableVector(f"the embedder {self.model} returned {what} for {text[:_SHOWN]!r}")
            if len(vector) != known:
                raise OddVectors(f"{self.model} did not return one vector of {known} numbers per text")
        self._dimension = known
        return vectors

    def _ask(self, texts: list[str], attempt: Attempt) -> dict[str, Any]:
        clean = [text.encode("utf-8", "replace").decode() for text in texts]  # half surrogate pairs
        body: dict[str, Any] = self._more | {"model": self.model, "input": clean}
        if self._base64:
            body["encoding_format"] = "base64"
        tokens = int(count_tokens("\n".join(clean)) * MARGIN) + len(clean)
        tries = TRIES if self._dimension is not None or not self._base64 else 1
        call = Call(EMBEDDINGS, orjson.dumps(body), self._priced, self._priced.usage(tokens, 0))
        return attempt.send(self._endpoint, call, tries)[0]


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


def _vectors(payload: dict[str, Any], count: int) -> list[Vector]:
    """Return the vectors in the order of the texts; a row without a place of its own is where it stands."""
    try:
        rows = payload["data"]
        told = [row.get("index") for row in rows]
        places = [at if place is None else int(place) for at, place in enumerate(told)]
        if len(set(places)) == len(rows):
            rows = [row for _, row in sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])]
        vectors = [_vector(row["embedding"]) for row in rows]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise OddVectors("the endpoint's reply is not a list of embeddings") from error
    if len(vectors) != count:
        raise OddVectors(f"the endpoint returned {len(vectors)} vectors for {count} texts")
    return vectors


def _vector(embedding: str | list[Any]) -> Vector:
    """Read little-endian 32-bit floats in base64, or written numbers, perhaps in a list of their own."""
    if isinstance(embedding, str):
        floats = array("f", b64decode(embedding, validate=True))
        if sys.byteorder == "big":
            floats.byteswap()
        return floats.tolist()
    if len(embedding) == 1 and isinstance(embedding[0], list):
        [embedding] = embedding
    return [float(number) for number in embedding]
