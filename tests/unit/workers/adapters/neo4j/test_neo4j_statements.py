"""Lines of what a chunk states, written and read again."""

from doubles.documents import made_element
from doubles.typed import BOTH, OATH, VENN, Stated, typed_document

from workers.adapters.neo4j.statements import (
    elements_of,
    event_rows,
    label_rows,
    lines_of,
    relation_rows,
    statements,
)

MARA, VENNS, CORVIN = (made_element("c", name).id for name in ("Mara", "Mara Venn", "Corvin"))
HOMES = {name: name for name in (MARA, VENNS, CORVIN)}


def stated_in(*sentences, **how):
    _document, [chunk] = typed_document("c", "a", list(sentences), **how)
    return chunk, [{"chunk": chunk.chunk.id, "before": None, "stated": lines_of(chunk)}]


def test_a_chunk_that_states_nothing_has_no_lines() -> None:
    chunk, rows = stated_in(OATH, stated={})
    assert lines_of(chunk) is None
    assert statements(rows) == ([], [])


def test_tabs_and_line_feeds_in_what_a_model_wrote_part_no_line() -> None:
    odd = Stated(events=(("mile\tstone", "The\toath\n", (("Mara", "no\tvice", "is\nsworn in"),)),))
    _chunk, rows = stated_in(OATH, stated={OATH[0]: odd})
    _gone, stated = statements(rows)
    [event] = event_rows(stated, HOMES)
    assert (event["type"], event["name"]) == ("mile stone", "The oath")
    assert event["parts"] == [{"element": MARA, "role": "no vice", "outcome": "is sworn in"}]


def test_what_is_stated_as_before_is_not_gone_and_what_is_new_is_fresh_only_in_a_new_chunk() -> None:
    chunk, rows = stated_in(OATH, VENN)
    before = [{**rows[0], "before": [*rows[0]["stated"], "T\tkx\tGhost"]}]
    gone, stated = statements(before)
    assert [statement.parts for statement in gone] == [("T", "kx", "Ghost")]
    assert not any(statement.fresh for statement in stated)
    assert all(statement.fresh for statement in statements(rows)[1])
    assert set(elements_of(stated)) == {MARA, VENNS, CORVIN}
    assert {statement.chunk for statement in stated} == {chunk.chunk.id}


def test_rows_are_of_the_elements_that_are_meant_each_once() -> None:
    _chunk, rows = stated_in(OATH, VENN, BOTH)
    _gone, stated = statements(rows)
    apart = relation_rows(stated, HOMES)
    assert len(apart) == 3
    merged = relation_rows(stated, HOMES | {VENNS: MARA})
    assert {(row["source"], row["type"], row["target"]) for row in merged} == {(MARA, "FRIEND_OF", CORVIN)}
    named = next(row for row in event_rows(stated, HOMES | {VENNS: MARA}) if row["name"] == "The name")
    assert named["parts"] == [{"element": MARA, "role": "named", "outcome": None}]
    assert relation_rows(stated, {MARA: MARA}) == []  # an element that went leads nowhere
    labels = {row["element"]: row["labels"] for row in label_rows(stated)}
    assert labels[VENNS] == ["Character", "Warden"]
