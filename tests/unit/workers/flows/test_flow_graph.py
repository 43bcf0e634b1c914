from __future__ import annotations

import pytest
from doubles.flow_run import QueryRun
from doubles.library import Library, f, k

from workers.core.answers.answer import Answer
from workers.core.errors import ModelRefused, ModelRefusedSchema
from workers.core.jobs.work import Done, JobState
from workers.core.prompts import load_prompt
from workers.critic.schema import AnswerDraft, DraftSentence, FactScore
from workers.flows.graph import QUERY
from workers.flows.graph_results import score_id, scored_facts, scored_keys
from workers.traverse.schema import NodeNotes, QuestionPlan, ReadFact

WROTE = "Mary Shelley wrote Frankenstein."
BORN = "Mary Shelley was born in London in 1797."
QUESTION = "In which city was the author of Frankenstein born?"


@pytest.fixture
def library():
    return (
        Library()
        .add("Novels", (WROTE, ["Mary Shelley", "Frankenstein"]))
        .add("Lives", (BORN, ["Mary Shelley", "London", "1797"]))
    )


def read_all(material):
    facts = [ReadFact(text=fact["text"], source_ids=[fact["id"]]) for fact in material["facts"]]
    return NodeNotes(facts=facts, next=[near["id"] for near in material["neighbours"]])


def write(material):
    n = next(entry["n"] for entry in material["evidence"] if "London" in entry["quote"])
    return AnswerDraft(
        answerable=True, sentences=[DraftSentence(text="She was born in London.", citations=[n])]
    )


SCRIPT = {
    QuestionPlan: QuestionPlan(question=QUESTION, entities=["Frankenstein"]),
    NodeNotes: read_all,
    FactScore: FactScore(relevance=0.8, source_description="a life"),
    AnswerDraft: write,
}


class Run(QueryRun):
    query, replies = QUERY, SCRIPT
    asks = {"question": QUESTION, "max_seeds": 1}


def test_a_question_over_two_documents_is_answered_with_citations(library):
    run = Run(library)
    end = run.to_end()
    assert end.state is JobState.DONE
    assert end.outcome["text"] == "She was born in London [1]."
    assert end.outcome["citations"][0]["fact_id"] == f(BORN)
    assert end.outcome["citations"][0]["depth"] == 1
    assert end.outcome["citations"][0]["final_decayed_score"] == pytest.approx(0.8 * 0.8)
    assert end.outcome["walk"][0] == {
        "node_id": k("Frankenstein"),
        "name": "frankenstein",
        "depth": 0,
        "parent": None,
    }
    assert {step["depth"] for step in end.outcome["walk"]} == {0, 1}


def read_property(material):
    facts = [ReadFact(text=name, source_ids=[f"property:{name}"]) for name in material["node"]["properties"]]
    return NodeNotes(facts=facts, next=[near["id"] for near in material["neighbours"]])


def cite_first(*texts):
    def write_about(material):
        sentences = [DraftSentence(text=text, citations=[material["evidence"][0]["n"]]) for text in texts]
        return AnswerDraft(answerable=True, sentences=sentences)

    return write_about


def test_a_property_is_cited_as_a_place_in_the_graph_and_checked_like_any_other(library):
    library.properties[k("Frankenstein")] = {"copies": 500}
    texts = ("Of Frankenstein there were 500 copies.", "Of Frankenstein there were 600 copies.")
    end = Run(library, {NodeNotes: read_property, AnswerDraft: cite_first(*texts)}).to_end()
    assert end.outcome["text"] == "Of Frankenstein there were 500 copies [1]."
    [dropped] = end.outcome["details"]["dropped_sentences"]
    assert dropped["why"] == "not in the cited text: 600"
    answer = {"job_id": "j1", "status": "done", **end.outcome}
    [citation] = Answer.model_validate(answer).citations
    assert (citation.kind, citation.fact) == ("graph", "frankenstein: copies is 500")
    assert (citation.tool, citation.arguments) == ("visit", {"node": "frankenstein", "property": "copies"})
    assert citation.row == {"node": "frankenstein", "property": "copies", "value": 500}
    assert citation.nodes == (f"4:db:{k('Frankenstein')}",)
    assert citation.parameters["property"] == "copies"
    assert "n[$property]" in citation.cypher


def test_only_cited_properties_leave_their_calls_behind(library):
    library.properties[k("Frankenstein")] = {"copies": 500, "pages": 280}
    run = Run(library, {NodeNotes: read_property, AnswerDraft: cite_first("There were 500 copies.")})
    run.to_end()
    writing = run.phases[-1].items[0].input
    assert len(writing["calls"]) == 2
    stored = QUERY.advance(len(run.phases) - 1, run.results, run.job).outcome
    assert list(stored["calls"]) == [f"property:{k('Frankenstein')}:copies"]


def test_the_phases_are_what_chain_and_chord_deliver(library):
    run = Run(library)
    run.to_end()
    plan, seed, visits, scores, synthesis = run.phases
    assert [phase.items[0].id for phase in (plan, seed, synthesis)] == ["plan", "seed", "synthesize"]
    assert seed.items[0].delay > 0
    assert synthesis.items[0].delay > 0
    assert plan.items[0].delay == visits.items[0].delay == scores.items[0].delay == 0
    assert (len(scores.items), scores.subjects) == (1, 2)
    assert visits.caps == {"traverse.visit": 40}


def test_an_answer_says_with_which_prompts_it_was_made(library):
    prompts = Run(library).to_end().outcome["details"]["prompts"]
    assert prompts["visit"] == load_prompt("workers.traverse", "visit").version
    assert {"plan", "visit", "score_each", "synthesize"} <= set(prompts)
    assert len(set(prompts.values())) == len(prompts)


def test_with_one_fact_a_critic_each_has_an_item_of_its_own(library):
    run = Run(library, facts_per_critic=1)
    assert run.to_end().state is JobState.DONE
    scores = run.phases[3]
    assert {item.id for item in scores.items} == {score_id([text]) for text in (WROTE, BORN)}
    assert all("others" not in item.input or not item.input["others"] for item in scores.items)
    assert {name for name, _tier, _ in run.model.asked if name.startswith("score")} == {"score"}


@pytest.mark.parametrize("per_critic", [1, 2, 3, 5, 10])
def test_the_answer_is_the_same_however_many_facts_a_critic_sees(per_critic):
    library = Library().add("Novels", (WROTE, ["Mary Shelley", "Frankenstein"]))
    library.add("Lives", (BORN, ["Mary Shelley", "London", "1797"]))
    for year in range(7):
        library.add(f"Year {year}", (f"Frankenstein sold {year} copies.", ["Frankenstein", f"{year} copies"]))

    def judge(material):
        return FactScore(relevance=0.9 if "London" in material["fact"] else len(material["fact"]) / 100)

    def ended(**params):
        run = Run(library, {FactScore: judge}, **params)
        end = run.to_end().outcome
        ranked = [(c["fact"], c["score"]) for c in end["citations"]]
        return (end["text"], ranked), [len(scored_keys(item.id)) for item in run.phases[3].items]

    answer, sizes = ended(facts_per_critic=per_critic)
    assert answer == ended(facts_per_critic=1)[0]
    assert sum(sizes) == 9
    assert max(sizes) <= per_critic
    assert max(sizes) - min(sizes) <= max(1, per_critic - 1)


def test_scores_of_a_worker_that_knows_one_fact_a_critic_leave_the_others_unscored(library):
    run = Run(library)
    run.to_end()
    [done] = run.results[3]
    alone = {name: value for name, value in done.result.items() if name != "others"}
    results = {**run.results, 3: [Done(item_id=done.item_id, step=done.step, result=alone)]}
    facts = {fact.fact_text: fact.scored_by for fact in scored_facts(results, run.job)}
    assert sorted(facts.values()) == ["critic", "unscored"]


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_visits_does_not_matter(library, seed):
    assert Run(library, seed=seed).to_end() == Run(library, seed=99).to_end()


def test_without_a_plan_the_question_itself_is_searched(library):
    end = Run(library, given_up=("traverse.plan",), max_seeds=5).to_end()
    assert end.state is JobState.DONE
    assert end.outcome["details"]["plan_failed"] == "given up"


def test_nothing_that_resembles_the_question_is_an_abstention_with_a_reason():
    end = Run(Library()).to_end()
    assert end.state is JobState.ABSTAINED
    assert end.outcome["reason"]


def test_no_fact_found_is_an_abstention_with_the_walk(library):
    end = Run(library, {NodeNotes: NodeNotes()}).to_end()
    assert end.state is JobState.ABSTAINED
    assert end.outcome["walk"]
    assert "no fact" in end.outcome["reason"]


def test_that_no_node_could_be_read_is_not_taken_for_an_empty_graph(library):
    end = Run(library, {NodeNotes: ModelRefusedSchema("not JSON")}).to_end()
    assert end.state is JobState.FAILED
    assert "not JSON" in end.outcome["reason"]


def test_critics_that_fail_give_default_scores_and_are_listed(library):
    end = Run(library, {FactScore: ModelRefused("no")}).to_end()
    assert end.state is JobState.DONE
    assert end.outcome["details"]["default_scores"] == 2
    assert end.outcome["details"]["scores_failed"]["items"][0]["reason"] == "no"
    assert end.outcome["citations"][0]["score"] == 0.1
    end = Run(library, given_up=("critic.score_fact",)).to_end()
    assert end.outcome["details"]["default_scores"] == 2


def test_facts_whose_critics_were_dropped_keep_their_search_rank(library):
    end = Run(library, dropped=("critic.score_fact",)).to_end()
    assert end.state is JobState.DONE
    assert end.outcome["details"]["unscored_scores"] == 2


def test_a_synthesis_that_was_given_up_leaves_the_evidence_and_no_prose(library):
    end = Run(library, given_up=("critic.synthesize",)).to_end()
    assert (end.state, end.outcome["text"]) == (JobState.PARTIAL, "")
    texts = [fact["fact_text"] for fact in end.outcome["details"]["evidence_so_far"]]
    assert set(texts) == {WROTE, BORN}


@pytest.mark.parametrize("phases", range(5))
def test_a_query_can_be_cut_short_after_any_phase(library, phases):
    run = Run(library)
    run.to_end()
    end = QUERY.cut_short({n: run.results[n] for n in range(phases)}, run.job, "out of time")
    assert (end.state, end.outcome["text"], end.outcome["reason"]) == (JobState.PARTIAL, "", "out of time")
    assert len(end.outcome["details"]["evidence_so_far"]) == (2 if phases > 2 else 0)


@pytest.mark.parametrize("step", ["traverse.plan", "traverse.seed", "traverse.visit", "critic.synthesize"])
def test_a_phase_closed_before_anything_was_done_still_ends_the_job(library, step):
    end = Run(library, dropped=(step,), max_seeds=5).to_end()
    expected = JobState.DONE if step == "traverse.plan" else JobState.PARTIAL
    assert end.state is expected


def test_a_seed_that_was_given_up_fails_the_query_with_its_reason(library):
    end = Run(library, given_up=("traverse.seed",)).to_end()
    assert end.state is JobState.FAILED
    assert "given up" in end.outcome["reason"]


def test_visits_and_scores_leave_calls_for_the_writing(library):
    texts = [f"Frankenstein has chapter {n}." for n in range(60)]
    library.add("Chapters", *((text, ["Frankenstein"]) for text in texts))
    run = Run(library, max_model_calls=20)
    run.to_end()
    assert len(run.model.asked) + len(run.model.embedded) <= 20
    assert run.phases[2].caps == {"traverse.visit": 16}
    assert len(run.phases[3].items) < 60
    assert QUERY.budget(run.job).model_calls == 20


def test_invented_ids_are_counted_in_the_details(library):
    def invent(material):
        return read_all(material).model_copy(update={"next": ["n77"]})

    end = Run(library, {NodeNotes: invent}, max_seeds=5).to_end()
    assert end.outcome["details"]["invented_dropped"] >= 1
