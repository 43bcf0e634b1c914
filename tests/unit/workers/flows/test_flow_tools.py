import orjson
import pytest
from doubles.library import Library, f
from doubles.strategies import BOTH, COUNTED, DIRECTED, PARTS, ToolsRun, calls, route, tools
from doubles.toolset import REFUSED, SCHEMA, ScriptedTools, found, nothing

from hopline.models.jobs import JobState
from workers.core.errors import CypherTooLong, ModelRefusedSchema
from workers.core.models.tool_calls import ToolCalls
from workers.core.models.tools import FoundBy, ToolAnswer, ToolFact
from workers.critic.schema import AnswerCheck, AnswerDraft, DraftSentence, FactScore
from workers.ledger.wire import INPUT_BYTES
from workers.traverse.question import SCORE
from workers.traverse.tools.flow import TOOLS
from workers.traverse.tools.normalise import AtomicQuestions


def only(question, **more):
    """A script whose question has one part."""
    return {AtomicQuestions: AtomicQuestions(question=BOTH, sub_questions=[question]), **more}


def test_two_parts_are_asked_side_by_side_and_answered_with_rows_and_their_queries():
    run = ToolsRun()
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
    assert run.model.asked[0][2]["schema"] == SCHEMA
    assert run.ports.tools.schemas[0] == BOTH
    assert run.steps_of(2) == ["critic.check_answer", "critic.score_fact"]
    assert run.steps_of(3) == ["critic.answer_from_tools"]


def test_what_is_still_open_is_asked_in_another_round_with_the_answers_so_far():
    def check(material):
        if len(material["asked"]) > 1:
            return AnswerCheck(complete=True)
        assert material["asked"][0]["found"] == DIRECTED
        return AnswerCheck(complete=False, missing=["How many movies did Lana Wachowski make?"], why="half")

    script = {AtomicQuestions: AtomicQuestions(question=BOTH, sub_questions=PARTS[:1]), AnswerCheck: check}
    run = ToolsRun(script=script)
    end = run.to_end()
    assert end.state is JobState.DONE
    assert end.outcome["details"]["rounds"] == 2
    material = next(asked for _name, _tier, asked in run.model.asked if "Lana" in asked.get("question", ""))
    assert material["answers"] == [{"question": PARTS[0], "answer": DIRECTED}]
    assert len(run.asked("score")) == 2  # each fact once


def test_rounds_are_bounded_and_a_question_is_never_asked_twice():
    counter = iter(range(100))
    again = {AnswerCheck: lambda _: AnswerCheck(complete=False, missing=[f"And {next(counter)}?", PARTS[0]])}
    run = ToolsRun(script=again, max_rounds=3)
    end = run.to_end()
    assert end.outcome["details"]["rounds"] == 3
    assert len(run.asked("check_answer")) == 3
    items = [item for phase in run.phases for item in phase.items]
    questions = [item.input["question"] for item in items if item.step.endswith("choose_tools")]
    assert len(questions) == len(set(questions))


def test_the_same_call_is_done_once_whoever_asks_for_it():
    toolset = tools()
    run = ToolsRun(toolset, {ToolCalls: lambda _: calls(("lookup", {"about": "The Matrix"}))})
    run.to_end()
    assert [name for name, *_ in toolset.ran] == ["lookup"]


def test_unknown_tools_and_wrong_arguments_are_dropped_and_the_documents_searched_instead():
    wrong = {ToolCalls: lambda _: calls(("teleport", {}), ("lookup", {"speed": 9}))}
    sentence = "Lana Wachowski directed The Matrix."
    library = Library().add("Films", (sentence, ["Lana Wachowski", "The Matrix"]))
    fact = ToolFact(text=sentence, fact_id=f(sentence), chunk_id=None, title="Films")
    memory = ToolAnswer(by=FoundBy(tool="search_memory", arguments={}), facts=(fact,), markdown=sentence)
    end = ToolsRun(tools(search_memory=memory), wrong, library=library).to_end()
    assert end.state is JobState.DONE
    assert end.outcome["citations"][0]["kind"] == "text"
    assert end.outcome["citations"][0]["quote"] == sentence
    refused = end.outcome["details"]["calls_refused"]
    assert {call["name"] for call in refused} == {"teleport", "lookup"}
    assert "searched_instead" in end.outcome["details"]


def test_of_documents_in_other_languages_the_choice_of_tools_is_told():
    run = ToolsRun()
    run.to_end()
    assert all("languages" not in material for material in run.asked("choose_tools"))
    memory = ToolAnswer(by=FoundBy(tool="search_memory", arguments={}), facts=(), markdown="")
    run = ToolsRun(tools(search_memory=memory))
    run.ports.graph.around.languages = lambda _collection: ("en", "fr", "ja")
    run.to_end()
    assert {material["languages"] for material in run.asked("choose_tools")} == {("fr", "ja")}


@pytest.mark.parametrize(
    ("question", "said", "turns", "text"),
    [
        ("Hello!", "Hello there!", [], "Hello there!"),
        ("Hi there!", "Hello! The sun is a star.", [], "Hello!"),
        ("Who directed it again?", f"{DIRECTED}.", [(PARTS[0], f"{DIRECTED} [1].")], f"{DIRECTED}."),
        (PARTS[0], "The Wachowskis did, in 1999.", [], ""),
    ],
    ids=["small talk", "small talk with a claim", "what the conversation holds", "what the model knows"],
)
def test_without_a_tool_only_small_talk_and_what_was_said_before_is_said(question, said, turns, text):
    asked = AtomicQuestions(question=question)
    script = {AtomicQuestions: asked, ToolCalls: calls(("respond", {"answer": said}))}
    run = ToolsRun(script=script, question=question).with_history(*turns)
    end = run.to_end()
    assert (end.outcome["text"], end.outcome["citations"]) == (text, [])
    assert "" in run.ports.tools.schemas, "what is said is held against the whole schema"
    if text:
        assert (end.state, len(run.phases)) == (JobState.DONE, 2)
    else:
        assert end.state is not JobState.DONE
        assert "1999" in end.outcome["details"]["calls_refused"][0]["why"]


def test_nothing_found_abstains_and_says_what_was_tried():
    empty = tools(lookup=nothing("lookup"), count=nothing("count", "Nothing fits."))
    end = ToolsRun(empty).to_end()
    assert end.state is JobState.ABSTAINED
    assert "lookup(about=The Matrix): Nothing of that name" in end.outcome["reason"]
    assert "Nothing fits" in end.outcome["reason"]


def test_tools_that_take_too_long_or_are_refused_leave_the_others_to_answer():
    slow = CypherTooLong("it took longer than 10 s")
    end = ToolsRun(tools(count=slow)).to_end()
    assert end.state is JobState.PARTIAL  # a part is open
    assert PARTS[1] in end.outcome["reason"]
    assert end.outcome["missing"] == PARTS[1:]
    failed = [{"tool": "count", "reason": "it took longer than 10 s"}]
    assert end.outcome["details"]["tools_failed"]["items"] == failed
    end = ToolsRun(tools(lookup=REFUSED, count=slow)).to_end()
    assert end.state is JobState.FAILED
    assert "allowed is one of: DIRECTED" in end.outcome["reason"]
    end = ToolsRun(script={ToolCalls: ModelRefusedSchema("no reply fits")}).to_end()
    assert end.state is JobState.FAILED
    assert end.outcome["reason"] == "No tool could be chosen: no reply fits"


def test_a_relation_that_a_document_states_is_cited_with_its_sentence():
    sentence = "Mara joined the Tide Guild."
    library = Library().add("Story", (sentence, ["Mara", "Tide Guild"]))
    ends = {"nodes": ("4:x:1", "4:x:2"), "relationships": ("5:x:1",), "fact_id": f(sentence)}
    row = ToolFact(text="Mara is a member of the Tide Guild", row={"relation": "MEMBER_OF"}, **ends)
    answer = ToolAnswer(by=FoundBy(tool="lookup", arguments={}, cypher="MATCH"), facts=(row,), markdown="x")
    script = {AtomicQuestions: AtomicQuestions(question="Whom did Mara and the Matrix join?")}
    end = ToolsRun(tools(lookup=answer), script, library=library).to_end()
    (cited,) = end.outcome["citations"]
    assert (cited["kind"], cited["relationships"]) == ("graph", ["5:x:1"])
    assert cited["stated"]["quote"] == sentence


def test_what_a_model_puts_into_a_sub_question_is_no_evidence():
    invented = "How many movies, given that Tom Hanks was arrested in Berlin in 1999?"
    fact = ToolFact(text=f"{invented} movies: 38", said="38", row={"value": "38"}, nodes=("4:x:0",))
    by = FoundBy(tool="count", arguments={}, cypher="MATCH", words="")
    counted = ToolAnswer(by=by, facts=(fact,))

    def repeats(material):
        citations = [material["evidence"][0]["n"]]
        texts = ["Tom Hanks was arrested in Berlin in 1999.", "There are 38 movies."]
        sentences = [DraftSentence(text=text, citations=citations) for text in texts]
        return AnswerDraft(answerable=True, sentences=sentences)

    script = {**only(invented), AnswerDraft: repeats}
    end = ToolsRun(tools(count=counted), script, question="How many movies are there?").to_end()
    assert end.outcome["text"] == "There are 38 movies [1]."
    assert "1999" in end.outcome["details"]["dropped_sentences"][0]["why"]


def test_words_of_a_call_count_only_where_the_user_or_a_row_said_them():
    row = ToolFact(text="How many? movies: 12", said="12", row={"movies": 12})
    by = FoundBy(tool="count", arguments={}, cypher="MATCH", words="tom hanks oscar berlin 1999")
    counted = ToolAnswer(by=by, facts=(row,))
    run = ToolsRun(tools(count=counted), only(PARTS[1]))
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
    run = ToolsRun(toolset, script, max_rounds=2, summarise_overflow=False)
    end = run.to_end()
    written = [fact["fact_text"] for fact in run.phases[-1].items[0].input["facts"]]
    assert "Zanzibar is the island" in written
    assert len(written) <= 150
    assert end.outcome["details"]["rows_left_out"] == 51


def test_inputs_and_results_stay_within_what_an_item_may_have():
    wide = "漢" * 1400
    rows = [f"{n} {wide}" for n in range(50)]

    def go_on(material):
        return AnswerCheck(complete=False, missing=[f"{len(material['asked'])}" + "再" * 390])

    called = calls(*((f"t{n}", {"about": "界" * 3000}) for n in range(8)))
    script = {**only("问" * 400), ToolCalls: called, AnswerCheck: go_on}
    many = ScriptedTools(**{f"t{n}": found(f"t{n}", *rows, cypher="M" * 4000) for n in range(8)})
    more = {"max_rounds": 6, "max_model_calls": 2000, "summarise_overflow": False}
    run = ToolsRun(many, script, question="漢" * 4000, **more)
    run.to_end()
    inputs = [len(orjson.dumps(item.input)) for phase in run.phases for item in phase.items]
    assert max(inputs) < INPUT_BYTES


def test_citations_of_many_rows_are_stored_with_each_call_once():
    rows = [f"Row {n} of it" for n in range(50)]
    big = {name: found(name, *(f"{name} {row}" for row in rows), cypher="M" * 4000) for name in ("a1", "b1")}
    script = {**only("All?"), ToolCalls: calls(("a1", {}), ("b1", {}))}
    run = ToolsRun(ScriptedTools(**big), script, evidence_tokens=20_000)
    end = run.to_end()
    results = [done.result for phase in run.results.values() for done in phase]
    written = next(result for result in results if "citations" in result)
    assert len(written["citations"]) == 50
    assert len(orjson.dumps(written)) < INPUT_BYTES / 2
    assert {citation["cypher"] for citation in end.outcome["citations"]} == {"M" * 4000}


def test_half_a_greeting_is_no_whole_answer():
    script = {
        AtomicQuestions: AtomicQuestions(question=BOTH, sub_questions=["Hello!", PARTS[1]]),
        ToolCalls: calls(("respond", {"answer": "Hello!"})),
    }
    run = ToolsRun(script=script)
    normalised = run.drained(TOOLS.first(run.job).items)
    first = TOOLS.advance(0, {0: normalised}, run.job)
    end = TOOLS.advance(1, {0: normalised, 1: run.drained(first.items[:1])}, run.job)
    assert (end.state, end.outcome["text"]) == (JobState.PARTIAL, "Hello!")
    assert PARTS[1] in end.outcome["reason"]


@pytest.mark.parametrize(
    ("step", "late"), [("traverse.choose_tools", 3), ("traverse.run_tool", 4), ("critic.check_answer", 5)]
)
def test_a_deadline_in_a_later_round_ends_with_what_there_is(step, late):
    counter = iter(range(100))
    script = {AnswerCheck: lambda _: AnswerCheck(complete=False, missing=[f"And how many {next(counter)}?"])}
    run = ToolsRun(script=script, max_rounds=4)
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
    end = ToolsRun(tools(lookup=nothing("lookup", "No node is named “The Matrix”."))).to_end()
    assert end.state is JobState.PARTIAL
    assert end.outcome["text"] == f"{COUNTED} [1]."
    assert end.outcome["reason"] == f"Nothing was found for: {PARTS[0]}"
    assert end.outcome["missing"] == end.outcome["details"]["parts_not_found"] == PARTS[:1]


@pytest.mark.parametrize("gave_up", [False, True])
def test_what_the_answer_critic_misses_at_last_or_gives_up_is_named(*, gave_up):
    lacking = "In which year was Lana Wachowski born?"
    check = AnswerCheck(complete=False, gave_up=gave_up, missing=[lacking], why="half")
    end = ToolsRun(script={AnswerCheck: check}, max_rounds=3 if gave_up else 1).to_end()
    assert (end.state, end.outcome["reason"]) == (JobState.PARTIAL, f"Nothing was found for: {lacking}")
    assert end.outcome["text"]
    assert end.outcome["missing"] == end.outcome["details"]["parts_not_found"] == [lacking]
    assert end.outcome["details"]["rounds"] == 1
    answered = check.model_copy(update={"complete": True})
    assert ToolsRun(script={AnswerCheck: answered}).to_end().state is JobState.DONE


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
    end = ToolsRun(toolset, script={AnswerCheck: check, ToolCalls: choose}).to_end()
    assert end.state is JobState.DONE
    assert "parts_not_found" not in end.outcome["details"]


def test_critics_see_thirty_facts_of_a_round_at_most_best_first():
    rows = [f"Row {n} of it" for n in range(45)]
    rows[40] = "Row 40 on how many movies Tom Hanks acted in"
    run = ToolsRun(tools(count=found("count", *rows)), only(PARTS[1]))
    run.to_end()
    seen = [item.input for item in run.phases[2].items if item.step == SCORE]
    assert sum(1 + len(each["others"]) for each in seen) == 30
    assert seen[0]["fact"] == rows[40]


@pytest.mark.parametrize(("reply", "score"), [
    (FactScore(relevance=0.9), 0.9), (FactScore(relevance=0), 0.0), (ModelRefusedSchema("no"), 0.1),
], ids=["useful", "useless", "failed"])  # fmt: skip
def test_rows_beyond_those_that_critics_see_keep_their_order_and_get_no_better_score(reply, score):
    rows = [f"How many movies did Tom Hanks act in? movie: M{n}" for n in range(45)]
    script = {**only(PARTS[1]), FactScore: reply}
    run = ToolsRun(tools(count=found("count", *rows)), script, evidence_tokens=20_000)
    run.to_end()
    written = run.phases[-1].items[0].input["facts"]
    assert [fact["fact_text"] for fact in written] == rows
    assert {fact["score"] for fact in written} == {score}


def test_what_an_exact_look_up_found_costs_no_critic():
    run = ToolsRun(tools(lookup=found("lookup", DIRECTED, exact=True)))
    end = run.to_end()
    seen = [item.input["fact"] for item in run.phases[2].items if item.step == SCORE]
    assert seen == [COUNTED]
    assert end.outcome["text"] == f"{COUNTED} [1]. {DIRECTED} [2]."
    assert end.outcome["details"]["looked_up"] == 1
    assert "default_scores" not in end.outcome["details"]
    assert end.outcome["citations"][1]["score"] == 0.8
    both = {"lookup": found("lookup", DIRECTED, exact=True), "count": found("count", COUNTED, exact=True)}
    run = ToolsRun(tools(**both))
    assert run.to_end().state is JobState.DONE
    assert run.steps_of(2) == ["critic.check_answer"]


def test_the_answer_critic_sees_the_conversation():
    run = ToolsRun().with_history((PARTS[0], f"{DIRECTED} [1]."))
    run.to_end()
    assert run.asked("check_answer")[0]["history"] == [{"question": PARTS[0], "answer": f"{DIRECTED} [1]."}]
