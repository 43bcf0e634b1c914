"""A long schema is cut to what a question may touch; a short one stays whole, and one it names nothing of."""

from __future__ import annotations

import pytest

from workers.core.graph.schema import (
    CollectionSchema,
    GraphSchema,
    Join,
    NodeKind,
    Property,
    RelationshipKind,
    SampleValues,
)
from workers.core.graph.schema_part import CUT_NOTE, schema_about


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
        kind("Movie", "title", "released"),
        kind("Person", "name", "born"),
        kind("Award", "name", "category"),
        *OTHERS,
    ),
    relationships=(
        joined("ACTED_IN", ("Person", "Movie"), properties=("roles",)),
        joined("DIRECTED", ("Person", "Movie")),
        joined("WON", ("Movie", "Award")),
        *(joined(f"FITS_{node.label.upper()}", (node.label, "GadgetA")) for node in OTHERS),
    ),
)


def about(question, schema=FILMS):
    return schema_about(schema, question, 12_000)


@pytest.mark.parametrize(
    ("question", "kept", "left_out"),
    [
        ("Who is the director of Top Gun?", ("-[:DIRECTED]->", "(:Person {", "(:Movie {"), ("Award",)),
        ("How many movies were made?", ("(:Movie {", "-[:WON]->", "(:Award {"), ("Gadget",)),
        ("Who was born in 1956?", ("(:Person {", "-[:DIRECTED]->", "(:Movie {"), ("Gadget",)),
    ],
)
def test_what_a_question_names_is_kept_with_what_it_is_connected_with(question, kept, left_out):
    text = about(question)
    assert all(pattern in text for pattern in kept), text
    assert not any(pattern in text for pattern in left_out), text
    assert text.endswith(CUT_NOTE)


@pytest.mark.parametrize("question", ["What is the title of it?", "谁导演了它?", "", "Who is she?"])
def test_where_a_question_names_nothing_the_schema_stays_whole(question):
    assert about(question) == FILMS.as_text(12_000)


def test_a_short_schema_stays_whole():
    few = FILMS.model_copy(update={"nodes": FILMS.nodes[:3], "relationships": FILMS.relationships[:3]})
    assert about("Who directed it?", few) == few.as_text()


def test_names_in_scripts_without_spaces_are_found():
    chinese = FILMS.model_copy(
        update={
            "nodes": (kind("电影"), kind("人物"), *OTHERS),
            "relationships": (joined("导演", ("人物", "电影")), *FILMS.relationships[3:]),
        }
    )
    text = about("谁导演了这部片子?", chinese)
    assert "(:人物)-[:导演]->(:电影)" in text
    assert "Gadget" not in text


def test_of_a_hub_only_what_is_named_is_kept():
    hub = FILMS.model_copy(
        update={
            "relationships": (
                joined("DIRECTED", ("Person", "Movie")),
                *(
                    joined(f"MENTIONS_{nth:03}_IN_WRITING", ("Person", node.label))
                    for nth, node in enumerate(OTHERS * 5)
                ),
            )
        }
    )
    text = about("Which person directed Top Gun?", hub)
    assert "-[:DIRECTED]->" in text
    assert "Gadget" not in text


def test_values_of_texts_are_kept_with_their_labels_and_name_them():
    own = CollectionSchema(
        nodes=FILMS.nodes,
        relationships=FILMS.relationships,
        values=(
            SampleValues(label="Award", name="category", values=("best sound",)),
            SampleValues(label="GadgetB", name="sprocketB", values=("brass",)),
        ),
    )
    text = about("Which best sound was it?", own)
    assert 'Award.category: "best sound"' in text
    assert "brass" not in text


def test_events_are_kept_whatever_words_a_question_has_for_them():
    story = FILMS.model_copy(
        update={
            "nodes": (*FILMS.nodes, kind("MajorEvent", "name"), kind("Place", "name")),
            "relationships": (
                *FILMS.relationships,
                joined("EXPERIENCES", ("Person", "MajorEvent")),
                joined("LIVES_IN", ("Person", "Place")),
            ),
        }
    )
    text = about("What does Linnet live through?", story)
    assert "-[:EXPERIENCES]->(:MajorEvent)" in text
    assert "(:MajorEvent {" in text
    assert "Gadget" not in text
