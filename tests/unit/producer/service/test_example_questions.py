"""Questions to begin with, formed from facts of the collection without a model."""

from collections.abc import Sequence

from doubles.documents import made_element

from hopline.models.graph import NearElement
from producer.service.example_questions import questions_from
from workers.core.graph.neighbourhood import NamedFact

BUILT = ("The Ferry House was built by Ida Grove in 1901.", ["Ferry House", "Ida Grove", "1901"])
BORN = ("Ida Grove was born in Leith on 3 May 1860.", ["Ida Grove", "Leith", "3 May 1860"])
OPENED = ("Tower Bridge was opened on 30 June 1894.", ["Tower Bridge", "30 June 1894"])
TRAINED = (
    "Eva Brandt was trained at the University of Göttingen and joined the Ferry House in 2017.",
    ["Eva Brandt", "University of Göttingen", "Ferry House", "2017"],
)
PRONOUN = ("It was opened in 1901.", ["1901"])
PLAIN = ("Mara keeps the bell.", ["Mara", "bell"])
CHINESE = ("白苓住在山上。", ["白苓", "山"])


def fact(text: str, names: Sequence[str], degree: int = 1) -> NamedFact:
    elements = [(made_element("c", name), degree) for name in names]
    near = (
        NearElement(id=element.id, name=element.name, aliases=element.aliases, degree=n)
        for element, n in elements
    )
    return NamedFact(id=text, text=text, elements=tuple(near))


def test_a_date_asks_when_an_agent_who_and_a_place_where() -> None:
    assert questions_from([fact(*OPENED)], 5) == ["When was Tower Bridge opened?"]
    assert questions_from([fact(*BUILT)], 1) == ["Who built the Ferry House?"]
    assert questions_from([fact(*BORN)], 1) == ["Where was Ida Grove born?"]
    first, *others = questions_from([fact(*BUILT), fact(*BORN)], 5)
    assert first == "Where was the builder of the Ferry House born?", "over two facts"
    assert "Where was Ida Grove born?" in others
    assert questions_from([fact(*TRAINED)], 1) == ["What is said about Eva Brandt?"], "the date is of joining"
    assert questions_from([fact(*PRONOUN)], 5) == questions_from([], 3) == []


def test_without_a_known_form_names_are_asked_for_and_those_of_most_facts_first() -> None:
    facts = [fact(*PLAIN), fact(*CHINESE, degree=3)]
    assert questions_from(facts, 5) == ["关于白苓说了什么？", "关于山说了什么？", "What is said about Mara?"]
    facts = [fact(*OPENED), fact("Tower Bridge was designed by Horace Jones.", ["Tower Bridge"], 9)]
    facts.append(fact("Menai Bridge was opened in 1826.", ["Menai Bridge", "1826"], 5))
    assert questions_from(facts, 2) == ["Who designed Tower Bridge?", "When was Menai Bridge opened?"]
