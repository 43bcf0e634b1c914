"""What is shown of the graph: the facts around a name, the text of a document."""

from types import SimpleNamespace

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, made_document, made_element, write
from doubles.graph import MemoryGraph

from hopline.errors import InvalidInput, NotFound
from producer.service.documents import read_moment
from producer.service.service import Service

CURIES = [("Marie Curie won two prizes.", ["Marie Curie"]), ("Pierre Curie won one.", ["Pierre Curie"])]


@pytest.fixture
def shown() -> Service:
    graph = MemoryGraph()
    write(graph, "default", "a", [CURIE, PRIZE, *CURIES], [WARSAW])
    write(graph, "default", "b", [BOHR])
    return Service(services=SimpleNamespace(graph=graph))


def test_a_name_is_looked_for_as_it_is_and_else_by_its_words(shown: Service) -> None:
    neighbourhood = shown.graph.neighbourhood("default", name="Marie Curie")
    assert neighbourhood.centre == made_element("default", "Marie Curie").id
    assert {fact.text for fact in neighbourhood.facts} == {CURIE[0], PRIZE[0], CURIES[0][0]}
    assert neighbourhood == shown.graph.neighbourhood("default", element=neighbourhood.centre)
    neighbourhood = shown.graph.neighbourhood("default", name="madame curie")
    meant = {neighbourhood.centre, *(candidate.id for candidate in neighbourhood.candidates)}
    assert meant == {made_element("default", name).id for name in ("Marie Curie", "Pierre Curie")}
    assert neighbourhood.facts
    for collection, arguments in (
        ("default", {"name": "Einstein"}),
        ("default", {"element": "k-unknown"}),
        ("x", {"name": "Marie Curie"}),
    ):
        neighbourhood = shown.graph.neighbourhood(collection, **arguments)
        assert (neighbourhood.centre, neighbourhood.facts, neighbourhood.elements) == (None, (), ())


def test_a_document_that_says_nothing_of_an_element_leaves_it_alone(shown: Service) -> None:
    other = made_document("default", "b", [BOHR])[0].id
    neighbourhood = shown.graph.neighbourhood("default", name="Marie Curie", document=other)
    [alone] = neighbourhood.elements
    assert (neighbourhood.centre, neighbourhood.facts, alone.degree) == (alone.id, (), 3)


def test_a_documents_text_comes_in_bounded_stretches() -> None:
    graph = MemoryGraph()
    sentence = "The river ran on. " * 1400
    write(graph, "default", "long", [(sentence.strip(), ["river"])])
    document = made_document("default", "long", [])[0].id
    documents = Service(services=SimpleNamespace(graph=graph)).documents
    first = documents.text(document, None, None)
    assert (first.start, first.end, first.length) == (0, 20_000, len(sentence) - 1)
    rest = documents.text(document, first.end, 10**9)
    assert first.text + rest.text == sentence.strip()
    assert documents.text(document, 4, 9).text == "river"
    assert documents.text(document, 0, 0).text == ""


@pytest.mark.parametrize(("field", "collection", "arguments"), [
    ("name", "default", {}),
    ("name", "default", {"name": "  "}),
    ("name", "default", {"name": "x" * 501}),
    ("limit", "default", {"name": "x", "limit": 0}),
    ("limit", "default", {"name": "x", "limit": 201}),
    ("collection", "a/b", {"name": "x"}),
])  # fmt: skip
def test_what_cannot_be_looked_for_is_refused(shown, field, collection, arguments):
    with pytest.raises(InvalidInput) as refused:
        shown.graph.neighbourhood(collection, **arguments)
    assert refused.value.field == field


@pytest.mark.parametrize(("field", "start", "end"), [("start", -1, None), ("end", 5, 4), ("end", 0, 2**60)])
def test_a_place_that_no_text_has_is_refused(shown: Service, field: str, start: int, end: int | None) -> None:
    with pytest.raises(InvalidInput) as refused:
        shown.documents.text(made_document("default", "a", [])[0].id, start, end)
    assert refused.value.field == field


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidInput, match="known_at"):
        read_moment("soon")


def test_the_text_of_a_document_that_is_not_there_is_gone(shown: Service) -> None:
    with pytest.raises(NotFound):
        shown.documents.text("d-unknown", None, None)
