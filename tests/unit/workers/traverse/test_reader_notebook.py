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


def test_an_entry_names_the_few_facts_that_it_rests_on_and_says_when_they_are_more() -> None:
    cut = entry(0).model_copy(update={"cut": True})
    for handles, notebook, named in [
        (("1", "2", "2"), (), (2, False)),
        (("e1", "e2"), (entry(0), entry(5)), (10, False)),
        (map(str, range(6)), (), (5, True)),
        (("e1", "e2", "e3"), (entry(0), entry(5), entry(10)), (10, True)),
        (("e1",), (cut,), (5, True)),
    ]:
        (made,) = noted(*handles, notebook=notebook).entries
        assert (len(made.rests_on), made.cut) == named


def test_a_note_in_another_language_than_what_it_rests_on_shares_no_word_with_it() -> None:
    for text, kept in [("艾达见到了客人 1。", True), ("艾达见到了客人 2。", False)]:
        note = Note(text=text, rests_on=["1"])
        found = believed_notes([note], (), lambda handle, _text: [fact(int(handle))], "艾达见到了谁？")
        assert bool(found.entries) is kept
