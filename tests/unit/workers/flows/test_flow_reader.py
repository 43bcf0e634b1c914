from __future__ import annotations

import pytest
from doubles.flow_run import QueryRun
from doubles.library import Library, f, k

from workers.core.errors import ModelRefused, ModelRefusedSchema
from workers.core.jobs.work import Done, JobState
from workers.critic.schema import DraftSentence, EvidenceSummary, FactScore, ReasonedAnswer
from workers.flows.reader import READER
from workers.flows.registry import FLOWS, STRATEGIES, flow_of
from workers.ledger.wire import encode
from workers.traverse.reader.schema import (
    ChunkNotes,
    FactNotes,
    NeighbourChoice,
    Note,
    RationalPlan,
    StartScore,
    StartScores,
)

WROTE = "Mary Shelley wrote Frankenstein."
BORN = "Mary Shelley was born in London in 1797."
MOON = "The Moon orbits the Earth."
QUESTION = "In which city was the author of Frankenstein born?"
PATHS = ("traverse.check_facts", "traverse.read_chunk", "traverse.select_neighbour")


@pytest.fixture
def library():
    return (
        Library()
        .add("Novels", (WROTE, ["Mary Shelley", "Frankenstein"]))
        .add("Lives", (BORN, ["Mary Shelley", "London", "1797"]))
        .add("Skies", (MOON, ["Moon", "Earth"]))
    )


def score_all(material):
    named = [candidate["name"] for candidate in material["candidates"]]
    scores = {"frankenstein": 90, "mary shelley": 80}
    return StartScores(scores=[StartScore(name=name, score=scores.get(name, 0)) for name in named])


def note_all(material):
    facts = [fact for chunk in material["chunks"] for fact in chunk["facts"]]
    notes = [Note(text=fact["text"][:2000], rests_on=[fact["id"]]) for fact in facts]
    name = go_to("mary shelley", "london")(material).name
    return FactNotes(notes=notes, action="stop_and_read_neighbor", need="birthplace", name=name)


def go_to(*names):
    def choose(material):
        offered = [near["name"] for near in material["neighbours"]]
        chosen = next((name for name in names if name in offered), None)
        if chosen is None:
            return NeighbourChoice(action="termination")
        return NeighbourChoice(action="read_neighbor_node", name=chosen)

    return choose


def write(material):
    n = next((entry["n"] for entry in material["evidence"] if "London" in entry["quote"]), None)
    if n is None:
        return ReasonedAnswer(answerable=False, missing="The evidence names no city.")
    sentences = [DraftSentence(text="She was born in London.", citations=[n])]
    return ReasonedAnswer(answerable=True, sentences=sentences, analysis="One path found the birthplace.")


SCRIPT = {
    RationalPlan: RationalPlan(
        question=QUESTION,
        asked="the name of a city",
        steps=["find the author", "find the birthplace"],
        key_information=["author of Frankenstein"],
        entities=["Frankenstein", "Mary Shelley"],
    ),
    StartScores: score_all,
    FactNotes: note_all,
    ChunkNotes: ChunkNotes(action="termination"),
    NeighbourChoice: go_to("mary shelley", "london"),
    FactScore: FactScore(relevance=0.8, source_description="a life"),
    ReasonedAnswer: write,
}


class Run(QueryRun):
    query, replies = READER, SCRIPT
    asks = {"question": QUESTION, "strategy": "reader", "max_seeds": 1}


def test_a_question_over_two_documents_is_answered_with_citations(library):
    run = Run(library)
    end = run.to_end()
    assert end.state is JobState.DONE
    assert end.outcome["text"] == "She was born in London [1]."
    assert end.outcome["citations"][0]["fact_id"] == f(BORN)
    assert [step["node_id"] for step in end.outcome["walk"]] == [
        k("Frankenstein"),
        k("Mary Shelley"),
    ]  # London has no fact that Mary Shelley does not show
    assert [step["parent"] for step in end.outcome["walk"]] == [None, k("Frankenstein")]


def test_analysis_notebooks_and_actions_are_in_the_details(library):
    details = Run(library).to_end().outcome["details"]
    assert details["analysis"] == "One path found the birthplace."
    [book] = details["notebooks"]
    assert (book["path"], book["start"]) == (1, "frankenstein")
    assert [entry["text"] for entry in book["entries"]] == [WROTE, BORN]
    assert book["entries"][1]["facts"] == [f(BORN)]
    assert len(book["entries"][1]["chunks"]) == 1
    decisions = [(action["step"], action["decision"]) for action in details["actions"]]
    assert decisions == [
        ("check_facts", "read_neighbor_node(mary shelley)"),
        ("check_facts", "stop_and_read_neighbor()"),
        ("select_neighbour", "no neighbour that was not read"),
    ]
    assert details["plan"]["asked"] == "the name of a city"


def test_the_phases_are_what_chain_and_chord_deliver(library):
    run = Run(library, max_seeds=2)
    run.to_end()
    plan, starts, paths, scores, reason = run.phases
    ids = [[item.id for item in phase.items] for phase in (plan, starts, paths, reason)]
    assert ids == [["rational_plan"], ["choose_starts"], ["path:1:1", "path:2:1"], ["reason"]]
    assert starts.items[0].delay > 0
    assert reason.items[0].delay > 0
    assert paths.items[0].delay == 0
    assert (len(scores.items), scores.subjects) == (1, 2)
    assert READER.chain == ("traverse.rational_plan", "traverse.choose_starts")
    assert READER.chord == ("critic.score_fact", "critic.reason")


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_read_twice_by_whichever_path(library, seed):
    run = Run(library, seed=seed, max_seeds=5)
    assert run.to_end().state is JobState.DONE
    shown = [
        fact["text"]
        for material in run.asked("check_facts")
        for chunk in material["chunks"]
        for fact in chunk["facts"]
    ]
    assert len(shown) == len(set(shown))
    nodes = [node["node_id"] for node in run.to_end().outcome["walk"]]
    assert len(nodes) == len(set(nodes))


@pytest.mark.parametrize("seed", range(6))
def test_a_chunk_is_read_by_one_path_only(library, seed):
    def read_on(material):
        return FactNotes(action="read_chunk", chunks=[chunk["id"] for chunk in material["chunks"]])

    library.add("More", ("Frankenstein is a novel of Mary Shelley.", ["Frankenstein", "Mary Shelley"]))
    search_more = ChunkNotes(action="search_more")
    run = Run(library, {FactNotes: read_on, ChunkNotes: search_more}, seed=seed, max_seeds=2)
    run.to_end()
    titles = [material["chunk"]["title"] for material in run.asked("read_chunk")]
    assert titles
    assert len(titles) == len(set(titles))


def test_every_prompt_of_a_path_has_its_notebook_and_what_it_did(library):
    run = Run(library)
    run.to_end()
    first, second = run.asked("check_facts")[:2]
    assert (first["notebook"], first["actions"], first["calls_left"]) == ([], [], 10)
    assert second["notebook"] == [{"id": "e1", "text": WROTE}]
    assert second["actions"] == ["check_facts(frankenstein): read_neighbor_node(mary shelley)"]
    assert second["calls_left"] == 9


@pytest.mark.parametrize("calls", [1, 2])
def test_a_path_has_so_many_model_calls_and_no_more(library, calls):
    run = Run(library, max_path_calls=calls, max_depth=9)
    run.to_end()
    assert sum(len(run.asked(name)) for name in ("check_facts", "select_neighbour")) == calls
    assert [event.data["why"] for event in run.events if event.name == "path.ended"] == ["calls"]


def test_a_path_that_has_the_complete_answer_tells_the_others_to_finish(library):
    def complete(material):
        handles = {s["text"]: s["id"] for s in material["chunk"]["sentences"]}
        notes = [Note(text=BORN, rests_on=[handles[BORN]])] if BORN in handles else []
        return ChunkNotes(notes=notes, action="termination", complete=True)

    def read_on(material):
        return FactNotes(action="read_chunk", chunks=[chunk["id"] for chunk in material["chunks"]])

    run = Run(library, {FactNotes: read_on, ChunkNotes: complete}, max_seeds=2)
    end = run.to_end()
    assert end.state is JobState.DONE
    assert len(run.closed) == 1
    assert "complete answer" in run.closed[0]
    whys = [event.data["why"] for event in run.events if event.name == "path.ended"]
    assert whys.count("complete") == 1  # the other had noted nothing: that is no complete answer


def test_all_paths_giving_up_is_an_abstention_with_the_walk(library):
    give_up = FactNotes(action="stop_and_read_neighbor")
    end = Run(library, {FactNotes: give_up, NeighbourChoice: NeighbourChoice(action="termination")}).to_end()
    assert end.state is JobState.ABSTAINED
    assert "gave up" in end.outcome["reason"]
    assert end.outcome["walk"]
    assert end.outcome["details"]["actions"]


def test_that_no_path_could_be_read_is_not_taken_for_an_empty_graph(library):
    end = Run(library, {FactNotes: ModelRefusedSchema("not JSON")}, max_seeds=2).to_end()
    assert end.state is JobState.FAILED
    assert "not JSON" in end.outcome["reason"]


@pytest.mark.parametrize("seed", range(4))
def test_a_path_whose_model_fails_for_good_ends_alone_and_others_read_what_it_was_to_read(library, seed):
    refused = []

    def refuse_once(material):
        if material["nodes"] == ["mary shelley"] and not refused:
            refused.append(material)
            raise ModelRefused("I will not")
        return note_all(material)

    library.add("More", ("Frankenstein has a monster.", ["Frankenstein", "monster"]))
    run = Run(library, {FactNotes: refuse_once}, max_seeds=2, seed=seed)
    end = run.to_end()
    assert end.outcome["details"]["actions_failed"]["count"] == 1
    assert end.outcome["details"]["actions_failed"]["items"][0]["reason"] == "I will not"
    assert end.state is JobState.DONE


def test_entries_that_rest_only_on_facts_below_the_threshold_fall_with_them(library):
    def judge(material):
        return FactScore(relevance=0.9 if "London" in material["fact"] else 0.0)

    run = Run(library, {FactScore: judge})
    end = run.to_end()
    assert end.state is JobState.DONE
    [book] = end.outcome["details"]["notebooks"]
    assert [entry["text"] for entry in book["entries"]] == [BORN]
    assert end.outcome["details"]["entries_fallen"] == 1
    [material] = run.asked("reason")
    assert [entry["text"] for entry in material["notebooks"][0]["entries"]] == [BORN]
    assert material["notebooks"][0]["entries"][0]["evidence"] == [1]


def test_when_all_entries_fall_nothing_is_answered(library):
    end = Run(library, {FactScore: FactScore(relevance=0.0)}).to_end()
    assert end.state is JobState.ABSTAINED
    assert end.outcome["details"]["notebooks"] == []


def test_conflicts_between_notebooks_are_named_with_both_sides(library):
    other = "Mary Shelley was born in Paris in 1801."
    library.add("Gossip", (other, ["Mary Shelley", "Paris", "1801"]))

    def disagree(material):
        numbers = {entry["fact"]: entry["n"] for entry in material["evidence"]}
        sentences = [DraftSentence(text="She was born in London.", citations=[numbers[BORN]])]
        groups = [[numbers[BORN], numbers[other]]]
        return ReasonedAnswer(
            answerable=True, sentences=sentences, conflicts=groups, analysis="Two sources differ."
        )

    end = Run(library, {ReasonedAnswer: disagree}).to_end()
    assert end.state is JobState.DONE
    assert "The sources disagree" in end.outcome["text"]
    assert end.outcome["details"]["conflicts"]


def test_a_sentence_that_no_quote_carries_is_dropped(library):
    def invent(_material):
        sentences = [DraftSentence(text="She was born in Vienna.", citations=[1])]
        return ReasonedAnswer(answerable=True, sentences=sentences)

    end = Run(library, {ReasonedAnswer: invent}).to_end()
    assert end.state is JobState.ABSTAINED
    assert end.outcome["details"]["dropped_sentences"]


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_one_path_s_items_does_not_matter_to_the_end(library, seed):
    assert Run(library, seed=seed).to_end() == Run(library, seed=99).to_end()


def test_without_a_plan_the_question_itself_is_searched(library):
    def score(material):
        return StartScores(
            scores=[StartScore(name=candidate["name"], score=9) for candidate in material["candidates"]]
        )

    run = Run(library, {StartScores: score}, given_up=("traverse.rational_plan",), max_seeds=5)
    end = run.to_end()
    assert end.outcome["details"]["plan_failed"] == "given up"


def test_nothing_that_resembles_the_question_is_an_abstention_with_a_reason():
    end = Run(Library()).to_end()
    assert end.state is JobState.ABSTAINED
    assert end.outcome["reason"]


def test_starts_that_were_given_up_fail_the_query_with_the_reason(library):
    end = Run(library, given_up=("traverse.choose_starts",)).to_end()
    assert end.state is JobState.FAILED
    assert "given up" in end.outcome["reason"]


def test_critics_that_fail_give_default_scores_and_are_listed(library):
    end = Run(library, {FactScore: ModelRefused("no")}).to_end()
    assert end.state is JobState.DONE
    assert end.outcome["details"]["default_scores"] == 2
    assert end.outcome["details"]["scores_failed"]["items"][0]["reason"] == "no"


def test_a_reasoning_that_was_given_up_leaves_the_evidence_and_no_prose(library):
    end = Run(library, given_up=("critic.reason",)).to_end()
    assert (end.state, end.outcome["text"]) == (JobState.PARTIAL, "")
    assert {fact["fact_text"] for fact in end.outcome["details"]["evidence_so_far"]} == {WROTE, BORN}
    end = Run(library, {ReasonedAnswer: ModelRefused("no")}).to_end()
    assert (end.state, end.outcome["text"]) == (JobState.PARTIAL, "")
    assert end.outcome["citations"]


@pytest.mark.parametrize("phases", range(5))
def test_a_reader_can_be_cut_short_after_any_phase(library, phases):
    run = Run(library)
    run.to_end()
    end = READER.cut_short({n: run.results[n] for n in range(phases)}, run.job, "out of time")
    assert (end.state, end.outcome["text"], end.outcome["reason"]) == (JobState.PARTIAL, "", "out of time")
    assert len(end.outcome["details"]["evidence_so_far"]) == (2 if phases > 2 else 0)


@pytest.mark.parametrize("step", ["traverse.choose_starts", "traverse.check_facts", "critic.reason"])
def test_a_phase_closed_before_anything_was_done_still_ends_the_job(library, step):
    assert Run(library, dropped=(step,)).to_end().state is JobState.PARTIAL


def test_paths_closed_in_the_middle_keep_their_notes(library):
    end = Run(library, dropped=("traverse.select_neighbour",), max_seeds=2).to_end()
    assert end.outcome["details"]["notebooks"]


def test_facts_however_long_do_not_make_the_reasoning_s_input_too_large(library):
    letter = "🜚"  # four bytes
    long = [f"Frankenstein has chapter {n} {letter * 1900} {letter * 1900}." for n in range(120)]
    library.add("Chapters", *((text, ["Frankenstein", f"chapter {n}"]) for n, text in enumerate(long)))

    def on(material):
        offered = [near["name"] for near in material["neighbours"]]
        return NeighbourChoice(action="read_neighbor_node", name=offered[0])

    def judge(material):
        return FactScore(relevance=0.9 if "London" in material["fact"] else 0.5)

    script = {NeighbourChoice: on, FactScore: judge, EvidenceSummary: ModelRefused("too much")}
    run = Run(library, script, max_seeds=5, max_depth=9, max_model_calls=400)
    end = run.to_end()
    inputs = [item.input for phase in run.phases for item in phase.items]
    results = [done.result for phase in run.results.values() for done in phase]
    assert len(encode({"x": run.phases[-1].items[0].input})) > 20_000
    for value in (*inputs, *results):
        encode(value, bounded=True)
    assert end.state is JobState.DONE
    material = run.asked("reason")[0]
    assert "born in London" in str(material["evidence"]), "what helps most is told, however much there is"


def test_notebooks_that_are_too_long_together_keep_the_first_entries_of_each(library):
    run = Run(library, max_seeds=2)
    run.to_end()
    run.results[2] = [
        Done(
            item_id=done.item_id,
            step=done.step,
            result={**done.result, "entries": done.result["entries"] * 400},
        )
        for done in run.results[2]
    ]
    following = READER.advance(3, run.results, run.job)
    [item] = following.items
    assert len(encode(item.input, bounded=True)) < 100_000
    assert all(len(book["entries"]) > 50 for book in item.input["notebooks"])


@pytest.mark.parametrize("calls", [8, 12, 20, 40])
def test_paths_and_scores_leave_calls_for_the_reasoning(library, calls):
    texts = [f"Frankenstein has chapter {n}." for n in range(60)]
    library.add("Chapters", *((text, ["Frankenstein", f"chapter {n}"]) for n, text in enumerate(texts)))
    run = Run(
        library,
        {
            NeighbourChoice: lambda m: NeighbourChoice(
                action="read_neighbor_node", name=m["neighbours"][0]["name"]
            )
        },
        max_model_calls=calls,
        max_seeds=5,
        max_depth=9,
    )
    run.to_end()
    assert len(run.model.asked) + len(run.model.embedded) <= calls
    assert run.asked("reason")


def test_a_query_s_flow_is_that_of_its_strategy():
    assert flow_of("query", {"strategy": "reader"}) is READER
    assert flow_of("query", {}) is flow_of("query", {"strategy": "auto"}) is STRATEGIES["auto"]
    assert flow_of("query", {"strategy": "graph"}) is FLOWS["query"]
    assert flow_of("query", {"strategy": ["reader"]}) is FLOWS["query"]
    assert flow_of("document", {"strategy": "reader"}) is FLOWS["document"]
    assert READER.kind == "query"


def test_a_path_whose_action_was_given_up_is_not_taken_for_one_that_is_still_read(library):
    silent = FactNotes(action="stop_and_read_neighbor")
    end = Run(library, {FactNotes: silent}, given_up=("traverse.select_neighbour",)).to_end()
    assert end.state is JobState.ABSTAINED
    assert "1 of 2 actions failed" in end.outcome["reason"]


def test_paths_closed_before_they_noted_anything_leave_a_partial_answer(library):
    silent = FactNotes(action="stop_and_read_neighbor")
    end = Run(library, {FactNotes: silent}, dropped=("traverse.select_neighbour",)).to_end()
    assert end.state is JobState.PARTIAL
    assert "to their end" in end.outcome["reason"]
