"""Films in one collection, and beside them all that a statement over it must not see."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import neo4j

from doubles.documents import write
from doubles.typed import Stated, typed_document, write_typed
from doubles.typed_films import FILMS, film_sentences
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.schema import Neo4jSchema
from workers.core.graph.elements import normalise_element
from workers.text2cypher.check import checked
from workers.text2cypher.names import names_of
from workers.tools.builtin.text2cypher import view_of_collection

SECRET = "secret"  # in all that is not to be seen, and nowhere else
_MORE = """
Secret Person ACTED_IN: Matrix, Speed Racer, Secret Film
Secret Person DIRECTED: Matrix
Keanu Reeves FOLLOWS: Secret Person
Tom Hanks ACTED_IN: Matrix
Matrix RELEASED_IN: Secret Year
Secret Film RELEASED_IN: Secret Year, 19xx
"""
_PLAIN = ("Tom Hanks lives in Secret Town.", ["Tom Hanks", "Secret Town"])
# What only somebody's own Cypher could make: nodes of no collection, and relationships that leave one.
_STRANGE = """
MATCH (a:Person {collection: $mine, name: 'tom hanks'}), (b:Movie {collection: $other, name: 'matrix'})
MATCH (m:Movie {collection: $mine, name: 'top gun'}), (p:Person {collection: $other, name: 'tom hanks'})
CREATE (a)-[:ACTED_IN {secret: true}]->(b), (p)-[:DIRECTED {secret: true}]->(m)
CREATE (a)-[:FOLLOWS {secret: true}]->(:Person {name: 'secret nobody', secret_of: $other})-[:WROTE]->(m)
CREATE (a)-[:SECRET_TYPE]->(:SecretLabel {name: 'secret thing', secret_of: $other})
CREATE (c:MappedConcept {id: 'secret ' + $mine, collection: $mine, name: 'secret concept', chapter: 'secret'})
SET c.secret_of = $other
"""
_FORGET = "MATCH (n) WHERE n.secret_of = $other OR (n:Shadow AND n.of = $mine) DETACH DELETE n"
_SHADOWS = """
UNWIND $nodes AS row
CREATE (n:$(['Shadow', 'Shadow' + row.label]) {of: $mine, name: row.name})
"""
_SHADOW_RELATIONS = """
UNWIND $relations AS row
MATCH (a:Shadow {of: $mine, name: row.source}), (b:Shadow {of: $mine, name: row.target})
CREATE (a)-[:$('SHADOW_' + row.type)]->(b)
"""


class OwnGraph:
    """Two collections with the same names, of which one is asked.

    Args:
        graph: hopline's.
        driver: to the same server.
        collection: that is asked.
    """

    def __init__(self, graph: Neo4jGraph, driver: neo4j.Driver, collection: str) -> None:
        self._graph = graph
        self._driver = driver
        self.collection, self._other = collection, f"{collection}-other"
        sentences, stated = film_sentences(FILMS)
        write_typed(graph, collection, "films", sentences[:20], sentences[20:], stated=stated)

    def add_strangers(self) -> None:
        """Bring in the other collection and all else that is not to be seen."""
        sentences, stated = film_sentences(FILMS + _MORE)
        write_typed(self._graph, self._other, "films", sentences[:20], sentences[20:], stated=stated)
        more, statements = film_sentences(_MORE)
        document, chunks = typed_document(self.collection, "hidden", more, stated=statements)
        self._graph.store.write_chunks(self._graph.store.open_version(document), chunks)
        gone = {
            text: Stated(types=statement.types, relations=statement.relations)
            for text, statement in statements.items()
        }
        write_typed(self._graph, self.collection, "deleted", more[:2], stated=gone)
        self._graph.store.delete_document(typed_document(self.collection, "deleted", more[:2])[0].id)
        write(self._graph, self.collection, "plain", [_PLAIN])
        self._run(_STRANGE)

    def add_shadows(self) -> None:
        """Copy what the films tell into nodes of their own, for statements that are kept to nothing."""
        _, stated = film_sentences(FILMS)
        nodes: dict[str, str] = {}
        relations = []
        for statement in stated.values():
            nodes |= {normalise_element(name): labels[0] for name, labels in statement.types.items()}
            for source, kind, target in statement.relations:
                relations.append((normalise_element(source), kind, normalise_element(target)))
            for _, name, parts in statement.events:
                nodes[name] = "MajorEvent"
                relations += [(normalise_element(who), "EXPERIENCES", name) for who, _, _ in parts]
        self._run(_SHADOWS, nodes=[{"name": name, "label": label} for name, label in nodes.items()])
        rows = [dict(zip(("source", "type", "target"), relation, strict=True)) for relation in relations]
        self._run(_SHADOW_RELATIONS, relations=rows)

    def remove(self) -> None:
        """Take all of it away."""
        self._run(_FORGET)
        for name in (self.collection, self._other):
            for document in self._graph.store.documents(name):
                self._graph.store.delete_document(document.id)

    def look(self) -> None:
        """Read the collection's schema, as the tool does before it asks a model."""
        schema = Neo4jSchema(self._graph.connection).of_collection(self.collection)
        self.view = view_of_collection(schema, self.collection)

    def rows(self, statement: str) -> Counter[str]:
        """Return what a statement finds in the collection, rows and lists in no order.

        Raises:
            CypherRefused: by the guard.
            Neo4jError: by the server.
        """
        boundary = self.view.boundary
        assert boundary
        text = checked(statement, names_of(self.view.schema), boundary)
        return self.plain_rows(text, boundary.parameters)

    def plain_rows(self, statement: str, parameters: Mapping[str, Any] | None = None) -> Counter[str]:
        """Return what a statement finds that is run as it is."""
        records = self._driver.execute_query(statement, dict(parameters or {})).records
        return Counter(json.dumps([_told(value) for value in row.values()], default=str) for row in records)

    def _run(self, query: str, **more: Any) -> None:
        self._driver.execute_query(query, {"mine": self.collection, "other": self._other, **more})


def _told(value: Any) -> Any:
    if isinstance(value, neo4j.graph.Node):
        return [sorted(value.labels), dict(value)]
    if isinstance(value, neo4j.graph.Relationship):
        return [value.type, dict(value)]
    if isinstance(value, neo4j.graph.Path):
        return [_told(part) for part in (*value.nodes, *value.relationships)]
    if isinstance(value, list):
        return sorted((_told(item) for item in value), key=str)
    if isinstance(value, Mapping):
        return {key: _told(item) for key, item in value.items()}
    return value.removeprefix("SHADOW_") if isinstance(value, str) else value


def holding(rows: Iterable[str], word: str = SECRET) -> list[str]:
    """Return the rows that hold a word, whatever its case."""
    return [row for row in rows if word in row.casefold()]
