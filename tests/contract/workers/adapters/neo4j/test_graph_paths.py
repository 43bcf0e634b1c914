"""What every graph shows to paths: the double and the real Neo4j."""

from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, made_document, made_element, write
from doubles.graph_steps import element_id, merge, write_hidden
from doubles.scoped import scoped_too

from workers.core import ids

pytestmark = scoped_too

HIDDEN = 450  # facts: more than are looked at of one node


def test_the_facts_of_several_nodes_come_once_each(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    write(graph, collection, "b", [CURIE, BOHR])
    nodes = [element_id(collection, name) for name in ("Marie Curie", "Warsaw", "nobody")]
    facts = graph.paths.facts_of(collection, nodes, limit=10)
    assert facts[0].fact == CURIE[0]  # holds both
    assert sorted(fact.fact for fact in facts[1:]) == sorted([PRIZE[0], WARSAW[0]])
    assert all(fact.quote == fact.fact for fact in facts)
    assert graph.paths.facts_of(collection, nodes, limit=1) == facts[:1]
    assert graph.paths.facts_of("another", nodes, limit=10) == []
    assert graph.paths.facts_of(collection, [], limit=10) == []


def test_facts_near_the_question_come_first_however_many_a_hub_has(graph, collection):
    hub = [(f"Paris has street number {nth}.", ["Paris", f"street {nth}"]) for nth in range(30)]
    write(graph, collection, "a", hub, [WARSAW])
    near = [ids.fact_id(collection, hub[n][0]) for n in (20, 7)] + [ids.fact_id(collection, WARSAW[0])]
    facts = graph.paths.facts_of(collection, [element_id(collection, "Paris")], near=near, limit=5)
    assert [fact.fact_id for fact in facts[:2]] == near[:2]
    assert len({fact.fact_id for fact in facts}) == 5
    assert WARSAW[0] not in {fact.fact for fact in facts}  # near, but not this node's


def test_each_node_comes_with_the_ids_of_its_own_facts(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    curie, warsaw = element_id(collection, "Marie Curie"), element_id(collection, "Warsaw")
    held = graph.paths.facts_held(collection, [curie, warsaw, "k-unknown"], limit=9)
    facts = {text: ids.fact_id(collection, text) for text, _elements in (CURIE, PRIZE, WARSAW)}
    assert set(held) == {curie, warsaw}
    assert set(held[curie]) == {facts[CURIE[0]], facts[PRIZE[0]]}
    assert set(held[warsaw]) == {facts[CURIE[0]], facts[WARSAW[0]]}
    assert [len(own) for own in graph.paths.facts_held(collection, [curie], limit=1).values()] == [1]
    assert graph.paths.facts_held("another", [curie], limit=9) == {}


def test_a_chunk_comes_with_its_facts_and_the_chunks_around_it(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW], [BOHR])
    _document, chunks = made_document(collection, "a", [CURIE, PRIZE], [WARSAW], [BOHR])
    first, middle, last = (chunk.chunk for chunk in chunks)
    reading = graph.paths.read_chunk(collection, middle.id)
    assert (reading.chunk, reading.before, reading.after) == (middle, first.id, last.id)
    assert reading.document.title == "A"
    assert [fact.quote for fact in reading.facts] == [WARSAW[0]]
    begin, end = (graph.paths.read_chunk(collection, name) for name in (first.id, last.id))
    assert (begin.before, begin.after, end.before, end.after) == (None, middle.id, middle.id, None)
    assert [fact.fact for fact in begin.facts] == [CURIE[0], PRIZE[0]]
    assert graph.paths.read_chunk("another", middle.id) is None
    assert graph.paths.read_chunk(collection, "c-unknown") is None


def test_hidden_facts_show_paths_nothing_and_however_many_do_not_cover_live_ones(graph, collection):
    """As long as a large document is being rewritten, the one before is read."""
    write(graph, collection, "a", [CURIE])
    letters = [
        (f"Marie Curie wrote letter {nth}.", ["Marie Curie", f"letter {nth}"]) for nth in range(HIDDEN)
    ]
    _opened, chunks = write_hidden(graph, collection, "b", letters)
    curie, letter = element_id(collection, "Marie Curie"), element_id(collection, "letter 7")
    assert [fact.fact for fact in graph.paths.facts_of(collection, [curie], limit=5)] == [CURIE[0]]
    assert [near.name for near in graph.paths.neighbours_of(collection, [curie], limit=5)] == ["warsaw"]
    node = graph.nodes.read_node(collection, curie, max_facts=5, max_neighbours=5)
    assert [fact.fact for fact in node.facts] == [CURIE[0]]
    assert [neighbour.name for neighbour in node.neighbours] == ["warsaw"]
    hidden = [fact.id for fact in chunks[0].facts]
    assert graph.paths.facts_of(collection, [letter], near=hidden, limit=5) == []
    assert graph.paths.read_chunk(collection, chunks[0].chunk.id) is None
    assert graph.paths.neighbours_of(collection, [letter], limit=5) == []
    assert graph.paths.facts_held(collection, [letter], limit=5).get(letter, ()) == ()


def test_paths_follow_a_redirect_to_its_target(graph, collection):
    write(graph, collection, "a", [CURIE], [("Curie studied physics.", ["Curie", "physics"])])
    old, target = (made_element(collection, name) for name in ("Curie", "Marie Curie"))
    merge(graph, collection, "Curie", "Marie Curie")
    both = graph.paths.facts_of(collection, [target.id], limit=9)
    assert len(both) == 2
    near = [both[1].fact_id]
    assert graph.paths.facts_of(collection, [old.id], limit=9) == both
    assert graph.paths.facts_of(collection, [old.id, target.id], near=near, limit=9) == both[::-1]
    for element_ids in ([old.id], [old.id, target.id]):
        names = [neighbour.name for neighbour in graph.paths.neighbours_of(collection, element_ids, limit=9)]
        assert sorted(names) == ["physics", "warsaw"]
    held = graph.paths.facts_held(collection, [old.id, target.id], limit=9)
    assert set(held[old.id]) == set(held[target.id]) == {fact.fact_id for fact in both}


def test_neighbours_share_facts_with_any_of_the_nodes_and_are_none_of_them(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    hub = [(f"Warsaw has street {nth}.", ["Warsaw", f"street {nth}"]) for nth in range(20)]
    write(graph, collection, "b", hub)
    nodes = [element_id(collection, "Marie Curie"), element_id(collection, "Vistula")]
    neighbours = graph.paths.neighbours_of(collection, nodes, limit=50)
    assert {near.name for near in neighbours[:2]} == {"nobel prize", "1903"}
    assert neighbours[0].context == PRIZE[0]
    assert (neighbours[0].shared, neighbours[0].degree, neighbours[0].relationship) == (1, 1, "SHARES_FACT")
    [hub] = neighbours[2:]
    assert (hub.name, hub.shared, hub.degree) == ("warsaw", 2, 22)
    assert graph.paths.neighbours_of(collection, nodes, limit=2) == neighbours[:2]
    assert graph.paths.neighbours_of("another", nodes, limit=50) == []
