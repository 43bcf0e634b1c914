"""The reader's head: its plan and the nodes its paths start from."""

import pytest
from doubles.library import Library, ScriptedModel, k, ports_for
from doubles.stored import stored
from doubles.vectors import MemoryVectors

from workers.core.errors import EmbedderMismatch, ModelRefused, ModelRefusedSchema
from workers.core.graph.elements import normalise_element
from workers.core.graph.vectors import Embedder, Point
from workers.traverse.plan import PlanInput
from workers.traverse.reader.choose_starts import choose_starts
from workers.traverse.reader.rational_plan import make_rational_plan, rational_plan_without_model
from workers.traverse.reader.schema import RationalPlan, StartScore, StartScores

NAMES = ("Ada Lovelace", "Analytical Engine", "London", "Charles Babbage", "mathematics", "engine")


@pytest.fixture
def library():
    return Library().add("Ada", *((f"Ada was born where {name} is known.", [name]) for name in NAMES))


@pytest.fixture
def vectors():
    """Every vector is near every text."""
    store = MemoryVectors()
    store.prepare("default", ScriptedModel.embedder)
    points = [Point(graph_id=k(name), kind="element", vector=(1.0, 0.01 * n)) for n, name in enumerate(NAMES)]
    store.upsert("default", points)
    return store


def choose(library, vectors, reply, plan=None, **params):
    model = ScriptedModel({StartScores: reply})
    bare = rational_plan_without_model("Where was Ada born?")
    planned = bare.model_copy(update={"entities": ("Ada Lovelace",), **(plan or {})})
    return stored(choose_starts(planned, ports_for(library, model, vectors, **params))), model


def scores(**by_name):
    return StartScores(scores=[StartScore(name=n.replace("_", " "), score=s) for n, s in by_name.items()])


def test_the_best_scored_candidates_are_the_starts_best_first(library, vectors):
    reply = scores(london=20, ada_lovelace=95, analytical_engine=60, mathematics=0)
    outcome, model = choose(library, vectors, reply, max_seeds=2)
    expected = [(k("Ada Lovelace"), 95), (k("Analytical Engine"), 60)]
    assert [(s["id"], s["score"]) for s in outcome.result["starts"]] == expected
    shown = [candidate["name"] for candidate in model.asked[0][2]["candidates"]]
    assert shown[0] == "ada lovelace"  # the question names it
    assert sorted(shown) == sorted(normalise_element(name) for name in NAMES)
    [event] = outcome.events
    assert event.name == "starts.chosen"
    assert event.data["starts"][0] == {"path": 1, "name": "Ada Lovelace", "score": 95}
    assert library.calls[-1] == "elements_found", "which tells spellings, too: it takes no more reading"
    assert (event.data["offered"], event.data["refused"]) == (6, 0)


def test_names_that_were_not_offered_are_refused_and_counted(library, vectors):
    reply = scores(paris=100, ada_lovelace=10, the_president=90)
    outcome, model = choose(library, vectors, reply, start_candidates=2)
    assert [start["name"] for start in outcome.result["starts"]] == ["ada lovelace"]
    assert (outcome.result["refused"], outcome.result["offered"]) == (2, 2)
    assert len(model.asked[0][2]["candidates"]) == 2


def test_names_alone_are_enough_and_where_nothing_is_found_nobody_is_asked(library):
    outcome, _ = choose(library, MemoryVectors(), scores(ada_lovelace=9))
    assert [start["id"] for start in outcome.result["starts"]] == [k("Ada Lovelace")]
    outcome, model = choose(Library(), MemoryVectors(), scores(x=1))
    assert (outcome.result["starts"], model.asked) == ([], [])


def test_a_name_scored_twice_counts_once_and_starts_are_different_from_one_another(library, vectors):
    library.add("More", ("Engines are known.", ["engines of old"]), ("The engined one.", ["engined"]))
    vectors.upsert("default", [Point(graph_id=k("engined"), kind="element", vector=(1.0, 0.0))])
    scores = [StartScore(name=name, score=80) for name in ("engine", "engine", "engined", "london")]
    outcome, _ = choose(library, vectors, StartScores(scores=scores))
    assert [start["name"] for start in outcome.result["starts"]].count("engine") <= 1
    assert len(outcome.result["starts"]) == 2


@pytest.mark.parametrize(
    "reply", [ModelRefusedSchema("not JSON"), StartScores(), scores(paris=100), scores(london=0)]
)
def test_without_a_useful_score_the_ranker_s_order_holds(library, vectors, reply):
    outcome, _ = choose(library, vectors, reply, max_seeds=3)
    starts = outcome.result["starts"]
    assert starts[0]["id"] == k("Ada Lovelace")
    assert len(starts) == 3
    assert {start["score"] for start in starts} == {None}


def test_a_name_that_many_bear_leaves_room_for_the_others_and_for_the_ranker_s(library, vectors):
    alias = [f"namesake {n}" for n in range(60)]
    library.add("Namesakes", *((f"{name} is another.", [name]) for name in alias))
    for name in alias:
        library.aliases[k(name)].add("Ada Lovelace")
    plan = {"entities": ["Ada Lovelace", "Charles Babbage"]}
    _, model = choose(library, vectors, scores(ada_lovelace=9), plan=plan)
    shown = [candidate["name"] for candidate in model.asked[0][2]["candidates"]]
    assert shown[:2] == ["ada lovelace", "charles babbage"]
    assert {"london", "analytical engine"} <= set(shown[:15])
    assert len(shown) == 50  # the others fill what is left
    assert sum(name.startswith("namesake") for name in shown[:5]) == 2


def test_another_embedder_s_vectors_are_not_searched_silently(library):
    store = MemoryVectors()
    store.prepare("default", Embedder(name="another", dimension=7))
    with pytest.raises(EmbedderMismatch):
        choose(library, store, scores(ada_lovelace=9))


# the plan -----------------------------------------------------------------------------------------------


def plan(reply, history=()):
    model = ScriptedModel({RationalPlan: reply})
    question = PlanInput.read_stored({"question": "Where was she born?", "history": history})
    return stored(make_rational_plan(question, ports_for(Library(), model, MemoryVectors()))), model


REPLY = RationalPlan(
    question="Where was Ada born?",
    asked=" a   place ",
    steps=["x" * 5000, "find her", "find her", " ", *(f"step {n}" for n in range(6))],
    key_information=["birthplace"] * 3,
    entities=["Ada"],
    sub_questions=["Who?"],
)


@pytest.mark.parametrize("history", [[], [{"question": "Who was Ada?", "answer": "A mathematician."}]])
def test_a_plan_is_cleaned_and_told_and_makes_a_question_of_a_conversation_whole(history):
    outcome, model = plan(REPLY, history)
    question = "Where was Ada born?" if history else "Where was she born?"
    cleaned = {"question": question, "asked": "a place", "key_information": ["birthplace"]}
    parts = {"steps": ["find her", *(f"step {n}" for n in range(5))], "sub_questions": ["Who?"]}
    assert outcome.result == {**cleaned, **parts, "entities": ["Ada"]}
    assert outcome.events[0].name == "plan.finished"
    assert model.asked[0][2]["history"] == history


def test_a_model_that_fails_leaves_the_question_itself():
    outcome, _ = plan(ModelRefused("no"))
    told = {name: outcome.result[name] for name in ("question", "failed", "steps")}
    assert told == {"question": "Where was she born?", "failed": "no", "steps": []}
