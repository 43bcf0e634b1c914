"""What every graph shows to people who look at it: the double and the real Neo4j."""

from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, made_document, write, write_made
from doubles.graph_steps import element_id, merge, write_hidden
from doubles.typed import FIGHT, GUILD, OATH, write_typed

from hopline.models.graph import Neighbourhood
from workers.core import ids

SHORT = ("Curie studied physics.", ["Curie", "physics"])


def document(collection: str, uri: str) -> str:
    return made_document(collection, uri)[0].id


def around(graph, collection, name, limit=50, document=None):
    neighbourhood = graph.views.neighbourhood(
        collection, element_id(collection, name), document=document, limit=limit
    )
    assert {element_id for fact in neighbourhood.facts for element_id in fact.elements} == {
        element.id for element in neighbourhood.elements
    }
    return neighbourhood


def texts(neighbourhood: Neighbourhood) -> list[str]:
    return [fact.text for fact in neighbourhood.facts]


def test_facts_around_an_element_come_with_places_and_elements(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    write(graph, collection, "b", [BOHR, CURIE])
    neighbourhood = around(graph, collection, "Marie Curie")
    assert (neighbourhood.collection, neighbourhood.centre, neighbourhood.more) == (
        collection,
        element_id(collection, "Marie Curie"),
        False,
    )
    assert texts(neighbourhood) == [CURIE[0], PRIZE[0]]  # two documents say the first
    first = around(graph, collection, "Marie Curie", limit=1)
    assert (texts(first), first.more) == ([CURIE[0]], True)
    assert not around(graph, collection, "Marie Curie", limit=2).more
    assert {element.name: element.degree for element in neighbourhood.elements} == {
        "marie curie": 2, "warsaw": 2, "nobel prize": 1, "1903": 1,
    }  # fmt: skip
    assert neighbourhood.elements[0].aliases == ("Marie Curie",)
    curie = neighbourhood.facts[0]
    assert curie.elements == (neighbourhood.centre, element_id(collection, "Warsaw"))
    assert sorted(place.title for place in curie.sources) == ["A", "B"]
    for place in curie.sources:
        assert place.quote == CURIE[0]
        assert graph.views.passage(place.document_id, place.start, place.end).text == place.quote


def test_only_the_facts_of_one_document_and_only_where_it_says_them(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE])
    write(graph, collection, "b", [CURIE], [WARSAW], [BOHR])
    for uri, expected in (("a", [CURIE[0], PRIZE[0]]), ("b", [CURIE[0]])):
        mine = document(collection, uri)
        neighbourhood = around(graph, collection, "Marie Curie", document=mine)
        assert sorted(texts(neighbourhood)) == sorted(expected)
        assert {place.document_id for fact in neighbourhood.facts for place in fact.sources} == {mine}
    nobody = element_id(collection, "Niels Bohr")
    assert graph.views.neighbourhood(collection, nobody, document=document(collection, "a"), limit=5) is None
    assert graph.views.neighbourhood(collection, nobody, document="d-unknown", limit=5) is None


def test_of_a_hub_and_a_short_document_the_documents_facts_are_found(graph, collection):
    hub = [(f"Warsaw has street number {nth}.", ["Warsaw", f"street {nth}"]) for nth in range(450)]
    write(graph, collection, "streets", hub)
    write(graph, collection, "b", [WARSAW, BOHR])
    neighbourhood = around(graph, collection, "Warsaw", document=document(collection, "b"))
    assert texts(neighbourhood) == [WARSAW[0]]
    assert neighbourhood.elements[0].degree == 451
    all_of_it = around(graph, collection, "Warsaw", limit=20)
    assert (len(all_of_it.facts), all_of_it.more) == (20, True)


def test_facts_without_a_sentence_come_last(graph, collection):
    doubtful, chunks = made_document(collection, "a", [CURIE, PRIZE])
    first = chunks[0].facts[0].model_copy(update={"grounded": False, "match": 0.3})
    chunk_facts = [chunks[0].model_copy(update={"facts": (first, chunks[0].facts[1])})]
    write_made(graph, doubtful, chunk_facts)
    assert texts(around(graph, collection, "Marie Curie")) == [PRIZE[0], CURIE[0]]


def test_hidden_versions_and_other_collections_show_nothing(graph, collection):
    hidden, _chunks = write_hidden(graph, collection, "a", [CURIE])
    curie = element_id(collection, "Marie Curie")
    assert graph.views.neighbourhood(collection, curie, limit=5) is None
    assert graph.views.neighbourhood(collection, curie, document=hidden.id, limit=5) is None
    write(graph, collection, "b", [CURIE])
    neighbourhood = around(graph, collection, "Marie Curie")
    assert [place.title for fact in neighbourhood.facts for place in fact.sources] == ["B"]
    assert graph.views.neighbourhood(f"{collection}-other", curie, limit=5) is None
    assert graph.views.neighbourhood(collection, "k-unknown", limit=5) is None


def test_some_facts_come_with_the_names_in_them(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    write_hidden(graph, collection, "b", [BOHR])
    facts = graph.views.facts_sampled(collection, 50)
    assert sorted(fact.text for fact in facts) == sorted((CURIE[0], PRIZE[0], WARSAW[0]))
    assert [fact.id for fact in facts] == sorted(fact.id for fact in facts)
    [curie] = [fact for fact in facts if fact.text == CURIE[0]]
    assert {(element.name, element.aliases, element.degree) for element in curie.elements} == {
        ("marie curie", ("Marie Curie",), 2),
        ("warsaw", ("Warsaw",), 2),
    }
    assert len(graph.views.facts_sampled(collection, 2)) <= 2
    assert graph.views.facts_sampled(f"{collection}-other", 5) == []


def test_typed_relations_between_elements_come_with_the_facts_that_state_them(graph, collection):
    write_typed(graph, collection, "a", [OATH, FIGHT], [GUILD])
    mara, corvin, guild = (element_id(collection, name) for name in ("Mara", "Corvin", "Lamplighters"))
    relations = graph.views.relations_among(collection, [mara, corvin, guild], 9)
    assert {(relation.source, relation.type, relation.target) for relation in relations} == {
        (mara, "FRIEND_OF", corvin), (mara, "ENEMY_OF", corvin), (corvin, "ENEMY_OF", mara),
        (mara, "MEMBER_OF", guild),
    }  # fmt: skip
    stated = {relation.type: relation.facts for relation in relations}
    assert stated["FRIEND_OF"] == (ids.fact_id(collection, OATH[0]),)
    assert relations == sorted(
        relations, key=lambda relation: (relation.source, relation.type, relation.target)
    )
    assert {relation.target for relation in graph.views.relations_among(collection, [mara, guild], 9)} == {
        guild
    }
    assert len(graph.views.relations_among(collection, [mara, corvin], 1)) == 1
    assert graph.views.relations_among(f"{collection}-other", [mara, corvin], 9) == []
    assert graph.views.relations_among(collection, [], 9) == []


def test_words_that_say_nothing_find_nothing(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE])
    for words in ("and or not", "the", "", "—"):
        assert graph.nodes.elements_like(collection, words, 5) == []
        assert graph.around.chunks_like(collection, [words], 5) == [[]]


def test_a_redirect_stands_for_its_target(graph, collection):
    write(graph, collection, "a", [CURIE], [SHORT])
    merge(graph, collection, "Curie", "Marie Curie")
    neighbourhood = around(graph, collection, "Curie")
    assert neighbourhood == around(graph, collection, "Marie Curie")
    assert neighbourhood.centre == element_id(collection, "Marie Curie")
    assert (neighbourhood.elements[0].aliases, neighbourhood.elements[0].degree) == (
        ("Curie", "Marie Curie"),
        2,
    )


def test_what_only_a_title_ties_to_an_element_is_quoted_from_that_document_first(graph, collection):
    born = ("She was born in Warsaw.", ["Warsaw"])
    write(graph, collection, "a", [born], title="Other people")
    write(graph, collection, "z", [born], title="Marie Curie")
    [fact] = around(graph, collection, "Marie Curie").facts
    assert [place.title for place in fact.sources] == ["Marie Curie", "Other people"]


def test_a_passage_is_the_stored_text_however_chunks_cover_it(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    first, second = (chunk.chunk for chunk in made_document(collection, "a", [CURIE, PRIZE], [WARSAW])[1])
    whole = f"{first.text}\n\n{second.text}"
    mine = document(collection, "a")
    within = (first.end - 3, second.start + 4), (first.end, second.start)
    for start, end in ((0, 9999), (0, 5), *within, (7, 7), (5000, 6000)):
        passage = graph.views.passage(mine, start, end)
        assert passage.text == whole[start:end]
        assert (passage.start, passage.end) == (min(start, len(whole)), min(end, len(whole)))
        assert (passage.length, passage.document.title) == (len(whole), "A")
    assert graph.views.passage("d-unknown", 0, 10) is None


def test_a_passage_is_of_the_live_version(graph, collection):
    opened, _chunks = write_hidden(graph, collection, "a", [CURIE])
    passage = graph.views.passage(opened.id, 0, 9999)
    assert (passage.text, passage.length) == ("", 0), "nobody sees it yet"
    write(graph, collection, "a", [CURIE])
    newer, _chunks = write_hidden(graph, collection, "a", [PRIZE])
    assert graph.views.passage(newer.id, 0, 9999).text == CURIE[0]
    graph.store.make_live(newer)
    assert graph.views.passage(newer.id, 0, 9999).text == PRIZE[0]
