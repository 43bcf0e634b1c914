"""What a tool tells a model, what it refuses, and that what it shows is harmless."""

import re
from dataclasses import replace

import jsonschema
import pytest
from doubles.documents import CURIE, WARSAW, write
from doubles.graph import MemoryGraph
from doubles.library import ScriptedModel
from doubles.tooling import SCHEMA, GivenRows, StandingSchema, node, ports_over
from doubles.vectors import MemoryVectors

from hopline.errors import InvalidInput
from hopline.models.graph_schema import NodeKind
from workers.core.errors import CypherTooLong
from workers.tools.lines import inline, natural
from workers.tools.surroundings import around, to_begin_with
from workers.tools.tool import ToolPorts
from workers.tools.toolbox import Toolbox

RELATION = {
    "relationship": "r1",
    "relation": "FRIEND_OF",
    "outgoing": True,
    "told": {"chapter": "Part 2", "evidence": "They\n\nmet.\x1b[31m"},
    "other": {"id": "n2", "labels": ["Character"], "name": "# Bo\n\n## Ignore", "aliases": None},
}


EVENTFUL = SCHEMA.model_copy(update={"nodes": (*SCHEMA.nodes, NodeKind(label="MajorEvent"))})


def test_the_tools_are_told_as_a_chat_request_takes_them() -> None:
    names = ["lookup_knowledge", "find_connection", "track_journey", "get_character_events", "search_memory"]
    functions = {described["function"]["name"]: described for described in Toolbox().descriptions()}
    assert list(functions) == [*names, "text2cypher", "respond"]
    for description in functions.values():
        assert description["type"] == "function"
        schema = description["function"]["parameters"]
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False
        assert all(field["description"] for field in schema["properties"].values())
        assert 20 < len(description["function"]["description"]) < 400
    lookup = functions["lookup_knowledge"]["function"]["parameters"]
    assert lookup["required"] == ["entity"]
    assert lookup["properties"]["relation"]["type"] == "string"  # that it may be null says nothing


@pytest.mark.parametrize(("tool", "arguments", "says"), [
    ("lookup", {}, "there is no tool 'lookup'; there are: find_connection, "),
    ("lookup_knowledge", {}, r"entity is missing; give name or alias of the entity \(required\)"),
    ("lookup_knowledge", {"entity": "  "}, "entity is '  '"),
    ("lookup_knowledge", {"entity": "x" * 401}, "entity is 'xxx"),
    ("lookup_knowledge", {"entity": "x", "limit": "many"}, "limit is 'many'"),
    ("lookup_knowledge", {"entity": "x", "hops": 1}, "hops is 1, but must be one of: entity, limit"),
    ("find_connection", {"entity1": "x", "entity2": "y", "max_hops": 7}, "max_hops is 7"),
    ("get_character_events", {"chapter": "5-3"}, "chapter is '5-3'"),
    ("respond", {"answer": 5}, "answer is 5"),
])  # fmt: skip
def test_wrong_arguments_are_refused_with_what_is_allowed(tool: str, arguments: dict, says: str) -> None:
    reader = GivenRows()
    with pytest.raises(InvalidInput, match=says):
        Toolbox().run(tool, arguments, ports_over(reader))
    assert not reader.asked


def test_arguments_may_be_typed_as_people_type_them() -> None:
    typed = {"entity1": " a ", "entity2": "b", "max_hops": "3", "exclude": "Region, Nation,"}
    parsed = Toolbox()["find_connection"].parse({**typed, "relation": None})
    meant = {"entity1": "a", "entity2": "b", "max_hops": 3, "exclude": ("Region", "Nation")}
    assert parsed.model_dump() == meant


def test_people_look_at_no_more_of_a_graph_than_they_are_shown_and_wait_for_one_query_at_most() -> None:
    counted = SCHEMA.model_copy(update={"label_counts": {"Character": 2, "Place": 1}})
    reader = GivenRows(**{"COUNT {": CypherTooLong("long")})
    ports = ports_over(reader, StandingSchema(counted))
    opening = to_begin_with(ports)
    assert (opening.label_counts, opening.nodes) == (counted.label_counts, ())
    assert len(reader.asked) == 1
    reader.rows = {"-[r]-": [RELATION, {**RELATION, "relationship": "r2"}], "elementId(n)": [node("Ada")]}
    shown = around(ports, 1, node="n1")
    assert (len(shown.relationships), shown.more, reader.asked[-1][1]["scanned"]) == (1, True, 2)


def test_respond_says_what_it_is_given() -> None:
    result = Toolbox().run("respond", {"answer": " You are welcome. "}, ports_over(GivenRows()))
    assert result.markdown == "You are welcome."
    assert (result.items, result.cypher, result.is_empty) == ((), None, False)


def test_text_of_a_graph_stays_on_its_line_and_moves_no_cursor() -> None:
    reader = GivenRows(looked_at=[node("Ada")], outgoing=[RELATION])
    result = Toolbox().run("lookup_knowledge", {"entity": "Ada"}, ports_over(reader))
    assert result.markdown.splitlines() == [
        "### Ada (Character)",
        "",
        "1 relation was found.",
        "",
        "- FRIEND_OF → **# Bo ## Ignore** (Character) · chapter: Part 2, evidence: “They met. [31m”",
    ]
    assert len(inline("x" * 10_000)) == 600


def event(name: str, told: dict[str, object]) -> dict[str, object]:
    return {"event": name, "told": {"name": "Oath", **told}, "participants": []}


def over(relations: list[dict[str, object]], events: list[dict[str, object]], **more: object) -> ToolPorts:
    """Return ports over a graph with these relations of Ann and these events."""
    rows = {"names_scanned": [node("Ann")], "(n:": [node("Ann"), node("Bo")], "(e:MajorEvent)": events}
    return ports_over(GivenRows(**rows, **more, **{"-[r]-": relations}), StandingSchema(EVENTFUL))


OF_ANN = [
    ("lookup_knowledge", {"entity": "Ann"}),
    ("track_journey", {"entity": "Ann"}),
    ("get_character_events", {}),
]


def test_a_relation_from_a_document_says_which_sentence_and_people_are_spared_the_ids() -> None:
    source = {"fact_id": "f1", "chunk_id": "c1", "document_id": "d1"}
    foreign = {**RELATION, "told": {"document_id": "contract 7"}}
    steps = [{"id": name, "labels": [], "name": name} for name in ("Ann", "Bo")]
    path = {"steps": steps, "hops": [{"id": "r1", "type": "FRIEND_OF", "start": "Ann", "told": source}]}
    relations = [{**RELATION, "told": {**RELATION["told"], **source}}, foreign]
    ports = over(relations, [event("n3", source)], SHORTEST=[path])
    for tool, arguments in (*OF_ANN, ("find_connection", {"entity1": "Ann", "entity2": "Bo"})):
        result = Toolbox().run(tool, arguments, ports)
        item = result.items[0]
        assert (item.fact_id, item.chunk_id) == ("f1", "c1"), tool
        assert not {"f1", "c1", "d1"} & set(re.findall(r"\w+", result.markdown + item.text))
    [_cited, other] = Toolbox().run("lookup_knowledge", {"entity": "Ann"}, ports).items
    assert (other.fact_id, other.chunk_id) == (None, None)
    assert "document_id: contract 7" in other.text


def test_what_two_chunks_of_a_chapter_state_of_one_fact_is_told_once() -> None:
    def source(chunk: str, chapter: int, order: int = 1) -> dict[str, object]:
        return {"fact_id": "f1", "chunk_id": chunk, "document_id": "d1", "chapter": chapter, "order": order}

    places = [source("c2", 1), source("c1", 1, order=0), source("c3", 2)]
    relations = [{**RELATION, "relationship": f"r{n}", "told": place} for n, place in enumerate(places)]
    ports = over(relations, [event(f"n{n}", place) for n, place in enumerate(places)])
    for tool, arguments in OF_ANN:
        result = Toolbox().run(tool, arguments, ports)
        assert [item.chunk_id for item in result.items] == ["c1", "c3"], tool
        assert "shown" not in result.note


def test_what_takes_too_long_is_for_the_caller_to_know() -> None:
    reader = GivenRows(looked_at=[node("Ada"), node("Bo")], SHORTEST=CypherTooLong("10 s"))
    with pytest.raises(CypherTooLong):
        Toolbox().run("find_connection", {"entity1": "Ada", "entity2": "Bo"}, ports_over(reader))


def test_one_entity_under_two_names_is_not_connected_with_itself() -> None:
    reader = GivenRows(looked_at=[node("Ada", aliases=["Countess"])])
    result = Toolbox().run("find_connection", {"entity1": "Ada", "entity2": "countess"}, ports_over(reader))
    assert result.markdown == "Both names mean Ada (Character)."
    assert result.is_empty


def test_what_the_schema_lacks_is_looked_for_in_a_new_one_before_it_is_said() -> None:
    schema = StandingSchema()
    ports = ports_over(GivenRows(), schema)
    with pytest.raises(InvalidInput, match="relation is 'KNOWS', but must be one of: FRIEND_OF"):
        Toolbox().run("lookup_knowledge", {"entity": "Ada", "relation": "KNOWS"}, ports)
    assert schema.refreshed == 1
    result = Toolbox().run("get_character_events", {}, ports)
    assert result.markdown == "This graph has no major events."
    assert (result.is_empty, schema.refreshed) == (True, 2)


def test_search_memory_brings_facts_with_their_places_and_says_what_it_did_without() -> None:
    graph = MemoryGraph()
    write(graph, "demo", "radium", [CURIE, WARSAW])
    model = ScriptedModel()
    ports = replace(ports_over(GivenRows()), graph=graph, vectors=MemoryVectors(), model=model)
    result = Toolbox().run("search_memory", {"question": "Where was Marie Curie born?"}, ports)
    assert result.found is not None
    [chunk] = result.found.chunks
    assert result.items[0].text == CURIE[0]
    assert dict(zip(result.columns, result.items[0].values, strict=True))["chunk"] == chunk.chunk.id
    assert result.markdown.startswith("### What the documents say\n\n1. **Radium**, characters 0 to ")
    assert CURIE[0] in result.markdown
    nothing = Toolbox().run("search_memory", {"question": "?"}, replace(ports, collection="empty"))
    assert nothing.is_empty
    assert nothing.markdown.startswith("No document speaks of that.")


def test_search_memory_also_searches_in_the_languages_that_a_model_or_a_person_gives() -> None:
    graph, question = MemoryGraph(), {"question": "Wo wurde die Forscherin geboren?"}
    write(graph, "demo", "radium", [WARSAW])
    ports = replace(ports_over(GivenRows()), graph=graph, vectors=MemoryVectors(), model=ScriptedModel())
    assert Toolbox().run("search_memory", question, ports).is_empty
    for given in (["Vistula Warsaw"], "Vistula Warsaw"):
        result = Toolbox().run("search_memory", question | {"translations": given}, ports)
        assert [item.text for item in result.items] == [WARSAW[0]]


def test_chapters_sort_as_people_count() -> None:
    chapters = ["10", 2, "1", None, "Chapter 3", "2.10", "2.9", 1.5]
    assert sorted(chapters, key=natural) == ["1", 1.5, 2, "2.9", "2.10", "10", "Chapter 3", None]
