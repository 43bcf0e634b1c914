"""Tools as a job's steps use them: what is offered, what is wrong with a call, facts with their places."""

from dataclasses import replace

import pytest
from doubles.tooling import NAME, SCHEMA, GivenRows, StandingSchema, node, ports_over
from doubles.writing import WritingModel

from hopline.errors import InvalidInput
from hopline.models.graph_schema import GraphSchema, NodeKind, Property
from workers.core.models.tool_calls import ToolCall
from workers.tools.packs import load_toolbox
from workers.tools.session import GraphTools
from workers.tools.toolbox import Toolbox

FRIEND = {
    "relationship": "5:x:1",
    "relation": "FRIEND_OF",
    "outgoing": True,
    "told": {"chapter": 2, "fact_id": "f1", "chunk_id": "c1", "document_id": "d1"},
    "other": {**node("Oda"), "key": None, "description": None, "chapter": None, "order": None, "date": None},
}


def tools(reader=None, schema=SCHEMA, **more):
    ports = replace(ports_over(reader or GivenRows(), StandingSchema(schema)), **more)
    return GraphTools(lambda: (Toolbox(), ports))


def call(name, **arguments):
    return ToolCall(name=name, arguments=arguments)


def names(offered):
    return {description["function"]["name"] for description in offered}


def test_what_is_barred_over_this_graph_is_neither_offered_nor_taken():
    own = SCHEMA.model_copy(update={"nodes": (*SCHEMA.nodes, NodeKind(label="Migration"))})
    over = tools(schema=own)
    assert "text2cypher" not in names(over.offered())
    assert "there is no tool 'text2cypher'; there are: find_connection" in over.fault(
        call("text2cypher", question="?")
    )
    assert "text2cypher" in names(tools().offered())


def test_of_hoplines_own_graph_the_schema_that_is_told_is_the_collections():
    own = SCHEMA.model_copy(update={"nodes": (*SCHEMA.nodes, NodeKind(label="Migration"))})
    typed = GraphSchema(nodes=(NodeKind(label="Contract"),))
    for held, limited, label in (
        (typed, False, "Contract"),
        (None, False, "Character"),
        (None, True, "none"),
    ):
        ports = replace(ports_over(GivenRows(), StandingSchema(own, held)), limited=limited)
        lines = GraphTools(lambda ports=ports: (Toolbox(), ports)).schema().splitlines()
        assert label in lines[1]


def test_a_fault_names_the_argument_and_what_is_allowed():
    assert tools().fault(call("lookup_knowledge", entity="Mara")) is None
    assert tools().fault(call("lookup_knowledge", entity="Mara", limit=900)).startswith("limit: got 900")
    assert "entity" in tools().fault(call("lookup_knowledge"))
    assert tools().fault(call("teleport")).startswith("there is no tool 'teleport'; there are: ")


def over_mara(*friends, others=(), names=("Mara",)):
    rows = {"MATCH (n:": [*map(node, names), *others], "MATCH (n)-[r]-(m)": friends}
    return tools(GivenRows(names=[], LABELS=[], **rows))


def test_a_relation_is_a_fact_that_reads_alone_and_knows_its_sentence():
    answer = over_mara(FRIEND).run(call("lookup_knowledge", entity="Mara"), "Who is Mara's friend?")
    (fact,) = answer.facts
    assert fact.text.startswith("Mara")
    assert "Who is" not in fact.text
    assert (fact.fact_id, fact.chunk_id) == ("f1", "c1")
    assert fact.relationships == ("5:x:1",)
    assert fact.row["relation"] == "FRIEND_OF"
    assert "MATCH" in answer.by.cypher


@pytest.mark.parametrize(("arguments", "others", "friends", "exact"), [
    ({"relation": "FRIEND_OF"}, [], 1, True),
    ({}, [], 1, False),
    ({"relation": "FRIEND_OF"}, [node("Mara", "Place")], 1, False),
    ({"relation": "FRIEND_OF"}, [], 6, False),
], ids=["one relation", "all that is known", "a name of two", "more rows than a few"])  # fmt: skip
def test_one_relation_of_one_node_is_an_exact_look_up(arguments, others, friends, exact):
    many = [
        {**FRIEND, "relationship": f"5:x:{nth}", "other": {**FRIEND["other"], **node(f"Oda {nth}")}}
        for nth in range(friends)
    ]
    over = over_mara(*many, others=others)
    answer = over.run(call("lookup_knowledge", entity="Mara", **arguments), "Who is Mara's friend?")
    assert len(answer.facts) == friends
    assert answer.exact is exact


@pytest.mark.parametrize(("name", "others", "exact"), [
    ("Ada", [], True), ("Ada", [node("Ada", "Actor")], False), ("Ley", [node("Ada Ley", "Person")], False),
], ids=["one node", "a name of two", "a part of a name"])  # fmt: skip
def test_a_template_of_a_pack_is_an_exact_look_up_where_its_names_are_beyond_doubt(name, others, exact):
    kinds = (NodeKind(label="Person", properties=(Property(name="name", types=("STRING",)),)),)
    reader = GivenRows(
        looked_at=[node("Ada", "Person"), *others],
        ACTED_IN=[{"title": "Dusk", "released": 1999, "_nodes": [], "_relationships": []}],
    )
    ports = ports_over(reader, StandingSchema(GraphSchema(nodes=kinds)))
    over = GraphTools(lambda: (load_toolbox("movies"), ports))
    answer = over.run(call("movies_info_by_actor", actor=name), "In which movies did Ada act?")
    assert len(answer.facts) == 1
    assert answer.exact is exact


def test_a_row_is_told_with_its_question_and_rests_on_the_literals_of_its_statement():
    statement = "MATCH (c:Character) WHERE c.name = 'Mara' AND c.age > 30 RETURN count(c) AS n LIMIT 9"
    person = NodeKind(label="Character", properties=(NAME, Property(name="age", types=("INTEGER",))))
    schema = SCHEMA.model_copy(update={"nodes": (person,)})
    reader = GivenRows(count=[{"n": 3}])
    over = tools(reader, schema, model=WritingModel(statement))
    answer = over.run(call("text2cypher", question="How many are named Mara?"), "How many Maras over 30?")
    (fact,) = answer.facts
    assert fact.text == "How many Maras over 30? n: 3"
    assert fact.row == {"n": 3}
    assert answer.by.cypher == statement
    assert answer.by.words == "Mara 30"


def test_many_and_wide_rows_are_bounded():
    wide = GivenRows(RETURN=[{"who": f"P{n}", "told": "x" * 5000} for n in range(120)])
    over = tools(wide, model=WritingModel("MATCH (c:Character) RETURN c.name AS who"))
    answer = over.run(call("text2cypher", question="All?"), "All?")
    assert (len(answer.facts), answer.left_out) == (50, 70)
    assert max(len(fact.text) for fact in answer.facts) <= 1500
    assert len(answer.facts[0].row["told"]) <= 200
    assert len(answer.markdown) <= 6000


def test_what_does_not_fit_the_graph_is_raised_with_what_is_allowed():
    with pytest.raises(InvalidInput, match="FRIEND_OF"):
        over_mara().run(call("lookup_knowledge", entity="Mara", relation="EATS"), "?")


def test_a_long_schema_is_cut_at_a_line_and_says_so():
    many = GraphSchema(nodes=tuple(NodeKind(label=f"Label{n:04}") for n in range(3000)))
    text = tools(schema=many).schema()
    assert len(text) < 12_100
    assert text.endswith("\nThe graph has more than is shown here.")
    assert "\n(:Label0100)\n" in text


def test_a_path_is_one_fact_and_its_hops_only_where_a_document_states_them():
    def hop(nth, **fields):
        return {"id": f"5:x:{nth}", "type": "FRIEND_OF", "start": f"n{nth}", "told": fields}

    steps = [
        {"id": f"n{nth}", "labels": ["Character"], "name": name}
        for nth, name in enumerate(("Mara", "Oda", "Ivo"))
    ]
    came = {"fact_id": "f1", "chunk_id": "c1", "document_id": "d1"}
    rows = [{"steps": steps, "hops": [hop(0), hop(1, **came)]}]
    reader = GivenRows(SHORTEST=rows, **{"MATCH (n:": [node("Mara"), node("Ivo")]})
    answer = tools(reader).run(call("find_connection", entity1="Mara", entity2="Ivo"), "How are they known?")
    whole, stated = answer.facts
    assert whole.text.startswith("Connected in 2 hops: Mara (Character) FRIEND_OF Oda (Character); Oda")
    assert (whole.nodes, whole.relationships) == (("n0", "n1", "n2"), ("5:x:0", "5:x:1"))
    assert (stated.text, stated.fact_id) == ("Oda (Character) FRIEND_OF Ivo (Character)", "f1")
    assert answer.by.arguments == {"entity1": "Mara", "entity2": "Ivo"}


def test_a_fact_says_what_is_known_there_by_the_name_that_was_asked_for():
    reader = GivenRows(
        **{"MATCH (n:": [node("Ilse Varn", aliases=["the Heron"])], "MATCH (n)-[r]-(m)": [FRIEND]}
    )
    (fact,) = tools(reader).run(call("lookup_knowledge", entity="the Heron"), "Who is the Heron?").facts
    assert fact.said == fact.text
    assert fact.text.endswith("; the Heron is Ilse Varn")


def test_that_there_is_no_connection_is_found_too():
    reader = GivenRows(SHORTEST=[], **{"MATCH (n:": [node("Mara"), node("Ivo")]})
    answer = tools(reader).run(call("find_connection", entity1="Mara", entity2="Ivo"), "?")
    (fact,) = answer.facts
    assert fact.text.startswith("There is no connection between Mara (Character) and Ivo (Character)")
    assert "MATCH" in answer.by.cypher
