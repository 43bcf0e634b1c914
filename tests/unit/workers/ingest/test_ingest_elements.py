"""Key elements of facts, and the document's title among them."""

from types import SimpleNamespace

from hopline.models.documents import Chunk
from workers.core import ids
from workers.ingest.extract import build_elements, build_facts, merge_elements, stems
from workers.ingest.schema import ExtractedFact
from workers.ingest.spans import significant_words

FACT = "The river Rhine was 1,233 km long and ran past old bridges of Basel in 1843; people walked."


def names(*raw_names, fact=FACT):
    return [element.name for element in build_elements("c", raw_names, stems(significant_words(fact)))]


def test_spellings_of_one_element_become_its_aliases():
    (element,) = build_elements("c", ["The Rhine", "Rhine", "rhine"], stems(significant_words(FACT)))
    assert element.name == "rhine"
    assert element.aliases == ("The Rhine", "Rhine", "rhine")
    assert element.id == ids.element_id("c", "rhine")


def test_articles_plurals_and_white_space_do_not_make_another_element():
    expected = ["old bridge", "basel", "1843", "1,233 km"]
    assert names("the  old bridges", "old bridge", "Basel", "1843", "1,233 km") == expected


def test_what_is_no_name_of_what_the_fact_says_is_dropped_and_another_form_of_a_word_is_none():
    assert names("", "  ", "...", "—", "x" * 200, "Rhine. It was long") == []
    assert names(FACT, "the river Rhine was 1,233 km long and ran past old bridges") == []
    assert names("Napoleon", "k9f8e7d6", "Basel", "walk", "bridge") == ["basel", "walk", "bridge"]
    assert len(names(*(f"Basel {n}" for n in range(100)))) == 20, "of one fact"


def test_a_name_with_a_stop_inside_is_an_element_and_two_clauses_are_none():
    stopped = (
        "The Oddventures of Mr. Cool; St. Louis; E. coli; Warner Bros. Pictures; Roe v. Wade; Ph.D. thesis; "
        "Op. 27 No. 2; Mamma Mia! Here We Go Again; Л. Н. Толстой"
    )
    for name in stopped.split("; "):
        assert names(name, fact=f"It is said of {name} here."), name
    clauses = "Rhine. It was long; people walked! Then they ran; is it long? It was; The end. of it"
    for clause in clauses.split("; "):
        assert names(clause, fact=f"{FACT} {clause}") == [], clause


def test_merging_joins_elements_and_aliases():
    words = stems(significant_words(FACT))
    merged = merge_elements(
        build_elements("c", ["The Rhine", "Basel"], words), build_elements("c", ["rhine"], words)
    )
    expected = [("rhine", ("The Rhine", "rhine")), ("basel", ("Basel",))]
    assert [(element.name, element.aliases) for element in merged] == expected


def title_of(title: str, text: str, *names: str) -> tuple[bool, bool]:
    """Return whether the title is an element of the fact, and whether it is marked as only the title's."""
    chunk = Chunk(id="c", index=0, text=text, start=0, end=len(text), tokens=9, content_hash="")
    ports = SimpleNamespace(limits=SimpleNamespace(grounding_threshold=0.5))
    extracted = ExtractedFact(text=text, key_elements=list(names))
    [fact] = build_facts("c", chunk, [extracted], ports, title=title)
    marked = fact.title_id is not None
    assert not marked or fact.title_id in {element.id for element in fact.key_elements}
    return ids.element_id("c", title.lower()) in {element.id for element in fact.key_elements}, marked


def test_a_title_that_the_fact_does_not_say_is_marked_and_one_that_it_says_is_an_element_like_others():
    assert title_of("Basel", "Basel's bridges are old.") == (True, False)
    for title, text, names in [
        ("Alpha", "It was founded in 1990.", ["1990"]),
        ("Alpha", "It was founded in 1990.", ["Alpha", "1990"]),  # the model knows it from the title alone
        ("Mercury (planet)", "Mercury has no moon.", ["Mercury"]),
    ]:
        assert title_of(title, text, *names) == (True, True), title
    for title in ("", "...", "One. Two sentences. And a third one", "x" * 200):
        assert title_of(title, "It was founded in 1990.", "1990") == (False, False), "it is no element"
