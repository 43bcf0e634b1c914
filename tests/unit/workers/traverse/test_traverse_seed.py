import pytest
from doubles.library import C, Library, ScriptedModel, f, k, ports_for
from doubles.vectors import MemoryVectors

from hopline.errors import Permanent
from workers.core.errors import EmbedderMismatch
from workers.core.graph.vectors import Embedder
from workers.traverse.graph.seed import choose_seeds
from workers.traverse.guide import Guide, get_guide
from workers.traverse.plan import PlannedQuestion


@pytest.fixture
def library():
    return Library().add(
        "Engines",
        ("Ada Lovelace wrote notes on the Analytical Engine.", ["Ada Lovelace", "Analytical Engine"]),
        ("Charles Babbage designed the Analytical Engine.", ["Charles Babbage", "Analytical Engine"]),
        ("Steam engines drove mills.", ["steam engines", "mills"]),
    )


def choose(library, *entities, question="q?", model=None, vectors=None, **params):
    """Return the step's result, and the ports that it used."""
    ports = ports_for(library, model or ScriptedModel(), vectors or MemoryVectors(), **params)
    plan = PlannedQuestion(question=question, entities=entities, sub_questions=())
    return choose_seeds(plan, ports).result, ports


def names(library, *entities, **more):
    return [seed.name.lower() for seed in choose(library, *entities, **more)[0].seeds]


def test_what_bears_the_name_of_an_entity_comes_first_in_the_entities_order_and_an_alias_after(library):
    result, _ = choose(library, "the Analytical Engine", "Ada Lovelace", max_seeds=2)
    expected = [(k("Analytical Engine"), "exact"), (k("Ada Lovelace"), "exact")]
    assert [(seed.id, seed.how) for seed in result.seeds] == expected
    library.aliases[k("mills")].add("Analytical Engine")
    result, _ = choose(library, "Analytical Engine", max_seeds=2)
    assert [seed.how for seed in result.seeds] == ["exact", "alias"]
    assert names(library, "Steam Engines", max_seeds=1) == ["steam engines"]


def test_room_is_filled_by_what_the_ranker_reaches_from_the_question(library):
    library.add("Babbage", ("Charles Babbage built an engine.", ["Charles Babbage", "difference engine"]))
    question = "Who built what Ada Lovelace wrote notes on?"
    result, ports = choose(library, "Ada Lovelace", question=question)
    found = [seed.name for seed in result.seeds]
    assert found[:2] == ["Ada Lovelace", "Analytical Engine"], "as documents spell them"
    assert library.calls[-1] == "elements_found", "which tells their facts, too: it takes no more reading"
    assert "Charles Babbage" in found
    assert {seed.how for seed in result.seeds} == {"exact", "walk"}
    assert len(ports.model.embedded) == 1


def test_no_walk_starts_where_code_knows_that_it_leads_nowhere(library):
    library.add(
        "Ada",
        ("Ada Lovelace was born in 1815.", ["Ada Lovelace", "born", "1815"]),
        ("Byron was born in 1788.", ["Byron", "born", "1788"]),
        ("A blade of 212 metres turned.", ["blade", "212 metres"]),
    )
    found = names(library, "Ada Lovelace", question="When was Ada Lovelace born?", max_seeds=20)
    assert found[0] == "ada lovelace"
    assert {"born", "1815", "1788", "blade", "212 metre"}.isdisjoint(found)
    alone = Library().add("Ada", ("It was demonstrated.", ["demonstrated"]))
    assert names(alone, question="What was demonstrated?") == ["demonstrated"], "nothing else is found"


def test_a_node_whose_facts_all_belong_to_one_before_it_is_no_start(library):
    library.add("Ada", ("Ada Lovelace wrote poems.", ["Ada Lovelace", "poems"]))
    question = "What did Ada Lovelace write on the Analytical Engine?"
    found = names(library, "Ada Lovelace", question=question, max_seeds=20)
    assert found[:2] == ["ada lovelace", "analytical engine"]
    assert "poem" not in found


def test_the_rankers_scores_are_handed_to_the_visits_by_reference(library):
    result, ports = choose(library, "Ada Lovelace", question="What did Ada Lovelace write?")
    guide = get_guide(ports.blobs, result.guide)
    assert guide.elements[k("Ada Lovelace")] == 1.0
    assert next(iter(guide.facts)) == f("Ada Lovelace wrote notes on the Analytical Engine.")
    assert guide.chunks == tuple(library.documents)
    assert get_guide(ports.blobs, "lost.json") == Guide()


def test_a_question_that_names_nothing_begins_at_what_words_and_vectors_find(library):
    assert "charles babbage" in names(library, question="who designed it?")
    assert names(Library(), "Zanzibar") == []


def test_names_that_the_plan_adds_never_push_the_question_out(library):
    planned = [f"{'very ' * 60}long name {n}" for n in range(12)] + ["泰" * 400, "Ada Lovelace"]
    question = "Who designed the Analytical Engine?"
    result, ports = choose(library, *planned, question=question)
    assert ports.model.embedded[0][0] == f"{question} Ada Lovelace"
    assert ("Analytical Engine", "asked") in {(seed.name, seed.how) for seed in result.seeds}


def test_a_name_that_many_bear_leaves_room_for_what_the_ranker_finds(library):
    library.add("Namesakes", *((f"Namesake {n} is one.", [f"namesake {n}"]) for n in range(60)))
    for n in range(60):
        library.aliases[k(f"namesake {n}")].add("Ada Lovelace")
    found = names(library, "Ada Lovelace", question="What did Ada Lovelace write notes on?", max_seeds=5)
    assert found[0] == "ada lovelace"
    assert "analytical engine" in found


def test_an_embedder_that_fails_leaves_the_search_by_words_and_another_one_is_an_error(library):
    class Refusing(ScriptedModel):
        def embed(self, _texts):
            raise Permanent("no such model")

    result, _ = choose(library, "engine", model=Refusing())
    assert (result.failed, bool(result.seeds)) == ("no such model", True)
    vectors = MemoryVectors()
    vectors.prepare(C, Embedder(name="other", dimension=2))
    with pytest.raises(EmbedderMismatch):
        choose(library, "engine", vectors=vectors)
