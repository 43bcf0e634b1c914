"""The schema as a model sees it: how it is read, told, and cut to what a question may touch."""

from collections.abc import Mapping
from itertools import count
from typing import Any

import pytest

from hopline.errors import DependencyAway, HoplineError, Permanent, Transient
from hopline.models.graph_schema import GraphSchema, Join, NodeKind, Property, RelationshipKind, quoted
from workers.adapters.neo4j.schema import BARE_SECONDS, Neo4jSchema
from workers.core.graph.schema import CollectionSchema, SampleValues
from workers.core.graph.schema_part import CUT_NOTE, schema_about

NAME = Property(name="name", types=("STRING",))
SCHEMA = GraphSchema(
    nodes=(
        NodeKind(label="AtomicFact", properties=(Property(name="text", types=("STRING",)),)),
        NodeKind(
            label="Character",
            properties=(NAME, Property(name="scope", types=("STRING",)), Property(name="id", types=())),
        ),
        NodeKind(label="KeyElement", properties=(NAME,)),
        NodeKind(label="Migration"),
        NodeKind(label="Odd `one", properties=(Property(name="two words", types=("INTEGER", "STRING")),)),
    ),
    relationships=(
        RelationshipKind(
            type="FRIEND_OF",
            properties=(Property(name="chapter", types=("INTEGER",)),),
            joins=(
                Join("Character", "Character"),
                Join("Character", "KeyElement"),
                Join("Character", "Odd `one"),
            ),
        ),
        RelationshipKind(type="HAS_KEY_ELEMENT", joins=(Join("AtomicFact", "Character"),)),
        RelationshipKind(type="MERGED_INTO", joins=(Join("Character", "Character"),)),
        RelationshipKind(type="TOLD_BY", joins=(Join("Character", "AtomicFact"),)),
    ),
)


def test_a_schema_is_told_in_patterns_of_cypher() -> None:
    assert SCHEMA.without_internal().as_text().splitlines() == [
        "Nodes:", "(:Character {name: STRING, id: ANY})", "(:`Odd ``one` {`two words`: INTEGER|STRING})",
        "Relationships:", "(:Character)-[:FRIEND_OF {chapter: INTEGER}]->(:Character)",
        "(:Character)-[:FRIEND_OF]->(:`Odd ``one`)",
    ]  # fmt: skip


def test_a_relation_of_elements_that_no_document_types_is_shown_without_its_ends() -> None:
    bare = RelationshipKind(
        type="NEAR", joins=(Join("KeyElement", "KeyElement"), Join("KeyElement", "Character"))
    )
    whole = SCHEMA.model_copy(update={"relationships": (*SCHEMA.relationships, bare)})
    shown = whole.without_internal()
    assert shown.types == {"FRIEND_OF", "NEAR"}
    assert shown.as_text().splitlines()[-1] == "()-[:NEAR]->()"


def test_what_hopline_keeps_for_itself_is_left_out_of_its_own_database_only() -> None:
    assert SCHEMA.without_internal().property_names == {"name", "id", "chapter", "two words"}
    kept = tuple(node for node in SCHEMA.nodes if node.label != "Migration")
    foreign = SCHEMA.model_copy(update={"nodes": kept})
    assert foreign.without_internal() == foreign


def test_a_sample_says_so_and_an_empty_graph_says_that_it_has_nothing() -> None:
    empty = GraphSchema(sampled=True)
    assert empty.as_text().splitlines()[:4] == ["Nodes:", "none", "Relationships:", "none"]
    assert "sample" in empty.as_text().splitlines()[-1]


def test_names_of_other_scripts_need_no_quotes() -> None:
    names = ("人物", "Å_1", "1st", "a-b", "x`y")
    assert [quoted(name) for name in names] == ["人物", "Å_1", "`1st`", "`a-b`", "`x``y`"]


ROWS: Mapping[str, list[dict[str, Any]]] = {
    "schema_size": [{"nodes": 3, "relationships": 1}],
    "schema_apoc_there": [{"there": True}],
    "schema_apoc": [
        {"label": "Person", "property": "name", "type": "STRING", "other": [], "elementType": "node"}
    ],
    "schema_nodes": [
        {"label": "Person", "name": None, "types": []},
        {"label": "Person", "name": "born", "types": ["DATE NOT NULL", "INTEGER NOT NULL"]},
    ],
    "schema_relationships": [
        {"kind": "KNOWS", "sources": ["Person"], "targets": ["Person"], "name": None, "types": []}
    ],
    "schema_names": [{"labels": [["-1", ["Person"]], ["-2", ["Town"]]], "joins": [["LIVES_IN", "-1", "-2"]]}],
    "schema_indexes": [],
    "schema_count_label": [{"nth": 0, "count": 3}],
    "schema_count_type": [{"nth": 0, "count": 1}],
}


class Failing:
    """A connection some of whose queries fail."""

    def __init__(self, **errors: HoplineError) -> None:
        self.errors = errors
        self.asked: list[str] = []
        self.rows = ROWS

    def run_text(self, name: str, _text: str, _seconds: float, /, **_: Any) -> list[dict[str, Any]]:
        self.asked.append(name)
        if name in self.errors:
            raise self.errors[name]
        return self.rows[name]


def source(connection: Any) -> Neo4jSchema:
    return Neo4jSchema(connection)


def test_apoc_that_is_refused_or_too_slow_is_done_without() -> None:
    for error in (Permanent("not allowed"), Transient("out of time")):
        schema = source(Failing(schema_apoc=error)).schema()
        assert schema.as_text().splitlines() == [
            "Nodes:", "(:Person {born: DATE|INTEGER})", "Relationships:", "(:Person)-[:KNOWS]->(:Person)",
        ]  # fmt: skip
        assert (schema.source, schema.notes) == ("procedures", (f"apoc.meta.data failed: {error}",))


def test_a_relationship_that_is_deleted_while_it_is_looked_at_is_passed_over() -> None:
    connection = Failing(schema_apoc=Permanent("not found"))
    gone = {"kind": None, "sources": [], "targets": [], "name": None, "types": []}
    connection.rows = {**ROWS, "schema_relationships": [gone, *ROWS["schema_relationships"]]}
    assert source(connection).schema().types == {"KNOWS"}


def test_a_database_too_slow_for_a_sample_still_tells_its_names() -> None:
    slow = Failing(schema_apoc=Transient("out of time"), schema_nodes=Transient("out of time"))
    schema = source(slow).schema()
    assert (schema.labels, schema.types, schema.sampled) == ({"Person", "Town"}, {"LIVES_IN"}, True)
    assert len(schema.notes) == 2


def test_a_database_that_goes_away_has_no_schema_and_is_asked_again() -> None:
    for query in ["schema_size", "schema_apoc", "schema_nodes", "schema_indexes"]:
        connection = Failing(schema_apoc=Permanent("x")) if query == "schema_nodes" else Failing()
        connection.errors[query] = DependencyAway("Neo4j cannot be reached")
        schema_source = source(connection)
        with pytest.raises(DependencyAway):
            schema_source.schema()
        connection.errors.clear()
        assert schema_source.schema(refresh=True).labels == {"Person"}, query


def test_one_reading_serves_for_a_while() -> None:
    connection = Failing()
    schema_source = source(connection)
    assert schema_source.schema() == schema_source.schema() == schema_source.schema(internal=True)
    assert connection.asked.count("schema_size") == 1
    schema_source.schema(refresh=True)
    assert connection.asked.count("schema_size") == 2


def test_a_database_of_documents_alone_is_looked_at_again_soon() -> None:
    """Somebody who ingests with a profile and asks at once is not told that there is nothing to ask."""
    clock = count(step=2 * BARE_SECONDS)  # seconds go by between two questions
    row = {"property": "name", "type": "STRING", "other": [], "elementType": "node"}
    connection = Failing()
    connection.rows = {**ROWS, "schema_apoc": [{**row, "label": "Migration"}]}
    schema_source = Neo4jSchema(connection, seconds=1000.0, clock=lambda: float(next(clock)))  # type: ignore[arg-type]
    schema_source.schema()
    schema_source.schema()
    assert connection.asked.count("schema_size") == 2
    connection.rows = {**ROWS, "schema_apoc": [{**row, "label": name} for name in ("Migration", "Character")]}
    assert schema_source.schema().labels == schema_source.schema().labels == {"Character"}
    assert connection.asked.count("schema_size") == 3


def kind(label, *properties):
    return NodeKind(
        label=label, properties=tuple(Property(name=name, types=("STRING",)) for name in properties)
    )


def joined(name, *joins, properties=()):
    held = tuple(Property(name=property_name, types=("STRING",)) for property_name in properties)
    return RelationshipKind(type=name, properties=held, joins=tuple(Join(*join) for join in joins))


OTHERS = tuple(
    kind(f"Gadget{letter}", "name", f"sprocket{letter}") for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)
FILMS = GraphSchema(
    nodes=(
        kind("Movie", "title", "released"), kind("Person", "name", "born"), kind("Award", "name", "category"),
        *OTHERS,
    ),
    relationships=(
        joined("ACTED_IN", ("Person", "Movie"), properties=("roles",)),
        joined("DIRECTED", ("Person", "Movie")),
        joined("WON", ("Movie", "Award")),
        *(joined(f"FITS_{node.label.upper()}", (node.label, "GadgetA")) for node in OTHERS),
    ),
)  # fmt: skip


def about(question, schema=FILMS):
    return schema_about(schema, question, 12_000)


def test_what_a_question_names_is_kept_with_what_it_is_connected_with():
    for question, kept, left_out in [
        ("Who is the director of Top Gun?", ("-[:DIRECTED]->", "(:Person {", "(:Movie {"), ("Award",)),
        ("How many movies were made?", ("(:Movie {", "-[:WON]->", "(:Award {"), ("Gadget",)),
        ("Who was born in 1956?", ("(:Person {", "-[:DIRECTED]->", "(:Movie {"), ("Gadget",)),
    ]:
        text = about(question)
        assert all(pattern in text for pattern in kept), text
        assert not any(pattern in text for pattern in left_out), text
        assert text.endswith(CUT_NOTE), question


def test_where_a_question_names_nothing_the_schema_stays_whole_and_so_does_a_short_one():
    for question in ("What is the title of it?", "谁导演了它?", "", "Who is she?"):
        assert about(question) == FILMS.as_text(12_000)
    few = FILMS.model_copy(update={"nodes": FILMS.nodes[:3], "relationships": FILMS.relationships[:3]})
    assert about("Who directed it?", few) == few.as_text()


def test_names_in_scripts_without_spaces_are_found():
    relationships = (joined("导演", ("人物", "电影")), *FILMS.relationships[3:])
    chinese = GraphSchema(nodes=(kind("电影"), kind("人物"), *OTHERS), relationships=relationships)
    text = about("谁导演了这部片子?", chinese)
    assert "(:人物)-[:导演]->(:电影)" in text
    assert "Gadget" not in text


def test_of_a_hub_only_what_is_named_is_kept():
    pairs = [("Person", node.label) for node in OTHERS * 5]
    mentions = (joined(f"MENTIONS_{nth:03}_IN_WRITING", pair) for nth, pair in enumerate(pairs))
    relationships = (joined("DIRECTED", ("Person", "Movie")), *mentions)
    text = about(
        "Which person directed Top Gun?", GraphSchema(nodes=FILMS.nodes, relationships=relationships)
    )
    assert "-[:DIRECTED]->" in text
    assert "Gadget" not in text


def test_values_of_texts_are_kept_with_their_labels_and_name_them():
    values = (
        SampleValues(label="Award", name="category", values=("best sound",)),
        SampleValues(label="GadgetB", name="sprocketB", values=("brass",)),
    )
    own = CollectionSchema(nodes=FILMS.nodes, relationships=FILMS.relationships, values=values)
    text = about("Which best sound was it?", own)
    assert 'Award.category: "best sound"' in text
    assert "brass" not in text


def test_events_are_kept_whatever_words_a_question_has_for_them():
    lived = (joined("EXPERIENCES", ("Person", "MajorEvent")), joined("LIVES_IN", ("Person", "Place")))
    nodes = (*FILMS.nodes, kind("MajorEvent", "name"), kind("Place", "name"))
    story = GraphSchema(nodes=nodes, relationships=(*FILMS.relationships, *lived))
    text = about("What does Linnet live through?", story)
    assert "-[:EXPERIENCES]->(:MajorEvent)" in text
    assert "(:MajorEvent {" in text
    assert "Gadget" not in text
