"""Turns texts into vectors through an embeddings endpoint, in batches of bounded size."""

from __future__ import annotations

import re
import sys
import threading
import unicodedata
from array import array
from base64 import b64decode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite, nan
from typing import Any

import orjson

from hopline.errors import Permanent, Transient
from hopline.models.jobs import Json
from hopline.visible import visible
from workers.adapters.openai.address import EMBEDDINGS
from workers.adapters.openai.calls import Attempt, Call, ChatModel
from workers.adapters.openai.endpoint import Endpoint
from workers.adapters.openai.failures import RequestRefused, ServerFailed
from workers.adapters.openai.known_form import KnownForm
from workers.adapters.openai.wire import MARGIN
from workers.core.models.learnt import Learnt, Unlearnt
from workers.core.models.tokens import count_tokens
from workers.core.retries import RETRIES

BATCH_TEXTS = 256
BATCH_CHARACTERS = 60_000  # some 15,000 tokens of English
# In complaints: of how the vectors are written; of how many texts there are (Zhipu's are Chinese).
_OF_FORM = ("encoding", "base64")
_OF_BATCH = ("batch", "inputs", "array", "at most", "maximum", "too many", "limit", "最大", "超过", "string")
_NUMBER = re.compile(r"\d{1,5}+")
_A_TEXT = re.compile(r"\bstr(?:ing)?\b|only one input")
_ROWS, _NUMBERS = ("data", "embeddings"), ("float", "values")  # fields of a reply and of a vector
_URL_SAFE = str.maketrans("-_", "+/", " \n\r")
_SHOWN = 80  # characters of a text that cannot be embedded

Vector = list[float]


class OddVectors(Transient):
    """What came back is not one vector per text."""


class UnusableVector(Permanent):
    """A text's vector is empty or not all numbers; repeating the call would not help."""


@dataclass(frozen=True)
class EmbeddingForm:
    """The form of requests to an embedder.

    Attributes:
        most: texts at a time.
        base64: whether vectors are sent as base64, which takes a third of the bytes and processor time.
        bare: a single text is sent unchanged, not in a list.
    """

    most: int = BATCH_TEXTS
    base64: bool = True
    bare: bool = False

    def after(self, failed: Exception, count: int) -> EmbeddingForm | None:
        """Return the form to try after texts failed: numbers or fewer texts; None if none helps."""
        words = (failed.complaint if isinstance(failed, RequestRefused) else str(failed)).casefold()
        is_odd = isinstance(failed, OddVectors | UnusableVector)
        is_of_form = any(word in words for word in _OF_FORM)
        wants_text = not is_odd and _A_TEXT.search(words)
        if wants_text and count == 1 and not self.bare and not (self.base64 and is_of_form):
            return replace(self, most=1, bare=True)
        if self.base64 and (is_odd or count == 1 or is_of_form):
            return replace(self, base64=False, bare=False)
        if count == 1 or isinstance(failed, UnusableVector):
            return None
        if is_odd:
            return replace(self, most=count // 2)
        numbers = [int(number) for number in _NUMBER.findall(words)]
        allowed = max((number for number in numbers if 0 < number < count), default=count // 2)
        # Words that tell neither may be about both.
        base64 = self.base64 and any(word in words for word in _OF_BATCH)
        return EmbeddingForm(1 if wants_text else allowed, base64)


def _is_of_the_server(failed: Exception) -> bool:
    """Return whether a server failed of itself, and not at a text whose vector it could not write."""
    return isinstance(failed, ServerFailed) and "nan" not in str(failed).casefold()


class Embeddings:
    """Vectors of one embedding model; the dimension is learnt once.

    Args:
        endpoint: where it is.
        model: the embedder there.
        more: further fields of every request.
        learnt: what other processes have learned about accepted requests.
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
        # A chat model of the same name may be known beside it.
        self.known = KnownForm(
            EmbeddingForm(), learnt or Unlearnt(), endpoint.url, f"{model.name} (embeddings)"
        )
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
        """Return one vector per text, as seen, with letters composed (NFC); a blank one gives zeros.

        Raises:
            Transient: the endpoint failed, or its vectors do not match the texts.
        """
        texts = [unicodedata.normalize("NFC", visible(text)) for text in texts]
        vectors_by_position: dict[int, Vector] = {}
        for batch in _batches(texts):
            vectors = self._embed_parts([texts[position] for position in batch], attempt)
            vectors_by_position.update(zip(batch, vectors, strict=True))
        blank = [0.0] * (self.dimension(attempt) if len(vectors_by_position) < len(texts) else 0)
        return [vectors_by_position.get(position, blank) for position in range(len(texts))]

    def _embed_parts(self, texts: list[str], attempt: Attempt) -> list[Vector]:
        """Return the vectors of a batch, in as many requests and in the form that the endpoint needs."""
        vectors: list[Vector] = []
        known = form = self.known.get()
        by_failing = False
        while len(vectors) < len(texts):
            part = texts[len(vectors) : len(vectors) + form.most]
            try:
                vectors += self._embed_batch(part, form, attempt)
            except (RequestRefused, ServerFailed, OddVectors, UnusableVector) as failed:
                if self._dimension is not None and _is_of_the_server(failed):
                    raise  # it has answered in this form
                simpler = form.after(failed, len(part))
                if simpler is None:
                    raise  # nor is it for the form, or the number of texts: what was tried is not remembered
                form, by_failing = simpler, by_failing or isinstance(failed, ServerFailed)
        if form != known:
            self.known.remember(form, by_failing=by_failing)
        return vectors

    def _embed_batch(self, texts: list[str], form: EmbeddingForm, attempt: Attempt) -> list[Vector]:
        vectors = _vectors(self._ask(texts, form, attempt), len(texts))
        known = self._dimension or (len(vectors[0]) if vectors else 0)
        for text, vector in zip(texts, vectors, strict=True):
            if not vector or not all(map(isfinite, vector)):
                what = "numbers that are none (NaN)" if vector else "an empty vector"
                raise UnusableVector(f"the embedder {self.model} returned {what} for {text[:_SHOWN]!r}")
            if len(vector) != known:
                raise OddVectors(f"{self.model} did not return one vector of {known} numbers per text")
        self._dimension = known
        return vectors

    def _ask(self, texts: list[str], form: EmbeddingForm, attempt: Attempt) -> dict[str, Any]:
        clean = [text.encode("utf-8", "replace").decode() for text in texts]  # half surrogate pairs
        body: dict[str, Any] = self._more | {"model": self.model, "input": clean[0] if form.bare else clean}
        if form.base64:
            body["encoding_format"] = "base64"
        tokens = int(count_tokens("\n".join(clean)) * MARGIN) + len(clean)
        tries = RETRIES.model_calls if self._dimension is not None or not form.base64 else 1
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
    """Return the vectors in the order of the texts; a row without an index keeps its position."""
    try:
        rows = _rows(payload)
        told = [row.get("index") for row in rows]
        places = [at if place is None else int(place) for at, place in enumerate(told)]
        if len(set(places)) == len(rows):
            rows = [row for _, row in sorted(zip(places, rows, strict=True), key=lambda pair: pair[0])]
        vectors = [_vector(row["embedding"] if "embedding" in row else row["vector"]) for row in rows]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise OddVectors("the endpoint's reply is not a list of embeddings") from error
    if len(vectors) != count:
        raise OddVectors(f"the endpoint returned {len(vectors)} vectors for {count} texts")
    return vectors


def _rows(payload: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one object per vector, whatever field or wrapper they are in."""
    found: Any = payload
    while isinstance(found, dict):
        if "embedding" in found:
            found = [found]
            break
        name = next((name for name in (*_ROWS, *_NUMBERS) if found.get(name) is not None), "")
        found = found[name]
    return [row if isinstance(row, dict) else {"embedding": row} for row in found]


def _vector(embedding: Any) -> Vector:
    """Read little-endian 32-bit floats in base64, or written numbers, perhaps wrapped."""
    if isinstance(embedding, str) and embedding.lstrip().startswith("["):
        embedding = orjson.loads(embedding)
    if isinstance(embedding, str):
        text = embedding.translate(_URL_SAFE)
        floats = array("f", b64decode(text + "=" * (-len(text) % 4), validate=True))
        if sys.byteorder == "big":
            floats.byteswap()
        return floats.tolist()
    if isinstance(embedding, dict):
        embedding = next((embedding[name] for name in _NUMBERS if name in embedding), None)
    if not isinstance(embedding, list):
        raise TypeError("an embedding is a list of numbers")
    if len(embedding) == 1 and isinstance(embedding[0], list):
        [embedding] = embedding
    return [nan if number is None else float(number) for number in embedding]
