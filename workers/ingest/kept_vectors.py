"""Caches vectors beside the model replies, by chunk."""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence

from workers.core.graph.vectors import Embedder
from workers.core.ports import Ports
from workers.ingest.pages import Embeddable

_DIGEST = 16  # bytes of a text's hash
_FLOAT = 4

Vector = list[float]
Known = dict[bytes, Vector]  # hash of a text -> its vector


class KeptVectors:
    """The vectors of one document's texts, from the cache or the embedder.

    An entry holds its chunk's vector and those of the elements that were new with it, for one embedder.

    Args:
        ports: the store and the embedder.
        contents: graph id of a chunk -> its content_hash; what belongs to others is not kept.
    """

    def __init__(self, ports: Ports, contents: Mapping[str, str]) -> None:
        self._ports = ports
        self._contents = contents
        self._embedder = ports.model.embedder
        self._key = "vectors-" + hashlib.sha256(repr(self._embedder).encode()).hexdigest()[:32]

    def embed(self, entries: Sequence[tuple[Embeddable, str]]) -> list[Vector]:
        """Return one vector per (entry, graph id of its chunk); new vectors are cached at once."""
        owners = dict.fromkeys(self._contents.get(owner, "") for _entry, owner in entries)
        kept = {content: self._read(content) for content in owners if content}
        vectors: Known = {}
        for known in kept.values():
            vectors |= known
        new = dict.fromkeys(text for (_id, _kind, text), _owner in entries if _digest(text) not in vectors)
        if new:
            fresh = dict(zip(map(_digest, new), self._ports.model.embed(list(new)), strict=True))
            vectors |= fresh
            self._keep(entries, kept, fresh)
        return [vectors[_digest(text)] for (_id, _kind, text), _owner in entries]

    def _keep(
        self,
        entries: Iterable[tuple[Embeddable, str]],
        kept: Mapping[str, Known],
        fresh: Known,
    ) -> None:
        more: dict[str, Known] = {}
        for (_id, _kind, text), owner in entries:
            digest, content = _digest(text), self._contents.get(owner, "")
            if content and digest in fresh:
                more.setdefault(content, {})[digest] = fresh[digest]
        for content, added in more.items():
            self._ports.replies.put(content, self._key, _packed(kept[content] | added))

    def _read(self, content: str) -> Known:
        data = self._ports.replies.get(content, self._key)
        return _unpacked(data, self._embedder) if data else {}


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()


def _packed(known: Known) -> bytes:
    """Return hashes and little-endian 32-bit floats, as the embedder gave them, one after another."""
    return b"".join(digest + _swapped(array("f", vector)).tobytes() for digest, vector in known.items())


def _unpacked(data: bytes, embedder: Embedder) -> Known:
    size = _DIGEST + embedder.dimension * _FLOAT
    if len(data) % size:
        return {}
    known: Known = {}
    for begin in range(0, len(data), size):
        floats = array("f", data[begin + _DIGEST : begin + size])
        known[data[begin : begin + _DIGEST]] = _swapped(floats).tolist()
    return known


def _swapped(floats: array[float]) -> array[float]:
    if sys.byteorder == "big":
        floats.byteswap()
    return floats
