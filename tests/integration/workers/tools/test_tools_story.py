"""The graph tools on a small story in a real Neo4j: what people read, names, collections, hostile input."""

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import neo4j as driver
import pytest
from doubles.documents import made_element, write
from doubles.patient_schema import PATIENT
from doubles.story import FORGET, STORY
from pydantic import SecretStr

from hopline import Hopline
from hopline.errors import InvalidInput
from hopline.models.tools import ToolResult
from workers.adapters.neo4j.graph import Neo4jGraph
from workers.adapters.neo4j.schema import Neo4jSchema
from workers.adapters.neo4j.untrusted_cypher import GuardedReader
from workers.settings import Settings
from workers.tools.packs import load_toolbox
from workers.tools.tool import ToolPorts
from workers.tools.toolbox import Toolbox

GOLDEN = Path(__file__).resolve().parents[3] / "data" / "tools"
HERE, ELSEWHERE = "test-story", "test-story-elsewhere"
RENAME = "MATCH (n {collection: $collection}) WHERE n.name <> 'Mara Venn' SET n.name = 'Secret ' + n.name"
HOSTILE = [
    "`) DETACH DELETE n //", '" OR name:*', '+-&&||!(){}[]^"~*?:\\/ AND OR NOT', "\u0027 \\u0027 \x00 \u202e",
    "name:* OR scope:*", "~" * 400,
]  # fmt: skip


@pytest.fixture(scope="module")
def raw(neo4j) -> Iterator[driver.Driver]:
    """A database that holds the story twice, the second time renamed and in another collection."""
    with driver.GraphDatabase.driver(neo4j.url, auth=(neo4j.user, neo4j.password)) as raw:
        for collection in (HERE, ELSEWHERE):
            raw.execute_query(STORY, collection=collection)
        raw.execute_query(RENAME, collection=ELSEWHERE)
        yield raw
        for collection in (HERE, ELSEWHERE):
            raw.execute_query(FORGET, collection=collection)


@pytest.fixture(scope="module")
def ports(neo4j, graph: Neo4jGraph, raw: driver.Driver) -> Iterator[ToolPorts]:
    assert raw
    reader = GuardedReader(neo4j.url, neo4j.user, neo4j.password)
    nothing: Any = None  # of these tools none asks a model
    yield ToolPorts(HERE, Neo4jSchema(graph.connection, bounds=PATIENT), reader, graph, nothing, nothing)
    reader.close()


@pytest.fixture(scope="module")
def tools() -> Toolbox:
    return load_toolbox("narrative")


def nodes_in(raw: driver.Driver, result: ToolResult) -> set[str]:
    ids = {node for item in result.items for node in item.nodes}
    query = "MATCH (n) WHERE elementId(n) IN $ids RETURN n.collection AS collection"
    return {row["collection"] for row in raw.execute_query(query, ids=list(ids)).records}


ASKED = [
    ("lookup", "lookup_knowledge", {"entity": "the lamplighter"}),
    ("lookup-relation", "lookup_knowledge", {"entity": "Mara", "relation": "member of"}),
    ("lookup-ambiguous", "lookup_knowledge", {"entity": "Anna"}),
    ("lookup-unknown", "lookup_knowledge", {"entity": "Corvin Berg"}),
    ("connection", "find_connection", {"entity1": "Saltmere", "entity2": "the Captain"}),
    ("connection-none", "find_connection", {"entity1": "李明", "entity2": "Mara Venn"}),
    ("journey", "track_journey", {"entity": "Mara Venn"}),
    ("journey-target", "track_journey", {"entity": "Mara", "target": "Captain Corvin Hale"}),
    ("journey-dates", "track_journey", {"entity": "Li Ming"}),
    ("events", "get_character_events", {}),
    ("events-of", "get_character_events", {"entity": "the captain", "event_type": "Sacrifice"}),
]
IN_CHINESE = [
    ("zh/journey-chapter", "track_journey", {"entity": "Mara Venn", "chapter": "1-2"}),
    ("zh/events-of", "get_character_events", {"entity": "the captain", "event_type": "牺牲"}),
    ("zh/events-chapter", "get_character_events", {"chapter": "2"}),
]
ONLY_ENGLISH = ("lookup-relation", "journey-target", "journey-dates", "events-of")


@pytest.mark.parametrize(
    ("golden", "tool", "arguments"),
    ASKED + IN_CHINESE + [(f"zh/{name}", *asked) for name, *asked in ASKED if name not in ONLY_ENGLISH],
)
def test_what_a_person_reads(ports: ToolPorts, tools: Toolbox, golden: str, tool: str, arguments: dict):
    language = "zh" if golden.startswith("zh/") else ports.language
    text = tools.run(tool, arguments, replace(ports, language=language)).markdown + "\n"
    path = GOLDEN / f"{golden}.md"
    if os.environ.get("HOPLINE_TEST_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text("utf-8")


def test_an_event_type_is_found_however_the_graph_calls_it(raw, ports: ToolPorts, tools: Toolbox):
    collection = "test-story-types"
    made = (
        "UNWIND $kinds AS kind CREATE (:MajorEvent {name: kind, event_type: kind, collection: $collection})"
    )
    raw.execute_query(made, kinds=["牺牲", "Sacrifice", "loss", "Straße"], collection=collection)
    here, sacrifice = replace(ports, collection=collection), {"牺牲", "Sacrifice"}
    try:
        for event_type, found in (("牺牲", sacrifice), ("Sacrifice", sacrifice), ("straße", {"Straße"})):
            result = tools.run("get_character_events", {"event_type": event_type}, here)
            assert {item.values[1] for item in result.items} == found
    finally:
        raw.execute_query(FORGET, collection=collection)


def test_events_of_others_that_are_deleted_meanwhile_are_not_shown(raw, ports: ToolPorts, tools: Toolbox):
    made = "UNWIND range(1, 200) AS nth CREATE (:MajorEvent {name: 'An oath', collection: $collection})"
    stopped = threading.Event()

    def come_and_go() -> None:
        while not stopped.is_set():
            raw.execute_query(made, collection=ELSEWHERE + "-too")
            raw.execute_query(FORGET, collection=ELSEWHERE + "-too")

    with ThreadPoolExecutor(2) as pool:
        coming = [pool.submit(come_and_go) for _ in range(2)]
        try:
            seen = {len(tools.run("get_character_events", {}, ports).items) for _ in range(20)}
        finally:
            stopped.set()
        for future in coming:
            future.result(60)
    assert seen == {3}


def test_a_result_says_what_was_run_and_where_each_row_stands(ports, tools, raw):
    result = tools.run("lookup_knowledge", {"entity": "Mara Venn", "relation": "ENEMY_OF"}, ports)
    assert result.tool == "lookup_knowledge"
    assert result.arguments == {"entity": "Mara Venn", "relation": "ENEMY_OF", "limit": 20}
    _itself, item = result.items
    assert item.text == (
        "Mara Venn ENEMY_OF Corvin Hale (Character) "
        "(chapter: 2, order: 2, evidence: “She struck his hand from the wheel.”)"
    )
    assert dict(zip(result.columns, item.values, strict=True))["target"] == "Corvin Hale"
    query = (
        "MATCH (a)-[r]->(b) WHERE elementId(r) = $id "
        "RETURN elementId(a) AS a, elementId(b) AS b, type(r) AS t"
    )
    [record] = raw.execute_query(query, id=item.relationships[0]).records
    assert (record["a"], record["b"], record["t"]) == (*item.nodes, "ENEMY_OF")
    again = raw.execute_query(result.cypher, result.parameters).records
    assert [row["relationship"] for row in again] == list(item.relationships)


def test_names_of_any_script_and_aliases_are_found(ports, tools):
    for named, entities in {
        "Mara Venn": ["mara venn", "MARA", "瑪拉"],
        "李明": ["李明", "明哥", "li ming"],
        "홍길동": ["홍길동"],
        "Søren Weiß": ["Søren Weiß", "soren weiss", "łukasz", "Lukasz"],
        "ガイウス": ["ガイウス", "гай"],
        "Zoë Ångström": ["Zoe Angstrom", "zoë"],
        "The Lamplighters": ["Lamplighters"],
        "Keeper's `Lamp`": ["keeper's `lamp`"],
        "Mercury": ["Mercury (Place)"],
    }.items():
        for entity in entities:
            result = tools.run("lookup_knowledge", {"entity": entity}, ports)
            assert result.markdown.startswith(f"### {named} ("), entity
            assert not result.items or "taken for" not in result.note


def test_a_name_of_several_is_told_with_the_others(ports, tools):
    result = tools.run("lookup_knowledge", {"entity": "Mercury"}, ports)
    assert {candidate.shown for candidate in result.candidates} < {"Mercury (Item)", "Mercury (Place)"}
    assert "It may also mean: Mercury (" in result.note
    anna = tools.run("lookup_knowledge", {"entity": "Anna"}, ports)
    assert anna.markdown.startswith("### Anna Kurz (Character)")  # she has an alias, the other has none
    assert [candidate.shown for candidate in anna.candidates] == ["Anna Berg (Character)"]


def test_no_tool_shows_a_node_of_another_collection(ports, tools, raw):
    for name, arguments in (
        ("lookup_knowledge", {"entity": "Mara Venn"}),
        ("find_connection", {"entity1": "Mara Venn", "entity2": "Corvin Hale"}),
        ("track_journey", {"entity": "Mara Venn"}),
        ("get_character_events", {}),
    ):
        result = tools.run(name, arguments, ports)
        assert nodes_in(raw, result) == {HERE}
        assert "Secret" not in result.model_dump_json()
    for secret in ("Secret Corvin Hale", "Secret 李明"):
        result = tools.run("lookup_knowledge", {"entity": secret}, ports)
        assert "Secret" not in result.model_dump_json().replace(secret, "")


def test_a_bridge_between_collections_is_not_walked(ports, tools, raw):
    build = (
        "MATCH (a:Character {name: 'Anna Kurz', collection: $here}), (b:Character {name: 'Mara Venn', "
        "collection: $there}), (c:Character {name: 'Mara Venn', collection: $here}) "
        "CREATE (a)-[:KNOWS]->(b)-[:KNOWS]->(c)"
    )
    raw.execute_query(build, here=HERE, there=ELSEWHERE)
    result = tools.run("find_connection", {"entity1": "Anna Kurz", "entity2": "Mara Venn"}, ports)
    assert not result.items
    assert "There is no connection" in result.markdown
    assert [
        item.values[0] for item in tools.run("lookup_knowledge", {"entity": "Anna Kurz"}, ports).items
    ] == []


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_are_names(ports, tools, raw, hostile: str):
    counted = "MATCH (n) WHERE n.collection IN $mine RETURN count(n) AS nodes"
    mine = [HERE, ELSEWHERE]
    before = raw.execute_query(counted, mine=mine).records[0]["nodes"]
    for name, arguments in (
        ("lookup_knowledge", {"entity": hostile}),
        ("find_connection", {"entity1": hostile, "entity2": "Mara", "exclude": [hostile]}),
        ("track_journey", {"entity": "Mara", "target": hostile}),
        ("get_character_events", {"entity": hostile}),
    ):
        result = tools.run(name, arguments, ports)
        assert not result.items
        assert "No node is named" in result.note
    with pytest.raises(InvalidInput, match=r"relation.*must be one of: .*MEMBER_OF"):
        tools.run("lookup_knowledge", {"entity": "Mara", "relation": hostile}, ports)
    assert raw.execute_query(counted, mine=mine).records[0]["nodes"] == before


def test_a_cut_result_says_how_much_there_is(ports, tools):
    result = tools.run("lookup_knowledge", {"entity": "Mara Venn", "limit": 3}, ports)
    assert result.cut == "rows"
    assert "3 of 8 relations are shown." in result.note
    assert len({item.values[0] for item in result.items[1:]}) == 3  # of each type one
    assert tools.run("get_character_events", {"limit": 1}, ports).cut == "rows"
    assert tools.run("track_journey", {"entity": "Mara Venn", "limit": 1}, ports).cut == "rows"


def test_key_elements_are_entities_too_and_facts_are_no_relations(graph, raw, ports, tools):
    write(graph, HERE, "a", [("Marie Curie was born in Warsaw.", ["Marie Curie", "Warsaw"])])
    home, city = (made_element(HERE, name).id for name in ("Marie Curie", "Warsaw"))
    typed = (
        "MATCH (a:KeyElement {id: $home}), (b:KeyElement {id: $city}) "
        "SET a:Character CREATE (a)-[:BORN_IN {chapter: 1}]->(b)"
    )
    raw.execute_query(typed, home=home, city=city)
    ports.schema_source.schema(refresh=True)
    result = tools.run("lookup_knowledge", {"entity": "marie currie"}, ports)
    assert [item.values[0] for item in result.items if item.relationships] == ["BORN_IN"]
    assert result.markdown.startswith("### Marie Curie (Character)")
    assert "“marie currie” was taken for Marie Curie (Character)." in result.note
    assert nodes_in(raw, result) == {HERE}
    path = tools.run("find_connection", {"entity1": "Warsaw", "entity2": "Marie Curie"}, ports)
    assert [item.values[1] for item in path.items] == ["BORN_IN"]
    graph.store.delete_document(graph.store.documents(HERE)[0].id)


def test_the_client_runs_tools_over_real_servers(neo4j, raw):
    assert raw
    settings = Settings(
        _env_file=None,
        neo4j_url=neo4j.url,
        neo4j_user=neo4j.user,
        neo4j_password=SecretStr(neo4j.password),
        tool_packs="narrative",
    )
    with Hopline.local(settings) as client:
        ends = {"entity1": "Saltmere", "entity2": "the Captain"}
        result = client.tools.run("find_connection", ends, collection=HERE)
        assert result.markdown + "\n" == (GOLDEN / "connection.md").read_text("utf-8")
        nobody = client.tools.run("lookup_knowledge", {"entity": "Mara Venn"}, collection="test-no-such")
        assert nobody.is_empty
        assert "(:Character)-[:MEMBER_OF" in client.graph.schema().as_text()
