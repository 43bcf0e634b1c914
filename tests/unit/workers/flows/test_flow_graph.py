import pytest
from doubles.library import Library, f, k
from doubles.strategies import BORN, GraphRun, read_all

from hopline.models.answers import Answer
from hopline.models.jobs import JobState
from workers.core.jobs.work import Done
from workers.core.prompts import load_prompt
from workers.critic.schema import AnswerDraft, DraftSentence, FactScore
from workers.traverse.graph.flow import QUERY
from workers.traverse.graph.results import scored_facts
from workers.traverse.question import scored_keys
from workers.traverse.schema import NodeNotes, ReadFact


@pytest.fixture
def library() -> Library:
    return GraphRun.held()


def test_a_question_over_two_documents_is_answered_with_citations(library):
    run = GraphRun(library)
    end = run.to_end()
    assert end.state is JobState.DONE
    assert end.outcome["text"] == "She was born in London [1]."
    assert end.outcome["citations"][0]["fact_id"] == f(BORN)
    assert end.outcome["citations"][0]["depth"] == 1
    assert end.outcome["citations"][0]["final_decayed_score"] == pytest.approx(0.8 * 0.8)
    expected = {"node_id": k("Frankenstein"), "name": "Frankenstein", "depth": 0, "parent": None}
    assert end.outcome["walk"][0] == expected
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
    end = GraphRun(library, {NodeNotes: read_property, AnswerDraft: cite_first(*texts)}).to_end()
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
    run = GraphRun(library, {NodeNotes: read_property, AnswerDraft: cite_first("There were 500 copies.")})
    run.to_end()
    assert len(run.phases[-1].items[0].input["calls"]) == 2
    stored = QUERY.advance(len(run.phases) - 1, run.results, run.job).outcome
    assert list(stored["calls"]) == [f"property:{k('Frankenstein')}:copies"]


def test_an_answer_says_with_which_prompts_it_was_made(library):
    prompts = GraphRun(library).to_end().outcome["details"]["prompts"]
    assert prompts["visit"] == load_prompt("workers.traverse.graph", "visit").version
    assert {"plan", "visit", "score_each", "synthesize"} <= set(prompts)
    assert len(set(prompts.values())) == len(prompts)


@pytest.mark.parametrize("per_critic", [2, 5, 10])
def test_the_answer_is_the_same_however_many_facts_a_critic_sees(library, per_critic):
    for year in range(7):
        library.add(f"Year {year}", (f"Frankenstein sold {year} copies.", ["Frankenstein", f"{year} copies"]))

    def judge(material):
        return FactScore(relevance=0.9 if "London" in material["fact"] else len(material["fact"]) / 100)

    def ended(**params):
        run = GraphRun(library, {FactScore: judge}, **params)
        end = run.to_end().outcome
        ranked = [(c["fact"], c["score"]) for c in end["citations"]]
        return (end["text"], ranked), [len(scored_keys(item.id)) for item in run.phases[3].items]

    answer, sizes = ended(facts_per_critic=per_critic)
    assert answer == ended(facts_per_critic=1)[0]
    assert sum(sizes) == 9
    assert max(sizes) <= per_critic
    assert max(sizes) - min(sizes) <= max(1, per_critic - 1)


def test_scores_of_a_worker_that_knows_one_fact_a_critic_leave_the_others_unscored(library):
    run = GraphRun(library)
    run.to_end()
    [done] = run.results[3]
    alone = {name: value for name, value in done.result.items() if name != "others"}
    results = {**run.results, 3: [Done(item_id=done.item_id, step=done.step, result=alone)]}
    facts = {fact.fact_text: fact.scored_by for fact in scored_facts(results, run.job)}
    assert sorted(facts.values()) == ["critic", "unscored"]


def test_invented_ids_are_counted_in_the_details(library):
    def invent(material):
        return read_all(material).model_copy(update={"next": ["n77"]})

    end = GraphRun(library, {NodeNotes: invent}, max_seeds=5).to_end()
    assert end.outcome["details"]["invented_dropped"] >= 1
