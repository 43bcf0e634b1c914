"""Graph queries for search: each method is one query whose cost does not grow with the collection."""

from __future__ import annotations

import time
from collections.abc import Sequence

from workers.adapters.neo4j.connection import Connection
from workers.adapters.neo4j.rows import (
    ELEMENTS_SCANNED,
    MOST_FETCHED,
    PLACES,
    SAMPLED,
    SAMPLED_PLACES,
    any_pair,
    any_word,
    to_chunk,
    to_document,
    whole,
)
from workers.adapters.neo4j.snapshot.keeper import Snapshots
from workers.core.graph.surroundings import (
    CollectionSize,
    FactColumns,
    FactLinks,
    GraphSnapshot,
    NamedElement,
    SaidChunk,
    SaidFact,
    columns_of,
    most_used,
)
from workers.core.records import Hit

_SIZES = 1000  # collections whose size is kept
_SIZE_SECONDS = 10.0  # it only weighs rare against frequent
_LANGUAGES_SECONDS = 60.0  # only a plan's words of another language hang on them
_SLACK = 10  # chunks fetched beyond the limit, for some are hidden


class AroundReader:
    """`core.graph.surroundings.AroundGraph` over a real Neo4j.

    Args:
        connection: connection to the graph.
        most_facts: maximum number of facts in the collections kept in memory.
    """

    def __init__(self, connection: Connection, most_facts: int = 0) -> None:
        self._connection = connection
        self.snapshots = Snapshots(connection, most_facts)
        self._languages: dict[str, tuple[tuple[str, ...], float]] = {}  # the same of languages
        self._sizes: dict[str, tuple[CollectionSize, float]] = {}  # with the time.monotonic() to look again

    def size(self, collection: str) -> CollectionSize:
        """Count a collection's live chunks and facts; the result may be a few seconds old."""
        known, until = self._sizes.get(collection, (None, 0.0))
        if known and time.monotonic() < until:
            return known
        row = self._connection.run("collection_size", collection=collection)[0]
        size = CollectionSize(chunks=row["chunks"], facts=row["facts"])
        if len(self._sizes) >= _SIZES:
            self._sizes.clear()
        if size.chunks:  # one that is empty is about to be filled
            self._sizes[collection] = (size, time.monotonic() + _SIZE_SECONDS)
        return size

    def languages(self, collection: str) -> tuple[str, ...]:
        """Return the languages of a collection's live documents; the result may be a minute old."""
        known, until = self._languages.get(collection, ((), 0.0))
        if time.monotonic() < until:
            return known
        rows = self._connection.run("collection_languages", collection=collection)
        languages = most_used({row["language"]: row["documents"] for row in rows})
        if len(self._languages) >= _SIZES:
            self._languages.clear()
        if rows:  # as above; documents of before languages were kept have none
            self._languages[collection] = (languages, time.monotonic() + _LANGUAGES_SECONDS)
        return languages

    def elements_found(
        self, collection: str, ids: Sequence[str], *, spellings: bool = False
    ) -> list[NamedElement]:
        """Return the key elements with these ids that live facts mention; redirects are resolved."""
        rows = self._connection.run(
            "elements_found",
            collection=collection,
            ids=list(dict.fromkeys(ids)),
            spellings=spellings,
            sampled=SAMPLED,
            places=SAMPLED_PLACES,
        )
        return [
            NamedElement(**element | {"aliases": tuple(sorted(element["aliases"]))})
            for element in whole(rows[0]["found"])
        ]

    def facts_around(self, collection: str, element_ids: Sequence[str], limit: int) -> FactColumns:
        """Return live facts of the given key elements with their connections, up to `limit` per element."""
        rows = self._connection.run(
            "facts_around",
            collection=collection,
            ids=list(dict.fromkeys(element_ids)),
            limit=limit,
            places=PLACES,
            elements_scanned=ELEMENTS_SCANNED,
        )
        return columns_of(FactLinks(*fact) for fact in rows[0]["facts"])

    def chunks_like(
        self, collection: str, texts: Sequence[str], limit: int, snapshot: GraphSnapshot | None = None
    ) -> list[list[Hit]]:
        """For each text, return the live chunks with some of its words in text or title, best first.

        Raises:
            SnapshotOutdated: the state that was read is not the snapshot's; it is dropped.
        """
        queries = [
            (nth, index, query)
            for nth, text in enumerate(texts)
            for index, query in (
                ("chunk_texts", any_word(collection, ("title", "text"), text)),
                ("chunk_pairs", any_pair(collection, text)),
            )
            if query and limit > 0
        ]
        live_hits, mark = self._live_hits([query[1:] for query in queries], limit) if queries else ([], None)
        if snapshot:
            self.snapshots.check(collection, snapshot.mark, mark or self._connection.mark())
        hits: list[list[Hit]] = [[] for _ in texts]
        for (nth, *_query), some in zip(queries, live_hits, strict=False):
            hits[nth] = _together(hits[nth], some)[:limit]
        return hits

    def _live_hits(self, asked: Sequence[tuple[str, str]], limit: int) -> tuple[list[list[Hit]], str]:
        """Return the live chunks of each (index, query), up to `limit`, and the graph's state."""
        indexes, queries = [index for index, _query in asked], [query for _index, query in asked]
        fetched = limit + _SLACK
        while True:
            rows, mark = self._connection.run_marked(
                "chunks_like", indexes=indexes, queries=queries, limit=fetched
            )
            candidates = [row["hits"] for row in rows]
            hits = [
                [Hit(chunk, "chunk", score) for chunk, score, live in some if live] for some in candidates
            ]
            enough = all(len(h) >= limit or len(c) < fetched for h, c in zip(hits, candidates, strict=True))
            if enough or fetched >= MOST_FETCHED:
                return hits, mark
            fetched = min(4 * fetched, MOST_FETCHED)

    def snapshot(self, collection: str) -> GraphSnapshot | None:
        """Return the collection's snapshot, if it is in memory; else one may be taken in the background."""
        known, _until = self._sizes.get(collection, (None, 0.0))
        return self.snapshots.get(collection, known.facts) if known else None

    def chunks_said(
        self,
        collection: str,
        chunk_ids: Sequence[str],
        max_facts: int,
        snapshot: GraphSnapshot | None = None,
    ) -> list[SaidChunk]:
        """Return live chunks in the given order, each with up to `max_facts` of its facts."""
        ids = list(dict.fromkeys(chunk_ids))
        if not snapshot:
            return self._chunks_said(collection, ids, max_facts)
        return self.snapshots.chunk_cache.read(
            snapshot.mark,
            collection,
            ids,
            max_facts,
            lambda missing: self._chunks_said(collection, missing, max_facts),
        )

    def _chunks_said(self, collection: str, ids: Sequence[str], max_facts: int) -> list[SaidChunk]:
        rows = self._connection.run(
            "chunks_said",
            collection=collection,
            ids=ids,
            max_facts=max_facts,
            elements_scanned=ELEMENTS_SCANNED,
        )
        return [
            SaidChunk(
                chunk=to_chunk(row["chunk"]),
                document=to_document(row["document"]),
                facts=tuple(
                    SaidFact(fact, text, tuple(map(tuple, elements))) for fact, text, elements in row["facts"]
                ),
            )
            for row in rows
            if whole([row["chunk"]])
        ]


def _together(hits: Sequence[Hit], others: Sequence[Hit]) -> list[Hit]:
    """Return the hits of two indexes, with the sum of a chunk's scores, best first."""
    if not hits or not others:
        return [*hits, *others]
    scores = {hit.id: hit.score for hit in hits}
    scores |= {hit.id: hit.score + scores.get(hit.id, 0.0) for hit in others}
    ordered = sorted(scores, key=lambda name: (-scores[name], name))
    return [Hit(name, hits[0].kind, scores[name]) for name in ordered]
