"""Ranked search over doubles: what a question leads to, with everything there and with less."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from doubles.documents import made_document, made_element, write
from doubles.graph import MemoryGraph
from doubles.graph_parts import Whole
from doubles.vectors import MemoryVectors
from pydantic import ValidationError
from structlog.contextvars import bound_contextvars, get_contextvars

from hopline.errors import DependencyAway, Permanent, Transient
from hopline.models.census import EmbedderFigure
from hopline.models.merges import Proposal
from hopline.models.search import Found, FoundChunk
from workers.core import ids
from workers.core.errors import BudgetExceeded, EmbedderMismatch, WorkPaused
from workers.core.graph.vectors import Embedder, Point
from workers.search.near import Texts
from workers.search.search import search
from workers.search.union import united

C = "bridges"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
QUESTION = "Where was the designer of the Clifton Suspension Bridge born?"
NAMELESS = "which river flows through the capital?"

DESIGNED = (
    "The Clifton Suspension Bridge was designed by Isambard Kingdom Brunel.",
    ["Clifton Suspension Bridge", "Isambard Kingdom Brunel"],
)
BORN = ("Isambard Kingdom Brunel was born in Portsmouth.", ["Isambard Kingdom Brunel", "Portsmouth"])
TOWER = ("Tower Bridge crosses the Thames.", ["Tower Bridge", "Thames"])
RIVER = ("The Thames is a river that flows through the capital.", ["Thames", "capital"])
SEINE = ("The Seine flows through Paris.", ["Seine", "Paris"])
WORLD = {"clifton": [DESIGNED], "brunel": [BORN], "tower": [TOWER], "thames": [RIVER], "seine": [SEINE]}


class Spelling:
    """Embeds a text as how often each letter stands in it, and is never asked anything else."""

    embedder = Embedder(name="letters", dimension=len(LETTERS))

    def __init__(self) -> None:
        self.embedded: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.embedded.append(list(texts))
        return [[float(text.casefold().count(letter)) for letter in LETTERS] for text in texts]


class Failing(Whole):
    """Something whose method fails; all else is as it was."""

    def __init__(self, whole: Any, method: str, error: Exception) -> None:
        self._whole, self._method, self._error = whole, method, error

    def __getattr__(self, name: str) -> Any:
        if name == self._method:
            return self._fail
        return getattr(self._whole, name)

    def _fail(self, *_args: Any, **_kwargs: Any) -> None:
        raise self._error


@dataclass
class World:
    graph: Any
    vectors: Any
    model: Any

    def add(self, collection: str, uri: str, *paragraphs: Any) -> list[str]:
        write(self.graph, collection, uri, *paragraphs)
        chunks = [chunk.chunk for chunk in made_document(collection, uri, *paragraphs)[1]]
        self.vectors.prepare(collection, self.model.embedder)
        made = Spelling().embed([chunk.text for chunk in chunks])
        points = [
            Point(graph_id=chunk.id, kind="chunk", vector=tuple(vector))
            for chunk, vector in zip(chunks, made, strict=True)
        ]
        self.vectors.upsert(collection, points)
        return [chunk.id for chunk in chunks]

    def failing(self, part: str, method: str, error: Exception) -> World:
        setattr(self, part, Failing(getattr(self, part), method, error))
        return self


@pytest.fixture
def empty() -> World:
    return World(MemoryGraph(), MemoryVectors(), Spelling())


@pytest.fixture
def world(empty: World) -> World:
    return filled(empty)


def filled(world: World, collection: str = C) -> World:
    for uri, paragraph in WORLD.items():
        world.add(collection, uri, paragraph)
    return world


def chunk(uri: str, collection: str = C) -> str:
    return made_document(collection, uri, WORLD[uri])[1][0].chunk.id


def element(name: str, collection: str = C) -> str:
    return made_element(collection, name).id


def order(result: Found) -> list[str]:
    return [passage.chunk.id for passage in result.chunks]


def asked(result: Found) -> list[str]:
    return [element.name for element in result.elements if element.asked]


# what is found --------------------------------------------------------------------------------------


def test_the_document_about_what_the_first_hop_names_comes_before_others_that_name_it(empty):
    empty.add(C, "clifton", [DESIGNED])
    born = "Where was he born? In Portsmouth, where bridges are."
    for uri, title in (("a", "Portsmouth bridges"), ("b", "Isambard Kingdom Brunel")):
        names = ["Isambard Kingdom Brunel", "Portsmouth"]
        write(empty.graph, C, uri, [(f"{uri}: {born}", names)], title=title)
    result = search(QUESTION, C, empty)
    assert [passage.document.uri for passage in result.chunks[:2]] == ["clifton", "b"]
    assert result.chunks[1].parts["titled"] == 1.0
    assert any("is about what" in reason for reason in result.chunks[1].reasons)
    assert "titled" not in result.chunks[2].parts


def test_a_question_of_two_hops_finds_both_passages_first(world):
    result = search(QUESTION, C, world)
    assert order(result)[:2] == [chunk("clifton"), chunk("brunel")]
    assert result.question == QUESTION
    assert asked(result) == ["clifton suspension bridge"]
    assert {"isambard kingdom brunel", "portsmouth"} <= {element.name for element in result.elements}
    assert result.failed == {}


def test_every_chunk_tells_what_speaks_for_it(world):
    first, second, *_others = search(QUESTION, C, world).chunks
    assert {"walk", "vector", "vector_asked", "words"} <= set(first.parts)
    assert any("clifton suspension bridge, which the question names" in reason for reason in first.reasons)
    assert any("joined to" in reason and "brunel" in reason for reason in second.reasons)
    assert any("words with the question" in reason for reason in second.reasons)
    assert [element.name for element in first.elements if element.asked] == ["clifton suspension bridge"]
    assert [(fact.text, fact.chunk_id) for fact in second.facts] == [(BORN[0], chunk("brunel"))]
    assert set(second.facts[0].elements) == {element(name) for name in BORN[1]}
    assert (second.document.uri, second.document.title, second.chunk.text) == ("brunel", "Brunel", BORN[0])


def test_scores_are_between_0_and_1_and_best_first_and_each_part_s_time_is_told(world):
    result = search(QUESTION, C, world)
    for hits in (result.chunks, result.facts, result.elements):
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert scores[0] > 0
    assert all(0 <= hit.score <= 1 for hit in [*result.chunks, *result.facts])
    assert {"names", "words", "walk", "vectors", "tell", "all"} <= set(result.seconds)


def test_what_words_vectors_and_the_two_together_say_alone_is_told(world):
    rankings = search(QUESTION, C, world).rankings
    assert set(rankings) == {"words", "vectors", "hybrid"}
    assert rankings["words"][0] == chunk("clifton")
    assert set(rankings["vectors"]) == {chunk(uri) for uri in WORLD}
    assert set(rankings["hybrid"]) == set(rankings["words"]) | set(rankings["vectors"])


def test_one_call_embeds_the_question_whole_and_without_its_names(world):
    search(QUESTION, C, world)
    assert world.model.embedded == [[QUESTION, "Where was the designer of born?"]]
    world.model.embedded.clear()
    search(NAMELESS, C, world)
    assert world.model.embedded == [[NAMELESS]]


def test_the_question_is_embedded_in_the_caller_s_thread_with_its_context(world):
    seen = []

    class Watched(Spelling):
        def embed(self, texts):
            seen.append((threading.get_ident(), get_contextvars()))
            return super().embed(texts)

    world.model = Watched()
    with bound_contextvars(item="i1"):
        search(QUESTION, C, world)
    assert seen == [(threading.get_ident(), {"item": "i1"})]


@pytest.mark.parametrize("limit", [0, 3, 50])
def test_no_more_chunks_and_elements_than_wanted_and_these_the_best(world, limit):
    whole = search(QUESTION, C, world)
    result = search(QUESTION, C, world, limit=limit, elements=limit)
    assert order(result) == order(whole)[:limit]
    assert len(result.elements) <= limit
    assert {fact.chunk_id for fact in result.facts} <= set(order(result))


def test_a_fact_of_several_chunks_is_told_once_over_all_and_with_each(world):
    again = world.add(C, "again", [BORN, TOWER], [BORN, SEINE])
    result = search(QUESTION, C, world)
    names = [fact.id for fact in result.facts]
    assert len(names) == len(set(names))
    assert ids.fact_id(C, BORN[0]) in names
    holding = {
        passage.chunk.id for passage in result.chunks if BORN[0] in [fact.text for fact in passage.facts]
    }
    assert holding == {chunk("brunel"), *again}
    assert all(fact.chunk_id == passage.chunk.id for passage in result.chunks for fact in passage.facts)


def test_the_order_in_which_documents_came_changes_nothing(world):
    other = World(MemoryGraph(), MemoryVectors(), Spelling())
    for uri in reversed(WORLD):
        other.add(C, uri, WORLD[uri])
    for question in (QUESTION, NAMELESS):
        first, second = search(question, C, world), search(question, C, other)
        told = [
            [(each.chunk.id, each.score, each.parts, each.reasons) for each in result.chunks]
            for result in (first, second)
        ]
        assert told[0] == told[1]
        assert [fact.id for fact in first.facts] == [fact.id for fact in second.facts]
        assert (first.elements, first.rankings) == (second.elements, second.rankings)


# how far vectors are trusted -------------------------------------------------------------------------


def test_vectors_weigh_what_their_embedder_was_measured_to_be_worth(world):
    def score() -> float:
        scores = {passage.chunk.id: passage.score for passage in search(QUESTION, C, world).chunks}
        return scores[chunk("seine")]  # which only vectors speak for

    def figure(vectors: float) -> EmbedderFigure:
        return EmbedderFigure(vectors=vectors, words=0.6, pairs=128, chunks=500)

    usual = score()
    world.vectors.keep_figure(C, Embedder(name="other", dimension=3), figure(0.03))
    assert score() == usual, "it is of another embedder"
    world.vectors.keep_figure(C, Spelling.embedder, figure(0.03))
    assert score() < usual / 2
    world.vectors.keep_figure(C, Spelling.embedder, figure(0.8))
    assert score() > usual


def test_at_weight_0_nothing_is_embedded_and_the_graph_and_words_rank(world):
    world.vectors.fixed = 0.0
    result = search(QUESTION, C, world)
    assert world.model.embedded == []
    assert order(result)[:2] == [chunk("clifton"), chunk("brunel")]
    assert result.failed == {}
    assert not any("vector" in part for passage in result.chunks for part in passage.parts)


# with less ------------------------------------------------------------------------------------------


VECTORS = [("vectors", "check"), ("vectors", "search"), ("vectors", "nearest_among"), ("model", "embed")]


@pytest.mark.parametrize(("part", "method"), VECTORS)
@pytest.mark.parametrize("error", [Permanent("no embedder here"), BudgetExceeded("no more money here")])
def test_without_vectors_it_ranks_by_the_graph_and_words_and_says_why(world, part, method, error):
    # So that there is a chunk that only the walk finds, and the vectors are asked about it.
    world.vectors.delete(C, [chunk("brunel")])
    result = search(QUESTION, C, world.failing(part, method, error))
    assert order(result)[0] == chunk("clifton")
    assert chunk("brunel") in order(result)
    assert result.failed == {"vectors": str(error)}
    if method != "nearest_among":
        assert result.rankings["vectors"] == ()
        assert all(not {"vector", "vector_asked"} & set(passage.parts) for passage in result.chunks)
        assert not any("near in meaning" in reason for passage in result.chunks for reason in passage.reasons)


@pytest.mark.parametrize(("part", "method"), VECTORS)
@pytest.mark.parametrize("error", [DependencyAway("the server is away"), Transient("busy")])
def test_servers_that_are_away_are_waited_for_unless_it_may_do_without(world, part, method, error):
    world.vectors.delete(C, [chunk("brunel")])
    world.failing(part, method, error)
    with pytest.raises(type(error), match=str(error)):
        search(QUESTION, C, world)
    result = search(QUESTION, C, world, degrade=True)
    assert result.failed == {"vectors": str(error)}
    assert order(result)[0] == chunk("clifton")


@pytest.mark.parametrize("degrade", [False, True])
@pytest.mark.parametrize(("part", "method", "error"), [
    ("model", "embed", WorkPaused("model swift is paused")),
    ("vectors", "check", EmbedderMismatch("vectors of another")),
    *(
        ("graph", method, DependencyAway("no graph"))
        for method in ("size", "elements_found", "facts_around", "chunks_like", "chunks_said")
    ),
])  # fmt: skip
def test_what_a_search_never_does_without(world, part, method, error, degrade):
    with pytest.raises(type(error), match=str(error)):
        search(QUESTION, C, world.failing(part, method, error), degrade=degrade)


def test_a_collection_without_vectors_is_ranked_by_the_graph_and_words(world):
    world.vectors.drop(C)
    result = search(QUESTION, C, world)
    assert order(result)[:2] == [chunk("clifton"), chunk("brunel")]
    assert result.rankings["vectors"] == ()


def test_a_question_that_names_nothing_is_ranked_by_words_and_vectors(world):
    result = search(NAMELESS, C, world)
    assert order(result)[0] == chunk("thames")
    assert asked(result) == []
    assert not any("the question names" in reason for passage in result.chunks for reason in passage.reasons)
    assert result.chunks[0].reasons


def test_a_name_that_too_many_chunks_hold_is_no_start_but_still_named(world):
    for nth in range(200):
        world.add(
            C, f"stone {nth}", [(f"Clifton Rocks hold stone {nth}.", ["Clifton Rocks", f"stone {nth}"])]
        )
    result = search("Who was born near Clifton Rocks in Portsmouth?", C, world)
    assert order(result)[0] == chunk("brunel")
    assert set(asked(result)) == {"clifton rocks", "portsmouth"}


@pytest.mark.parametrize("question", ["", "who is it?", "\x00", "helicopter", "É" * 4_000])
def test_a_question_without_a_word_that_is_known_is_no_error(world, question):
    result = search(question, C, world)
    assert result.rankings["words"] == ()
    assert asked(result) == []


@pytest.mark.parametrize("question", [QUESTION, NAMELESS, ""])
def test_an_unknown_or_empty_collection_gives_nothing(world, question):
    nothing = World(MemoryGraph(), MemoryVectors(), Spelling())
    for where in (search(question, "unknown", world), search(question, C, nothing)):
        assert (where.chunks, where.facts, where.elements, where.failed) == ((), (), (), {})
    document = made_document(C, "tower")[0].id
    for uri in WORLD:
        world.graph.store.delete_document(made_document(C, uri)[0].id)
    assert world.graph.store.document(document) is None
    assert search(question, C, world).chunks == ()  # also where vectors were left behind


# what must not be seen ------------------------------------------------------------------------------


GOLD = [("The Clifton Suspension Bridge hides gold.", ["Clifton Suspension Bridge", "gold"])]


class Watched(Whole):
    """A port that keeps the collection of every call."""

    def __init__(self, whole: Any) -> None:
        self._whole = whole
        self.collections: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._whole, name)

        def call(collection: str, *args: Any, **kwargs: Any) -> Any:
            self.collections.add(collection)
            return method(collection, *args, **kwargs)

        return call


def test_a_collection_never_leaks_into_another(world):
    filled(world, "others").add("others", "secret", GOLD)
    mine = {chunk(uri) for uri in WORLD}
    facts = {ids.fact_id(C, paragraph[0][0]) for paragraph in WORLD.values()}
    elements = {element(name) for paragraph in WORLD.values() for name in paragraph[0][1]}
    world.graph, world.vectors = Watched(world.graph), Watched(world.vectors)
    for question in (QUESTION, NAMELESS, "Does the Clifton Suspension Bridge hide gold?"):
        result = search(question, C, world, limit=100, elements=100)
        assert set(order(result)) <= mine
        assert {passage.document.collection for passage in result.chunks} == {C}
        assert {name for ranking in result.rankings.values() for name in ranking} <= mine
        assert {fact.id for fact in result.facts} <= facts
        assert {element.id for element in result.elements} <= elements
        assert "gold" not in result.model_dump_json().replace(question, "")
    assert world.graph.collections == world.vectors.collections == {C}, "of every read"


def test_several_collections_are_ranked_as_if_they_were_searched_together(world):
    filled(world, "others").add("third", "garden", [("Roses grow in the garden of Kew.", ["roses", "Kew"])])
    apart = [search(QUESTION, name, world, limit=5) for name in (C, "others", "third")]
    result = united(apart, 4, elements=3)
    assert len(result.chunks) == 4
    assert {passage.chunk.id for passage in result.chunks[:2]} == {order(apart[0])[0], order(apart[1])[0]}
    scores = [passage.score for passage in result.chunks]
    assert scores == sorted(scores, reverse=True)
    assert {fact.chunk_id for fact in result.facts} <= set(order(result))
    assert len(result.elements) == 3
    assert result.seconds["all"] == pytest.approx(sum(each.seconds["all"] for each in apart))
    again = united(apart[::-1], 4, elements=3)
    assert (again.chunks, again.elements, again.facts) == (result.chunks, result.elements, result.facts)


def test_a_version_that_is_not_live_is_not_found(world):
    document, chunks = made_document(C, "clifton", GOLD)
    opened = world.graph.store.open_version(document)
    world.graph.store.write_chunks(opened, chunks)
    result = search("Does the Clifton Suspension Bridge hide gold?", C, world)
    assert order(result)[0] == chunk("clifton")
    assert "gold" not in [element.name for element in result.elements]
    world.graph.store.make_live(opened)
    result = search("Does the Clifton Suspension Bridge hide gold?", C, world)
    assert order(result)[0] == chunks[0].chunk.id
    assert chunk("clifton") not in order(result)
    assert [fact.text for fact in result.chunks[0].facts] == [GOLD[0][0]]


def test_a_merged_element_that_the_question_names_leads_to_its_target(world):
    world.add(C, "works", [("IKB built the Great Western Railway.", ["IKB", "Great Western Railway"])])
    source, target = made_element(C, "IKB"), made_element(C, "Isambard Kingdom Brunel")
    before = search("Where was IKB born?", C, world)
    assert asked(before) == ["ikb"]
    names = {"source": source.id, "source_name": source.name, "target": target.id, "target_name": target.name}
    proposal = Proposal(**names, rule="initials", evidence="1 of 1 documents")
    assert world.graph.merging.merge_elements(C, proposal, "j1")
    result = search("Where was IKB born?", C, world)
    assert asked(result) == ["isambard kingdom brunel"]
    assert source.id not in {element.id for element in result.elements}
    assert order(result)[0] == chunk("brunel")
    named = "isambard kingdom brunel, which the question names"
    assert any(named in reason for reason in result.chunks[0].reasons)
    # The old and the new name in one question are one element.
    both = search("Was Isambard Kingdom Brunel born as IKB?", C, world)
    assert asked(both) == ["isambard kingdom brunel"]


class Forgetful(MemoryGraph):
    """A graph from which a document goes away between the ranking and the telling."""

    going = ""

    def chunks_said(self, collection: str, chunk_ids: Sequence[str], max_facts: int, *_snapshot: Any) -> Any:
        if self.going:
            self.delete_document(self.going)
        return super().chunks_said(collection, chunk_ids, max_facts)


def test_a_chunk_that_is_deleted_before_it_is_told_is_left_out():
    world = filled(World(Forgetful(), MemoryVectors(), Spelling()))
    whole = search(QUESTION, C, world)
    world.graph.going = made_document(C, "clifton")[0].id
    result = search(QUESTION, C, world)
    assert order(result) == [name for name in order(whole) if name != chunk("clifton")]
    assert all(DESIGNED[0] != fact.text for fact in result.facts)


def test_who_knows_fewer_parts_of_a_score_reads_the_others(world):
    record = search(QUESTION, C, world).chunks[0].model_dump(mode="json")
    newer = record | {"parts": record["parts"] | {"of a newer server": 0.5}}
    assert FoundChunk.model_validate(newer) == FoundChunk.model_validate(record)
    with pytest.raises(ValidationError):
        FoundChunk.model_validate(record | {"parts": [0.5]})


def test_of_several_languages_the_one_counts_that_fits_best_from_where_its_hits_lie() -> None:
    texts = Texts("q", "asked", ("übersetzt",))
    assert texts.embedded == ["q", "asked", "übersetzt"]
    assert texts.worded == ["übersetzt q", "asked"]
    own, asked, translated = {"a": 0.6, "b": 0.4}, {"a": 0.1}, {"b": 0.9, "c": 0.7}
    best, same = texts.joined([own, asked, translated], [0.5, 0.1, 0.8])
    assert same == asked
    assert {name: round(score, 9) for name, score in best.items()} == {"a": 0.6, "b": 0.6, "c": 0.4}
    assert Texts("q", "").joined([own], [0.5]) == [own]


def test_a_search_finds_a_passage_by_the_words_of_its_language(world: World) -> None:
    alone = search("Where does the ferry cross?", C, world)
    both = search("Where does the ferry cross?", C, world, translations=("Thames Tower Bridge",))
    assert both.question == alone.question
    assert "Tower Bridge crosses the Thames." in both.chunks[0].chunk.text
