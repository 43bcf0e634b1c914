"""The answer is told sentence by sentence while it is written, and only what is checked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from doubles.drafts import draft, scored
from doubles.library import Library, ScriptedModel, grow, ports_for
from doubles.vectors import MemoryVectors
from pydantic import BaseModel

from hopline.errors import DependencyAway, Transient
from hopline.models.answers import Citation
from hopline.models.jobs import Json
from workers.core.errors import ModelRefused
from workers.core.jobs.work import Event, Outcome
from workers.core.ports import Partial
from workers.critic.reason import ReasoningInput, reason_over_notebooks
from workers.critic.schema import (
    AnswerDraft,
    DraftSentence,
    ReasonedAnswer,
    TranslationVerdict,
    TranslationVerdicts,
)
from workers.critic.synthesize import WritingInput, synthesize

WROTE = "Ada Lovelace wrote notes on the Analytical Engine in 1843."
BORN = "Ada Lovelace was born in London in 1815."
MET = "Ada Lovelace met Charles Babbage in 1833."
FACTS = (WROTE, BORN, MET)


class Growing(ScriptedModel):
    """Lets replies grow, one after another, before the last of them counts; an exception ends it instead."""

    def __init__(self, *replies: BaseModel | Exception) -> None:
        super().__init__()
        self.replies = replies

    def ask(
        self, _prompt: Any, _material: Any, reply: Any, *, partial: Partial = lambda _grown: None, **_: Any
    ) -> Any:  # type: ignore[override]
        if reply is TranslationVerdicts:
            return super().ask(_prompt, _material, reply)
        for value in self.replies:
            if isinstance(value, Exception):
                raise value
            grow(value.model_dump_json(), partial)
        self.script[reply] = value
        return super().ask(_prompt, {}, reply)


def given(**more: Any) -> Json:
    facts = [scored(text, 0.9 - place / 10) for place, text in enumerate(FACTS)]
    return {"question": "What did Ada Lovelace do?", "sub_questions": [], "facts": facts, **more}


def library() -> Library:
    return Library().add("Ada", *((text, ["Ada Lovelace"]) for text in FACTS))


def told_by(*replies: BaseModel | Exception, graph: Library | None = None) -> tuple[list[Event], Outcome]:
    """Return what was told before the step ended, and its outcome."""
    events: list[Event] = []
    ports = replace(ports_for(graph or library(), Growing(*replies), MemoryVectors()), tell=events.extend)
    if isinstance(replies[-1], ReasonedAnswer):
        more = given(plan={"asked": "", "steps": [], "key_information": []}, notebooks=[])
        return events, reason_over_notebooks(ReasoningInput.model_validate(more), ports)
    return events, synthesize(WritingInput.model_validate(given()), ports)


def said_at_last(events: Sequence[Event], outcome: Outcome) -> list[Json]:
    """Return the sentences that a reader of the events has at the end."""
    standing: list[Json] = []
    for event in (*events, *outcome.events):
        if event.name == "answer.sentence":
            standing.append(event.data)
        elif event.name == "answer.restarted":
            standing.clear()
    return standing


def assert_equal_to_the_answer(events: Sequence[Event], outcome: Outcome) -> None:
    standing = said_at_last(events, outcome)
    assert [sentence["n"] for sentence in standing] == list(range(1, len(standing) + 1))
    assert " ".join(sentence["text"] for sentence in standing) == outcome.result.text
    cited = [citation for sentence in standing for citation in sentence["citations"]]
    assert cited == list(outcome.result.citations)
    calculations = [told for sentence in standing for told in sentence.get("calculations", ())]
    assert calculations == [told.model_dump(mode="json") for told in outcome.result.calculations]


WHOLE = draft(
    ("She was born in 1815.", 2), ("She wrote notes in 1843.", 1, 2), ("She met Babbage in 1833.", 3)
)


def test_each_sentence_is_told_once_it_is_whole_and_the_last_with_the_answer() -> None:
    events, outcome = told_by(WHOLE)
    expected = [(1, "She was born in 1815 [1]."), (2, "She wrote notes in 1843 [2][1].")]
    assert [(event.data["n"], event.data["text"]) for event in events] == expected
    assert [event.name for event in outcome.events] == ["answer.sentence", "answer.written"]
    assert [[cited["n"] for cited in event.data["citations"]] for event in events] == [[1], [2]]
    assert Citation.model_validate(events[0].data["citations"][0]).quote == BORN


INDIRECT = draft(("She wrote notes in 1844.", 1), ("She was born in London.", 2), ("She met Babbage.", 3))
BROKEN = WHOLE.model_copy(
    update={"sentences": [WHOLE.sentences[0], DraftSentence.model_construct(text=""), *WHOLE.sentences]}
)
TOLD, BACK = ["answer.sentence"], ["answer.restarted"]


@pytest.mark.parametrize(("replies", "told", "state"), [
    ((WHOLE,), TOLD * 2, "done"),
    ((ReasonedAnswer(analysis='She wrote "sentences": [{', **WHOLE.model_dump()),), TOLD * 2, "done"),
    ((WHOLE.model_copy(update={"answerable": False}),), [], "abstained"),
    ((INDIRECT,), [], "partial"),  # its first sentence falls, and there is no other draft
    ((INDIRECT, WHOLE), TOLD * 2, "done"),
    (
        (draft(("She met Babbage.", 3), ("She wrote notes.", 1), ("x",)), WHOLE),
        TOLD * 2 + BACK + TOLD * 2,
        "done",
    ),
    ((WHOLE, draft(answerable=False)), TOLD * 2 + BACK, "abstained"),
    ((WHOLE, ModelRefused("its filter stopped the reply")), TOLD * 2 + BACK, "partial"),
    ((BROKEN, WHOLE), TOLD + BACK + TOLD * 2, "done"),
])  # fmt: skip
def test_what_was_told_is_taken_back_where_another_draft_or_none_follows(replies, told, state):
    events, outcome = told_by(*replies)
    assert [event.name for event in events] == told
    assert outcome.result.state == state
    if outcome.result.text:
        assert_equal_to_the_answer(events, outcome)
    else:
        assert said_at_last(events, outcome) == []


def test_a_sentence_that_the_evidence_does_not_carry_is_never_told() -> None:
    lies = draft(
        ("She was born in London.", 2),
        ("She wrote notes in 1844.", 1),
        ("She was born in Paris.", 2),
        ("She wrote.", 99),
        ("It rained.",),
        ("She was born in London.", 2),
        ("She met Babbage.", 3),
    )
    events, outcome = told_by(lies)
    assert [event.data["text"] for event in events] == ["She was born in London [1]."]
    assert len(outcome.result.details["dropped_sentences"]) == 4
    assert_equal_to_the_answer(events, outcome)


def test_conflicts_are_told_behind_all_sentences() -> None:
    partly = draft(("She wrote notes in 1843.", 1)).model_copy(update={"conflicts": [[1, 2], [9, 9]]})
    events, outcome = told_by(partly)
    assert outcome.result.text.endswith("[2].")
    assert "The sources disagree" in said_at_last(events, outcome)[-1]["text"]
    assert_equal_to_the_answer(events, outcome)


def test_an_outage_is_left_to_the_next_attempt_which_begins_anew() -> None:
    with pytest.raises(Transient):
        told_by(WHOLE, Transient("cut"))


def test_a_check_that_cannot_reach_the_graph_ends_the_telling_but_not_the_step() -> None:
    class Flaky(Library):
        asked = 0

        def chunks(self, *where: Any) -> Any:
            self.asked += 1
            if self.asked == 1:
                raise DependencyAway("the graph is away")
            return super().chunks(*where)

    said = [(text.replace("Ada Lovelace", "She"), ["Ada Lovelace"], text) for text in FACTS]
    graph = Flaky().add("Ada", *said).add("About", ("Ada Lovelace lived.", ["Ada Lovelace"]))
    first = ("She met Babbage.", 3), ("Ada Lovelace was born.", 2)
    named = draft(*first, ("She wrote notes.", 1), ("It was 1843.", 1))
    events, outcome = told_by(named, graph=graph)
    assert graph.asked == 2
    assert [event.data["text"] for event in events] == ["She met Babbage [1]."]
    assert_equal_to_the_answer(events, outcome)


def test_the_reader_thinks_before_it_says_whether_there_is_an_answer() -> None:
    assert list(ReasonedAnswer.model_fields)[:2] == ["analysis", "answerable"]
    names = list(AnswerDraft.model_fields)
    assert names.index("answerable") < names.index("sentences") < names.index("conflicts")


def test_a_fact_of_a_tool_is_cited_as_the_answer_cites_it() -> None:
    events: list[Event] = []
    said = {"call": "c1", "nth": 0, "said": "Ada Lovelace wrote: 1843"}
    row = {**said, "row": {"year": 1843}, "nodes": [], "relationships": []}
    facts = [scored(WROTE, place=row)]
    call = {"tool": "lookup", "arguments": {"name": "Ada"}, "cypher": "x", "parameters": {}, "words": "Ada"}
    more = {"facts": facts, "calls": {"c1": call}}
    reply = draft(("Ada Lovelace wrote in 1843.", 1), ("She wrote notes.", 1))
    ports = replace(ports_for(library(), Growing(reply), MemoryVectors()), tell=events.extend)
    outcome = synthesize(WritingInput.model_validate(given(**more)), ports)
    (cited,) = events[0].data["citations"]
    assert (cited["kind"], cited["tool"], cited["arguments"]) == ("graph", "lookup", {"name": "Ada"})
    assert outcome.result.citations[0]["call"] == "c1", "there the calls are kept once"


def test_a_translated_sentence_is_told_and_taken_back_where_the_model_refuses_it() -> None:
    quote = "柳泉陶瓷厂 1958 年投产，厂长唐家骏。"
    graph = Library().add("柳泉陶瓷厂志", (quote, ["唐家骏"]))
    reply = draft(("It began in 1958.", 1), ("Its director is Tang Jialiang.", 1), ("It began there.", 1))
    model = Growing(reply)
    refused = TranslationVerdicts(verdicts=[TranslationVerdict(n=1, carried=False, wrong=["Jialiang"])])
    model.script[TranslationVerdicts] = refused
    events: list[Event] = []
    ports = replace(ports_for(graph, model, MemoryVectors()), tell=events.extend)
    asked = {"question": "Who is the director?", "sub_questions": [], "facts": [scored(quote)]}
    outcome = synthesize(WritingInput.model_validate(asked), ports)
    assert [event.name for event in events] == [*TOLD * 2, *BACK]
    assert [sentence["text"] for sentence in said_at_last(events, outcome)] == [
        "It began in 1958 [1].", "It began there [1]."
    ]  # fmt: skip
    assert_equal_to_the_answer(events, outcome)


def test_a_sentence_is_told_with_its_calculation_once_that_is_whole() -> None:
    span = {"value": "18", "expression": "years(1815; 1833)"}
    operands = [{"citation": 2, "number": "1815"}, {"citation": 3, "number": "1833"}]
    calculated = {"text": "She met Babbage 18 years after she was born.", "citations": [3, 2]}
    calculated |= {"calculations": [{**span, "operands": operands}]}
    wrong = {
        **calculated,
        "calculations": [{**span, "expression": "years(1815; 1834)", "operands": operands}],
    }
    reply = AnswerDraft.model_validate(
        {"answerable": True, "sentences": [calculated, wrong, *WHOLE.sentences]}
    )
    events, outcome = told_by(reply)
    assert events[0].data["text"] == "She met Babbage 18 years (1815 – 1833) after she was born [1][2]."
    (told,) = events[0].data["calculations"]
    assert told["operands"] == [{"n": 2, "number": "1815"}, {"n": 1, "number": "1833"}]
    assert [dropped["why"] for dropped in outcome.result.details["dropped_sentences"]] == [
        "1834 is not in the cited text"
    ]
    assert_equal_to_the_answer(events, outcome)
