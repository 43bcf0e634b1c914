"""What every graph shows to readers: the double and the real Neo4j."""

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, facts_at, made_document, read, write, write_made
from doubles.scoped import scoped_too

from workers.core import ids
from workers.core.language.text import normalise
from workers.core.ports import ChunkFacts, Graph

pytestmark = scoped_too


def test_a_node_brings_its_facts_and_its_neighbours(graph: Graph, collection: str):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    node = read(graph, collection, "Marie Curie")
    assert (node.name, node.labels, node.properties) == ("marie curie", ("KeyElement",), {})
    assert sorted(fact.quote for fact in node.facts) == [CURIE[0], PRIZE[0]]
    by_name = {near.name: near for near in node.neighbours}
    assert sorted(by_name) == ["1903", "nobel prize", "warsaw"]
    warsaw = by_name["warsaw"]
    assert (warsaw.relationship, warsaw.shared, warsaw.degree) == ("SHARES_FACT", 1, 2)
    assert warsaw.context == CURIE[0]
    assert (node.spelled, warsaw.spelled) == ("Marie Curie", "Warsaw")
    assert read(graph, collection, "Copenhagen") is None
    assert graph.nodes.read_node("another", node.id, max_facts=5, max_neighbours=5) is None


def test_limits_keep_the_best_and_hubs_count_for_less(graph: Graph, collection: str):
    facts = [(f"Ada met guest {nth} in Paris.", ["Ada", f"guest {nth}", "Paris"]) for nth in range(6)]
    hub = [(f"Paris has street {nth}.", ["Paris", f"street {nth}"]) for nth in range(90)]
    write(graph, collection, "a", [*facts, ("Ada met Charles.", ["Ada", "Charles"])], hub)
    write(graph, collection, "b", [("Ada met Charles.", ["Ada", "Charles"]), ("Ada saw Bo.", ["Ada", "Bo"])])
    node = read(graph, collection, "Ada", max_facts=3, max_neighbours=4)
    assert node.facts[0].fact == "Ada met Charles."  # two documents say so
    assert len({fact.fact_id for fact in node.facts}) == len(node.facts) == 3
    assert len(node.neighbours) == 4
    assert "paris" not in [near.name for near in node.neighbours]
    assert node == read(graph, collection, "Ada", max_facts=3, max_neighbours=4)
    everything = read(graph, collection, "Ada", max_neighbours=50)
    paris = next(near for near in everything.neighbours if near.name == "paris")
    assert (paris.shared, paris.degree) == (6, 96)
    assert read(graph, collection, "Ada", max_neighbours=0).neighbours == ()


def test_quotes_count_characters_as_python_does(graph: Graph, collection: str):
    fact = ("Zoë 🧬𝒳 met Łukasz in 東京 👩\u200d🔬.", ["Zoë 🧬𝒳", "東京"])
    write(graph, collection, "a", [("😀😀 hello.", ["hello"]), fact, WARSAW])
    [source] = graph.nodes.fact_sources(collection, [ids.fact_id(collection, fact[0])])
    assert source.quote == fact[0]
    assert facts_at(graph, collection, "東京") == [fact[0]]
    [after] = graph.nodes.fact_sources(collection, [ids.fact_id(collection, WARSAW[0])])
    assert after.quote == WARSAW[0]


def test_a_fact_names_every_live_place_in_the_order_asked(graph: Graph, collection: str):
    for uri in ("a", "b"):
        write(graph, collection, uri, [CURIE, WARSAW])
    wanted = [ids.fact_id(collection, WARSAW[0]), "f-unknown", ids.fact_id(collection, CURIE[0])]
    places = graph.nodes.fact_sources(collection, wanted)
    assert [place.fact for place in places] == [WARSAW[0], WARSAW[0], CURIE[0], CURIE[0]]
    assert sorted({place.uri for place in places}) == ["a", "b"]
    assert graph.nodes.fact_sources(collection, []) == graph.nodes.fact_sources("another", wanted) == []


def test_elements_are_found_by_name_and_by_alias(graph: Graph, collection: str):
    document, chunks = made_document(collection, "a", [CURIE, PRIZE])
    fact = chunks[0].facts[0]
    who = fact.key_elements[0].model_copy(update={"aliases": ("Marie Curie", "Madame Curie")})
    fact = fact.model_copy(update={"key_elements": (who, *fact.key_elements[1:])})
    write_made(graph, document, [ChunkFacts(chunk=chunks[0].chunk, facts=(fact, chunks[0].facts[1]))])
    matches = {"marie curie": ["marie curie"], "MADAME CURIE": ["marie curie"]}
    matches |= {"the Nobel Prizes": ["nobel prize"], "Curie": [], "": [], '"+*:(': []}
    named = graph.nodes.elements_named(collection, list(matches))
    assert {name: [element.name for element in each] for name, each in named.items()} == matches
    [element] = graph.nodes.elements(collection, [who.id, "k-unknown"])
    assert element.aliases == ("Madame Curie", "Marie Curie")


def test_an_element_is_found_under_the_singular_of_the_version_before(graph: Graph, collection: str):
    write(graph, collection, "before", [("Cooks sharpen their knives.", ["knive"])])
    write(graph, collection, "after", [("A cook carries his knives.", ["knives"])])
    (named,) = graph.nodes.elements_named(collection, ["knives"]).values()
    assert [element.name for element in named] == ["knife", "knive"]


def test_full_text_search_stays_within_its_collection(graph: Graph, collection: str):
    huge = [(f"Warsaw {nth} lies on the Vistula Vistula.", [f"Warsaw {nth}"]) for nth in range(300)]
    write(graph, collection + " huge", "a", huge)
    write(graph, collection, "a", [CURIE, PRIZE, WARSAW, BOHR])
    assert [hit.text for hit in graph.nodes.elements_like(collection, "warsaw", 50)] == ["warsaw"]
    assert [hit.text for hit in graph.nodes.elements_like(collection, "nobel prize winners", 1)] == [
        "nobel prize"
    ]
    assert len(graph.nodes.elements_like(collection + " huge", "warsaw", 7)) == 7
    for hostile in ("", "AND OR NOT", 'text:* OR scope:"x"', "a~ b^ (c] {d} \\ / - ! && ||", "x" * 5000):
        graph.nodes.elements_like(collection, hostile, 5)


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("唐家亮于2019年拥有这座桥梁。", "唐家亮"),
        ("2019年，桥归IBM公司所有。", "IBM公司"),
        ("山田太郎は橋を所有していた。", "山田太郎"),
        ("この橋はマリア夫人のものです。", "マリア"),
        ("김철수는 2019년에 다리를 샀다.", "김철수"),
        ("다리는 김철수씨가 샀다.", "김철수"),
        ("สะพานนี้เป็นของสมชายตั้งแต่ปี 2019", "สมชาย"),
        ("เจ้าของคือแดงเท่านั้น", "แดง"),
        ("باع المكتب لأحمد الجسر.", "أحمد"),
        ("הגשר נמכר לגדעון בשנת 2019.", "גדעון"),
    ],
)
def test_names_are_found_in_sentences_without_spaces_around_them(graph, collection, sentence, name):
    others = [(f"{other} is named.", [other]) for other in ("高文涛", "佐藤花子", "박영희", "สุดา", "Maria")]
    write(graph, collection, "a", [(f"{name} is named.", [name]), *others])
    said = " ".join(f"mill{nth}" for nth in range(70))  # beyond one query's words
    for text in (sentence, f"{sentence} {said}", f"{said} {sentence}"):
        hits = graph.nodes.elements_like(collection, text, 5)
        assert [element.name for element in graph.nodes.elements(collection, [hit.id for hit in hits])] == [
            normalise(name)
        ]


def test_documents_come_in_pages_by_id(graph: Graph, collection: str):
    for uri in "abcde":
        write(graph, collection, uri, [CURIE])
    first = graph.store.documents(collection, limit=3)
    rest = graph.store.documents(collection, after=first[-1].id, limit=3)
    assert sorted(document.uri for document in first + rest) == list("abcde")
    assert [document.id for document in first + rest] == sorted(document.id for document in first + rest)
    assert graph.store.document("d-unknown") is None
    assert graph.store.collections()[collection] == 5
    assert first[0].id in [document.id for document in graph.store.documents(None, limit=10_000)]
