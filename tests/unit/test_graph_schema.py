"""The schema as a model sees it."""

from __future__ import annotations

from workers.core.graph_schema import GraphSchema, Join, NodeKind, Property, RelationshipKind, quoted

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
        "Nodes:",
        "(:Character {name: STRING, id: ANY})",
        "(:`Odd ``one` {`two words`: INTEGER|STRING})",
        "Relationships:",
        "(:Character)-[:FRIEND_OF {chapter: INTEGER}]->(:Character)",
        "(:Character)-[:FRIEND_OF]->(:`Odd ``one`)",
    ]


def test_what_hopline_keeps_for_itself_is_left_out_of_its_own_database_only() -> None:
    shown = SCHEMA.without_internal()
    assert shown.labels == {"Character", "Odd `one"}
    assert shown.types == {"FRIEND_OF"}
    assert shown.property_names == {"name", "id", "chapter", "two words"}
    kept = tuple(one for one in SCHEMA.nodes if one.label != "Migration")
    foreign = SCHEMA.model_copy(update={"nodes": kept})
    assert foreign.without_internal() == foreign


def test_a_sample_says_so_and_an_empty_graph_says_that_it_has_nothing() -> None:
    empty = GraphSchema(sampled=True)
    assert empty.as_text().splitlines()[:4] == ["Nodes:", "none", "Relationships:", "none"]
    assert "sample" in empty.as_text().splitlines()[-1]


def test_kinds_are_found_by_name() -> None:
    assert SCHEMA.node("Character") == SCHEMA.nodes[1]
    assert SCHEMA.node("character") is None
    assert SCHEMA.relationship("FRIEND_OF") == SCHEMA.relationships[0]
    assert SCHEMA.relationship("X]->() //") is None


def test_names_of_other_scripts_need_no_quotes() -> None:
    assert [quoted(name) for name in ("人物", "Å_1", "1st", "a-b", "x`y")] == [
        "人物",
        "Å_1",
        "`1st`",
        "`a-b`",
        "`x``y`",
    ]
