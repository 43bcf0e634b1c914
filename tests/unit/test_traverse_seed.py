from __future__ import annotations

import pytest
from doubles.library import C, Library, ScriptedModel, f, k, ports_for
from doubles.vectors import MemoryVectors

from workers.core.errors import EmbedderMismatch, Permanent
from workers.core.ports import Embedder, Point
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
    return {"question": question, "entities": list(entities), "sub_questions": list(sub_questions)}


def test_names_found_exactly_need_no_search_when_they_fill_the_seeds(library):
    model = ScriptedModel()
    ports = ports_for(library, model, MemoryVectors(), max_seeds=2)
    seeds = choose_seeds(asked("the Analytical Engine", "Ada Lovelace"), ports).result["seeds"]
    assert [(seed["id"], seed["how"]) for seed in seeds] == [
        (k("Analytical Engine"), "exact"),
        (k("Ada Lovelace"), "exact"),
    ]
    assert model.embedded == []
    assert library.calls == ["elements_named"]


def test_an_exact_name_comes_before_an_alias(library):
    library.aliases[k("mills")].add("Analytical Engine")
    ports = ports_for(library, ScriptedModel(), MemoryVectors(), max_seeds=2)
    seeds = choose_seeds(asked("Analytical Engine"), ports).result["seeds"]
    assert [seed["how"] for seed in seeds] == ["exact", "alias"]


def test_a_plural_in_the_question_finds_the_singular(library):
    ports = ports_for(library, ScriptedModel(), MemoryVectors(), max_seeds=1)
    assert choose_seeds(asked("Steam Engines"), ports).result["seeds"][0]["name"] == "steam engine"


def test_room_is_filled_by_search_with_all_texts_embedded_in_one_call(library):
    vectors, model = MemoryVectors(), ScriptedModel()
    vectors.prepare(C, model.embedder)
    fact = f("Charles Babbage designed the Analytical Engine.")
    chunk = next(iter(library.documents))
    vectors.upsert(
        C,
        [
            Point(graph_id=k("mills"), kind="element", vector=(1.0, 0.0)),
            Point(graph_id="k-gone", kind="element", vector=(1.0, 0.1)),
            Point(graph_id=fact, kind="fact", vector=(1.0, 0.0)),
            Point(graph_id=chunk, kind="chunk", vector=(1.0, 0.0)),
        ],
    )
    result = choose_seeds(
        asked("Ada Lovelace", sub_questions=["s?"]), ports_for(library, model, vectors)
    ).result
    names = {seed["name"] for seed in result["seeds"]}
    assert {"ada lovelace", "mill", "charles babbage"} <= names
    assert all(seed["id"] != "k-gone" for seed in result["seeds"])
    assert model.embedded == [["q?", "s?", "Ada Lovelace"]]
    assert result["near"] == [chunk]


def test_a_question_without_entities_is_searched_as_it_stands(library):
    ports = ports_for(library, ScriptedModel(), MemoryVectors())
    seeds = choose_seeds(asked(question="Who designed the engine?"), ports).result["seeds"]
    assert "charles babbage" in {seed["name"] for seed in seeds}


def test_nothing_found_is_no_seed():
    ports = ports_for(Library(), ScriptedModel(), MemoryVectors())
    assert choose_seeds(asked("Zanzibar"), ports).result["seeds"] == []


def test_an_embedder_that_fails_for_good_leaves_the_search_by_words(library, monkeypatch):
    model = ScriptedModel()

    def refuse(_texts):
        raise Permanent("no such model")

    monkeypatch.setattr(model, "embed", refuse)
    result = choose_seeds(asked("engine"), ports_for(library, model, MemoryVectors())).result
    assert result["failed"] == "no such model"
    assert result["seeds"]


def test_another_embedder_than_the_collections_is_a_clear_error(library):
    vectors = MemoryVectors()
    vectors.prepare(C, Embedder(name="other", dimension=2))
    with pytest.raises(EmbedderMismatch):
        choose_seeds(asked("engine"), ports_for(library, ScriptedModel(), vectors))
