"""The graph tools over what typed documents became in a real Neo4j."""

from collections.abc import Iterator
from typing import Any

import pytest
from doubles.documents import write
from doubles.patient_schema import PATIENT
from doubles.typed import BOTH, FIGHT, GUILD, OATH, VENN, write_typed

from hopline.models.tools import ToolResult
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.schema import Neo4jSchema
from workers.adapters.neo4j.untrusted_cypher import GuardedReader
from workers.core import ids
from workers.core.models.tool_calls import ToolCall
from workers.tools.packs import load_toolbox
from workers.tools.session import GraphTools
from workers.tools.tool import ToolPorts

TOOLS = load_toolbox("narrative")
PLAIN = ("The wheel was made of oak.", ["wheel", "oak"])


@pytest.fixture
def ports(neo4j, graph: Neo4jGraph, collection: str) -> Iterator[ToolPorts]:
    write_typed(graph, f"{collection}-elsewhere", "a", [BOTH], [FIGHT, OATH], [VENN])
    write_typed(graph, collection, "a", [OATH, GUILD], [FIGHT], [VENN])
    write(graph, collection, "b", [PLAIN])
    reader = GuardedReader(neo4j.url, neo4j.user, neo4j.password)
    nothing: Any = None
    schema = Neo4jSchema(graph.connection, bounds=PATIENT)
    yield ToolPorts(collection, schema, reader, graph, nothing, nothing)
    reader.close()
    for name in (collection, f"{collection}-elsewhere"):
        for document in graph.store.documents(name):
            graph.store.delete_document(document.id)


def column(result: ToolResult, name: str) -> list[Any]:
    return [row[result.columns.index(name)] for row in result.rows]


def test_each_tool_finds_what_facts_state_with_the_sentence_behind_it(graph, ports, collection):
    journey = TOOLS.run("track_journey", {"entity": "mara", "target": "Corvin"}, ports)
    assert list(zip(column(journey, "chapter"), column(journey, "relation"), strict=True)) == [
        (1, "FRIEND_OF"),
        (2, "ENEMY_OF"),
        (2, "ENEMY_OF"),
    ]
    events = TOOLS.run("get_character_events", {"entity": "Mara", "event_type": "conflict"}, ports)
    assert column(events, "event") == ["The fight"]
    took_part = [(each["name"], each["role"], each["outcome"]) for each in column(events, "participants")[0]]
    assert sorted(took_part) == [("Corvin", "captain", "loses"), ("Mara", "challenger", "wins")]
    path = TOOLS.run("find_connection", {"entity1": "Lamplighters", "entity2": "Corvin"}, ports)
    # Mara and Corvin are enemies by two sentences, one from either side: both ways are as short.
    assert column(path, "source") in (["Mara", "Mara"], ["Mara", "Corvin"])
    known = TOOLS.run("lookup_knowledge", {"entity": "Mara (Character)"}, ports)
    relations = {relation for relation in column(known, "relation") if relation}
    assert relations == {"FRIEND_OF", "ENEMY_OF", "MEMBER_OF", "EXPERIENCES"}
    for result in (journey, events, path, known):
        cited = [item for item in result.items if item.relationships]
        assert cited
        places = graph.nodes.fact_sources(collection, [item.fact_id or "" for item in cited])
        assert {item.chunk_id for item in cited} == {place.chunk_id for place in places}
        assert not [item.fact_id for item in cited if item.fact_id in result.markdown]
    assert column(journey, "evidence") == [OATH[0], FIGHT[0], FIGHT[0]]


def test_an_event_is_found_by_its_name_and_an_untyped_element_by_its_own(ports):
    oath = TOOLS.run("lookup_knowledge", {"entity": "the oath"}, ports)
    assert "Mara swore the oath" in oath.markdown
    assert TOOLS.run("lookup_knowledge", {"entity": "The fight"}, ports).markdown.startswith(
        "### The fight (MajorEvent)"
    )
    assert TOOLS.run("lookup_knowledge", {"entity": "oak"}, ports).markdown.startswith("### oak\n")


def test_tools_follow_documents_that_go(graph, ports, collection):
    assert TOOLS.run("track_journey", {"entity": "Mara"}, ports).items
    graph.store.delete_document(ids.document_id(collection, "a"))
    assert TOOLS.run("track_journey", {"entity": "Mara"}, ports).is_empty
    assert TOOLS.run("get_character_events", {}, ports).is_empty
    wheel = TOOLS.run("lookup_knowledge", {"entity": "wheel"}, ports)
    assert wheel.markdown.startswith("### wheel\n")  # an Item only as long as a document said so
    assert not wheel.items


def test_what_is_kept_to_cite_is_not_in_the_schema(ports):
    schema = ports.schema_source.schema(refresh=True)
    assert {"Character", "Organization", "MajorEvent"} <= schema.labels
    assert {"FRIEND_OF", "MEMBER_OF", "EXPERIENCES"} <= schema.types
    assert {"chapter", "order", "evidence", "event_type", "role", "summary"} <= schema.property_names
    assert not {"fact_id", "chunk_id", "document_id", "stated", "typed", "collection"} & schema.property_names


SMITH = ("Thomas Smith was a pupil of James Watt.", ["Thomas Smith", "James Watt"])
WATT = ("James Watt worked in Glasgow.", ["James Watt", "Glasgow"])
LAMP = ("The lamps of Glasgow were made by Thomas Smith.", ["lamps", "Glasgow", "Thomas Smith"])
ALONE = ("Ravens are black.", ["ravens"])


def connect(ports: ToolPorts, entity: str, other: str) -> ToolResult:
    return TOOLS.run("find_connection", {"entity1": entity, "entity2": other}, ports)


def test_what_no_typed_relation_joins_is_joined_by_the_facts_that_hold_both(graph, ports, collection):
    write(graph, collection, "c", [SMITH, WATT])
    result = connect(ports, "Thomas Smith", "Glasgow")
    assert {item.text for item in result.items} == {SMITH[0], WATT[0]}, "they share a third thing"
    write(graph, collection, "c", [SMITH, WATT, LAMP])
    result = connect(ports, "Thomas Smith", "Glasgow")
    assert [item.text for item in result.items] == [LAMP[0]]
    assert "Facts join them." in result.note
    assert "There is no connection" not in result.note
    (place,) = graph.nodes.fact_sources(collection, [result.items[0].fact_id or ""])
    assert place.chunk_id == result.items[0].chunk_id


def test_no_connection_is_evidence_where_there_was_something_to_look_in(graph, ports, collection):
    write(graph, collection, "c", [WATT, ALONE])
    made: Any = (TOOLS, ports)

    def connecting(entity: str) -> Any:
        call = ToolCall(name="find_connection", arguments={"entity1": entity, "entity2": "Glasgow"})
        return GraphTools(lambda: made).run(call, f"What connects {entity} and Glasgow?")

    answer = connecting("ravens")
    assert answer.facts == ()
    assert "has relations to look in. No facts join them either." in answer.note
    answer = connecting("Mara")
    assert [fact.text for fact in answer.facts] == [answer.note]
    assert answer.note.startswith("There is no connection between Mara")
