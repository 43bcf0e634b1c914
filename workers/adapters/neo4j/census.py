"""Counts a collection's graph, one page of nodes per transaction, so that none runs long."""

from __future__ import annotations

import heapq
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from hopline.models.census import CensusExample, Counts, FactLengths, GraphCensus, Hub, Lacking
from workers.adapters.neo4j.connection import Connection, Row
from workers.core.graph.census import degree_bins, length_bins
from workers.core.graph.elements import spelled
from workers.core.models.tokens import count_tokens

_PAGE = 5000  # nodes
_EXAMPLES = 5
_EXTREMES = 3  # facts, at either end of their lengths
# Facts whose tokens are counted, some 0.3 s; the first by id, which is a hash: a fair sample.
_TOKENS_OF = 10_000

_HUBS = 10
# Facts of an element that are looked at one by one where some of the collection's are not live: a second or
# two in one transaction. Measured on 50,000 facts: 28 transactions, the longest 0.4 s, 3 s in all.
_FACTS_SCANNED = 100_000


@dataclass
class _Tally:
    """Sums over the pages of one kind of node."""

    states: Counter[str] = field(default_factory=Counter)  # live, hidden, orphan, merged → nodes
    sums: Counter[str] = field(default_factory=Counter)  # of live nodes: what else was counted
    lacking: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # ids of examples

    def add(self, row: Row, *counted: str, **lacks: bool) -> bool:
        """Add a row of nodes to the counts, and what live ones lack; return whether they are live."""
        self.states[row["state"]] += row["nodes"]
        if row["state"] != "live":
            return False
        for name in counted:
            self.sums[name] += row[name]
        for name in (name for name, is_so in lacks.items() if is_so):
            self.sums[name] += row["nodes"]
            kept = self.lacking[name]
            kept.extend(row["examples"][: _EXAMPLES - len(kept)])
        return True


@dataclass
class _Tallies:
    """One per kind of node, and the key elements by degree."""

    documents: _Tally = field(default_factory=_Tally)
    chunks: _Tally = field(default_factory=_Tally)
    facts: _Tally = field(default_factory=_Tally)
    elements: _Tally = field(default_factory=_Tally)
    degrees: Counter[int] = field(default_factory=Counter)
    labels: Counter[str] = field(default_factory=Counter)
    related: Counter[str] = field(default_factory=Counter)
    hubs: list[tuple[int, str, str]] = field(default_factory=list)  # (-degree, id, name), in this order

    def add_elements(self, row: Row) -> None:
        """Count key elements of one degree; keep them if the degree is among the highest."""
        if self.elements.add(row):
            self.labels.update(label for labels in row["labels"] for label in labels)
            self.related.update(kind for kinds in row["related"] for kind in kinds)
            self.degrees[row["degree"]] += row["nodes"]
            named = [
                (-row["degree"], element["id"], spelled(element["name"], element["aliases"] or ()))
                for element in row["named"]
            ]
            self.hubs = heapq.nsmallest(_HUBS, [*self.hubs, *named])

    def counts(self, state: str) -> Counts:
        """Return how many nodes are in a state."""
        return Counts(
            documents=self.documents.states[state],
            chunks=self.chunks.states[state],
            facts=self.facts.states[state],
            elements=self.elements.states[state],
        )

    def relationships(self) -> dict[str, int]:
        """Return how many relationships of each type there are between live nodes."""
        return {
            "HAS_CHUNK": self.documents.sums["chunks"],
            "NEXT": self.chunks.sums["followed"],
            "HAS_ATOMIC_FACT": self.chunks.sums["facts"],
            "HAS_KEY_ELEMENT": self.facts.sums["elements"],
            **dict(sorted(self.related.items())),
        }


def take_census(
    connection: Connection,
    collection: str,
    *,
    lengths: bool,
    page: int = _PAGE,
    facts_scanned: int = _FACTS_SCANNED,
) -> GraphCensus:
    """Return the collection's graph in numbers; see `core.ports.Graph.census`.

    Args:
        connection: connection to the graph.
        collection: collection to count.
        lengths: also read the lengths of the facts' texts.
        page: number of nodes counted per query.
        facts_scanned: maximum number of facts of an element examined one by one, if some are not live.
    """
    begun = time.monotonic()
    tallies = _count(connection, collection, page, facts_scanned)
    facts = tallies.facts.states["live"]
    return GraphCensus(
        collection=collection,
        live=tallies.counts("live"),
        hidden=tallies.counts("hidden"),
        orphans=tallies.counts("orphan"),
        merged=tallies.elements.states["merged"],
        labels=dict(sorted(tallies.labels.items())),
        relationships=tallies.relationships(),
        degrees=degree_bins(tallies.degrees.items()),
        hubs=tuple(
            Hub(id=element, name=name, degree=-degree, share=min(1.0, -degree / facts))
            for degree, element, name in tallies.hubs
        ),
        ungrounded=_facts_lacking(connection, collection, tallies.facts, "ungrounded"),
        facts_without_elements=_facts_lacking(connection, collection, tallies.facts, "no_elements"),
        chunks_without_facts=_chunks_lacking(connection, collection, tallies.chunks, "no_facts"),
        fact_lengths=_lengths(connection, collection, page) if lengths else None,
        seconds=time.monotonic() - begun,
    )


def _count(connection: Connection, collection: str, page: int, facts_scanned: int) -> _Tallies:
    tallies = _Tallies()
    for row in _rows(connection, "documents", collection, page):
        tallies.documents.add(row, "chunks")
    for row in _rows(connection, "chunks", collection, page, examples=_EXAMPLES):
        tallies.chunks.add(row, "facts", "followed", no_facts=row["bare"])
    for row in _rows(connection, "facts", collection, page, examples=_EXAMPLES):
        tallies.facts.add(row, "elements", no_elements=row["bare"], ungrounded=not row["grounded"])
    # Where every fact is live, the store's own counter is an element's degree.
    scanned = 0 if set(tallies.facts.states) <= {"live"} else facts_scanned
    for row in _rows(connection, "elements", collection, page, hubs=_HUBS, facts_scanned=scanned):
        tallies.add_elements(row)
    return tallies


def _rows(connection: Connection, kind: str, collection: str, page: int, **parameters: int) -> Iterator[Row]:
    """Yield the rows of all pages of a kind of node."""
    after = ""
    while rows := connection.run(
        f"census_{kind}", collection=collection, after=after, limit=page, **parameters
    ):
        yield from rows
        after = max(row["last"] for row in rows)


def _lengths(connection: Connection, collection: str, page: int) -> FactLengths:
    tokens: list[int] = []
    shortest: list[tuple[int, str]] = []  # characters, id
    longest: list[tuple[int, str]] = []
    after = ""
    while True:
        [row] = connection.run(
            "census_lengths",
            collection=collection,
            after=after,
            limit=page,
            texts=max(0, _TOKENS_OF - len(tokens)),
            examples=_EXTREMES,
        )
        if row["last"] is None:
            break
        after = row["last"]
        tokens += map(count_tokens, row["texts"])
        sized = [[(size, fact) for size, fact in row[end] if fact] for end in ("shortest", "longest")]
        shortest = heapq.nsmallest(_EXTREMES, shortest + sized[0])
        longest = heapq.nlargest(_EXTREMES, longest + sized[1])
    return FactLengths(
        counted=len(tokens),
        bins=length_bins(tokens),
        shortest=_examples(connection, collection, [fact for _, fact in shortest]),
        longest=_examples(connection, collection, [fact for _, fact in longest]),
    )


def _facts_lacking(connection: Connection, collection: str, facts: _Tally, what: str) -> Lacking:
    examples = _examples(connection, collection, facts.lacking[what])
    return Lacking(count=facts.sums[what], examples=examples)


def _examples(connection: Connection, collection: str, ids: list[str]) -> tuple[CensusExample, ...]:
    """Return facts with the title of a document that states each, in the order of the ids."""
    rows = connection.run("fact_sources", collection=collection, ids=ids) if ids else []
    best = {row["source"]["fact_id"]: row["source"] for row in reversed(rows)}  # the first place is the best
    return tuple(
        CensusExample(id=fact, text=best[fact]["fact"], document=best[fact]["title"])
        for fact in ids
        if fact in best
    )


def _chunks_lacking(connection: Connection, collection: str, chunks: _Tally, what: str) -> Lacking:
    ids = chunks.lacking[what]
    rows = connection.run("chunks", collection=collection, ids=ids) if ids else []
    shown = [
        CensusExample(id=row["chunk"]["id"], text=row["chunk"]["text"], document=row["document"]["title"])
        for row in rows
    ]
    return Lacking(count=chunks.sums[what], examples=tuple(shown))
