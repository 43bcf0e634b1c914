"""A conflict that the writer lists is named with all sides; one that is only proposed costs nothing."""

from dataclasses import replace
from datetime import date, datetime
from typing import Any

import pytest
from doubles.drafts import draft, scored, sentences
from doubles.library import Library, ScriptedModel, ports_for
from doubles.vectors import MemoryVectors

from hopline.models.jobs import Json
from workers.core.jobs.work import Event
from workers.core.places import PlaceMap
from workers.critic.reason import ReasoningInput, reason_over_notebooks
from workers.critic.schema import AnswerDraft, ReasonedAnswer
from workers.critic.synthesize import WritingInput, WritingResult, synthesize
from workers.ingest.reading.markdown_tables import markdown_tables

OLD = "The notice period of the Marlow contract is 180 days."
NEW = "The notice period of the Marlow contract was extended to 270 days."
QUESTION = "What is the notice period of the Marlow contract?"
BOTH = "The notice period is 270 days by the newer document, and 180 days by the other."
LISTED = [[1, 2]]
SHORT = ("The notice period is 180 days.", 1)
MAY, MARCH = date(2019, 5, 1), date(2021, 3, 1)
ADDED = (
    f"The sources disagree: “{NEW[:-1]}” (Amendment, 2021-03-01, the newer) [2]; "
    f"“{OLD[:-1]}” (Contract, 2019-05-01) [1]."
)


@pytest.fixture
def library() -> Library:
    library = (
        Library().add("Contract", (OLD, ["Marlow contract"])).add("Amendment", (NEW, ["Marlow contract"]))
    )
    library.metadata = {"Contract": {"date": MAY}, "Amendment": {"date": MARCH}}
    return library


def written(library, *drafted, facts=(OLD, NEW), **fields):
    """Return the answer out of the same draft, and what its writer was given."""
    question = fields.pop("question", QUESTION)
    model = ScriptedModel({AnswerDraft: draft(*drafted, **fields)})
    scores = tuple(scored(text, 0.9 - n / 100, of="Marlow contract") for n, text in enumerate(facts))
    writing = WritingInput(question=question, sub_questions=(), facts=scores)
    shown_early: list[Event] = []
    ports = replace(ports_for(library, model, MemoryVectors()), tell=shown_early.extend)
    outcome = synthesize(writing, ports)
    events = (*shown_early, *outcome.events)
    parts = [event.data for event in events if event.name == "answer.sentence"]
    assert isinstance(outcome.result, WritingResult)
    assert " ".join(event["text"] for event in parts) == outcome.result.text
    assert [cited for event in parts for cited in event["citations"]] == list(outcome.result.citations)
    return outcome.result, model.asked[0][2]


def titles_of(result: WritingResult) -> list[str]:
    return [citation["document"]["title"] for citation in result.citations]


NOTHING = ((None, None), (None, None))


def shown(material: Json) -> list[tuple[Any, ...]]:
    [sides] = material["possible_contradictions"]
    return [(side["n"], side["value"], side.get("date"), side.get("priority")) for side in sides]


@pytest.mark.parametrize("drafted", [
    "The notice period is 180 days.",
    "The notice period was extended from 180 to 270 days.",
    "The notice period is between 180 and 270 days.",
])  # fmt: skip
def test_a_proposed_group_that_the_writer_does_not_list_changes_nothing(library, drafted):
    result, _ = written(library, (drafted, 1, 2))
    assert result.text == f"{drafted[:-1]} [1][2]."
    assert result.details.keys().isdisjoint({"contradictions", "conflicts"})


def test_a_listed_conflict_gets_one_sentence_with_all_sides_newest_first(library: Library) -> None:
    result, material = written(library, SHORT, conflicts=[[1, 2], [2, 1]])
    assert shown(material) == [(2, "270 days", "2021-03-01", None), (1, "180 days", "2019-05-01", None)]
    assert [entry["source"] for entry in material["evidence"]] == ["Contract", "Amendment"]
    assert result.text == f"The notice period is 180 days [1]. {ADDED}"
    assert (result.details["contradictions"], result.details["conflicts"]) == (1, [[2, 1]])
    assert titles_of(result) == ["Contract", "Amendment"]
    assert library.calls.count("documents_of") == 1


def test_sides_of_one_title_are_told_apart_by_their_folders() -> None:
    library = Library().add("old/Contract", (OLD, ["Marlow contract"]))
    library.add("new/Contract", (NEW, ["Marlow contract"]))
    library.held = {
        key: (source.model_copy(update={"title": "Contract"}), names)
        for key, (source, names) in library.held.items()
    }
    result, _ = written(library, SHORT, conflicts=LISTED)
    assert "Contract (file:new)" in result.text
    assert "Contract (file:old)" in result.text


def rents(year: int, *rows: str) -> Library:
    """Return a document whose table has these rows, each a fact."""
    table = "\n".join(("| Mill | Rent |", "| --- | --- |", *rows))
    places = PlaceMap(table, markdown_tables(table)).cut(0, len(table))
    library = Library().add(f"Rents {year}", *((row, ["mill"]) for row in rows))
    library.held = {
        key: (
            source.model_copy(
                update={
                    "start": (at := table.index(source.quote)),
                    "end": at + len(source.quote),
                    "chunk_places": places,
                }
            ),
            names,
        )
        for key, (source, names) in library.held.items()
    }
    return library


@pytest.mark.parametrize(("rows", "later", "conflicts"), [
    (("| Wind mill | 410 euros |", "| River mill | 880 euros |"), (), 0),
    (("| Wind mill | 410 euros |",), ("| River mill | 880 euros |",), 0),
    (("| Wind mill | 410 euros |",), ("| Wind mill | 430 euros |",), 1),
])  # fmt: skip
def test_rows_of_something_else_are_no_sides_even_if_a_writer_says_so(rows, later, conflicts):
    library = rents(2023, *rows)
    if later:
        library.held |= rents(2024, *later).held
        library.documents |= rents(2024, *later).documents
    facts = (*rows, *later)
    result, _ = written(library, (rows[0], 1), facts=facts, conflicts=LISTED, question="Which rent?")
    assert result.details.get("contradictions", 0) == conflicts


@pytest.mark.parametrize("drafted", [
    ((BOTH, 1, 2),), (("The amendment says 270 days.", 2), ("The older contract says 180 days.", 1)),
])  # fmt: skip
def test_a_writer_that_says_it_all_in_one_sentence_or_two_gets_none_added(library, drafted):
    result, _ = written(library, *drafted, conflicts=LISTED)
    assert "The sources disagree" not in result.text
    assert result.details["contradictions"] == 1


@pytest.mark.parametrize("value", ["18", "1,180"])
def test_a_value_within_another_is_not_said(library: Library, value: str) -> None:
    fact = f"The notice period of the Marlow contract is {value} days."
    library.add("Draft", (fact, ["Marlow contract"]))
    result, _ = written(library, ("It is 180 days.", 1, 2), facts=(OLD, fact), conflicts=LISTED)
    assert "The sources disagree" in result.text


def test_a_listed_conflict_that_was_not_proposed_is_named_with_dates_too(library: Library) -> None:
    other = "Either party may end the Marlow contract with 90 days of notice."
    library.add("Letter", (other, ["Marlow contract"]))
    library.metadata["Letter"] = {"date": date(2022, 1, 1)}
    drafted = SHORT
    result, material = written(library, drafted, facts=(OLD, other), conflicts=LISTED)
    assert "possible_contradictions" not in material
    assert f"“{other[:-1]}” (Letter, 2022-01-01, the newer) [2]" in result.text
    assert library.calls.count("documents_of") == 1
    result, _ = written(library, drafted, ("Or 90 days of notice.", 2), facts=(OLD, other), conflicts=LISTED)
    assert "The sources disagree" not in result.text


def test_of_statements_without_numbers_one_sentence_cites_all_sides() -> None:
    facts = fact, other = "Smoking is allowed in Marlow Hall.", "Smoking is prohibited in Marlow Hall."
    library = Library().add("A", (fact, ["Marlow Hall"])).add("B", (other, ["Marlow Hall"]))
    result, _ = written(library, (fact, 1), ("Marlow Hall is open.", 2), facts=facts, conflicts=LISTED)
    assert "The sources disagree" in result.text
    both = ("Smoking is allowed or prohibited.", 1, 2)
    assert "The sources disagree" not in written(library, both, facts=facts, conflicts=LISTED)[0].text


@pytest.mark.parametrize(("contract", "amendment", "told", "named"), [
    (
        {"date": MAY, "priority": 2},
        {"date": MARCH},
        (("2019-05-01", 2), ("2021-03-01", None)),
        ("2019-05-01, of higher priority", "2021-03-01, the newer"),
    ),
    ({"date": MAY}, {"date": MAY}, (("2019-05-01", None),) * 2, ("2019-05-01", "2019-05-01")),
    # Fields of another type count as none.
    ({"date": datetime(2022, 5, 1), "priority": True}, {}, NOTHING, ()),  # noqa: DTZ001
    ({"date": "yesterday", "priority": "high"}, {}, NOTHING, ()),
    ({"priority": float("nan")}, {"priority": float("inf")}, NOTHING, ()),
])  # fmt: skip
def test_a_priority_comes_before_the_date_and_what_neither_orders_has_no_newer(
    library: Library,
    contract: dict[str, Any],
    amendment: dict[str, Any],
    told: tuple[tuple[Any, ...], ...],
    named: tuple[str, ...],
) -> None:
    library.metadata = {"Contract": contract, "Amendment": amendment}
    result, material = written(library, SHORT, conflicts=LISTED)
    assert shown(material) == [(1, "180 days", *told[0]), (2, "270 days", *told[1])]
    places = [f"{title}, {told}" for title, told in zip(("Contract", "Amendment"), named, strict=False)]
    for place in places or ["Contract", "Amendment"]:
        assert f"({place}) [" in result.text


def test_of_three_sides_the_newest_is_named(library: Library) -> None:
    third = "The notice period of the Marlow contract is 90 days."
    library.add("Letter", (third, ["Marlow contract"]))
    library.metadata["Letter"] = {"date": date(2022, 1, 1), "priority": 1}
    result, _ = written(library, SHORT, facts=(OLD, NEW, third), conflicts=[[1, 2, 3]])
    assert "(Letter, 2022-01-01, the newest, of the highest priority) [2]" in result.text
    assert "newer" not in result.text


def test_a_fact_that_several_documents_carry_is_dated_and_cited_by_the_newest_of_them(library):
    library.add("Renewal", (OLD, ["Marlow contract"]))
    library.metadata["Renewal"] = {"date": date(2024, 1, 1)}
    result, material = written(library, ("The notice period is 270 days.", 2), conflicts=LISTED)
    assert shown(material)[0] == (1, "180 days", "2024-01-01", None)
    assert "(Renewal, 2024-01-01, the newer) [2]" in result.text
    assert titles_of(result) == ["Amendment", "Renewal"]


def test_markers_in_titles_and_facts_are_removed() -> None:
    fact, other = "The manager of Kell Hall is Ann Lee [3].", "The manager of Kell Hall is Bo Wu [4]."
    library = Library().add("Plan [7]", (fact, ["Kell Hall"])).add("Letter", (other, ["Kell Hall"]))
    result, _ = written(library, ("It is Ann Lee.", 1), facts=(fact, other), conflicts=LISTED)
    assert "“The manager of Kell Hall is Ann Lee” (Plan) [1]; " in result.text


def test_no_date_of_a_document_carries_a_sentence(library: Library) -> None:
    signed = "The Marlow contract was signed in 2019."
    result, _ = written(library, (BOTH, 1, 2), (signed, 1), conflicts=LISTED)
    assert [dropped["why"] for dropped in result.details["dropped_sentences"]] == [
        "not in the cited text: 2019"
    ]


def test_facts_that_agree_ask_for_no_metadata(library: Library) -> None:
    result, material = written(library, (OLD, 1), facts=(OLD,), conflicts=[[1], [1, 1], [7, 8]])
    assert "documents_of" not in library.calls
    assert "possible_contradictions" not in material
    assert "contradictions" not in result.details


def test_a_chinese_question_gets_its_sentence_in_chinese() -> None:
    old, new = "海蓝公司的通知期为180天。", "海蓝公司的通知期为270天。"
    library = Library().add("旧合同", (old, ["海蓝公司"])).add("补充协议", (new, ["海蓝公司"]))
    library.metadata = {"旧合同": {"date": MAY}, "补充协议": {"date": MARCH}}
    asked = {"question": "海蓝公司的通知期是多少天？", "conflicts": LISTED}
    result, _ = written(library, ("通知期为180天。", 1), facts=(old, new), **asked)
    assert "各来源说法不一：" in result.text
    assert "（补充协议，2021-03-01，较新）" in result.text


def test_the_reader_goes_the_same_way(library: Library) -> None:
    reply = ReasonedAnswer(answerable=True, sentences=sentences(SHORT), conflicts=LISTED)
    model = ScriptedModel({ReasonedAnswer: reply})
    plan = {"asked": "a period", "steps": [], "key_information": []}
    given = {"question": QUESTION, "sub_questions": [], "plan": plan, "notebooks": []}
    reading = ReasoningInput.model_validate({**given, "facts": (scored(OLD), scored(NEW, 0.8))})
    result = reason_over_notebooks(reading, ports_for(library, model, MemoryVectors())).result
    assert isinstance(result, WritingResult)
    assert model.asked[0][2]["possible_contradictions"][0][0]["value"] == "270 days"
    assert ADDED in result.text
