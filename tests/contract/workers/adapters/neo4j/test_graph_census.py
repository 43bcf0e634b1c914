"""How every graph counts itself: the double and the real Neo4j."""

from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, made_document, made_element, write, write_made
from doubles.graph_steps import write_hidden

from hopline.models.census import Counts, DegreeBin, FactLengths, GraphCensus, LengthBin
from hopline.models.reports import Growth
from workers.core import ids
from workers.core.jobs.report import hubs_grown
from workers.core.ports import ChunkFacts, Graph


def counted(graph: Graph, collection: str) -> GraphCensus:
    return graph.census(collection, lengths=True).model_copy(update={"seconds": 0.0})


def test_a_census_counts_what_readers_see(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    write(graph, collection, "b", [CURIE])
    write(graph, collection + "x", "a", [BOHR])
    census = counted(graph, collection)
    assert census.live == Counts(documents=2, chunks=3, facts=3, elements=5)
    assert census.hidden == census.orphans == Counts()
    assert census.merged == 0
    assert census.relationships == {"HAS_CHUNK": 3, "NEXT": 1, "HAS_ATOMIC_FACT": 4, "HAS_KEY_ELEMENT": 7}
    assert census.degrees == (DegreeBin(low=1, high=1, elements=3), DegreeBin(low=2, high=3, elements=2))
    two = sorted(("Marie Curie", "Warsaw"), key=lambda name: made_element(collection, name).id)
    assert [(hub.name, hub.degree) for hub in census.hubs[:2]] == [(name, 2) for name in two]
    assert census.hubs[0].share == 2 / 3
    assert census.ungrounded.count == 0


def test_what_is_not_live_is_counted_apart_and_in_no_degree(graph, collection):
    write(graph, collection, "a", [CURIE])
    hidden, _chunks = write_hidden(graph, collection, "b", [BOHR, PRIZE])
    census = counted(graph, collection)
    assert census.live == Counts(documents=1, chunks=1, facts=1, elements=2)
    assert census.hidden == Counts(documents=1, chunks=1, facts=2, elements=4)
    assert census.orphans == Counts()
    assert census.degrees == (DegreeBin(low=1, high=1, elements=2),)
    assert census.relationships["HAS_KEY_ELEMENT"] == 2
    graph.store.delete_document(hidden.id)
    assert counted(graph, collection).hidden == Counts()


def test_what_lacks_something_is_counted_with_examples(graph, collection):
    document, chunks = made_document(collection, "a", [CURIE], [WARSAW], [BOHR])
    good = chunks[0].facts[0]
    loose = good.model_copy(
        update={"id": ids.fact_id(collection, "She won."), "text": "She won.", "key_elements": ()}
    )
    sentence = "Curie may have been Polish."
    vague = good.model_copy(
        update={"id": ids.fact_id(collection, sentence), "text": sentence, "match": 0.2, "grounded": False}
    )
    first, empty = (
        chunks[nth].model_copy(update={"facts": facts}) for nth, facts in ((0, (good, loose, vague)), (2, ()))
    )
    write_made(graph, document, [first, chunks[1], empty])
    census = counted(graph, collection)
    assert census.live.facts == 4
    assert census.ungrounded.count == census.facts_without_elements.count == 1
    [example] = census.ungrounded.examples
    assert (example.text, example.document) == (sentence, "A")
    assert [fact.text for fact in census.facts_without_elements.examples] == ["She won."]
    assert census.chunks_without_facts.count == 1
    [chunk] = census.chunks_without_facts.examples
    assert (chunk.id, chunk.text, chunk.document) == (chunks[2].chunk.id, BOHR[0], "A")


def test_a_fact_grounded_in_one_of_two_places_is_grounded(graph, collection):
    for uri, grounded in (("a", False), ("b", True)):
        document, chunks = made_document(collection, uri, [CURIE])
        fact = chunks[0].facts[0].model_copy(update={"grounded": grounded})
        write_made(graph, document, [ChunkFacts(chunk=chunks[0].chunk, facts=(fact,))])
    assert counted(graph, collection).ungrounded.count == 0


def test_the_lengths_of_live_facts_are_told_with_the_shortest_and_the_longest(graph, collection):
    long = ("Marie Curie shared the prize of 1903 with Pierre Curie and Henri Becquerel.", ["Marie Curie"])
    short = ("She won.", ["Marie Curie"])
    write(graph, collection, "a", [CURIE, long], [short])
    write_hidden(graph, collection, "b", [("He.", ["Pierre Curie"])])
    lengths = counted(graph, collection).fact_lengths
    assert lengths.counted == sum(length_bin.facts for length_bin in lengths.bins) == 3
    assert lengths.bins[1] == LengthBin(low=2, high=3, facts=1)
    assert [fact.text for fact in lengths.shortest] == [short[0], CURIE[0], long[0]]
    assert [fact.text for fact in lengths.longest] == [long[0], CURIE[0], short[0]]
    assert lengths.shortest[0].document == "A"


def test_of_an_unknown_collection_all_is_nought_and_lengths_are_counted_where_asked_for(graph, collection):
    census = counted(graph, collection)
    assert (census.live, census.degrees, census.hubs) == (Counts(), (), ())
    assert census.fact_lengths == FactLengths()
    assert graph.census(collection).fact_lengths is None
    assert graph.growth(collection) == Growth(elements=0)


def test_growth_counts_elements_and_hubs_of_one_collection_and_what_was_added_since(graph, collection):
    write(graph, collection, "a", [CURIE])
    before = graph.growth(collection)
    write(graph, collection, "b", [PRIZE], [WARSAW])
    write(graph, collection + "x", "a", [BOHR])
    growth = graph.growth(collection)
    assert growth.elements == graph.census(collection).live.elements == 5
    assert {name for name, degree in growth.hubs.items() if degree == 2} == {"marie curie", "warsaw"}
    grown = hubs_grown(before, growth)
    assert ("Marie Curie", 1, 2) in [(hub.name, hub.before, hub.after) for hub in grown]
    assert all(hub.after > (hub.before or 0) for hub in grown)
