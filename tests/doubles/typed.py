"""Documents as a profile reads them, with types, relations and events; and what a graph made of them."""

from collections.abc import Mapping, Sequence
from typing import Any

import neo4j

from doubles.documents import Sentence, made_document, made_element, write_made
from doubles.graph import MemoryGraph
from doubles.graph_typed import Event, View, Where
from hopline.models.base import Frozen
from hopline.models.documents import Document, KeyElement
from hopline.models.graph_schema import INTERNAL_LABELS, INTERNAL_RELATIONSHIPS
from workers.core.ports import ChunkFacts, Graph, Removed
from workers.core.records import AtomicFact, FactEvent, FactRelation, Participant

OATH = ("Mara swore the oath before Corvin.", ["Mara", "Corvin", "oath"])
FIGHT = ("Mara fought Corvin for the wheel.", ["Mara", "Corvin", "wheel"])
GUILD = ("Mara belongs to the Lamplighters.", ["Mara", "Lamplighters"])
VENN = ("Mara Venn befriended Corvin.", ["Mara Venn", "Corvin"])
BOTH = ("Mara was called Mara Venn.", ["Mara", "Mara Venn"])

_ELEMENTS = "MATCH (k:KeyElement) WHERE k.collection = $collection RETURN k.id AS id, labels(k) AS labels"
_RELATIONS = """MATCH (a)-[r]->(b)
WHERE a.collection = $collection AND NOT type(r) IN $internal AND type(r) <> 'EXPERIENCES'
RETURN a.id AS source, type(r) AS type, b.id AS target, properties(r) AS told"""
_EVENTS = """MATCH (e:MajorEvent) WHERE e.collection = $collection
RETURN properties(e) AS told, COLLECT {
  MATCH (who)-[x:EXPERIENCES]->(e)
  RETURN [who.id, coalesce(x.role, ''), coalesce(x.outcome, ''), x.fact_id, x.chunk_id, x.document_id]
} AS experienced"""


class Stated(Frozen):
    """What a profile finds in a sentence, by names."""

    types: Mapping[str, tuple[str, ...]] = {}
    relations: tuple[tuple[str, str, str], ...] = ()  # source, type, target
    events: tuple[tuple[str, str, tuple[tuple[str, str, str], ...]], ...] = ()  # type, name, [who, role, …]


PEOPLE = {"Mara": ("Character",), "Corvin": ("Character",)}
STATED: dict[str, Stated] = {
    OATH[0]: Stated(
        types=PEOPLE,
        relations=(("Mara", "FRIEND_OF", "Corvin"),),
        events=(("milestone", "The oath", (("Mara", "novice", "is sworn in"), ("Corvin", "witness", ""))),),
    ),
    FIGHT[0]: Stated(
        types={**PEOPLE, "wheel": ("Item",)},
        relations=(("Mara", "ENEMY_OF", "Corvin"), ("Corvin", "ENEMY_OF", "Mara")),
        events=(("conflict", "The fight", (("Mara", "challenger", "wins"), ("Corvin", "captain", "loses"))),),
    ),
    GUILD[0]: Stated(
        types={"Mara": ("Character", "Sailor"), "Lamplighters": ("Organization",)},
        relations=(("Mara", "MEMBER_OF", "Lamplighters"),),
    ),
    VENN[0]: Stated(
        types={"Mara Venn": ("Character", "Warden"), "Corvin": ("Character",)},
        relations=(("Mara Venn", "FRIEND_OF", "Corvin"),),
        events=(("encounter", "A friendship", (("Mara Venn", "friend", ""), ("Corvin", "friend", ""))),),
    ),
    BOTH[0]: Stated(
        types={"Mara": ("Character",), "Mara Venn": ("Warden",)},
        relations=(("Mara", "SAME_AS", "Mara Venn"),),
        events=(("revelation", "The name", (("Mara Venn", "named", ""), ("Mara", "namer", "known"))),),
    ),
}


def typed_document(
    collection: str,
    uri: str,
    *paragraphs: Sequence[Sentence],
    stated: Mapping[str, Stated] = STATED,
    chapter: int = 1,
    title: str | None = None,
) -> tuple[Document, list[ChunkFacts]]:
    """Make a document of one chapter per paragraph, with what is stated at the sentences."""
    document, chunks = made_document(collection, uri, *paragraphs, title=title)
    return document, [
        ChunkFacts(
            chunk=chunk.chunk.model_copy(update={"chapter": chapter + nth, "order": chunk.chunk.index + 1}),
            facts=tuple(_typed(collection, fact, stated.get(fact.text, Stated())) for fact in chunk.facts),
        )
        for nth, chunk in enumerate(chunks)
    ]


def write_typed(
    graph: Graph, collection: str, uri: str, *paragraphs: Sequence[Sentence], **how: Any
) -> Removed:
    """Write a document as ingestion with a profile does, and make it live."""
    document, chunks = typed_document(collection, uri, *paragraphs, **how)
    return write_made(graph, document, chunks)


def _typed(collection: str, fact: AtomicFact, stated: Stated) -> AtomicFact:
    known = {made_element(collection, name).id: types for name, types in stated.types.items()}

    def element(name: str) -> str:
        return made_element(collection, name).id

    def typed(key_element: KeyElement) -> KeyElement:
        return key_element.model_copy(update={"types": known.get(key_element.id, ())})

    return fact.model_copy(
        update={
            "key_elements": tuple(map(typed, fact.key_elements)),
            "relations": tuple(
                FactRelation(source=element(source), type=kind, target=element(target))
                for source, kind, target in stated.relations
            ),
            "events": tuple(
                FactEvent(
                    type=kind,
                    name=name,
                    participants=tuple(
                        Participant(element=element(who), role=role, outcome=outcome)
                        for who, role, outcome in parts
                    ),
                )
                for kind, name, parts in stated.events
            ),
        }
    )


def view_of(graph: Graph, collection: str, raw: neo4j.Driver | None = None) -> View:
    """Return what a graph made of documents: of the double by itself, of a server by its driver."""
    if isinstance(graph, MemoryGraph):
        return graph.view(collection)
    assert raw

    def rows(query: str) -> list[dict[str, Any]]:
        parameters = {"collection": collection, "internal": sorted(INTERNAL_RELATIONSHIPS)}
        return [record.data() for record in raw.execute_query(query, parameters).records]

    labels = {row["id"]: frozenset(row["labels"]) - INTERNAL_LABELS for row in rows(_ELEMENTS)}
    relations = [(row["source"], row["type"], row["target"], _where(row["told"])) for row in rows(_RELATIONS)]
    assert len(set(relations)) == len(relations), "a relation is there twice"
    events = {row["told"]["id"]: _event(collection, **row) for row in rows(_EVENTS)}
    return View({name: types for name, types in labels.items() if types}, frozenset(relations), events)


def _where(properties: dict[str, Any]) -> Where:
    known = {"fact_id", "chunk_id", "document_id", "chapter", "order", "evidence", "stated_at"}
    assert properties.keys() <= known, properties
    place = (properties[name] for name in ("fact_id", "chunk_id", "document_id"))
    return Where(
        *place,
        properties.get("chapter"),
        properties.get("order"),
        properties["evidence"],
        properties["stated_at"],
    )


def _event(collection: str, told: dict[str, Any], experienced: list[list[str]]) -> Event:
    own = {name: told.pop(name) for name in ("id", "event_type", "name", "summary", "collection")}
    assert own["collection"] == collection
    where = _where(told)
    assert all(experience[3:] == [where.fact, where.chunk, where.document] for experience in experienced)
    parts = [(experience[0], experience[1], experience[2]) for experience in experienced]
    assert len({who for who, *_ in parts}) == len(parts), "an element experiences an event twice"
    return Event(own["event_type"], own["name"], own["summary"], where, frozenset(parts))
