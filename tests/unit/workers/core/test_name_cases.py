"""Which names are cases of one, and which are two."""

import pytest

from workers.core.graph.elements import normalise_element
from workers.core.language.name_cases import is_case_of

ONE = {
    "de": "Gartenverein Birkenau/Gartenvereins Birkenau; Heimatmuseum/Heimatmuseums; Stadtrat/Stadtrates",
    "ru": (
        "Анна Иванова/Анной Ивановой; Анна Иванова/Анны Ивановой; Вельма/Вельму; "
        "Москва/Москве; Иван Толстой/Ивана Толстого; Мария/Марией; Казань/Казанью; "
        "Иван Петров/Иваном Петровым; Московский Университет/Московского Университета; "
        "Нижний Мост/Нижнего Моста; Анна Толстая/Анны Толстой"
    ),
    "uk": "Олена Коваленко/Олени Коваленко; Прага/Празі; Марія/Марією; Тарас Шевченко/Тарасом Шевченком",
    "pl": (
        "Anna Nowak/Anny Nowak; Kraków/Krakowie; Uniwersytet Warszawski/Uniwersytetu Warszawskiego; "
        "Warszawa/Warszawie; Jan Kowalski/Janem Kowalskim; Maria Kowalska/Marii Kowalskiej"
    ),
    "cs": (
        "Praha/Prahou; Praha/Praze; Jana Nováková/Jany Novákové; Nováková/Novákovou; Jan Novák/Janem Novákem"
    ),
    "fi": "Helsinki/Helsingissä; Helsinki/Helsingin; Virtanen/Virtasen; Anna Virtanen/Annalle Virtaselle",
    "hu": (
        "Budapest/Budapesttől; Budapest/Budapestet; Nagy Anna/Nagy Annának; Kertegyesület/Kertegyesületben"
    ),
    "tr": "Ankara/Ankara'da; Ayşe Yılmaz/Ayşe Yılmaz'ın; İstanbul/İstanbul'dan; Zeynep/Zeynep’e",
    "el": "Αθήνα/Αθήνας; Ελένη Νικολάου/Ελένης Νικολάου; Γιώργος/Γιώργο",
}
SMALL = {
    "ru": "мост через реку Вельму/моста через реку Вельму; мост/мостом; мост/моста; село/села",
    "uk": "міст/місту; річка/річку",
    "pl": "stowarzyszenie/stowarzyszeniem; most/mostu",
    "cs": "hrad/hradu; hrad/hradem",
}
TWO = {
    "de": (
        "Peter/Peters; Peter/Petersen; Anna Peter/Anna Peters; Karl/Karla; Jahn/Jahnke; "
        "Weber/Webern; Bau/Baum"
    ),
    "en": "Peter/Peters; Gartenverein/Gartenvereins; Garden Club/Garden Clubs; Anna/Anne; Robert/Roberta",
    "ru": (
        "Иванов/Иванова; Иванов/Ивановой; Александр/Александра; Александр Иванов/Александра Иванова; "
        "Александр Иванов/Александрой Ивановой; Валерий/Валерия; Достоевский/Достоевская; Пётр/Петров; "
        "Иван/Иванов; Марк/Марко; Нина/Нино; Анна Иванова/Анна; Анна Иванова/Анна Петрова; Ян/Яна; "
        "Мария/Марина; "
        "Корпус 1/Корпус 2; Иван/Ивановна; Париж/Парижская; Петр/Петру Иванову; Толстая/Толстой"
    ),
    "uk": "Олександр/Олександра; Коваленко/Ковальчук; Іванов/Іванова; Василь/Василенко; Марк/Марко",
    "pl": (
        "Jan/Jana; Kowalski/Kowalska; Kowalski/Kowalskiej; Czarny/Czarna; Maria/Mario; Ann/Annie; "
        "Adam/Adamczyk; Marian/Mariana; Michał/Michałowski"
    ),
    "cs": (
        "Novák/Nováková; Jan/Jana; Petr/Petra; Novotný/Novotná; Novotný/Novotnou; Černý/Černé; "
        "Maria/Marie; Martin/Martina; Karel/Karla; Viktor/Viktorie"
    ),
    "fi": "Anna/Anne; Anna/Anni; Kari/Karin; Mari/Marin; Anne/Annalla; Virtanen/Virta; Juha/Juhani",
    "hu": "Péter/Péterfi; Anna/Annamária; Anders/Anderson; Elli/Elliot; Nagy/Nagyné; Barba/Barbara",
    "tr": "Ali/Alican; Demir/Demirci; Mehmet/Mehmetoğlu; Can/Cana; Deniz/Denizli; Gül/Gülten",
    "el": "Παύλος/Παύλου; Παπαδόπουλος/Παπαδοπούλου; Μαρία/Μάριος; Νίκος/Νίκη; Χρήστος/Χρήστου",
    "fr": "Jean/Jeanne; Martin/Martins",
}


def pairs_of(table: dict[str, str]) -> list[tuple[str, str, str]]:
    return [(language, *pair.split("/")) for language, pairs in table.items() for pair in pairs.split("; ")]


def judged(name: str, other: str, language: str, *, capitals: bool = True) -> bool:
    return is_case_of(normalise_element(other), normalise_element(name), language, capitals=capitals)


@pytest.mark.parametrize(("language", "name", "other"), pairs_of(ONE))
def test_cases_of_one_name_are_told(language, name, other):
    assert judged(name, other, language)
    assert not judged(other, name, language)


@pytest.mark.parametrize(("language", "name", "other"), pairs_of(SMALL))
def test_cases_of_a_common_noun_are_told(language, name, other):
    assert judged(name, other, language, capitals=False)


@pytest.mark.parametrize(("language", "name", "other"), pairs_of(TWO))
def test_what_may_be_another_name_is_no_case(language, name, other):
    assert not judged(name, other, language)
    assert not judged(other, name, language)
