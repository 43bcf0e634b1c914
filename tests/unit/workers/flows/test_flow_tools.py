from __future__ import annotations

from dataclasses import replace

import orjson
import pytest
from doubles.flow_run import FlowRun
from doubles.library import Library, ScriptedModel, f, ports_for
from doubles.toolset import REFUSED, SCHEMA, ScriptedTools, found, nothing
from doubles.vectors import MemoryVectors

from workers.core.errors import CypherTooLong, ModelRefusedSchema
from workers.core.jobs.work import Done, JobState
from workers.core.models.tool_calls import ToolCall, ToolCalls
from workers.core.models.tools import FoundBy, ToolAnswer, ToolFact
from workers.critic.schema import AnswerCheck, AnswerDraft, DraftSentence, FactScore
from workers.flows.graph_results import SCORE
from workers.flows.tools import TOOLS
from workers.ledger.wire import INPUT_BYTES
from workers.traverse.tools.route import RUN_TOOL
from workers.traverse.tools.schema import AtomicQuestions

QUESTION = "Who directed The Matrix, and how many movies did Tom Hanks act in?"
PARTS = ["Who directed The Matrix?", "How many movies did Tom Hanks act in?"]
DIRECTED = "Lana Wachowski directed The Matrix"
COUNTED = "How many movies did Tom Hanks act in? movies: 12"


def calls(*chosen):
    return ToolCalls(calls=tuple(ToolCall(name=name, arguments=arguments) for name, arguments in chosen))


def route(material):
    if "Matrix" in material["question"]:
        return calls(("lookup", {"about": "The Matrix"}))
    return calls(("count", {"about": material["question"]}))


def write_all(material):
    statements = [(f"{entry['fact']}.", entry["n"]) for entry in material["evidence"]]
    sentences = [DraftSentence(text=text, citations=[n]) for text, n in statements[:50]]
    return AnswerDraft(answerable=True, sentences=sentences)


SCRIPT = {
    AtomicQuestions: AtomicQuestions(question=QUESTION, sub_questions=PARTS),
    ToolCalls: route,
    AnswerCheck: AnswerCheck(complete=True),
    FactScore: FactScore(relevance=0.9),
    AnswerDraft: write_all,
}


def tools(**more):
    script = {"lookup": found("lookup", DIRECTED), "count": found("count", COUNTED, words="tom hanks")}
    return ScriptedTools(**{**script, **more})


def run_of(toolset=None, script=None, *, library=None, given_up=(), dropped=(), seed=0, **params):
    model = ScriptedModel({**SCRIPT, **(script or {})})
    job_params = TOOLS.params.model_validate(
        {"question": QUESTION, "strategy": "tools", **params}
    ).model_dump()
    ports = ports_for(library or Library(), model, MemoryVectors(), **job_params)
    run = FlowRun(
        TOOLS, replace(ports, tools=toolset or tools()), given_up=given_up, dropped=dropped, seed=seed
    )
    run.model = model
    return run


def test_two_parts_are_asked_side_by_side_and_answered_with_rows_and_their_queries():
    run = run_of()
    end = run.to_end()
    assert end.state is JobState.DONE
    assert [item.input["question"] for item in run.phases[1].items] == PARTS
    assert end.outcome["text"] == f"{DIRECTED} [1]. {COUNTED} [2]."
    first, second = end.outcome["citations"]
    assert (first["kind"], first["tool"], first["arguments"]) == ("graph", "lookup", {"about": "The Matrix"})
    assert first["cypher"] == "MATCH (n) RETURN n"
    assert first["nodes"] == ["4:x:0"]
    assert second["row"] == {"text": COUNTED}
    assert end.outcome["details"]["rounds"] == 1
    assert [call["tool"] for call in end.outcome["details"]["tools"]] == ["lookup", "count"]


def test_facts_are_scored_beside_the_answer_critic():
    run = run_of()
    run.to_end()
    assert run.steps_of(2) == ["critic.check_answer", "critic.score_fact"]
    assert run.steps_of(3) == ["critic.answer_from_tools"]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_in_which_tools_end_changes_nothing(seed):
    assert run_of(seed=seed).to_end().outcome == run_of().to_end().outcome


def test_what_is_still_open_is_asked_in_another_round_with_the_answers_so_far():
    def check(material):
        if len(material["asked"]) > 1:
            return AnswerCheck(complete=True)
        assert material["asked"][0]["found"] == DIRECTED
        return AnswerCheck(complete=False, missing=["How many movies did Lana Wachowski make?"], why="half")

    script = {
        AtomicQuestions: AtomicQuestions(question=QUESTION, sub_questions=PARTS[:1]),
        AnswerCheck: check,
    }
    run = run_of(script=script)
    end = run.to_end()
    assert end.state is JobState.DONE
    assert end.outcome["details"]["rounds"] == 2
    material = next(
        material for name, _tier, material in run.model.asked if "Lana" in material.get("question", "")
    )
    assert material["answers"] == [{"question": PARTS[0], "answer": DIRECTED}]
    assert len([1 for name, *_ in run.model.asked if name == "score"]) == 2  # each fact once


def test_rounds_are_bounded_and_a_question_is_never_asked_twice():
    counter = iter(range(100))
    again = {AnswerCheck: lambda _: AnswerCheck(complete=False, missing=[f"And {next(counter)}?", PARTS[0]])}
    run = run_of(script=again, max_rounds=3)
    end = run.to_end()
    assert end.outcome["details"]["rounds"] == 3
    assert len([1 for name, *_ in run.model.asked if name == "check_answer"]) == 3
    questions = [
        item.input["question"]
        for phase in run.phases
        for item in phase.items
        if item.step.endswith("choose_tools")
    ]
    assert len(questions) == len(set(questions))


def test_the_same_call_is_done_once_whoever_asks_for_it():
    toolset = tools()
    run = run_of(toolset, {ToolCalls: lambda _: calls(("lookup", {"about": "The Matrix"}))})
    run.to_end()
    assert [name for name, *_ in toolset.ran] == ["lookup"]


def test_unknown_tools_and_wrong_arguments_are_dropped_and_the_documents_searched_instead():
    wrong = {ToolCalls: lambda _: calls(("teleport", {}), ("lookup", {"speed": 9}))}
    library = Library().add(
        "Films", ("Lana Wachowski directed The Matrix.", ["Lana Wachowski", "The Matrix"])
    )
    sentence = "Lana Wachowski directed The Matrix."
    fact = ToolFact(text=sentence, fact_id=f(sentence), chunk_id=None, title="Films")
    memory = ToolAnswer(by=FoundBy(tool="search_memory", arguments={}), facts=(fact,), markdown=sentence)
    end = run_of(tools(search_memory=memory), wrong, library=library).to_end()
    assert end.state is JobState.DONE
    assert end.outcome["citations"][0]["kind"] == "text"
    assert end.outcome["citations"][0]["quote"] == sentence
    refused = end.outcome["details"]["calls_refused"]
    assert {call["name"] for call in refused} == {"teleport", "lookup"}
    assert "searched_instead" in end.outcome["details"]


def test_small_talk_is_answered_without_the_graph():
    hello = {
        AtomicQuestions: AtomicQuestions(question="Hello!"),
        ToolCalls: calls(("respond", {"answer": "Hello! What do you want to know?"})),
    }
    run = run_of(script=hello, question="Hello!")
    end = run.to_end()
    assert (end.state, end.outcome["text"]) == (JobState.DONE, "Hello! What do you want to know?")
    assert not end.outcome["citations"]
    assert len(run.phases) == 2


def test_a_reply_without_a_tool_may_not_tell_what_the_model_knows():
    known = {
        AtomicQuestions: AtomicQuestions(question=PARTS[0]),
        ToolCalls: calls(("respond", {"answer": "The Wachowskis did, in 1999."})),
    }
    end = run_of(script=known, question=PARTS[0]).to_end()
    assert end.state is not JobState.DONE
    assert end.outcome["text"] == ""
    assert "1999" in end.outcome["details"]["calls_refused"][0]["why"]


def test_what_the_conversation_holds_may_be_said_again():
    script = {
        AtomicQuestions: AtomicQuestions(question="Who directed it again?"),
        ToolCalls: calls(("respond", {"answer": "Lana Wachowski directed The Matrix."})),
    }
    run = run_of(script=script, question="Who directed it again?")
    history = [{"question": PARTS[0], "answer": f"{DIRECTED} [1]."}]
    first = TOOLS.first(run.job).items[0]
    opened = first.model_copy(update={"input": {**first.input, "history": history}})
    run.flow = replace(TOOLS, first=lambda _job: TOOLS.first(run.job).model_copy(update={"items": (opened,)}))
    assert run.to_end().outcome["text"] == "Lana Wachowski directed The Matrix."


def test_nothing_found_abstains_and_says_what_was_tried():
    empty = tools(lookup=nothing("lookup"), count=nothing("count", "Nothing fits."))
    end = run_of(empty).to_end()
    assert end.state is JobState.ABSTAINED
    assert "lookup(about=The Matrix): Nothing of that name" in end.outcome["reason"]
    assert "Nothing fits" in end.outcome["reason"]


def test_tools_that_take_too_long_or_are_refused_leave_the_others_to_answer():
    slow = tools(count=CypherTooLong("it took longer than 10 s"))
    end = run_of(slow).to_end()
    assert end.state is JobState.PARTIAL  # a part is open
    assert PARTS[1] in end.outcome["reason"]
    assert end.outcome["missing"] == PARTS[1:]
    assert end.outcome["details"]["tools_failed"]["items"] == [
        {"tool": "count", "reason": "it took longer than 10 s"}
    ]
    broken = tools(lookup=REFUSED, count=CypherTooLong("it took longer than 10 s"))
    end = run_of(broken).to_end()
    assert end.state is JobState.FAILED
    assert "allowed is one of: DIRECTED" in end.outcome["reason"]


def test_a_model_that_chooses_nothing_usable_ends_with_the_reason():
    end = run_of(script={ToolCalls: ModelRefusedSchema("no reply fits")}).to_end()
    assert end.state is JobState.PARTIAL
    assert end.outcome["reason"].startswith("No tool could be run to its end: none could be chosen in time;")


@pytest.mark.parametrize(
    "dropped", ["traverse.normalise", "traverse.choose_tools", "traverse.run_tool", "critic.check_answer"]
)
def test_a_closed_phase_goes_on_with_what_there_is(dropped):
    end = run_of(dropped=[dropped]).to_end()
    assert end.state in (JobState.DONE, JobState.PARTIAL)
    assert end.outcome["text"] or end.outcome["reason"]


@pytest.mark.parametrize("step", list(TOOLS.steps))
def test_every_step_may_be_given_up(step):
    end = run_of(given_up=[step]).to_end()
    assert end.state in ((JobState.FAILED,) if step == RUN_TOOL else (JobState.DONE, JobState.PARTIAL))
    assert end.outcome["text"] or end.outcome["reason"]


def test_only_the_writing_may_not_be_closed_early():
    run = run_of()
    run.to_end()
    before = [TOOLS.may_close(phase, run.job, lambda: run.results) for phase in range(len(run.phases))]
    assert before == [True, True, True, False]


def test_a_number_that_no_row_holds_is_not_said():
    def invents(material):
        n = material["evidence"][0]["n"]
        return AnswerDraft(
            answerable=True,
            sentences=[
                DraftSentence(text="Tom Hanks acted in 13 movies.", citations=[n]),
                DraftSentence(text="Tom Hanks acted in 12 movies.", citations=[n]),
            ],
        )

    script = {AtomicQuestions: AtomicQuestions(question=PARTS[1]), AnswerDraft: invents}
    end = run_of(script=script, question=PARTS[1]).to_end()
    assert end.outcome["text"] == "Tom Hanks acted in 12 movies [1]."
    assert end.outcome["details"]["dropped_sentences"][0]["why"] == "not in the cited text: 13"


def test_a_relation_that_a_document_states_is_cited_with_its_sentence():
    sentence = "Mara joined the Tide Guild."
    library = Library().add("Story", (sentence, ["Mara", "Tide Guild"]))
    row = ToolFact(
        text="Mara is a member of the Tide Guild",
        row={"relation": "MEMBER_OF"},
        nodes=("4:x:1", "4:x:2"),
        relationships=("5:x:1",),
        fact_id=f(sentence),
    )
    answer = ToolAnswer(by=FoundBy(tool="lookup", arguments={}, cypher="MATCH"), facts=(row,), markdown="x")
    script = {AtomicQuestions: AtomicQuestions(question="Whom did Mara and the Matrix join?")}
    end = run_of(tools(lookup=answer), script, library=library).to_end()
    (cited,) = end.outcome["citations"]
    assert (cited["kind"], cited["relationships"]) == ("graph", ["5:x:1"])
    assert cited["stated"]["quote"] == sentence


def test_rows_of_a_table_keep_their_order():
    rows = [f"movies: {n} · person: P{n}" for n in (12, 9, 7, 3)]
    script = {AtomicQuestions: AtomicQuestions(question=QUESTION, sub_questions=PARTS[1:])}
    run = run_of(tools(count=found("count", *rows)), script)
    text = run.to_end().outcome["text"]
    assert [text.index(f"P{n}") for n in (12, 9, 7, 3)] == sorted(text.index(f"P{n}") for n in (12, 9, 7, 3))


def test_the_schema_is_shown_to_who_takes_the_question_apart():
    run = run_of()
    run.to_end()
    assert run.model.asked[0][2]["schema"] == SCHEMA
    assert run.ports.tools.schemas[0] == QUESTION


def test_what_is_said_without_a_tool_is_held_against_the_whole_schema():
    script = {
        AtomicQuestions: AtomicQuestions(question="Hello!"),
        ToolCalls: calls(("respond", {"answer": "Hello!"})),
    }
    run = run_of(script=script, question="Hello!")
    run.to_end()
    assert sorted(run.ports.tools.schemas) == ["", "Hello!", "Hello!\nHello!"]


def only(question, **more):
    """A script whose question has one part."""
    return {AtomicQuestions: AtomicQuestions(question=QUESTION, sub_questions=[question]), **more}


def row_of(value, text):
    """What a tool brings back: a row that says less than it is told with."""
    fact = ToolFact(text=text, said=value, row={"value": value}, nodes=("4:x:0",))
    return ToolAnswer(by=FoundBy(tool="count", arguments={}, cypher="MATCH", words=""), facts=(fact,))


def test_what_a_model_puts_into_a_sub_question_is_no_evidence():
    invented = "How many movies, given that Tom Hanks was arrested in Berlin in 1999?"
    counted = row_of("38", f"{invented} movies: 38")

    def repeats(material):
        n = material["evidence"][0]["n"]
        texts = ["Tom Hanks was arrested in Berlin in 1999.", "There are 38 movies."]
        return AnswerDraft(
            answerable=True, sentences=[DraftSentence(text=text, citations=[n]) for text in texts]
        )

    script = {**only(invented), AnswerDraft: repeats}
    end = run_of(tools(count=counted), script, question="How many movies are there?").to_end()
    assert end.outcome["text"] == "There are 38 movies [1]."
    assert "1999" in end.outcome["details"]["dropped_sentences"][0]["why"]


def test_words_of_a_call_count_only_where_the_user_or_a_row_said_them():
    row = ToolFact(text="How many? movies: 12", said="12", row={"movies": 12})
    by = FoundBy(tool="count", arguments={}, cypher="MATCH", words="tom hanks oscar berlin 1999")
    counted = ToolAnswer(by=by, facts=(row,))
    run = run_of(tools(count=counted), only(PARTS[1]))
    run.to_end()
    calls = next(item.input["calls"] for item in run.phases[-1].items)
    assert [call["words"] for call in calls.values()] == ["tom hanks"]


def test_what_the_last_round_found_is_scored_and_written_however_much_came_before():
    many = {f"t{n}": found(f"t{n}", *(f"Fact {n} {m}" for m in range(50))) for n in range(4)}
    chosen = [(name, {"about": "x"}) for name in many]
    script = {
        **only("All?"),
        ToolCalls: lambda material: calls(*chosen) if material["question"] == "All?" else calls(("last", {})),
        AnswerCheck: lambda _: AnswerCheck(complete=False, missing=["The island?"]),
    }
    toolset = ScriptedTools(last=found("last", "Zanzibar is the island"), **many)
    run = run_of(toolset, script, max_rounds=2, summarise_overflow=False)
    end = run.to_end()
    written = [fact["fact_text"] for fact in run.phases[-1].items[0].input["facts"]]
    assert "Zanzibar is the island" in written
    assert len(written) <= 150
    assert end.outcome["details"]["rows_left_out"] == 51


def test_inputs_and_results_stay_within_what_an_item_may_have():
    wide = "漢" * 1400
    rows = [f"{n} {wide}" for n in range(50)]
    script = {
        **only("问" * 400),
        ToolCalls: lambda _: calls(*((f"t{n}", {"about": "界" * 3000}) for n in range(8))),
        AnswerCheck: lambda material: AnswerCheck(
            complete=False, missing=[f"{len(material['asked'])}" + "再" * 390]
        ),
    }
    many = ScriptedTools(**{f"t{n}": found(f"t{n}", *rows, cypher="M" * 4000) for n in range(8)})
    more = {"max_rounds": 6, "max_model_calls": 2000, "summarise_overflow": False}
    run = run_of(many, script, question="漢" * 4000, **more)
    run.to_end()
    inputs = [len(orjson.dumps(item.input)) for phase in run.phases for item in phase.items]
    assert max(inputs) < INPUT_BYTES


def test_citations_of_many_rows_are_stored_with_each_call_once():
    rows = [f"Row {n} of it" for n in range(50)]
    big = {name: found(name, *(f"{name} {row}" for row in rows), cypher="M" * 4000) for name in ("a1", "b1")}
    script = {**only("All?"), ToolCalls: calls(("a1", {}), ("b1", {}))}
    run = run_of(ScriptedTools(**big), script, evidence_tokens=20_000)
    end = run.to_end()
    written = next(
        done.result for phase in run.results.values() for done in phase if "citations" in done.result
    )
    assert len(written["citations"]) == 50
    assert len(orjson.dumps(written)) < INPUT_BYTES / 2
    assert {citation["cypher"] for citation in end.outcome["citations"]} == {"M" * 4000}


def test_half_a_greeting_is_no_whole_answer():
    script = {
        AtomicQuestions: AtomicQuestions(question=QUESTION, sub_questions=["Hello!", PARTS[1]]),
        ToolCalls: lambda material: (
            calls(("respond", {"answer": "Hello!"})) if "Hello" in material["question"] else 1 / 0
        ),
    }
    run = run_of(script=script)
    first = TOOLS.advance(0, {0: run.drained(TOOLS.first(run.job).items)}, run.job)
    done = run.drained(first.items[:1])
    end = TOOLS.advance(
        1,
        {0: [], 1: done}
        | {
            0: [
                Done(
                    item_id="normalise",
                    step="traverse.normalise",
                    result={"question": QUESTION, "sub_questions": ["Hello!", PARTS[1]], "history": []},
                )
            ]
        },
        run.job,
    )
    assert (end.state, end.outcome["text"]) == (JobState.PARTIAL, "Hello!")
    assert PARTS[1] in end.outcome["reason"]


def test_many_broken_calls_are_not_an_empty_graph():
    broken = {f"t{n}": CypherTooLong("too long") for n in range(8)}
    sub_questions = [f"Part {n}?" for n in range(8)]
    script = {
        AtomicQuestions: AtomicQuestions(question=QUESTION, sub_questions=sub_questions),
        ToolCalls: lambda material: calls(*((name, {"about": material["question"]}) for name in broken)),
    }
    end = run_of(ScriptedTools(**broken), script, max_rounds=1).to_end()
    assert end.state is JobState.FAILED
    assert end.outcome["details"]["tools_failed"]["count"] == 64


@pytest.mark.parametrize("step", ["traverse.choose_tools", "traverse.run_tool", "critic.check_answer"])
@pytest.mark.parametrize("late", [3, 4, 5])
def test_a_deadline_in_a_later_round_ends_with_what_there_is(step, late):
    counter = iter(range(100))
    script = {AnswerCheck: lambda _: AnswerCheck(complete=False, missing=[f"And how many {next(counter)}?"])}
    run = run_of(script=script, max_rounds=4)
    drained = run.drained

    def cut_off(items, caps=None):
        return [done for done in drained(items, caps) if done.step != step or len(run.phases) <= late]

    run.drained = cut_off
    end = run.to_end()
    assert end.outcome["text"].startswith(f"{DIRECTED} [1].")
    if step == "critic.check_answer":
        assert end.state is JobState.DONE, "nobody says that anything is open"
    else:
        assert end.state is JobState.PARTIAL
        assert end.outcome["reason"].startswith("Nothing was found for: And how many ")
    assert end.outcome["details"]["rounds"] <= 4


def test_a_part_that_nothing_was_found_for_makes_the_answer_partial_and_is_named():
    end = run_of(toolset=tools(lookup=nothing("lookup", "No node is named “The Matrix”."))).to_end()
    assert end.state is JobState.PARTIAL
    assert end.outcome["text"] == f"{COUNTED} [1]."
    assert end.outcome["reason"] == f"Nothing was found for: {PARTS[0]}"
    assert end.outcome["missing"] == end.outcome["details"]["parts_not_found"] == PARTS[:1]


def test_open_parts_are_missing_however_the_writing_ends():
    some = tools(lookup=nothing("lookup"))
    for reply, state in (
        (ModelRefusedSchema("no JSON"), JobState.PARTIAL),
        (AnswerDraft(answerable=False), JobState.ABSTAINED),
    ):
        run = run_of(some, {AnswerDraft: reply})
        end = run.to_end()
        assert (end.state, end.outcome["missing"]) == (state, PARTS[:1])
    none = run_of(tools(lookup=nothing("lookup"), count=nothing("count"))).to_end()
    assert (none.state, none.outcome["missing"]) == (JobState.ABSTAINED, PARTS)


def test_what_the_answer_critic_misses_behind_the_last_round_is_named():
    lacking = "In which year was Lana Wachowski born?"
    end = run_of(
        script={AnswerCheck: AnswerCheck(complete=False, missing=[lacking], why="half")}, max_rounds=1
    ).to_end()
    assert (end.state, end.outcome["reason"]) == (JobState.PARTIAL, f"Nothing was found for: {lacking}")
    assert end.outcome["text"]
    assert end.outcome["missing"] == end.outcome["details"]["parts_not_found"] == [lacking]


def test_a_part_that_a_later_round_found_in_other_words_is_not_open():
    def check(material):
        if len(material["asked"]) > len(PARTS):
            return AnswerCheck(complete=True)
        return AnswerCheck(complete=False, missing=["Who is the director who directed Matrix?"], why="half")

    def choose(material):
        if material["question"].startswith("Who is the director"):
            return calls(("by_title", {"about": "Matrix"}))
        return route(material)

    toolset = tools(lookup=nothing("lookup", "none"), by_title=found("by_title", DIRECTED))
    end = run_of(toolset=toolset, script={AnswerCheck: check, ToolCalls: choose}).to_end()
    assert end.state is JobState.DONE
    assert "parts_not_found" not in end.outcome["details"]


def test_critics_see_thirty_facts_of_a_round_at_most_best_first():
    rows = [f"Row {n} of it" for n in range(45)]
    rows[40] = "Row 40 on how many movies Tom Hanks acted in"
    run = run_of(tools(count=found("count", *rows)), only(PARTS[1]))
    run.to_end()
    seen = [item.input for item in run.phases[2].items if item.step == SCORE]
    assert sum(1 + len(each["others"]) for each in seen) == 30
    assert seen[0]["fact"] == rows[40]


def test_rows_beyond_those_that_critics_see_keep_their_order_and_get_no_better_score():
    rows = [f"How many movies did Tom Hanks act in? movie: M{n}" for n in range(45)]
    run = run_of(tools(count=found("count", *rows)), only(PARTS[1]), evidence_tokens=20_000)
    end = run.to_end()
    written = run.phases[-1].items[0].input["facts"]
    assert [fact["fact_text"] for fact in written] == rows
    assert {fact["score"] for fact in written} == {0.9}
    assert end.outcome["details"]["default_scores"] == 15


def test_rows_that_critics_find_useless_take_those_of_their_call_along():
    rows = [f"How many movies? row: {n}" for n in range(45)]
    run = run_of(tools(count=found("count", *rows)), {**only(PARTS[1]), FactScore: FactScore(relevance=0)})
    run.to_end()
    assert {fact["score"] for fact in run.phases[-1].items[0].input["facts"]} == {0.0}


def test_rows_beyond_those_that_critics_see_rank_no_higher_where_critics_fail():
    rows = [f"How many movies did Tom Hanks act in? movie: M{n}" for n in range(45)]
    script = {**only(PARTS[1]), FactScore: ModelRefusedSchema("no")}
    run = run_of(tools(count=found("count", *rows)), script, evidence_tokens=20_000)
    run.to_end()
    written = run.phases[-1].items[0].input["facts"]
    assert [fact["fact_text"] for fact in written] == rows
    assert {fact["score"] for fact in written} == {0.1}


def test_what_an_exact_look_up_found_costs_no_critic():
    exact = tools(lookup=found("lookup", DIRECTED, exact=True))
    run = run_of(exact)
    end = run.to_end()
    seen = [item.input["fact"] for item in run.phases[2].items if item.step == SCORE]
    assert seen == [COUNTED]
    assert end.outcome["text"] == f"{COUNTED} [1]. {DIRECTED} [2]."
    assert end.outcome["details"]["looked_up"] == 1
    assert "default_scores" not in end.outcome["details"]
    assert end.outcome["citations"][1]["score"] == 0.8


def test_where_look_ups_found_all_no_critic_is_asked_at_all():
    exact = tools(
        lookup=found("lookup", DIRECTED, exact=True),
        count=found("count", COUNTED, words="tom hanks", exact=True),
    )
    run = run_of(exact)
    assert run.to_end().state is JobState.DONE
    assert run.steps_of(2) == ["critic.check_answer"]


def test_what_the_answer_critic_gives_up_is_named_and_not_asked_again():
    lacking = "In which year was Lana Wachowski born?"
    gave_up = AnswerCheck(complete=False, gave_up=True, missing=[lacking], why="No tool knows years.")
    end = run_of(script={AnswerCheck: gave_up}).to_end()
    assert (end.state, end.outcome["reason"]) == (JobState.PARTIAL, f"Nothing was found for: {lacking}")
    assert end.outcome["details"]["rounds"] == 1
    assert end.outcome["details"]["checks"][0]["given_up"] == [lacking]


def test_what_is_answered_is_not_open_whatever_else_the_reply_says():
    answered = AnswerCheck(complete=True, gave_up=True, missing=["And what else?"])
    assert run_of(script={AnswerCheck: answered}).to_end().state is JobState.DONE


def test_the_answer_critic_sees_the_conversation():
    run = run_of()
    history = [{"question": PARTS[0], "answer": f"{DIRECTED} [1]."}]
    first = TOOLS.first(run.job).items[0]
    opened = first.model_copy(update={"input": {**first.input, "history": history}})
    run.flow = replace(TOOLS, first=lambda _job: TOOLS.first(run.job).model_copy(update={"items": (opened,)}))
    run.to_end()
    shown = next(material for name, _tier, material in run.model.asked if name == "check_answer")
    assert shown["history"] == history
