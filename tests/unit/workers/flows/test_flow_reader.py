import pytest
from doubles.library import Library, f, k
from doubles.strategies import BORN, WROTE, ReaderRun, note_all

from hopline.models.jobs import JobState
from workers.core.errors import ModelRefused
from workers.core.jobs.work import Done
from workers.critic.schema import EvidenceSummary, FactScore
from workers.flows.registry import FLOWS, STRATEGIES, flow_of
from workers.ledger.wire import encode
from workers.traverse.reader.flow import READER
from workers.traverse.reader.schema import FactNotes, NeighbourChoice


@pytest.fixture
def library() -> Library:
    return ReaderRun.held()


def test_a_question_over_two_documents_is_answered_with_citations(library):
    run = ReaderRun(library)
    end = run.to_end()
    assert end.state is JobState.DONE
    assert end.outcome["text"] == "She was born in London [1]."
    assert end.outcome["citations"][0]["fact_id"] == f(BORN)
    walked = [k("Frankenstein"), k("Mary Shelley")]  # London has no fact that Mary Shelley does not show
    assert [step["node_id"] for step in end.outcome["walk"]] == walked
    assert [step["parent"] for step in end.outcome["walk"]] == [None, k("Frankenstein")]
    details = end.outcome["details"]
    assert details["analysis"] == "One path found the birthplace."
    [book] = details["notebooks"]
    assert (book["path"], book["start"]) == (1, "frankenstein")
    assert [entry["text"] for entry in book["entries"]] == [WROTE, BORN]
    assert book["entries"][1]["facts"] == [f(BORN)]
    assert len(book["entries"][1]["chunks"]) == 1
    decisions = [(action["step"], action["decision"]) for action in details["actions"]]
    assert decisions == [
        ("check_facts", "read_neighbor_node(Mary Shelley)"),
        ("check_facts", "stop_and_read_neighbor()"),
        ("select_neighbour", "no neighbour that was not read"),
    ]
    assert details["plan"]["asked"] == "the name of a city"
    first, second = run.asked("check_facts")[:2]
    assert (first["notebook"], first["actions"], first["calls_left"]) == ([], [], 10)
    assert second["notebook"] == [{"id": "e1", "text": WROTE}]
    assert second["actions"] == ["check_facts(Frankenstein): read_neighbor_node(Mary Shelley)"]
    assert second["calls_left"] == 9


@pytest.mark.parametrize("seed", range(2))
def test_a_path_whose_model_fails_for_good_ends_alone_and_others_read_what_it_was_to_read(library, seed):
    refused = []

    def refuse_once(material):
        if material["nodes"] == ["mary shelley"] and not refused:
            refused.append(material)
            raise ModelRefused("I will not")
        return note_all(material)

    library.add("More", ("Frankenstein has a monster.", ["Frankenstein", "monster"]))
    run = ReaderRun(library, {FactNotes: refuse_once}, max_seeds=2, seed=seed)
    end = run.to_end()
    assert end.outcome["details"]["actions_failed"]["count"] == 1
    assert end.outcome["details"]["actions_failed"]["items"][0]["reason"] == "I will not"
    assert end.state is JobState.DONE


def test_entries_that_rest_only_on_facts_below_the_threshold_fall_with_them(library):
    def judge(material):
        return FactScore(relevance=0.9 if "London" in material["fact"] else 0.0)

    run = ReaderRun(library, {FactScore: judge})
    end = run.to_end()
    assert end.state is JobState.DONE
    [book] = end.outcome["details"]["notebooks"]
    assert [entry["text"] for entry in book["entries"]] == [BORN]
    assert end.outcome["details"]["entries_fallen"] == 1
    [material] = run.asked("reason")
    assert [entry["text"] for entry in material["notebooks"][0]["entries"]] == [BORN]
    assert material["notebooks"][0]["entries"][0]["evidence"] == [1]


def test_facts_however_long_do_not_make_the_reasoning_s_input_too_large(library):
    letter = "🜚"  # four bytes
    long = [f"Frankenstein has chapter {n} {letter * 1900} {letter * 1900}." for n in range(60)]
    library.add("Chapters", *((text, ["Frankenstein", f"chapter {n}"]) for n, text in enumerate(long)))

    def on(material):
        offered = [near["name"] for near in material["neighbours"]]
        return NeighbourChoice(action="read_neighbor_node", name=offered[0])

    def judge(material):
        return FactScore(relevance=0.9 if "London" in material["fact"] else 0.5)

    script = {NeighbourChoice: on, FactScore: judge, EvidenceSummary: ModelRefused("too much")}
    run = ReaderRun(library, script, max_seeds=5, max_depth=9, max_model_calls=400)
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
    run = ReaderRun(library, max_seeds=2)
    run.to_end()
    for nth, done in enumerate(run.results[2]):
        result = {**done.result, "entries": done.result["entries"] * 400}
        run.results[2][nth] = Done(item_id=done.item_id, step=done.step, result=result)
    [item] = READER.advance(3, run.results, run.job).items
    assert len(encode(item.input, bounded=True)) < 100_000
    assert all(len(book["entries"]) > 50 for book in item.input["notebooks"])


def test_a_query_s_flow_is_that_of_its_strategy():
    assert flow_of("query", {"strategy": "reader"}) is READER
    assert flow_of("query", {}) is flow_of("query", {"strategy": "auto"}) is STRATEGIES["auto"]
    assert flow_of("query", {"strategy": "graph"}) is FLOWS["query"]
    assert flow_of("query", {"strategy": ["reader"]}) is FLOWS["query"]
    assert flow_of("document", {"strategy": "reader"}) is FLOWS["document"]
    assert READER.kind == "query"


@pytest.mark.parametrize(
    ("how", "why"), [("given_up", "1 of 2 readings failed. "), ("dropped", "to their end")]
)
def test_a_path_that_ends_before_it_noted_anything_says_why(how, why):
    silent = {FactNotes: FactNotes(action="stop_and_read_neighbor")}
    end = ReaderRun(script=silent, **{how: ("traverse.select_neighbour",)}).to_end()
    assert (end.state, why in end.outcome["reason"]) == (JobState.PARTIAL, True)
