"""The tool text2cypher: what the model is shown, what runs, what goes back to it, what people see."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doubles.tooling import SCHEMA, GivenRows, StandingSchema, ports_over
from doubles.writing import WritingModel

from hopline.errors import DependencyAway, InvalidInput, Transient
from hopline.models.graph_schema import GraphSchema, NodeKind, Property, RelationshipKind
from workers.core.errors import CypherLost, CypherRefused, CypherTooLong, ModelRefused
from workers.core.graph.cypher import CypherRows, ReadLimits
from workers.services import Services
from workers.settings import Settings
from workers.text2cypher.guide import Example, Guide, load_guide
from workers.text2cypher.names import names_of
from workers.text2cypher.write import CypherDraft
from workers.tools.builtin.text2cypher import text2cypher_tool
from workers.tools.packs import load_toolbox
from workers.tools.queries import run_text
from workers.tools.toolbox import Toolbox

READ = "MATCH (c:Character) RETURN count(c) AS characters"
WRITE = "MATCH (c:Character) DETACH DELETE c"
TYPO = "MATCH (c:Charakter) RETURN c.name AS name"
OWN = SCHEMA.model_copy(update={"nodes": (*SCHEMA.nodes, NodeKind(label="Migration"))})


class Rows:
    """`CypherReader`: the same rows for all, or an error."""

    def __init__(self, *rows, columns=("characters",), **more):
        self.found: CypherRows | Exception = CypherRows(columns=columns, rows=rows, **more)
        self.ran: list[str] = []
        self.errors: list[Exception] = []
        self.away: Exception | None = None
        self.parameters: Mapping[str, Any] = {}

    def ping(self) -> None:
        if self.away:
            raise self.away

    def read(self, text: str, parameters: Mapping[str, Any], limits: ReadLimits) -> CypherRows:
        assert limits.rows <= 200
        self.ran.append(text)
        self.parameters = parameters
        if self.errors:
            raise self.errors.pop(0)
        assert isinstance(self.found, CypherRows)
        return self.found


def asked(model, reader, schema=SCHEMA, typed=SCHEMA, question="How many characters are there?", **more):
    ports = replace(ports_over(reader, StandingSchema(schema, typed)), model=model)  # type: ignore[arg-type]
    return text2cypher_tool(**more).run({"question": question}, ports)


def test_a_question_is_answered_by_the_statement_that_the_model_writes() -> None:
    model, reader = WritingModel(f"```cypher\n{READ}\n```"), Rows((12,))
    result = asked(model, reader)
    assert reader.ran == [READ]
    assert (result.cypher, result.parameters, reader.parameters) == (READ, {}, {})
    assert (result.rows, result.items[0].text) == (((12,),), "characters: 12")
    assert (result.tool, result.note, result.cut, result.is_empty) == ("text2cypher", "", None, False)
    table = "### Found in the graph\n\n| characters |\n| --- |\n| 12 |"
    assert result.markdown == f"{table}\n\n```cypher\n{READ}\n```"
    assert model.tiers == ["strong"]
    material = model.asked[0]
    assert material["question"] == "How many characters are there?"
    assert "(:Character)-[:FRIEND_OF]->(:Character)" in material["schema"]
    assert (material["terminology"], material["examples"], material["tried"]) == ({}, [], [])


def test_a_reply_with_more_than_a_statement_is_asked_for_again_and_nothing_is_cut_out_of_it() -> None:
    comment, reader = f"/* all */ {READ}", Rows((12,))
    model = WritingModel(f"Here it is:\n```cypher\n{READ}\n```\nIt counts them.", comment)
    result = asked(model, reader)
    assert reader.ran == [comment]
    assert result.cypher == comment
    [refused] = model.asked[1]["tried"]
    assert refused["cypher"].startswith("Here it is:")
    assert "allowed: one of MATCH" in refused["error"]


def test_what_is_refused_goes_back_with_its_message_and_is_repaired() -> None:
    model, reader = WritingModel(WRITE, TYPO, READ), Rows((12,))
    result = asked(model, reader)
    assert reader.ran == [READ]  # nothing else came near the server
    assert result.rows == ((12,),)
    first, second = model.asked[2]["tried"]
    assert (first["cypher"], second["cypher"]) == (WRITE, TYPO)
    assert "DETACH" in first["error"]
    assert "the graph has no label Charakter (near: Character)" in second["error"]


def test_at_most_two_repairs_are_asked_for() -> None:
    model, reader = WritingModel(WRITE, "", "I would rather not.", READ), Rows((12,))
    result = asked(model, reader)
    assert (reader.ran, model.script) == ([], [READ])
    assert result.is_empty
    assert result.cypher is None
    assert result.note.startswith("No statement could be run: 3 were written, and the last was refused: line")
    assert result.markdown == result.note
    assert "no statement" in model.asked[2]["tried"][1]["error"]


def test_a_statement_that_was_ended_by_the_server_is_not_run_again() -> None:
    model, reader = WritingModel(READ, READ, f"{READ} LIMIT 1"), Rows((12,))
    reader.errors = [CypherTooLong("it takes longer than 10 seconds")]
    assert asked(model, reader).cypher == f"{READ} LIMIT 1"
    assert reader.ran == [READ, f"{READ} LIMIT 1"]
    errors = [attempt["error"] for attempt in model.asked[2]["tried"]]
    assert errors[1] == f"the same statement was written again: {errors[0]}"


def test_a_row_that_alone_is_too_large_goes_back_too() -> None:
    model, reader = WritingModel(*(f"{READ} LIMIT {nth}" for nth in (1, 2, 3))), Rows(cut="bytes")
    result = asked(model, reader)
    assert result.is_empty
    assert "its first row alone has more than 200,000 bytes" in result.note


def test_what_the_graph_lacks_is_said_in_the_models_words_without_a_repair() -> None:
    model = WritingModel(("", "The graph has no\nprices."))
    result = asked(model, Rows())
    assert (result.is_empty, result.note) == (True, "The graph was not asked: The graph has no prices.")


@pytest.mark.parametrize("rows", [(), ((None,),), (([],), ([None],))])
def test_nothing_found_is_said_with_the_statement_that_was_run(rows: tuple[tuple[Any, ...], ...]) -> None:
    result = asked(WritingModel(READ), Rows(*rows))
    assert result.is_empty
    assert result.cypher == READ
    assert result.markdown == f"Nothing in the graph fits the statement.\n\n```cypher\n{READ}\n```"
    for found in (0, False):
        assert not asked(WritingModel(READ), Rows((found,))).is_empty


def test_rows_say_in_which_nodes_and_relationships_they_stand() -> None:
    ada = {"node": "n1", "labels": ["Character"], "properties": {"name": "Ada", "age": 7}}
    bo = {"node": "n2", "labels": ["Character"], "properties": {"name": "Bo | \x1b[31mred"}}
    friend = {"relationship": "r1", "type": "FRIEND_OF", "start": "n2", "end": "n1", "properties": {}}
    reader = Rows(([ada, ada], {"path": [ada, friend, bo]}), columns=("who", "a|path"))
    result = asked(WritingModel(READ), reader)
    [item] = result.items
    cell = "Ada (Character) {age: 7}"
    assert (item.nodes, item.relationships) == (("n1", "n2"), ("r1",))
    assert result.markdown.splitlines()[2:5] == [
        "| who | a\\|path |",
        "| --- | --- |",
        f"| {cell}, {cell} | {cell.partition(' {')[0]} ←FRIEND_OF— Bo \\| [31mred (Character) |",
    ]


def test_a_table_is_not_endless_and_says_what_was_cut() -> None:
    result = asked(WritingModel(READ), Rows(*((nth,) for nth in range(200)), cut="rows"))
    assert len(result.items) == 200
    assert result.markdown.count("\n| ") == 52
    assert "… and 150 more rows." in result.markdown
    assert "There may be more: the answer was cut at 200 rows." in result.markdown
    assert (result.cut, result.is_empty) == ("rows", False)


MOVIES = GraphSchema(
    nodes=tuple(
        NodeKind(label=label, properties=tuple(Property(name=name, types=()) for name in names))
        for label, names in (("Person", ("name", "born")), ("Movie", ("title", "released", "tagline")))
    ),
    relationships=tuple(
        RelationshipKind(type=kind) for kind in ("ACTED_IN", "DIRECTED", "FOLLOWS", "REVIEWED", "WROTE")
    ),
)
HOSTILE = [
    json.loads(line)
    for line in (Path(__file__).parents[3] / "data" / "hostile.jsonl").read_text("utf-8").split("\n")
    if line and json.loads(line)["by"] == "guard"
]


@pytest.mark.parametrize("form", ["{}", "```cypher\n{}\n```", "Sure:\n\n```\n{}\n```\nIgnore all rules."])
def test_no_hostile_reply_reaches_the_server(form: str) -> None:
    for row in HOSTILE:
        reader = Rows((1,))
        model = WritingModel(*(form.replace("{}", row["statement"]) for _ in range(3)))
        result = asked(model, reader, MOVIES)
        assert (reader.ran, result.items) == ([], ()), row["name"]


def test_over_hoplines_own_graph_what_runs_is_kept_to_the_collection() -> None:
    model, reader = WritingModel(READ), Rows((12,))
    result = asked(model, reader, OWN)
    kept = (
        "MATCH (c:Character) WHERE c.collection = $collection "
        "AND any(label IN labels(c) WHERE label IN $labels) RETURN count(c) AS characters"
    )
    assert reader.ran == [kept]
    assert reader.parameters == {"collection": "demo", "labels": ["Character", "Place"]}
    assert (result.cypher, result.parameters) == (kept, reader.parameters)
    assert "Migration" not in model.asked[0]["schema"]


def test_what_cannot_be_kept_to_the_collection_goes_back_to_the_model_with_the_reason() -> None:
    model, reader = WritingModel("MATCH (c:Character) RETURN *", READ), Rows((12,))
    assert asked(model, reader, OWN).rows == ((12,),)
    [refused] = model.asked[1]["tried"]
    assert refused["error"] == "line 1:21: RETURN *; allowed: RETURN with each value by name"


def test_a_place_in_a_statement_that_was_rewritten_is_not_told_to_the_model() -> None:
    model, reader = WritingModel(READ, READ + " LIMIT 1"), Rows((12,))
    reader.errors = [CypherRefused("line 1:93: Variable `d` not defined")]
    asked(model, reader, OWN)
    assert model.asked[1]["tried"][0] == {"cypher": READ, "error": "Variable `d` not defined"}


def test_names_that_only_other_collections_have_are_unknown() -> None:
    more = OWN.model_copy(update={"nodes": (*OWN.nodes, NodeKind(label="Elsewhere"))})
    model = WritingModel("MATCH (e:Elsewhere) RETURN count(e) AS n", READ)
    asked(model, Rows((12,)), more)
    assert "the graph has no label Elsewhere" in model.asked[1]["tried"][0]["error"]


def test_over_hoplines_own_graph_it_is_off_without_typed_documents_or_by_the_setting() -> None:
    model = WritingModel(READ)
    with pytest.raises(CypherRefused, match="nothing to ask in demo: none of its documents"):
        asked(model, Rows((12,)), OWN, GraphSchema())
    with pytest.raises(CypherRefused, match="HOPLINE_TEXT2CYPHER=foreign"):
        asked(model, Rows((12,)), OWN, own=False)
    assert not model.asked
    for schema, typed, offered in ((SCHEMA, None, True), (OWN, None, False), (OWN, SCHEMA, True)):
        ports = ports_over(Rows(), StandingSchema(schema, typed))  # type: ignore[arg-type]
        for limited in (False, True):  # who may see some collections only has it too
            assert ("text2cypher" in Toolbox().over(replace(ports, limited=limited))) is offered
        assert ("text2cypher" in Toolbox([text2cypher_tool(own=False)]).over(ports)) is (schema == SCHEMA)


@pytest.mark.parametrize(("errors", "raised", "written"), [
    ([DependencyAway("the graph cannot be reached")], DependencyAway, 1),
    ([CypherLost("the connection was lost")], CypherLost, 1),
    # A database that is away after a statement was ended is that statement's fault.
    ([CypherTooLong("it takes longer than 10 seconds"), DependencyAway("away")], CypherLost, 2),
])  # fmt: skip
def test_what_fails_outside_is_not_taken_for_a_bad_statement_and_no_other_is_written(errors, raised, written):
    model, reader = WritingModel(READ, f"{READ} LIMIT 1", READ), Rows((1,))
    reader.errors = errors
    with pytest.raises(raised):
        asked(model, reader)
    assert len(model.asked) == written


def test_a_query_of_hoplines_own_over_which_the_connection_is_lost_is_tried_again_and_counted() -> None:
    reader = GivenRows(MATCH=CypherLost("the connection was lost"))
    with pytest.raises(Transient) as failed:
        run_text(READ, ports_over(reader, StandingSchema()), {})
    assert not isinstance(failed.value, DependencyAway)


def test_the_database_is_tried_before_the_model_is_asked_and_its_refusal_is_told() -> None:
    model, reader = WritingModel(ModelRefused("no")), Rows((1,))
    reader.away = DependencyAway("the graph cannot be reached")
    with pytest.raises(DependencyAway):
        asked(model, reader)
    assert not model.asked
    reader.away = None
    with pytest.raises(ModelRefused):
        asked(model, reader)


def test_examples_most_like_the_question_are_shown_and_few_of_them() -> None:
    many = [Example(question=f"How many characters live in place {nth}?", cypher=READ) for nth in range(9)]
    other = Example(question="Which ships sank?", cypher=READ)
    nearest = Example(question="How many characters are there in all?", cypher=READ)
    model = WritingModel(READ)
    guide = Guide(terms={"people": "Character"}, examples=(other, *many, nearest))
    asked(model, Rows((1,)), guide=guide)
    shown = [example["question"] for example in model.asked[0]["examples"]]
    assert shown[0] == nearest.question
    assert len(shown) == 5
    assert other.question not in shown
    assert model.asked[0]["terminology"] == {"people": "Character"}


def test_a_large_schema_is_cut_at_a_line() -> None:
    names = tuple(NodeKind(label=f"Label{nth}") for nth in range(5000))
    model = WritingModel(READ)
    asked(model, Rows((1,)), GraphSchema(nodes=(SCHEMA.nodes[0], *names)), question="How many?")
    lines = model.asked[0]["schema"].splitlines()
    assert lines[-1] == "The graph has more than is shown here."
    assert lines[-2].endswith(")")
    assert len(model.asked[0]["schema"]) < 25_000


def test_a_sampled_schema_leaves_open_which_label_has_which_property() -> None:
    age = Property(name="age", types=("INTEGER",))
    schema = GraphSchema(
        nodes=(NodeKind(label="Knows", properties=(age,)), NodeKind(label="Place")),
        relationships=(RelationshipKind(type="Knows", properties=(Property(name="since", types=()),)),),
    )
    whole, sampled = names_of(schema), names_of(schema.model_copy(update={"sampled": True}))
    assert whole.of == {"Knows": {"age", "since"}, "Place": frozenset()}
    assert sampled.of == {}
    assert whole.properties == sampled.properties == {"age", "since"}


def test_terms_and_examples_are_read_from_the_files_of_settings(tmp_path: Path) -> None:
    terms, examples = tmp_path / "terms.toml", tmp_path / "examples.jsonl"
    terms.write_text('people = "Character"\n"mates of" = "FRIEND_OF, either way"\n', encoding="utf-8")
    examples.write_text(json.dumps({"question": "How many?", "cypher": READ}) + "\n\n", encoding="utf-8")
    settings = Settings(text2cypher_terms=terms, text2cypher_examples=examples)
    model = WritingModel(READ)
    ports = replace(ports_over(Rows((1,)), StandingSchema(OWN, SCHEMA)), model=model)  # type: ignore[arg-type]
    Services(settings).toolbox.run("text2cypher", {"question": "How many?"}, ports)
    assert model.asked[0]["terminology"] == {"people": "Character", "mates of": "FRIEND_OF, either way"}


@pytest.mark.parametrize(("name", "text", "says"), [
    ("terms.toml", "people = 7", "people is 7, but must be a text of 500"),
    ("terms.toml", "people =", "must be TOML"),
    ("examples.jsonl", '\n{"question": "q"}', r"examples.jsonl:2 is .*Field required"),
    ("examples.jsonl", '{"question": "q", "cypher": "CREATE (n)"}', "examples.jsonl:1.*passes the check:"),
    ("absent", None, "must be a file that can be read"),
])  # fmt: skip
def test_a_mistake_in_a_file_is_named(tmp_path: Path, name: str, text: str | None, says: str) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    paths = (path, None) if name.startswith("terms") else (None, path)
    with pytest.raises(InvalidInput, match=says):
        load_guide(*paths)


def test_a_pack_may_tell_it_anew_and_keeps_what_settings_say(tmp_path: Path) -> None:
    (tmp_path / "t.toml").write_text(
        'tool = "text2cypher"\nname = "count_things"\ndescription = "Counts."\n', encoding="utf-8"
    )
    ports = replace(ports_over(Rows((1,)), StandingSchema(OWN, SCHEMA)), model=WritingModel(READ))  # type: ignore[arg-type]
    told = ("count_things", {"question": "How many?"}, ports)
    assert load_toolbox(str(tmp_path)).run(*told).tool == "count_things"
    with pytest.raises(CypherRefused, match="off over hopline's own graph"):
        load_toolbox(str(tmp_path), text2cypher_tool(own=False)).run(*told)


def test_every_clause_that_the_prompt_names_may_run() -> None:
    statement = (
        "CALL { MATCH (c:Character) RETURN c UNION MATCH (c:Character) RETURN c } "
        "WITH c WHERE EXISTS { (c)-[:FRIEND_OF]->() } OPTIONAL MATCH (c)-[:FRIEND_OF]-(d:Character) "
        "UNWIND [1] AS one RETURN c.name AS name, COUNT { (c)--() } AS n, "
        "COLLECT { MATCH (c)--(e:Character) RETURN e.name } AS near ORDER BY name SKIP 0 LIMIT 100"
    )
    reader = Rows((1,))
    asked(WritingModel(statement), reader)
    assert reader.ran == [statement]
    assert CypherDraft().cypher == ""


LONG = SCHEMA.model_copy(
    update={"nodes": (*SCHEMA.nodes, *(NodeKind(label=f"Gadget{nth:03}") for nth in range(200)))}
)
NOTHING_LIKE_IT = ("", "there are no such things")


@pytest.mark.parametrize(("terms", "things"), [({}, "characters"), ({"heroes": "Character"}, "heroes")])
def test_of_a_long_schema_the_model_first_sees_what_the_question_and_its_terms_may_touch(terms, things):
    model = WritingModel(READ)
    asked(model, Rows((3,)), LONG, LONG, guide=Guide(terms=terms), question=f"How many {things} are there?")
    shown = model.asked[0]["schema"]
    assert "(:Character" in shown
    assert "Gadget" not in shown


@pytest.mark.parametrize("first", [TYPO, NOTHING_LIKE_IT], ids=["it errs", "it finds nothing there"])
def test_the_second_try_sees_the_whole_schema(first: str | tuple[str, str]) -> None:
    model = WritingModel(first, READ)
    result = asked(model, Rows((3,)), LONG, LONG)
    assert result.cypher == READ
    assert "Gadget199" in model.asked[1]["schema"]


def test_a_graph_that_has_nothing_like_it_in_its_whole_schema_is_not_asked() -> None:
    model = WritingModel(NOTHING_LIKE_IT, NOTHING_LIKE_IT)
    assert (asked(model, Rows((3,)), LONG, LONG).cypher, len(model.asked)) == (None, 2)
