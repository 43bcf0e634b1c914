import pytest
from doubles.library import Library
from doubles.strategies import WHO, WROTE, AutoRun, write_first
from doubles.toolset import ScriptedTools, found, nothing

from hopline.errors import DependencyAway
from hopline.models.jobs import JobState
from workers.core.errors import CypherTooLong, ModelRefusedSchema, WorkPaused
from workers.core.models.tool_calls import ToolCall
from workers.core.models.tools import AtOnce
from workers.critic.schema import AnswerDraft, FactScore
from workers.traverse.auto.choose_strategy import StrategyChoice, choice_prompt
from workers.traverse.auto.flow import AUTO
from workers.traverse.graph.flow import QUERY
from workers.traverse.reader.flow import READER
from workers.traverse.tools.flow import TOOLS
from workers.traverse.tools.normalise import AtomicQuestions


def choosing(name):
    return {StrategyChoice: StrategyChoice(strategy=name, why="Because.")}


def test_the_first_step_chooses_and_the_details_say_why():
    run = AutoRun()
    end = run.to_end()
    assert (end.state, end.outcome["text"]) == (JobState.DONE, "Mary Shelley wrote Frankenstein [1].")
    assert end.outcome["details"]["chosen"] == {"strategy": "graph", "why": "It stands in one sentence."}
    prompts = end.outcome["details"]["prompts"]
    assert prompts["choose_strategy"] == choice_prompt().version
    assert "synthesize" in prompts
    expected = ["traverse.choose_strategy", *("traverse.plan", "traverse.seed", "traverse.visit")]
    assert [run.steps_of(phase)[0] for phase in range(4)] == expected


def test_tools_are_asked_where_they_are_chosen():
    run = AutoRun(script=choosing("tools"))
    end = run.to_end()
    assert (end.state, end.outcome["citations"][0]["kind"]) == (JobState.DONE, "graph")
    so_far = {phase: done for phase, done in run.results.items() if phase < 3}
    cut = AUTO.cut_short(so_far, run.job, "out of time")
    assert (cut.state, cut.outcome["reason"]) == (JobState.PARTIAL, "out of time")
    assert cut.outcome["details"]["tools"][0]["tool"] == "lookup"


def prepared(question, *parts):
    chosen = {"strategy": "tools", "why": "Because.", "question": question, "sub_questions": list(parts)}
    asked = AssertionError("the choice has prepared the question")
    return {StrategyChoice: StrategyChoice(**chosen), AtomicQuestions: asked}


@pytest.mark.parametrize(("question", "parts", "asked", "turns", "expected"), [
    (WHO, [WHO, "When was it written?"], WHO, [], [WHO, "When was it written?"]),
    ("Who wrote the novel?", [], WHO, [], [WHO]),  # without a history it stays as asked
    (WHO, [], "Who wrote it?", [("Which novel is the oldest?", "Frankenstein.")], [WHO]),
], ids=["in parts", "atomic", "of a conversation"])  # fmt: skip
def test_tools_take_the_question_as_the_choice_prepared_it(question, parts, asked, turns, expected):
    run = AutoRun(script=prepared(question, *parts), question=asked).with_history(*turns)
    end = run.to_end()
    assert (end.outcome["text"], run.steps_of(1)) == (f"{WROTE[:-1]} [1].", ["traverse.normalise"])
    assert end.outcome["details"]["sub_questions"] == expected
    assert run.model.asked[0][0] == "choose_strategy"
    shown = run.asked("choose_tools")[0]["history"]
    assert shown == [{"question": question, "answer": answer} for question, answer in turns]


def test_where_no_choice_can_be_made_the_graph_is_walked():
    end = AutoRun(script={StrategyChoice: ModelRefusedSchema("no")}).to_end()
    assert end.state is JobState.DONE
    assert end.outcome["details"]["chosen"]["failed"] == "no"
    for how in ("given_up", "dropped"):
        end = AutoRun(**{how: ["traverse.choose_strategy"]}).to_end()
        assert end.state is JobState.DONE
        assert "No choice could be made" in end.outcome["details"]["chosen"]["why"]


def test_without_documents_tools_are_asked_and_no_model_is_asked_which():
    end = AutoRun(script={StrategyChoice: AssertionError("nobody asks")}, library=Library()).to_end()
    assert (end.state, end.outcome["details"]["chosen"]["strategy"]) == (JobState.DONE, "tools")


def test_tools_that_find_nothing_give_way_to_the_graph():
    run = AutoRun(script=prepared(WHO, WHO), toolset=ScriptedTools(lookup=nothing("lookup")))
    end = run.to_end()
    assert (end.state, end.outcome["citations"][0]["kind"]) == (JobState.DONE, "text")
    assert end.outcome["details"]["chosen"]["fell_back_to"] == "graph"
    flows = [AUTO.chosen(run.results, phase, run.job) for phase in range(1, len(run.phases))]
    assert flows == [*[TOOLS] * (len(flows) - 5), *[QUERY] * 5]
    plan = next(item for phase in run.phases for item in phase.items if item.step == "traverse.plan")
    assert "prepared" not in plan.input, "the graph plans the question for itself"


@pytest.mark.parametrize("step", ["traverse.plan", "traverse.visit"])
def test_a_fall_back_that_is_cut_off_still_ends(step):
    toolset = ScriptedTools(lookup=nothing("lookup"))
    end = AutoRun(script=choosing("tools"), toolset=toolset, dropped=[step]).to_end()
    assert end.state in (JobState.DONE, JobState.PARTIAL)
    assert end.outcome["details"]["chosen"]["fell_back_to"] == "graph"
    run = AutoRun(script=choosing("reader"))
    chord = AUTO.chosen({0: run.drained(AUTO.first(run.job).items)}, 4, run.job)
    assert chord is READER, "a chord is that of the strategy that goes on"


def test_a_graph_of_tools_that_is_away_leaves_the_documents_to_answer():
    class Away(ScriptedTools):
        def schema(self, _about=""):
            raise DependencyAway("Neo4j cannot be reached")

    end = AutoRun(script={StrategyChoice: AssertionError("nobody asks")}, toolset=Away()).to_end()
    assert (end.state, end.outcome["citations"][0]["kind"]) == (JobState.DONE, "text")
    assert end.outcome["details"]["chosen"]["failed"] == "Neo4j cannot be reached"


class AwayFromRows(ScriptedTools):
    def run(self, *_):
        raise DependencyAway("Neo4j cannot be reached")


@pytest.mark.parametrize(
    ("toolset", "why"),
    [
        (ScriptedTools(lookup=CypherTooLong("it took longer than 10 s")), "10 s"),
        (ScriptedTools(lookup=found("lookup", "count 0")), ""),
        (ScriptedTools(), ""),
        (AtOnce(AwayFromRows(lookup=found("lookup", WROTE))), "Neo4j cannot be reached"),
    ],
    ids=["too slow", "a row that says nothing of it", "no tool to choose", "away, and it need not wait"],
)
def test_documents_answer_where_tools_do_not_whatever_kept_them(toolset, why):
    def judge(material):
        return FactScore(relevance=0.0 if "count" in material["fact"] else 0.8)

    end = AutoRun(script={**choosing("tools"), FactScore: judge}, toolset=toolset).to_end()
    assert (end.state, end.outcome["text"]) == (JobState.DONE, "Mary Shelley wrote Frankenstein [1].")
    chosen = end.outcome["details"]["chosen"]
    assert chosen["fell_back_to"] == "graph"
    assert chosen["because"]
    assert why in chosen["because"]


def test_a_fact_that_critics_scored_for_tools_keeps_its_score_in_the_fall_back():
    def unwritten(material):
        if any(entry["source"] == "lookup" for entry in material["evidence"]):
            return AnswerDraft(answerable=False, missing="It is not there.")
        return write_first(material)

    end = AutoRun(script={**choosing("tools"), AnswerDraft: unwritten}).to_end()
    assert (end.state, end.outcome["citations"][0]["score"]) == (JobState.DONE, 0.8)


def test_the_fall_back_spends_what_tools_left():
    toolset = ScriptedTools(lookup=nothing("lookup"))
    run = AutoRun(script=choosing("tools"), toolset=toolset, max_model_calls=14)
    run.to_end()
    visits = next(phase for phase in run.phases if phase.items[0].step == "traverse.visit")
    before = len([1 for name, *_ in run.model.asked if name not in ("visit", "score", "synthesize")])
    assert before == 5  # strategy, parts (the choice prepared none), tools, check, plan
    assert visits.caps["traverse.visit"] <= 14 - before - 2


def test_tools_that_need_not_wait_do_wait_for_a_paused_model():
    class Paused(ScriptedTools):
        def run(self, *_):
            raise WorkPaused("model swift is paused")

    with pytest.raises(WorkPaused, match="model swift is paused"):
        AtOnce(Paused()).run(ToolCall(name="lookup", arguments={}), WHO)
