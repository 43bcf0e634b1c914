"""Reads the documents and concept maps of one collection whole, and writes concept maps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hopline.models.base import Frozen
from hopline.models.documents import Chunk, Document, KeyElement
from workers.adapters.neo4j.connection import Connection, Row, Run
from workers.adapters.neo4j.rows import title_id, to_chunk, to_document
from workers.core.concepts.maps import concept_key
from workers.core.graph.kept_versions import titled_name
from workers.core.ids import concept_id, concept_version_id, element_id, relation_id
from workers.core.records import AtomicFact, FactEvent, FactRelation, Participant

_CONCEPTS = 20  # maps in a page


class WholeChunk(Frozen):
    """A chunk with its facts, as an ingestion brought them."""

    chunk: Chunk
    facts: tuple[AtomicFact, ...]


class WholeMap(Frozen):
    """A concept map: the properties of its nodes and relationships."""

    concept: dict[str, Any]
    relations: tuple[dict[str, Any], ...]  # with the names that they lead to
    versions: tuple[dict[str, Any], ...]


class LivePage(NamedTuple):
    """A page of a live document."""

    document: Document  # its content hash is that of the live version
    live: tuple[int, str]  # which version it is: another page with another one does not go with it
    chunks: list[WholeChunk]


class CollectionArchive:
    """One collection of the graph.

    Args:
        connection: connection to hopline's own database.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def document(self, document_id: str, *, after: int, limit: int) -> LivePage | None:
        """Return a page of a live document's chunks by index; None if nothing of it is live."""
        rows = self._connection.run("archive_document", id=document_id, after=after, limit=limit)
        if not rows:
            return None
        row = rows[0]["document"]
        live = row["live"], row.get("live_hash") or ""
        document = to_document(row | {"content_hash": live[1]})
        return LivePage(document, live, [_whole_chunk(document, *chunk) for chunk in rows[0]["chunks"]])

    def concept_maps(self, collection: str) -> Iterator[WholeMap]:
        """Yield every concept map of a collection."""
        after = ""
        while rows := self._connection.run(
            "archive_concepts", collection=collection, after=after, limit=_CONCEPTS
        ):
            yield from (WholeMap(**row) for row in rows)
            after = rows[-1]["concept"]["id"]

    def put_concept_map(self, collection: str, whole: WholeMap) -> None:
        """Write a concept map into a collection, unless it has one for this concept."""
        core, known = _concept_id(collection, whole.concept["name"]), {}
        names = {core: whole.concept["name"]}
        relations = []
        for relation in whole.relations:
            fields = dict(relation)
            target = _concept_id(collection, name := fields.pop("target_name"))
            names[target] = name
            fields["id"] = known[relation["id"]] = relation_id(core, target)
            relations.append({"target": target, "fields": fields})
        known[whole.concept["id"]] = core
        versions = [_moved_version(version, core, collection, known) for version in whole.versions]

        def work(run: Run) -> None:
            run("concept_lock", collection=collection, concepts=_named(names))
            concept = whole.concept | {"id": core, "collection": collection}
            run("archive_put_concept", concept=concept, relations=relations, versions=versions)

        self._connection.together("put_concept_map", work)


def _named(names: Mapping[str, str]) -> list[Row]:
    return [{"id": concept, "name": names[concept]} for concept in sorted(names)]


def _concept_id(collection: str, name: str) -> str:
    return concept_id(collection, concept_key(name))


def _moved_version(version: Row, core: str, collection: str, known: Mapping[str, str]) -> Row:
    """Return a version of a map with the ids of another collection."""
    own = version["id"]
    made = own if core == version["concept"] else concept_version_id(core, version.get("job") or own)
    changes = []
    for change in version["changes"]:
        for old, new in known.items():
            change = change.replace(f'"{old}"', f'"{new}"')  # noqa: PLW2901 - of many ids, few are in it
        changes.append(change)
    ids = {"id": made, "concept": core, "collection": collection}
    return version | ids | {"changes": changes}


def _whole_chunk(document: Document, chunk_row: Row, stated: list[str], facts: list[list[Any]]) -> WholeChunk:
    chunk = to_chunk(chunk_row)
    lines = [line.split("\t") for line in stated]
    types: dict[str, list[str]] = {}
    for kind, *parts in lines:
        if kind == "T":
            types.setdefault(parts[0], []).append(parts[1])
    return WholeChunk(
        chunk=chunk, facts=tuple(_whole_fact(document, chunk, fact, types, lines) for fact in facts)
    )


def _whole_fact(
    document: Document, chunk: Chunk, fact: list[Any], types: Mapping[str, list[str]], lines: list[list[str]]
) -> AtomicFact:
    fact_id, text, start, end, match, grounded, named, titled = fact
    spelled = [line.split("\t") for line in named]
    if titled and (name := titled_name(document.title)):
        spelled.append([name, document.title])
    elements = [(element_id(document.collection, name), name, aliases) for name, *aliases in spelled]
    return AtomicFact(
        id=fact_id,
        text=text,
        key_elements=tuple(
            KeyElement(id=known, name=name, aliases=tuple(aliases), types=tuple(types.get(known, ())))
            for known, name, aliases in elements
        ),
        title_id=title_id(document) if titled else None,
        start=chunk.start + start,
        end=chunk.start + end,
        match=match,
        grounded=grounded,
        relations=tuple(
            FactRelation(source=source, type=kind, target=target)
            for _mark, stating, source, kind, target in (line for line in lines if line[0] == "R")
            if stating == fact_id
        ),
        events=tuple(_event(line) for line in lines if line[0] == "E" and line[2] == fact_id),
    )


def _event(line: list[str]) -> FactEvent:
    _mark, _id, _fact, kind, name, *parts = line
    taking_part = zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    return FactEvent(
        type=kind,
        name=name,
        participants=tuple(
            Participant(element=element, role=role, outcome=outcome) for element, role, outcome in taking_part
        ),
    )
