"""What every graph shows to searches: the double and the real Neo4j."""

import unicodedata

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, made_document, write, write_made
from doubles.graph_around import links_of
from doubles.graph_steps import element_id, merge, write_hidden
from doubles.scoped import scoped_too

from workers.core import ids
from workers.core.graph.surroundings import CollectionSize, NamedElement
from workers.core.ports import Graph
from workers.search.mentions import content_words

pytestmark = scoped_too

TONES = "\u0300\u0301\u0303\u0309\u0323"
SHORT = ("Curie studied physics.", ["Curie", "physics"])
MANY = 130  # facts: more than a walk fetches of an element, and than a search fetches by words


def fact(collection: str, sentence: str) -> str:
    return ids.fact_id(collection, sentence)


def around(graph: Graph, collection: str, *names: str, limit: int = 100):
    """Return what lies around some elements as fact -> (chunks, element -> degree)."""
    element_ids = [element_id(collection, name) for name in names]
    links = links_of(graph.around.facts_around(collection, element_ids, limit))
    assert len({link.fact for link in links}) == len(links)
    return {link.fact: (link.chunks, dict(link.elements)) for link in links}


def like(graph: Graph, collection: str, *texts: str, limit: int = 10) -> list[list[str]]:
    return [[hit.id for hit in hits] for hits in graph.around.chunks_like(collection, texts, limit)]


def test_a_collections_size_counts_what_is_live_and_a_fact_of_two_documents_twice(graph, collection):
    assert graph.around.size(collection) == CollectionSize(chunks=0, facts=0)
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    write(graph, collection, "b", [CURIE])
    write_hidden(graph, collection, "c", [BOHR])
    write_hidden(graph, collection, "a", [BOHR])
    assert graph.around.size(collection) == CollectionSize(chunks=3, facts=4)
    assert graph.around.size(f"{collection}-other") == CollectionSize(chunks=0, facts=0)


def test_a_collections_languages_are_those_of_its_live_documents(graph, collection):
    assert graph.around.languages(collection) == ()
    for name, languages in (("a", ("de",)), ("b", ("en", "de")), ("c", ("ja",)), ("old", ())):
        document, chunks = made_document(collection, name, [CURIE])
        opened = graph.store.open_version(document)
        graph.store.write_chunks(opened, chunks)
        if name != "c":
            graph.store.make_live(opened.model_copy(update={"languages": languages}))
        assert graph.store.document(document.id).languages == (languages if name != "c" else ())
    assert graph.around.languages(collection) == ("de", "en")
    assert graph.around.languages(f"{collection}-other") == ()


def test_one_document_of_many_in_another_language_is_none_of_the_collections_languages(graph, collection):
    languages = [("de",), *[("en",)] * 20, *[()] * 9, *[("fr",)] * 3]
    for nth, told in enumerate(languages):
        document, chunks = made_document(collection, f"d{nth}", [CURIE])
        opened = graph.store.open_version(document)
        graph.store.write_chunks(opened, chunks)
        graph.store.make_live(opened.model_copy(update={"languages": told}))
    assert graph.around.languages(collection) == ("en", "fr")


def test_elements_are_found_by_id_with_how_much_holds_them(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    write(graph, collection, "b", [CURIE])
    curie, vistula, nobody = (element_id(collection, name) for name in ("Marie Curie", "Vistula", "nobody"))
    elements = {
        element.asked: element
        for element in graph.around.elements_found(collection, [curie, nobody, vistula, curie])
    }
    assert elements == {
        curie: NamedElement(asked=curie, id=curie, name="marie curie", degree=2, chunks=2),
        vistula: NamedElement(asked=vistula, id=vistula, name="vistula", degree=1, chunks=1),
    }
    [told] = graph.around.elements_found(collection, [curie], spellings=True)
    assert told == elements[curie].model_copy(update={"aliases": ("Marie Curie",)})
    assert graph.around.elements_found(collection, []) == []
    assert graph.around.elements_found(f"{collection}-other", [curie, vistula]) == []


def test_a_redirect_asked_for_stands_for_its_target(graph, collection):
    write(graph, collection, "a", [CURIE], [SHORT])
    name = merge(graph, collection, "Curie", "Marie Curie")
    old, target = element_id(collection, "Curie"), element_id(collection, "Marie Curie")

    def found() -> set[tuple[str, str, int]]:
        elements = graph.around.elements_found(collection, [old, target])
        return {(element.asked, element.id, element.degree) for element in elements}

    assert found() == {(old, target, 2), (target, target, 2)}
    facts = around(graph, collection, "Marie Curie")
    assert set(facts) == {fact(collection, CURIE[0]), fact(collection, SHORT[0])}
    assert facts[fact(collection, SHORT[0])][1] == {target: 2, element_id(collection, "physics"): 1}
    graph.merging.undo_merge(collection, name)
    assert found() == {(old, old, 1), (target, target, 1)}


def test_a_frequent_elements_chunks_are_told_to_about_the_right_number(graph, collection):
    paragraphs = [[(f"Paris has street {nth}.", ["Paris", f"street {nth}"])] for nth in range(MANY)]
    write(graph, collection, "a", *paragraphs)
    [paris] = graph.around.elements_found(collection, [element_id(collection, "Paris")])
    assert paris.degree == MANY
    assert MANY * 0.9 <= paris.chunks <= MANY * 1.1


def test_the_facts_around_elements_come_once_each_with_all_that_they_join(graph, collection):
    write(graph, collection, "a", [CURIE, PRIZE], [WARSAW])
    write(graph, collection, "b", [CURIE])
    _document, [first, second] = made_document(collection, "a", [CURIE, PRIZE], [WARSAW])
    _document, [other] = made_document(collection, "b", [CURIE])
    curie, warsaw, vistula = (element_id(collection, name) for name in ("Marie Curie", "Warsaw", "Vistula"))
    facts = around(graph, collection, "Marie Curie", "Warsaw", "nobody", "Warsaw")
    assert facts == {
        fact(collection, CURIE[0]): (sorted([first.chunk.id, other.chunk.id]), {curie: 2, warsaw: 2}),
        fact(collection, PRIZE[0]): (
            [first.chunk.id],
            {curie: 2, element_id(collection, "Nobel Prize"): 1, element_id(collection, "1903"): 1},
        ),
        fact(collection, WARSAW[0]): ([second.chunk.id], {warsaw: 2, vistula: 1}),
    }
    assert around(graph, collection) == {}
    assert graph.around.facts_around(f"{collection}-other", [curie, warsaw], 100).facts == []


def test_a_hub_brings_no_more_than_the_limit_and_tells_its_whole_degree(graph, collection):
    write(graph, collection, "a", [(f"Paris has gate {nth}.", ["Paris", f"gate {nth}"]) for nth in range(30)])
    write(graph, collection, "b", [WARSAW])
    paris = element_id(collection, "Paris")
    facts = around(graph, collection, "Paris", "Warsaw", limit=5)
    assert len(facts) == 6  # so many of each
    assert {held[paris] for _chunks, held in facts.values() if paris in held} == {30}


def test_what_hidden_and_older_versions_say_is_found_by_no_way(graph, collection):
    write(graph, collection, "a", [CURIE], [WARSAW])
    old = [chunk.chunk.id for chunk in made_document(collection, "a", [CURIE], [WARSAW])[1]]
    opened, hidden = write_hidden(graph, collection, "a", [PRIZE], [WARSAW])
    new = [chunk.chunk.id for chunk in hidden]
    prize = element_id(collection, "Nobel Prize")

    def told() -> list[str]:
        asked = list(dict.fromkeys(old + new))
        return [passage.chunk.id for passage in graph.around.chunks_said(collection, asked, 10)]

    assert graph.around.elements_found(collection, [prize]) == []
    assert set(around(graph, collection, "Marie Curie")) == {fact(collection, CURIE[0])}
    assert told() == old
    graph.store.make_live(opened)
    assert [element.id for element in graph.around.elements_found(collection, [prize])] == [prize]
    assert set(around(graph, collection, "Marie Curie")) == {fact(collection, PRIZE[0])}
    assert set(around(graph, collection, "Warsaw")) == {fact(collection, WARSAW[0])}
    assert told() == [old[1], new[0]]
    graph.store.delete_document(opened.id)
    assert around(graph, collection, "Marie Curie", "Warsaw") == {}
    assert told() == []


def test_many_hidden_facts_of_an_element_do_not_cover_its_live_ones(graph, collection):
    """As long as a large document is being rewritten, the one before is searched."""
    write(graph, collection, "a", [CURIE])
    [shown] = [chunk.chunk.id for chunk in made_document(collection, "a", [CURIE])[1]]
    more = [(f"Marie Curie wrote letter {nth}.", ["Marie Curie", f"letter {nth}"]) for nth in range(MANY)]
    write_hidden(graph, collection, "b", *[[fact] for fact in more])
    assert like(graph, collection, "marie curie", limit=2) == [[shown]]
    curie = element_id(collection, "Marie Curie")
    assert [(element.id, element.chunks) for element in graph.around.elements_found(collection, [curie])] == [
        (curie, 1)
    ]
    assert set(around(graph, collection, "Marie Curie", limit=10)) == {fact(collection, CURIE[0])}


def test_chunks_are_found_by_words_of_their_text_and_of_their_title(graph, collection):
    write(graph, collection, "radium", [CURIE, PRIZE], [WARSAW])
    write(graph, collection, "copenhagen school", [BOHR])
    _document, [first, second] = made_document(collection, "radium", [CURIE, PRIZE], [WARSAW])
    _document, [bohr] = made_document(collection, "copenhagen school", [BOHR])
    by_text, by_title, by_none, empty, by_both = like(
        graph, collection, "vistula", "radium", "helicopter", "", "Niels School"
    )
    assert by_text == [second.chunk.id]
    assert sorted(by_title) == sorted([first.chunk.id, second.chunk.id])
    assert by_none == empty == []
    assert by_both == [bohr.chunk.id]
    assert like(graph, collection) == []
    [hits] = graph.around.chunks_like(collection, ["prize warsaw nobel"], 10)
    assert hits[0].id == first.chunk.id  # it says all of the words
    assert [hit.kind for hit in hits] == ["chunk", "chunk"]
    assert hits[0].score > hits[1].score > 0
    assert like(graph, collection, "prize warsaw nobel", limit=1) == [[first.chunk.id]]
    assert like(graph, f"{collection}-other", "warsaw", "radium") == [[], []]


def test_a_question_with_the_index_own_operators_is_only_words(graph, collection):
    write(graph, collection, "a", [WARSAW])
    hostile = 'vistula AND NOT "warsaw" -title:* OR scope:* ) +( /.*/ ~ ^ [a TO z] \\'
    [hits] = like(graph, collection, hostile)
    assert len(hits) == 1
    assert like(graph, f"{collection}-other", hostile, "* scope:*", "\\") == [[], [], []]


def test_chinese_is_found_by_pairs_of_characters(graph, collection):
    write(graph, collection, "a", [("泰晤士河流经伦敦。", ["泰晤士河", "伦敦"])])
    write(graph, collection, "b", [("塞纳河流经巴黎。", ["塞纳河", "巴黎"])])
    thames, seine = (
        made_document(collection, uri, [(text, [])])[1][0].chunk.id
        for uri, text in (("a", "泰晤士河流经伦敦。"), ("b", "塞纳河流经巴黎。"))
    )
    by_name, by_both = like(graph, collection, content_words("泰晤士河在哪里？"), content_words("流经伦敦"))
    assert by_name == [thames]
    assert by_both == [thames, seine]


@pytest.mark.parametrize(("texts", "question"), [
    (("三月から館長は山田花子である。", "賃料は五月に上がった。"), "館長は誰ですか？"),
    (("ミュージアムは三月に開いた。", "契約は五月に終了する。"), "ミュージアムはいつ開きますか"),
    (("임대료가 5퍼센트 올랐다.", "시장은 박물관을 열었다."), "임대료는 몇 퍼센트입니까?"),
    (("किराया पाँच प्रतिशत बढ़ गया।", "महापौर ने संग्रहालय खोला।"), "किराया कितना बढ़ा?"),
    (("ভাড়া পাঁচ শতাংশ বেড়েছে।", "চুক্তি মে মাসে শেষ হবে।"), "ভাড়া কত?"),
    (("باعت ليلى حصتها للمتحف.", "ارتفع الإيجار بنسبة خمسة في المئة."), "من اشترى المتحف؟"),
    (("ค่าเช่าเพิ่มขึ้นห้าเปอร์เซ็นต์", "นายกเทศมนตรีเปิดพิพิธภัณฑ์"), "ค่าเช่าเพิ่มขึ้นเท่าไร"),
], ids=["ja", "ja-katakana", "ko", "hi", "bn", "ar", "th"])  # fmt: skip
def test_a_question_finds_the_words_of_its_language(graph, collection, texts, question):
    for nth, text in enumerate(texts):
        write(graph, collection, str(nth), [(text, [text])])
    [hits] = like(graph, collection, content_words(question))
    assert hits[:1] == [made_document(collection, "0", [(texts[0], [])])[1][0].chunk.id]


def test_chunks_are_found_by_the_title_of_the_live_version(graph, collection):
    write(graph, collection, "a", [CURIE], [WARSAW])
    _document, [curie, warsaw] = made_document(collection, "a", [CURIE], [WARSAW])
    document, chunks = made_document(collection, "a", [PRIZE], [WARSAW])
    opened = graph.store.open_version(document).model_copy(update={"title": "Polonium"})
    graph.store.write_chunks(opened, chunks)
    assert like(graph, collection, "nobel") == [[]]
    assert like(graph, collection, "vistula") == [[warsaw.chunk.id]]
    graph.store.make_live(opened)
    _document, [prize, _warsaw] = made_document(collection, "a", [PRIZE], [WARSAW])
    assert sorted(like(graph, collection, "polonium")[0]) == sorted([prize.chunk.id, warsaw.chunk.id])
    assert like(graph, collection, "born") == [[]]
    assert curie.chunk.id not in like(graph, collection, "marie polonium")[0]


@pytest.mark.parametrize("form", ["NFC", "NFD", "tones apart"])
@pytest.mark.parametrize(("text", "question"), [
    ("Cầu Thê Húc được xây dựng năm 1865.", "Cầu Thê Húc xây khi nào?"),
    ("Die Brücke über die Donau heißt Nibelungenbrücke.", "Nibelungenbrücke"),
    ("한강의 다리는 1917년에 놓였다.", "한강"),
    ("ガラパゴスの橋はグラナダにある。", "グラナダ"),
    ("Η γέφυρα του Ρίου άνοιξε το 2004.", "γέφυρα"),
])  # fmt: skip
def test_words_are_found_however_their_letters_are_composed(graph, collection, form, text, question):
    stored = tones_apart(text) if form == "tones apart" else unicodedata.normalize(form, text)
    write(graph, collection, "a", [(stored, [])], [BOHR])
    _document, [chunk, _other] = made_document(collection, "a", [(stored, [])], [BOHR])
    assert chunk.chunk.text == stored
    assert like(graph, collection, question) == [[chunk.chunk.id]]
    assert like(graph, collection, unicodedata.normalize("NFD", question)) == [[chunk.chunk.id]]


def tones_apart(text: str) -> str:
    """Return a text as Windows-1258 keeps Vietnamese: letters composed, tones behind them."""
    decomposed = (unicodedata.normalize("NFD", sign) for sign in unicodedata.normalize("NFC", text))
    return "".join(
        unicodedata.normalize("NFC", "".join(each for each in signs if each not in TONES))
        + "".join(each for each in signs if each in TONES)
        for signs in decomposed
    )


def test_chunks_say_their_facts_in_the_order_of_the_text_with_their_elements(graph, collection):
    document, [first, second] = made_document(collection, "a", [PRIZE, CURIE], [WARSAW])
    second = second.model_copy(
        update={"chunk": second.chunk.model_copy(update={"places": '{"line":3,"breaks":[]}'})}
    )
    write_made(graph, document, [first, second])
    passages = graph.around.chunks_said(
        collection, [second.chunk.id, "c-unknown", first.chunk.id, second.chunk.id], 10
    )
    assert [passage.chunk for passage in passages] == [second.chunk, first.chunk]
    assert {(passage.document.id, passage.document.title) for passage in passages} == {(document.id, "A")}
    assert [fact.text for fact in passages[1].facts] == [PRIZE[0], CURIE[0]]
    assert sorted(passages[1].facts[1].elements) == sorted(
        (element_id(collection, name), name.lower()) for name in ("Marie Curie", "Warsaw")
    )
    [short] = graph.around.chunks_said(collection, [first.chunk.id], 1)
    assert [fact.text for fact in short.facts] == [PRIZE[0]]
    assert graph.around.chunks_said(f"{collection}-other", [first.chunk.id], 10) == []
    assert graph.around.chunks_said(collection, [], 10) == []


def test_a_fact_that_a_chunk_says_twice_is_told_once_at_its_better_place(graph, collection):
    document, [chunk] = made_document(collection, "a", [CURIE, WARSAW, CURIE])
    again = chunk.facts[0].model_copy(
        update={"start": chunk.chunk.end - len(CURIE[0]), "end": chunk.chunk.end}
    )
    worse = chunk.facts[0].model_copy(update={"match": 0.5})
    chunks = [chunk.model_copy(update={"facts": (worse, chunk.facts[1], again)})]
    write_made(graph, document, chunks)
    [passage] = graph.around.chunks_said(collection, [chunk.chunk.id], 10)
    assert [each.text for each in passage.facts] == [WARSAW[0], CURIE[0]]
    assert around(graph, collection, "Marie Curie")[fact(collection, CURIE[0])][0] == [chunk.chunk.id]


def test_a_fact_of_several_places_is_one_and_lies_in_all_its_live_chunks(graph, collection):
    texts = {"a": ([CURIE], [CURIE, WARSAW]), "b": ([CURIE, BOHR],)}
    for uri, paragraphs in texts.items():
        write(graph, collection, uri, *paragraphs)
    live = [
        chunk.chunk.id
        for uri, paragraphs in texts.items()
        for chunk in made_document(collection, uri, *paragraphs)[1]
    ]
    for also_hidden in (False, True):
        if also_hidden:
            write_hidden(graph, collection, "c", [CURIE])
        facts = around(graph, collection, "Marie Curie")
        assert facts[fact(collection, CURIE[0])][0] == sorted(live)
        assert [len(each.facts) for each in graph.around.chunks_said(collection, live, 10)] == [1, 2, 2]
        [curie] = graph.around.elements_found(collection, [element_id(collection, "Marie Curie")])
        assert (curie.degree, curie.chunks) == (1, 3)
