"""Which names of a chunk are found to be cases of others of it, or of its title."""

import pytest
from doubles.documents import made_document

from workers.ingest.naming.cases import find_cases

# What a text says, with its names; and which of these are cases of which.
ANNA = "Анна Иванова живёт у реки. С Анной Ивановой говорили вчера. Дом Анны Ивановой стоит у моста."
CLUB = "Die Mitglieder des Gartenvereins Birkenau trafen sich im Juni. Sie wählten einen neuen Vorstand."
IVANOV = (
    "Иванов приехал в город утром. Иванова осталась дома. Потом они вместе говорили с Ивановой и её отцом."
)
ALEXANDER = "Александр и Александра живут в Москве. Александру подарили книгу, и это было хорошо."
BRIDGE = "Новый мост через реку Вельму строили три года. Длина моста через реку Вельму равна ста метрам."
CASES = [
    (ANNA, ["Анна Иванова", "Анной Ивановой", "Анны Ивановой"], ["анной ивановой", "анны ивановой"]),
    (BRIDGE, ["мост через реку Вельму", "моста через реку Вельму"], ["моста через реку вельму"]),
    (CLUB, ["Gartenverein Birkenau", "Gartenvereins Birkenau"], ["gartenvereins birkenau"]),
    ("Wir trafen Anna Peter und dann Frau Peters im Garten des Vereins.", ["Peter", "Peters"], []),
    ("Sie war bei Weber und las die Bücher, die Webers Vater schrieb.", ["Weber", "Webers"], []),
    (IVANOV, ["Иванов", "Иванова", "Ивановой"], ["ивановой"]),
    (ALEXANDER, ["Александр", "Александра", "Александру"], []),
    ("The Anna of the Annas said so, and they all went home.", ["Анна", "Анной"], []),
    ("В доме живут хорошие люди, и они любят свой город.", ["Анна", "Анной"], []),
    (
        "Ankara'da yeni bir köprü yapıldı ve bu köprü çok uzun oldu.",
        ["Ankara", "Ankara'da"],
        ["ankara'da"],
    ),
    (
        "Helsingissä on uusi silta, ja se on hyvin pitkä. Helsinki on kaupunki.",
        ["Helsinki", "Helsingissä"],
        ["helsingissa"],
    ),
]


@pytest.mark.parametrize(("text", "names", "cases"), CASES)
def test_names_in_other_cases_are_found(text, names, cases):
    _document, [chunk] = made_document("c", "u", [(text, names)])
    [fact] = chunk.facts
    known = {element.id: element.name for element in fact.key_elements}
    found = find_cases(chunk.chunk.text, chunk.facts)
    assert sorted(known[claim.alias] for claim in found) == cases
    assert all(claim.alias_spelled in text[claim.start : claim.end] for claim in found)
    if cases and names[0] != "Иванов":
        assert {claim.name_spelled for claim in found} == {names[0]}
