"""Stores and deletes the vectors of chunks, facts and key elements."""

from __future__ import annotations

import hashlib
import sys
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from workers.core.graph.vectors import MOST_DUE, DueVector, Embedder, Point
from workers.core.ports import Ports, Removed
from workers.ingest.pages import Embeddable

BATCH = 256  # texts per embedding call and points per upsert
_PAGES = 10  # of vectors due that one step looks at; a later one takes the rest
One = TypeVar("One")
Owned = tuple[Embeddable, str]  # and the graph id of the chunk that it came with


def store_vectors(ports: Ports, collection: str, entries: Iterable[Embeddable]) -> int:
    """Embed and upsert (graph id, kind, text) entries in batches; return how many were stored.

    Facts are left out where limits.embed_facts says so.
    """
    stored = 0
    for batch in _batches(_embedded(ports, entries)):
        vectors = ports.model.embed([text for _id, _kind, text in batch])
        _upsert(ports, collection, batch, vectors)
        stored += len(batch)
    return stored


def store_new_vectors(
    ports: Ports, collection: str, entries: Sequence[Embeddable], contents: Mapping[str, str]
) -> int:
    """Store a document's missing vectors; return their number.

    Entries stand in the order of `link`: each chunk, then what it brought. A fact's and an element's id say
    what is embedded of them, so a point that is there is the right one. A chunk's id does not: its title may
    have changed, so chunks are always stored. Nothing that is kept (see `KeptVectors`) is embedded again.

    None of those skipped is lost, whoever deletes points meanwhile: the caller wrote their nodes into the
    graph before this looks for points. Who takes a node from the graph, deletes its point and then looks
    whether the graph holds the node again (`forget_vectors`). Where the node was written before that look, it
    is seen there and its point is made again; if written later, the point had been deleted before
    this began, and is missing here. A reindexing drops points first and reads the graph, with our nodes,
    after that. What was merged into another element meanwhile has none in the end.

    Args:
        ports: ports of the step.
        collection: collection of the document.
        entries: each graph id once.
        contents: graph id of a chunk -> its content_hash; vectors of others are not kept.
    """
    owned = list(_owned(_embedded(ports, entries)))
    lacking = ports.vectors.missing(collection, [entry[0] for entry, _owner in owned if entry[1] != "chunk"])
    wanted = [each for each in owned if each[0][1] == "chunk" or each[0][0] in lacking]
    kept = KeptVectors(ports, contents)
    for batch in _batches(wanted):
        _upsert(ports, collection, [entry for entry, _owner in batch], kept.embed(batch))
    return len(wanted)


def forget_vectors(ports: Ports, collection: str, removed: Removed) -> int:
    """Delete the vectors of nodes that the graph no longer holds; return how many.

    Key elements that no longer lead to another get theirs first: where no model is to be had, nothing is
    gone yet. Those that lead to one now have no vector. Another document may write one of these facts again
    between the graph's removal and this deletion, and its fresh vector would be lost: so what the graph holds
    once more is embedded once more. Only then is what was due noted as seen: where a worker is lost before
    that, the next step that asks looks at it. Where a page of what is due is full, the next ones follow.
    """
    gone = [*removed.chunks, *removed.facts, *removed.elements]
    due: Sequence[DueVector] = removed.due
    _forget(ports, collection, gone, due)
    for _ in range(_PAGES - 1):
        if len(due) < MOST_DUE:
            break
        due = ports.graph.store.vectors_due(collection)
        _forget(ports, collection, [], due)
    return len(gone)


def forget_unheld(ports: Ports, collection: str, ids: Collection[str]) -> None:
    """Delete the vectors of those nodes that the graph does not hold; make the chunks' again that it does.

    A chunk that two versions share was embedded with the title of the one that did not become live.
    """
    held = ports.graph.nodes.held(collection, sorted(ids))
    if gone := sorted(set(ids).difference(graph_id for graph_id, _kind, _text in held)):
        _delete_points(ports, collection, gone)
    store_vectors(ports, collection, [entry for entry in held if entry[1] == "chunk"])


def _forget(ports: Ports, collection: str, gone: Sequence[str], notes: Sequence[DueVector]) -> None:
    due = list(dict.fromkeys(note.element for note in notes))
    leading: list[str] = []
    if due:
        standing = ports.graph.nodes.held(collection, due)
        lacking = ports.vectors.missing(collection, [entry[0] for entry in standing])
        store_vectors(ports, collection, [entry for entry in standing if entry[0] in lacking])
        leading = sorted(set(due).difference(graph_id for graph_id, _kind, _text in standing))
    if concerned := list(dict.fromkeys((*gone, *leading))):
        _delete_points(ports, collection, concerned)
    if notes:
        ports.graph.store.vectors_seen(collection, [note.id for note in notes])


def _forget_redirects(ports: Ports, collection: str, stored: Sequence[Embeddable]) -> None:
    """Delete the points of those key elements that were merged into another while their points were made.

    Who merges an element deletes its point afterwards, and may have done so before this one was stored. A
    merge that is written after this look deletes the point later than it was stored.
    """
    elements = [graph_id for graph_id, kind, _text in stored if kind == "element"]
    if elements and (redirects := ports.graph.merging.redirects(collection, elements)):
        _delete_points(ports, collection, sorted(redirects))


def _delete_points(ports: Ports, collection: str, graph_ids: Sequence[str]) -> None:
    """Delete points; make those again whose nodes the graph holds again."""
    ports.vectors.delete(collection, graph_ids)
    store_vectors(ports, collection, ports.graph.nodes.held(collection, graph_ids))


def _embedded(ports: Ports, entries: Iterable[Embeddable]) -> Iterator[Embeddable]:
    return (entry for entry in entries if entry[1] != "fact" or ports.limits.embed_facts)


def _owned(entries: Iterable[Embeddable]) -> Iterator[Owned]:
    owner = ""
    for entry in entries:
        owner = entry[0] if entry[1] == "chunk" else owner
        yield entry, owner


def _upsert(
    ports: Ports, collection: str, batch: Sequence[Embeddable], vectors: Sequence[Sequence[float]]
) -> None:
    points = [
        Point(graph_id=graph_id, kind=kind, vector=tuple(vector))
        for (graph_id, kind, _text), vector in zip(batch, vectors, strict=True)
    ]
    ports.vectors.upsert(collection, points)
    _forget_redirects(ports, collection, batch)


def _batches(entries: Iterable[One]) -> Iterator[Sequence[One]]:
    rest = iter(entries)
    while batch := list(islice(rest, BATCH)):
        yield batch


_DIGEST = 16  # bytes of a text's hash
_FLOAT = 4

Vector = list[float]
Known = dict[bytes, Vector]  # hash of a text -> its vector


class KeptVectors:
    """The vectors of one document's texts, from the cache or the embedder.

    An entry contains its chunk's vector and those of elements first seen in it, for one embedder.

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
        """Return one vector per (entry, graph id of its chunk); new vectors are cached immediately."""
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
