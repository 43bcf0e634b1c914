"""What an entry of a notebook rests on, and whether that is all that it rests on."""

from workers.core.records import QuotedFact
from workers.traverse.reader.notebook import Entry, Noted, believed_notes
from workers.traverse.reader.schema import Note


def fact(n: int) -> QuotedFact:
    return QuotedFact(fact_text=f"Ada met guest {n}.", source_node_id="k", extracted_from_depth=0)


def noted(*handles: str, notebook: tuple[Entry, ...] = ()) -> Noted:
    note = Note(text="Ada met many.", rests_on=list(handles))
    return believed_notes([note], notebook, lambda handle, _text: [fact(int(handle))], "Whom did Ada meet?")


def entry(first: int, facts: int = 5) -> Entry:
    keys = tuple(f"key{n}" for n in range(first, first + facts))
    return Entry(text=f"Ada met {first}.", rests_on=keys, facts=(), chunks=())


def test_an_entry_names_the_few_facts_that_it_rests_on() -> None:
    (few,) = noted("1", "2", "2").entries
    assert (len(few.rests_on), few.cut) == (2, False)
    (both,) = noted("e1", "e2", notebook=(entry(0), entry(5))).entries
    assert (len(both.rests_on), both.cut) == (10, False)


def test_an_entry_says_when_it_rests_on_more_than_it_names() -> None:
    (many,) = noted(*map(str, range(6))).entries
    assert (len(many.rests_on), many.cut) == (5, True)
    (chain,) = noted("e1", "e2", "e3", notebook=(entry(0), entry(5), entry(10))).entries
    assert (len(chain.rests_on), chain.cut) == (10, True)
    (after,) = noted("e1", notebook=(entry(0).model_copy(update={"cut": True}),)).entries
    assert after.cut
