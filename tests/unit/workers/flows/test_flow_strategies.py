"""What holds for every strategy: how a flow ends where steps are lost, cut off, out of order or too dear."""

from typing import Any

import pytest
from doubles.flow_run import QueryRun
from doubles.library import Library
from doubles.strategies import (
    BORN,
    WROTE,
    AutoRun,
    GraphRun,
    Material,
    ReaderRun,
    SurveyRun,
    ToolsRun,
    write_first,
)
from doubles.toolset import ScriptedTools, nothing

from hopline.models.jobs import JobState
from workers.core.errors import ModelRefused, ModelRefusedSchema
from workers.core.jobs.params import QueryParams
from workers.critic.schema import AnswerDraft, FactScore
from workers.traverse.reader.schema import FactNotes, NeighbourChoice
from workers.traverse.schema import NodeNotes

DONE, PARTIAL, FAILED = JobState.DONE, JobState.PARTIAL, JobState.FAILED
RUNS = (GraphRun, ReaderRun, ToolsRun, SurveyRun, AutoRun)


@pytest.mark.parametrize("run", RUNS)
def test_the_order_in_which_items_end_changes_nothing(run: type[QueryRun]):
    first = run().to_end()
    assert first.state is DONE
    assert [run(seed=seed).to_end() for seed in range(1, 4)] == [first] * 3


@pytest.mark.parametrize(("run", "how", "step", "state", "why"), [
    (GraphRun, "given_up", "traverse.plan", DONE, ""),
    (GraphRun, "given_up", "traverse.seed", FAILED, "given up"),
    (GraphRun, "given_up", "critic.synthesize", PARTIAL, ""),
    (GraphRun, "dropped", "traverse.plan", DONE, ""),
    (GraphRun, "dropped", "traverse.seed", PARTIAL, ""),
    (GraphRun, "dropped", "traverse.visit", PARTIAL, ""),
    (GraphRun, "dropped", "critic.synthesize", PARTIAL, ""),
    (ReaderRun, "given_up", "traverse.choose_starts", FAILED, "given up"),
    (ReaderRun, "given_up", "critic.reason", PARTIAL, ""),
    (ReaderRun, "dropped", "traverse.choose_starts", PARTIAL, ""),
    (ReaderRun, "dropped", "traverse.check_facts", PARTIAL, ""),
    (ReaderRun, "dropped", "critic.reason", PARTIAL, ""),
    (ToolsRun, "given_up", "traverse.normalise", DONE, ""),
    (ToolsRun, "given_up", "traverse.choose_tools", FAILED, "No tool could be chosen: given up"),
    (ToolsRun, "given_up", "traverse.run_tool", FAILED, "given up"),
    (ToolsRun, "given_up", "critic.score_fact", DONE, ""),
    (ToolsRun, "given_up", "critic.check_answer", DONE, ""),
    (ToolsRun, "given_up", "critic.answer_from_tools", PARTIAL, ""),
    (ToolsRun, "dropped", "traverse.normalise", DONE, ""),
    (ToolsRun, "dropped", "traverse.choose_tools", PARTIAL, ""),
    (ToolsRun, "dropped", "traverse.run_tool", PARTIAL, ""),
    (ToolsRun, "dropped", "critic.check_answer", DONE, ""),
    (SurveyRun, "given_up", "traverse.survey_plan", DONE, ""),
    (SurveyRun, "given_up", "traverse.survey_topics", FAILED, ""),
    (SurveyRun, "given_up", "critic.survey_claims", DONE, ""),
    (SurveyRun, "dropped", "traverse.survey_topics", PARTIAL, ""),
    (SurveyRun, "dropped", "critic.survey_claims", DONE, ""),
])  # fmt: skip
def test_a_lost_step_costs_no_more_of_the_answer_than_it_must(run, how, step, state, why):
    end = run(**{how: (step,)}).to_end()
    assert end.state is state
    assert why in (end.outcome["reason"] or "")
    assert end.outcome["text"] or end.outcome["reason"]


@pytest.mark.parametrize(
    ("run", "step"), [(GraphRun, "traverse.plan"), (ReaderRun, "traverse.rational_plan")]
)
def test_without_a_plan_the_question_itself_is_searched_and_the_details_say_so(run, step):
    assert run(given_up=(step,), max_seeds=5).to_end().outcome["details"]["plan_failed"] == "given up"


@pytest.mark.parametrize("run", [
    GraphRun(Library()),
    ReaderRun(Library()),
    SurveyRun(Library()),
    AutoRun(ScriptedTools(lookup=nothing("lookup")), library=Library()),
], ids=lambda run: type(run).__name__)  # fmt: skip
def test_nothing_that_resembles_the_question_is_an_abstention_with_a_reason(run: QueryRun):
    end = run.to_end()
    assert (end.state, bool(end.outcome["reason"])) == (JobState.ABSTAINED, True)


READS_NOTHING = {
    FactNotes: FactNotes(action="stop_and_read_neighbor"),
    NeighbourChoice: NeighbourChoice(action="termination"),
}


@pytest.mark.parametrize(("run", "reply"), [(GraphRun, {NodeNotes: NodeNotes()}), (ReaderRun, READS_NOTHING)])
def test_nothing_noted_on_the_way_is_an_abstention_with_the_walk(run: type[QueryRun], reply: Any):
    end = run(script=reply).to_end()
    assert end.state is JobState.ABSTAINED
    assert any(why in end.outcome["reason"] for why in ("no fact", "no path"))
    assert end.outcome["walk"]


@pytest.mark.parametrize(("run", "reply"), [(GraphRun, NodeNotes), (ReaderRun, FactNotes)])
def test_that_nothing_could_be_read_is_not_taken_for_an_empty_graph(run: type[QueryRun], reply: Any):
    end = run(script={reply: ModelRefusedSchema("not JSON")}, max_seeds=2).to_end()
    assert end.state is FAILED
    assert "not JSON" in end.outcome["reason"]


@pytest.mark.parametrize("run", [GraphRun, ReaderRun, ToolsRun, SurveyRun])
def test_a_model_that_refuses_every_call_is_a_failure_with_its_cause(run: type[QueryRun]):
    refused = dict.fromkeys(run().ports.model.script, ModelRefused("the model denies access (401)"))
    end = run(script=refused).to_end()
    assert end.state in {FAILED, PARTIAL}
    assert "denies access (401)" in end.outcome["reason"]


def test_a_node_that_was_passed_by_does_not_count_as_read():
    def refuse_seeds(material: Material) -> NodeNotes:
        if material["depth"] == 0:
            raise ModelRefused("the model denies access (401)")
        return NodeNotes()

    end = GraphRun(script={NodeNotes: refuse_seeds}).to_end()
    assert (end.state, "denies access (401)" in end.outcome["reason"]) == (PARTIAL, True)


@pytest.mark.parametrize("run", [GraphRun, ReaderRun])
def test_facts_that_no_critic_scored_say_so(run: type[QueryRun]):
    refused = run(script={FactScore: ModelRefused("no")}).to_end()
    assert refused.state is DONE
    assert refused.outcome["details"]["default_scores"] == 2
    assert refused.outcome["details"]["scores_failed"]["items"][0]["reason"] == "no"
    assert refused.outcome["citations"][0]["score"] == 0.1
    given_up = run(given_up=("critic.score_fact",)).to_end()
    assert given_up.outcome["details"]["default_scores"] == 2
    dropped = run(dropped=("critic.score_fact",)).to_end()
    assert (dropped.state, dropped.outcome["details"]["unscored_scores"]) == (DONE, 2)


@pytest.mark.parametrize(("run", "step"), [(GraphRun, "critic.synthesize"), (ReaderRun, "critic.reason")])
def test_a_writing_that_was_given_up_leaves_the_evidence_and_no_prose(run: type[QueryRun], step: str):
    end = run(given_up=(step,)).to_end()
    assert (end.state, end.outcome["text"]) == (PARTIAL, "")
    assert {fact["fact_text"] for fact in end.outcome["details"]["evidence_so_far"]} == {WROTE, BORN}


@pytest.mark.parametrize("kind", [GraphRun, ReaderRun])
def test_a_query_can_be_cut_short_after_any_phase(kind: type[QueryRun]):
    run = kind()
    run.to_end()
    for phases in range(5):
        end = run.flow.cut_short({n: run.results[n] for n in range(phases)}, run.job, "out of time")
        assert (end.state, end.outcome["text"], end.outcome["reason"]) == (PARTIAL, "", "out of time")
        assert len(end.outcome["details"]["evidence_so_far"]) == (2 if phases > 2 else 0)


@pytest.mark.parametrize("kind", [ToolsRun, AutoRun])
def test_only_the_writing_may_not_be_closed_early(kind: type[QueryRun]):
    run = kind()
    run.to_end()
    last = len(run.phases) - 1
    expected = [*[True] * last, False]
    assert [run.flow.may_close(phase, run.job, lambda: run.results) for phase in range(last + 1)] == expected


@pytest.mark.parametrize(("kind", "writing", "most"), [
    (GraphRun, "synthesize", 20),
    (ReaderRun, "reason", 8),
    (ReaderRun, "reason", 40),
    (SurveyRun, "survey_answer", 5),
    (SurveyRun, "survey_answer", 12),
])  # fmt: skip
def test_what_comes_before_leaves_model_calls_for_the_writing(kind: type[QueryRun], writing: str, most: int):
    library = kind.held()
    chapters = [(f"Frankenstein has chapter {n}.", ["Frankenstein", f"chapter {n}"]) for n in range(60)]
    if kind is not SurveyRun:
        library.add("Chapters", *chapters)

    def go_on(material: Material) -> NeighbourChoice:
        return NeighbourChoice(action="read_neighbor_node", name=material["neighbours"][0]["name"])

    on = {AnswerDraft: write_first, NeighbourChoice: go_on}
    deep = {"max_seeds": 5, "max_depth": 9} if kind is ReaderRun else {}
    run = kind(library, on, max_model_calls=most, **deep)
    run.to_end()
    assert len(run.model.asked) + len(run.model.embedded) <= most
    assert run.asked(writing)
    assert run.flow.budget(QueryParams.read_stored(run.job.params)).model_calls == most
