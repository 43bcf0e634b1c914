from __future__ import annotations

import pytest
from doubles.library import C, Library, ScriptedModel, f, k, ports_for
from doubles.vectors import MemoryVectors

from workers.core.errors import EmbedderMismatch, Permanent
from workers.core.graph.vectors import Embedder
from workers.traverse.guide import Guide, get_guide
from workers.traverse.plan import PlannedQuestion
from workers.traverse.seed import choose_seeds


@pytest.fixture
def library():
    return Library().add(
        "Engines",
        ("Ada Lovelace wrote notes on the Analytical Engine.", ["Ada Lovelace", "Analytical Engine"]),
        ("Charles Babbage designed the Analytical Engine.", ["Charles Babbage", "Analytical Engine"]),
        ("Steam engines drove mills.", ["steam engines", "mills"]),
    )


def asked(*entities, question="q?", sub_questions=()):
    return PlannedQuestion(question=question, entities=entities, sub_questions=sub_questions)


def test_what_bears_the_name_of_an_entity_comes_first_in_the_entities_order(library):
    ports = ports_for(library, ScriptedModel(), MemoryVectors(), max_seeds=2)
    seeds = choose_seeds(asked("the Analytical Engine", "Ada Lovelace"), ports).result.seeds
    assert [(seed.id, seed.how) for seed in seeds] == [
        (k("Analytical Engine"), "exact"),
        (k("Ada Lovelace"), "exact"),
    ]


def test_an_exact_name_comes_before_an_alias(library):
    library.aliases[k("mills")].add("Analytical Engine")
    ports = ports_for(library, ScriptedModel(), MemoryVectors(), max_seeds=2)
    seeds = choose_seeds(asked("Analytical Engine"), ports).result.seeds
    assert [seed.how for seed in seeds] == ["exact", "alias"]


def test_a_plural_in_the_question_finds_the_singular(library):
    ports = ports_for(library, ScriptedModel(), MemoryVectors(), max_seeds=1)
    assert choose_seeds(asked("Steam Engines"), ports).result.seeds[0].name == "steam engine"


def test_room_is_filled_by_what_the_ranker_reaches_from_the_question(library):
    library.add("Babbage", ("Charles Babbage built an engine.", ["Charles Babbage", "difference engine"]))
    model = ScriptedModel()
    ports = ports_for(library, model, MemoryVectors())
    plan = asked("Ada Lovelace", question="Who built what Ada Lovelace wrote notes on?")
    seeds = choose_seeds(plan, ports).result.seeds
    assert [seed.name for seed in seeds[:2]] == ["ada lovelace", "analytical engine"]
    assert "charles babbage" in {seed.name for seed in seeds}
    assert {seed.how for seed in seeds} == {"exact", "walk"}
    assert len(model.embedded) == 1


def test_no_walk_starts_where_code_knows_that_it_leads_nowhere(library):
    library.add(
        "Ada",
        ("Ada Lovelace was born in 1815.", ["Ada Lovelace", "born", "1815"]),
        ("Byron was born in 1788.", ["Byron", "born", "1788"]),
        ("A blade of 212 metres turned.", ["blade", "212 metres"]),
    )
    seeds = choose_seeds(
        asked("Ada Lovelace", question="When was Ada Lovelace born?"),
        ports_for(library, ScriptedModel(), MemoryVectors(), max_seeds=20),
    ).result.seeds
    assert [seed.name for seed in seeds][:1] == ["ada lovelace"]
    assert {"born", "1815", "1788", "blade", "212 metre"}.isdisjoint(seed.name for seed in seeds)


def test_a_node_whose_facts_all_belong_to_one_before_it_is_no_start(library):
    ports = ports_for(library, ScriptedModel(), MemoryVectors(), max_seeds=20)
    library.add("Ada", ("Ada Lovelace wrote poems.", ["Ada Lovelace", "poems"]))
    plan = asked("Ada Lovelace", question="What did Ada Lovelace write on the Analytical Engine?")
    names = [seed.name for seed in choose_seeds(plan, ports).result.seeds]
    assert names[:2] == ["ada lovelace", "analytical engine"]
    assert "poem" not in names


def test_where_nothing_else_is_found_a_verb_is_a_start():
    library = Library().add("Ada", ("It was demonstrated.", ["demonstrated"]))
    ports = ports_for(library, ScriptedModel(), MemoryVectors())
    seeds = choose_seeds(asked(question="What was demonstrated?"), ports).result.seeds
    assert [seed.name for seed in seeds] == ["demonstrated"]


def test_the_rankers_scores_are_handed_to_the_visits_by_reference(library):
    ports = ports_for(library, ScriptedModel(), MemoryVectors())
    result = choose_seeds(asked("Ada Lovelace", question="What did Ada Lovelace write?"), ports).result
    guide = get_guide(ports.blobs, result.guide)
    assert guide.elements[k("Ada Lovelace")] == 1.0
    assert next(iter(guide.facts)) == f("Ada Lovelace wrote notes on the Analytical Engine.")
    assert guide.chunks == tuple(library.documents)
    assert get_guide(ports.blobs, "lost.json") == Guide()


def test_a_question_that_names_nothing_begins_at_what_words_and_vectors_find(library):
    ports = ports_for(library, ScriptedModel(), MemoryVectors())
    seeds = choose_seeds(asked(question="who designed it?"), ports).result.seeds
    assert "charles babbage" in {seed.name for seed in seeds}


def test_names_that_the_plan_adds_never_push_the_question_out(library):
    names = [f"{'very ' * 60}long name {n}" for n in range(12)] + ["泰" * 400, "Ada Lovelace"]
    question = "Who designed the Analytical Engine?"
    model = ScriptedModel()
    plan = asked(*names, question=question)
    seeds = choose_seeds(plan, ports_for(library, model, MemoryVectors())).result.seeds
    assert model.embedded[0][0] == f"{question} Ada Lovelace"
    assert ("analytical engine", "asked") in {(seed.name, seed.how) for seed in seeds}


def test_a_name_that_many_bear_leaves_room_for_what_the_ranker_finds(library):
    library.add("Namesakes", *((f"Namesake {n} is one.", [f"namesake {n}"]) for n in range(60)))
    for n in range(60):
        library.aliases[k(f"namesake {n}")].add("Ada Lovelace")
    ports = ports_for(library, ScriptedModel(), MemoryVectors(), max_seeds=5)
    plan = asked("Ada Lovelace", question="What did Ada Lovelace write notes on?")
    seeds = [seed.name for seed in choose_seeds(plan, ports).result.seeds]
    assert seeds[0] == "ada lovelace"
    assert "analytical engine" in seeds


def test_nothing_found_is_no_seed():
    ports = ports_for(Library(), ScriptedModel(), MemoryVectors())
    assert choose_seeds(asked("Zanzibar"), ports).result.seeds == ()


def test_an_embedder_that_fails_for_good_leaves_the_search_by_words(library, monkeypatch):
    model = ScriptedModel()

    def refuse(_texts):
        raise Permanent("no such model")

    monkeypatch.setattr(model, "embed", refuse)
    result = choose_seeds(asked("engine"), ports_for(library, model, MemoryVectors())).result
    assert result.failed == "no such model"
    assert result.seeds


def test_another_embedder_than_the_collections_is_a_clear_error(library):
    vectors = MemoryVectors()
    vectors.prepare(C, Embedder(name="other", dimension=2))
    with pytest.raises(EmbedderMismatch):
        choose_seeds(asked("engine"), ports_for(library, ScriptedModel(), vectors))
