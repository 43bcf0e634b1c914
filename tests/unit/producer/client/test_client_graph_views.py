"""What a client shows of the graph: the facts around a name, the text of a document."""

from types import SimpleNamespace

import pytest
from doubles.documents import BOHR, CURIE, PRIZE, WARSAW, made_document, made_element, write
from doubles.graph import MemoryGraph

from hopline.errors import InvalidInput, NotFound
from producer import Hopline

CURIES = [("Marie Curie won two prizes.", ["Marie Curie"]), ("Pierre Curie won one.", ["Pierre Curie"])]


@pytest.fixture
def shown() -> Hopline:
    graph = MemoryGraph()
    write(graph, "default", "a", [CURIE, PRIZE, *CURIES], [WARSAW])
    write(graph, "default", "b", [BOHR])
    return Hopline(services=SimpleNamespace(graph=graph))


def test_a_name_is_looked_for_as_it_is_and_else_by_its_words(shown: Hopline) -> None:
    neighbourhood = shown.neighbourhood("Marie Curie")
    assert neighbourhood.centre == made_element("default", "Marie Curie").id
    assert {fact.text for fact in neighbourhood.facts} == {CURIE[0], PRIZE[0], CURIES[0][0]}
    assert neighbourhood == shown.neighbourhood(element=neighbourhood.centre)
    neighbourhood = shown.neighbourhood("madame curie")
    meant = {neighbourhood.centre, *(candidate.id for candidate in neighbourhood.candidates)}
    assert meant == {made_element("default", name).id for name in ("Marie Curie", "Pierre Curie")}
    assert neighbourhood.facts
    for arguments in (
        {"name": "Einstein"},
        {"element": "k-unknown"},
        {"name": "Marie Curie", "collection": "x"},
    ):
        neighbourhood = shown.neighbourhood(**arguments)
        assert (neighbourhood.centre, neighbourhood.facts, neighbourhood.elements) == (None, (), ())


def test_a_document_that_says_nothing_of_an_element_leaves_it_alone(shown: Hopline) -> None:
    other = made_document("default", "b", [BOHR])[0].id
    neighbourhood = shown.neighbourhood("Marie Curie", document=other)
    [alone] = neighbourhood.elements
    assert (neighbourhood.centre, neighbourhood.facts, alone.degree) == (alone.id, (), 3)


def test_a_documents_text_comes_in_bounded_stretches() -> None:
    graph = MemoryGraph()
    sentence = "The river ran on. " * 1400
    write(graph, "default", "long", [(sentence.strip(), ["river"])])
    document = made_document("default", "long", [])[0].id
    client = Hopline(services=SimpleNamespace(graph=graph))
    first = client.document_text(document)
    assert (first.start, first.end, first.length) == (0, 20_000, len(sentence) - 1)
    rest = client.document_text(document, first.end, 10**9)
    assert first.text + rest.text == sentence.strip()
    assert client.document_text(document, 4, 9).text == "river"
    assert client.document_text(document, 0, 0).text == ""


@pytest.mark.parametrize(("field", "call", "arguments"), [
    ("name", "neighbourhood", {}),
    ("name", "neighbourhood", {"name": "  "}),
    ("name", "neighbourhood", {"name": "x" * 501}),
    ("limit", "neighbourhood", {"name": "x", "limit": 0}),
    ("limit", "neighbourhood", {"name": "x", "limit": 201}),
    ("collection", "neighbourhood", {"name": "x", "collection": "a/b"}),
    ("start", "document_text", {"start": -1}),
    ("end", "document_text", {"start": 5, "end": 4}),
    ("end", "document_text", {"start": 0, "end": 2**60}),
    ("known_at", "document_text", {"known_at": "soon"}),
])  # fmt: skip
def test_what_cannot_be_looked_for_is_refused(shown, field, call, arguments):
    if call == "document_text":
        arguments |= {"document_id": made_document("default", "a", [])[0].id}
    with pytest.raises(InvalidInput) as refused:
        getattr(shown, call)(**arguments)
    assert refused.value.field == field


def test_the_text_of_a_document_that_is_not_there_is_gone(shown: Hopline) -> None:
    with pytest.raises(NotFound):
        shown.document_text("d-unknown")
