"""Packs of tools in files: what is shipped, what a user may write, and how mistakes are told."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from doubles.graph import MemoryGraph
from doubles.tooling import NAME, GivenRows, StandingSchema, node, ports_over

from hopline.errors import InvalidInput
from hopline.models.graph_schema import GraphSchema, Join, NodeKind, Property, RelationshipKind
from workers.core.errors import CypherRefused
from workers.tools.packs import load_toolbox, shipped
from workers.tools.toolbox import Toolbox

TOML = """
name = "friends_of"
description = "Whom somebody likes."
cypher = "friends.cypher"
heading = "Friends"
nothing = "No friends."

[parameters.who]
type = "node"
labels = ["Character"]
description = "name of the character"

[parameters.how]
type = "relation"
description = "which relation"
required = false

[parameters.mood]
type = "string"
description = "a mood"
allowed = ["good", "bad"]
default = "good"

[parameters.limit]
type = "integer"
description = "how many"
default = 5
minimum = 1
maximum = 9
"""
CYPHER = """// Returns friends.
MATCH (n)-[r]->(m) WHERE elementId(n) = $who AND coalesce(m.collection, $collection) = $collection
  AND ($how IS NULL OR type(r) = $how) AND m.mood = $mood
RETURN m.name AS friend, m.age AS age, [elementId(m)] AS _nodes, [elementId(r)] AS _relationships LIMIT $limit
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    (tmp_path / "friends.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "friends.cypher").write_text(CYPHER, encoding="utf-8")
    return tmp_path


def test_the_shipped_packs_load_and_take_the_place_of_what_they_tell_anew() -> None:
    assert shipped() == ["movies", "narrative"]
    plain, both = load_toolbox(""), load_toolbox(" movies, narrative ,movies")
    own = [tool.name for tool in plain]
    assert [tool.name for tool in both] == [*own, "movie_info_by_title", "movies_info_by_actor"]
    assert both["find_connection"].purpose != plain["find_connection"].purpose
    assert both["find_connection"].parameters == plain["find_connection"].parameters
    for description in both.descriptions():
        jsonschema.Draft202012Validator.check_schema(description["function"]["parameters"])
    assert both["movies_info_by_actor"].parameters["properties"]["limit"]["maximum"] == 100


FILMS = GraphSchema(
    nodes=(
        NodeKind(label="Movie", properties=(Property(name="title", types=("STRING",)),)),
        NodeKind(label="Person", properties=(NAME,)),
    ),
    relationships=(RelationshipKind(type="ACTED_IN", joins=(Join("Person", "Movie"),)),),
)
STORY = GraphSchema(
    nodes=(NodeKind(label="Character", properties=(NAME,)), NodeKind(label="MajorEvent", properties=(NAME,))),
    relationships=(RelationshipKind(type="EXPERIENCES", joins=(Join("Character", "MajorEvent"),)),),
)


def test_packs_switch_themselves_on_where_the_graph_has_what_they_need() -> None:
    tools, plain = load_toolbox(None), load_toolbox("")
    films = ports_over(GivenRows(), StandingSchema(FILMS))
    movies, narrative = tools.packs(films)
    assert (movies.on, movies.why) == (True, "The graph has Movie, Person, ACTED_IN.")
    assert not narrative.on
    assert narrative.why == (
        "The graph lacks nodes labelled Character, nodes labelled MajorEvent, "
        "EXPERIENCES from Character to MajorEvent."
    )
    assert {"movie_info_by_title", "movies_info_by_actor"} <= {tool.name for tool in tools.over(films)}
    assert tools.over(films)["track_journey"].purpose == plain["track_journey"].purpose
    story = ports_over(GivenRows(), StandingSchema(STORY))
    assert "movie_info_by_title" not in tools.over(story)
    assert tools.over(story)["track_journey"].purpose != plain["track_journey"].purpose
    assert [tool.name for tool in tools.over(ports_over(GivenRows()))] == [tool.name for tool in plain]


@pytest.mark.parametrize("typed", [STORY, None])
def test_over_hoplines_own_graph_a_pack_goes_by_what_the_collection_has(typed: GraphSchema | None) -> None:
    own = STORY.model_copy(update={"nodes": (*STORY.nodes, NodeKind(label="Migration"))})
    _movies, narrative = load_toolbox(None).packs(ports_over(GivenRows(), StandingSchema(own, typed)))
    assert narrative.on is (typed is not None)


TITLELESS = {"nodes": (NodeKind(label="Movie"), FILMS.nodes[1])}
BACKWARDS = {"relationships": (RelationshipKind(type="ACTED_IN", joins=(Join("Movie", "Person"),)),)}


@pytest.mark.parametrize(
    ("changed", "lacks"), [(TITLELESS, "title of Movie"), (BACKWARDS, "ACTED_IN from Person to Movie")]
)
def test_a_pack_says_which_property_or_direction_it_lacks(changed: dict[str, Any], lacks: str) -> None:
    schema = FILMS.model_copy(update=changed)
    movies, _narrative = load_toolbox(None).packs(ports_over(GivenRows(), StandingSchema(schema)))
    assert (movies.on, lacks in movies.why) == (False, True)


def test_a_tool_of_a_pack_that_is_off_says_what_the_graph_lacks() -> None:
    tools, reader = load_toolbox(None), GivenRows()
    with pytest.raises(CypherRefused, match="movies, which is off: The graph lacks nodes labelled Movie"):
        tools.run("movies_info_by_actor", {"actor": "Ada"}, ports_over(reader))
    assert reader.asked == []
    assert tools.run("respond", {"answer": "Hello."}, ports_over(reader)).markdown == "Hello."


def test_a_setting_decides_on_packs_whatever_the_graph_has() -> None:
    films = ports_over(GivenRows(), StandingSchema(FILMS))
    for packs, on in (("", []), ("narrative", ["narrative"]), ("movies,narrative", ["movies", "narrative"])):
        tools = load_toolbox(packs)
        assert not tools.depends_on_graph
        assert [tool.name for tool in tools.named if tool.on] == on
        assert ("movie_info_by_title" in tools.over(films)) is ("movies" in on)


NODES = """
name = "films"
description = "What is known of films."
cypher = "films.cypher"

[parameters.title]
type = "nodes"
labels = ["Movie"]
description = "a title"
"""


@pytest.fixture
def films(tmp_path: Path) -> Toolbox:
    """Tools with one that takes all nodes that a title may mean."""
    (tmp_path / "films.toml").write_text(NODES, encoding="utf-8")
    (tmp_path / "films.cypher").write_text(
        "MATCH (m) WHERE elementId(m) IN $title AND coalesce(m.collection, $collection) = $collection\n"
        "RETURN m.title AS title",
        encoding="utf-8",
    )
    return load_toolbox(str(tmp_path))


def movies(**scores: float) -> list[dict[str, Any]]:
    return [node(title.replace("_", " "), "Movie", score=score) for title, score in scores.items()]


def test_a_name_that_fits_several_nodes_gives_their_ids_best_first(films: Toolbox) -> None:
    held = movies(Dusk_Two=0.9, Dusk=0.1, Dawn=0.5, The_Dusk=0.2)
    for title, taken in (("the dusk", ["The Dusk"]), ("A Dusk", ["The Dusk", "Dusk", "Dusk Two"])):
        reader = GivenRows(looked_at=held, elementId=[{"title": "x"}])
        result = films.run("films", {"title": title}, ports_over(reader, StandingSchema(FILMS)))
        assert reader.asked[-1][1]["title"] == [f"id of {name} ('Movie',)" for name in taken]
        left = [candidate.name for candidate in result.candidates]
        assert sorted([*taken, *left]) == ["Dawn", "Dusk", "Dusk Two", "The Dusk"]
        assert "Less near: " in result.note


def test_what_a_name_was_taken_for_is_said_in_the_language_of_the_question(films: Toolbox) -> None:
    held = movies(The_Dusk=0.5, Dusk_Two=0.5, Dawn=0.5)
    for title, nodes, note in (
        ("dusk", held, "“dusk”对应 2 个节点，按相符程度排列。不太相近的：Dawn (Movie)。"),
        ("two", held[1:2], "“two”被当作Dusk Two (Movie)。"),
        ("Xyz", held[2:], "没有名为“Xyz”的节点。相近的名称：Dawn (Movie)。"),
    ):
        reader = GivenRows(looked_at=nodes, elementId=[{"title": "x"}])
        ports = replace(ports_over(reader, StandingSchema(FILMS)), language="zh")
        assert films.run("films", {"title": title}, ports).note == note


def test_a_tool_of_a_file_runs_its_cypher_with_names_resolved(pack: Path) -> None:
    row = {"friend": "Bo", "age": 7, "_nodes": ["n2"], "_relationships": ["r1"]}
    reader = GivenRows(looked_at=[node("Ada")], mood=[row])
    asked = {"who": "ada", "how": "friend of", "limit": "2"}
    result = load_toolbox(str(pack)).run("friends_of", asked, ports_over(reader))
    text, parameters = reader.asked[-1]
    assert text == CYPHER.partition("\n")[2].strip()
    named = {"who": "id of Ada ('Character',)", "how": "FRIEND_OF", "mood": "good"}
    assert parameters == {**named, "limit": 2, "collection": "demo"}
    assert (result.columns, result.rows) == (("friend", "age"), (("Bo", 7),))
    assert result.items[0].nodes == ("n2", "id of Ada ('Character',)")
    assert result.items[0].relationships == ("r1",)
    assert result.markdown == "### Friends\n\n- Bo · age: 7"
    assert (result.cypher, result.parameters) == (text, parameters)


@pytest.mark.parametrize(("label", "own"), [("Migration", True), ("Town", False)])
def test_a_shipped_tool_keeps_to_a_collection_in_hoplines_own_database_alone(label: str, own: object) -> None:
    kinds = (NodeKind(label="Person", properties=(NAME,)), NodeKind(label=label))
    reader = GivenRows(looked_at=[node("Ada", "Person")])
    ports = replace(ports_over(reader, StandingSchema(GraphSchema(nodes=kinds))), graph=MemoryGraph())
    load_toolbox("movies").run("movies_info_by_actor", {"actor": "Ada"}, ports)
    text, parameters = reader.asked[-1]
    assert "NOT $own OR coalesce(m.collection, $collection) = $collection" in text
    assert (parameters["own"], parameters["collection"]) == (own, "demo")


def test_a_tool_of_a_file_says_when_nothing_is_found_or_nobody_is_meant(pack: Path) -> None:
    tools = load_toolbox(str(pack))
    reader = GivenRows(looked_at=[node("Ada")])
    result = tools.run("friends_of", {"who": "ada"}, ports_over(reader))
    assert (result.markdown, result.is_empty) == ("No friends.", True)
    unknown = tools.run("friends_of", {"who": "Bo"}, ports_over(reader))
    assert (unknown.cypher, unknown.note) == (None, "No node is named “Bo”. Similar names: Ada (Character).")


@pytest.mark.parametrize(("arguments", "says"), [
    ({}, "who is missing; give name of the character"),
    ({"who": "x", "mood": "so so"}, "mood is 'so so', but must be 'good' or 'bad'"),
    ({"who": "x", "limit": 10}, "limit is 10"),
    ({"who": "x", "collection": "other"}, "collection is 'other', but must be one of: how, limit"),
])  # fmt: skip
def test_arguments_of_a_tool_of_a_file_are_checked(pack: Path, arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidInput, match=says):
        load_toolbox(str(pack)).run("friends_of", arguments, ports_over(GivenRows()))


NAMED, HOW, FILE = 'name = "friends_of"', "[parameters.how]", "friends.cypher"


@pytest.mark.parametrize(("old", "new", "says"), [
    (NAMED, "", "friends.toml: name is missing; give a value"),
    (NAMED, 'name = "Friends of"', "friends.toml: name is 'Friends of'"),
    (NAMED, 'name = "respond"', "a name that none of hopline"),
    ('heading = "Friends"', 'color = "red"', "friends.toml: color is 'red', but must be one of: cypher"),
    ('type = "relation"', 'type = "edge"', "parameters.how.type is 'edge', but must be 'string', 'int"),
    ("default = 5", "default = 50", "parameters.limit.default is 50, but must be less than or equal"),
    ("default = 5", 'default = "x"', "parameters.limit.default is 'x', but must be a valid integer"),
    ("maximum = 9", "maximum = 9\nmost = 1", "parameters.limit.most is 1, but must be left out"),
    (FILE, "../friends.cypher", "cypher is '../friends.cypher', but must be the name of a file"),
    (FILE, "none.cypher", "cypher is 'none.cypher', but must be the name of a file beside"),
    (HOW, "[parameters.why]", r"cypher is '\$how', but must be one of: \$collection"),
    (HOW, "[parameters.collection]", "collection is 'collection', but must be another name"),
    (HOW, "[parameters.own]", "own is 'own', but must be another name"),
    (f'cypher = "{FILE}"', 'tool = "look"', "heading is 'Friends', but must be one of: defaults"),
    ("[parameters.who]", "[parameters.who", "not TOML in UTF-8"),
])  # fmt: skip
def test_a_mistake_in_a_file_is_told_with_file_field_value_and_what_is_allowed(pack, old, new, says):
    (pack / "friends.toml").write_text(TOML.replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidInput, match=says) as raised:
        load_toolbox(str(pack))
    assert "friends.toml" in str(raised.value)


def test_cypher_that_knows_no_collection_is_refused(pack: Path) -> None:
    (pack / "friends.cypher").write_text("MATCH (n) RETURN n.name AS name", encoding="utf-8")
    with pytest.raises(InvalidInput, match="keeps to one collection"):
        load_toolbox(str(pack))
    (pack / "friends.cypher").write_text("// only said: $collection", encoding="utf-8")
    with pytest.raises(InvalidInput, match="a file with Cypher"):
        load_toolbox(str(pack))


CONNECTION = 'tool = "find_connection"\ndescription = "x"\n'


@pytest.mark.parametrize(("text", "says"), [
    ('tool = "look"\ndescription = "x"', "tool is 'look', but must be one of: lookup_knowledge"),
    ('tool = "respond"', "description is missing"),
    (f"{CONNECTION}defaults = {{max_hops = 9}}", "defaults.max_hops is 9, but must be less than"),
    (f"{CONNECTION}defaults = {{hops = 2}}", "defaults.hops is 2, but must be a default for one of: entity1"),
])  # fmt: skip
def test_a_mistake_in_what_tells_an_own_tool_anew_is_told(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=says):
        load_toolbox(str(tmp_path))


def test_an_own_tool_may_have_another_name_and_other_defaults(tmp_path: Path) -> None:
    text = f'{CONNECTION}name = "how_known"\n[defaults]\nmax_hops = 2\nexclude = []'
    (tmp_path / "own.toml").write_text(text, encoding="utf-8")
    tools, both = load_toolbox(str(tmp_path)), {"entity1": "a", "entity2": "b"}
    assert tools["how_known"].parse(both).model_dump() == {**both, "max_hops": 2, "exclude": ()}
    assert tools["how_known"].parameters["properties"]["max_hops"]["default"] == 2
    assert tools["find_connection"].parse(both).max_hops == 4
    assert tools.run("how_known", both, ports_over(GivenRows())).tool == "how_known"


@pytest.mark.parametrize(("place", "says"), [
    ("nowhere", "tool_packs is 'nowhere', but must be a folder, or one of: movies"),
    ("{empty}", r"a folder that holds a \.toml file per tool"),
    ("{twice}", r"friends.toml: name is 'friends_of', but must be a name that .*again"),
])  # fmt: skip
def test_a_folder_that_is_none_or_has_no_tool_or_two_of_one_name_is_refused(pack, place, says):
    (pack / "again.toml").write_text(TOML, encoding="utf-8")
    (pack / "empty").mkdir()
    with pytest.raises(InvalidInput, match=says):
        load_toolbox(place.format(empty=pack / "empty", twice=pack))
