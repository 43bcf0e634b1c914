"""Loading many passages into graph and vector store, with the facts that ingestion would find in them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import neo4j

from hopline.models.documents import Document
from hopline.models.jobs import Json
from infra.offline_model.embedder import WordLlama
from infra.offline_model.parser.extracted_facts import extract_facts
from producer.evaluation.dataset import Passage
from workers.adapters.neo4j.rows import scope, title_id, writing_rows
from workers.core import ids
from workers.core.graph.vectors import Point
from workers.core.jobs.work import Job
from workers.core.ports import ChunkFacts, Ports
from workers.ingest.chunking.split import split_text
from workers.ingest.extract import build_facts
from workers.ingest.link import embeddables
from workers.ingest.measure import measure_embedder
from workers.ingest.pages import Embeddable
from workers.ingest.schema import ExtractedFacts
from workers.services import Services

_POINTS = 2000  # per upsert
_ROWS = 5000  # per transaction
_PASSAGES = 250  # read and written at a time
_PLACE = ("start", "end", "match", "grounded", "named", "titled")  # of a fact in a chunk

Read = tuple[Document, list[ChunkFacts]]


class Loader:
    """Writes passages as documents, by statements that only create: a hundred times as fast as by documents.

    What is written is what ingestion writes; `check` compares the two.

    Args:
        services: graph and vectors.
        collection: where to; nothing else writes to it.

    Attributes:
        facts: ids of all facts so far.
        elements: spellings of all key elements so far, by id.
        chunks: how many so far.
    """

    def __init__(self, services: Services, collection: str) -> None:
        self.collection = collection
        self.facts: set[str] = set()
        self.elements: dict[str, set[str]] = {}
        self.chunks = 0
        self._ahead: list[Read] = []  # read, and not written yet
        self._wordings: dict[str, str] = {}  # of facts, as the first place words each
        self._services = services
        self._driver = _driver(services)
        self._embedder = WordLlama()
        job = Job(id="load", kind="document", collection=collection)
        limits = services.settings.limits
        self._ports = Ports(job, services.graph, services.vectors, services.model, services.blobs, limits)
        services.vectors.prepare(collection, services.model.embedder)

    def load_until(self, facts: int, passages: Iterator[Passage]) -> None:
        """Write passages, some hundreds at a time, until so many facts are there or none is left."""
        with ThreadPoolExecutor(1) as reader:  # reads on while the servers write
            ahead = reader.submit(self._read_some, passages)
            while len(self.facts) < facts and (read := ahead.result()):
                ahead = reader.submit(self._read_some, passages)
                self._load(read)
            self._ahead = ahead.result()
        measure_embedder(self._ports, self.collection)

    def load(self, passages: Sequence[Passage]) -> None:
        """Write some passages."""
        self._load([self._read(passage) for passage in passages])

    def extract(self, material: Json) -> Json:
        """Return what the offline model replies to a chunk."""
        return extract_facts(material)

    def _read_some(self, passages: Iterator[Passage]) -> list[Read]:
        kept, self._ahead = self._ahead, []
        return kept or [self._read(passage) for passage in islice(passages, _PASSAGES)]

    def _load(self, read: Sequence[Read]) -> None:
        entries = {
            entry[0]: entry
            for document, chunks in read
            for entry in embeddables(document.title, chunks)
            if entry[1] != "fact" or self._ports.limits.embed_facts
        }
        new = [
            entry for name, entry in entries.items() if name not in self.facts and name not in self.elements
        ]
        self._write(read)
        self._store(new)
        self.chunks += sum(len(chunks) for _, chunks in read)

    def check(self, passages: Sequence[Passage]) -> None:
        """End the program where some passages look different from how the graph port writes them."""
        graph, read = self._services.graph, [self._read(passage) for passage in passages]
        for document, chunks in read:
            opened = graph.store.open_version(document)
            graph.store.write_chunks(opened, chunks)
            graph.store.make_live(opened)
        expected = self._shape()
        for document, _chunks in read:
            graph.store.delete_document(document.id)
        self.load(passages)
        if self._shape() != expected:
            raise SystemExit(f"not loaded as ingestion does:\n{self._shape()}\nand not\n{expected}")

    def _shape(self) -> list[Json]:
        records = self._driver.execute_query(_query("shape"), collection=self.collection).records
        return sorted((record.data() for record in records), key=lambda row: str(row["kind"]))

    def _read(self, passage: Passage) -> Read:
        document = Document(
            id=ids.document_id(self.collection, passage.id),
            collection=self.collection,
            uri=f"made:{passage.id}",
            title=passage.title,
            content_hash=ids.content_hash(passage.text),
        )
        limits = self._ports.limits
        chunks = split_text(document.id, passage.text, limits.chunk_tokens, limits.chunk_overlap)
        replies = (self.extract({"title": passage.title, "text": chunk.text}) for chunk in chunks)
        fact_lists = (ExtractedFacts.model_validate(reply).facts for reply in replies)
        pairs = zip(chunks, fact_lists, strict=True)
        return document, [
            ChunkFacts(
                chunk=chunk,
                facts=build_facts(self.collection, chunk, facts, self._ports, title=passage.title),
            )
            for chunk, facts in pairs
        ]

    def _write(self, read: Sequence[Read]) -> None:
        common = {"collection": self.collection, "scope": scope(self.collection)}
        rows = writing_rows([chunk for _document, chunks in read for chunk in chunks])
        facts, elements, chunks = (
            [row["id"] for row in rows[name]] for name in ("facts", "elements", "chunks")
        )
        self._run("load_documents", documents=[_document_row(*pair, common) for pair in read])
        self._run("load_facts", facts=[row | common for row in rows["facts"] if row["id"] not in self.facts])
        self._run("load_elements", elements=[row | common for row in rows["elements"] if self._spelt(row)])
        self.facts.update(facts)
        for row in rows["facts"]:
            self._wordings.setdefault(row["id"], row["text"])
        holds = [self._hold(row, facts, chunks) for row in rows["holds"]]
        pairs = (pairwise(chunk.chunk.id for chunk in chunked) for _document, chunked in read)
        self._run("load_links", holds=holds, next=[list(pair) for neighbours in pairs for pair in neighbours])
        mentions = [
            [facts[fact], elements[element], None if titled is None else chunks[titled]]
            for fact, element, titled in rows["mentions"]
        ]
        self._run("load_mentions", mentions=mentions)

    def _hold(self, row: Sequence[Any], facts: Sequence[str], chunks: Sequence[str]) -> Json:
        chunk, fact, *place, text = row
        properties = dict(zip(_PLACE, place, strict=True)) | {"version": 1}
        properties["text"] = None if text == self._wordings[facts[fact]] else text
        return {"chunk": chunks[chunk], "fact": facts[fact], "place": properties}

    def _spelt(self, row: Json) -> bool:
        """Fill in the spellings of earlier passages; tell whether the row says anything new."""
        known = self.elements.setdefault(row["id"], set())
        new = not known or not known.issuperset(row["aliases"])
        known.update(row["aliases"])
        row["aliases"] = sorted(known)
        return new

    def _run(self, name: str, **parameters: list[Any]) -> None:
        most = max((len(rows) for rows in parameters.values()), default=0)
        for first in range(0, most, _ROWS):
            page = {field: rows[first : first + _ROWS] for field, rows in parameters.items()}
            self._driver.execute_query(_query(name), page)

    def _store(self, entries: list[Embeddable]) -> None:
        for first in range(0, len(entries), _POINTS):
            batch = entries[first : first + _POINTS]
            vectors = self._embedder([text for _id, _kind, text in batch]).tolist()
            # Not validated number by number, which would take longer than all else here.
            points = [
                Point.model_construct(graph_id=name, kind=kind, vector=vector)
                for (name, kind, _text), vector in zip(batch, vectors, strict=True)
            ]
            self._services.vectors.upsert(self.collection, points)


def _driver(services: Services) -> neo4j.Driver:
    settings = services.settings
    login = (settings.neo4j_user, settings.neo4j_password.get_secret_value())
    return neo4j.GraphDatabase.driver(settings.neo4j_url, auth=login)


@cache
def _query(name: str) -> str:
    return (Path(__file__).parent / "cypher" / f"{name}.cypher").read_text(encoding="utf-8")


def _document_row(document: Document, chunks: list[ChunkFacts], common: Json) -> Json:
    facts = len({fact.id for chunk in chunks for fact in chunk.facts})
    fields = document.model_dump(include={"id", "collection", "uri", "title", "content_hash"})
    fields["title_id"] = title_id(document)
    live = {"version": 1, "live": 1, "live_hash": document.content_hash, "whole": True, "status": "indexed"}
    live["live_since"] = time.time_ns() // 1_000_000
    return {
        "document": {**fields, **live, "chunks": len(chunks), "facts": facts},
        "chunks": [chunk.chunk.model_dump() | common | {"title": document.title} for chunk in chunks],
    }
