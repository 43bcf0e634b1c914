"""Possible contradictions are found by comparing words; the rules know nothing of what they mean."""

import pytest
from contradictory import contradictory_pairs, outcome_of

from workers.critic.contradictions import Statement, contradictions
from workers.critic.values import likeness, values

OLD = "The notice period of the Marlow contract is 180 days."
NEW = "The notice period of the Marlow contract was extended to 270 days."


def statement(text: str, *documents: str, title: str = "") -> Statement:
    return Statement(text, frozenset(documents), title)


def groups_of(*texts: str) -> list[list[str]]:
    statements = [statement(text, f"d{n}", title=f"Notes {n}") for n, text in enumerate(texts)]
    return [[side[0].value for side in group] for group in contradictions(statements)]


@pytest.mark.parametrize(("texts", "expected"), [
    ((OLD, NEW), ["180 days", "270 days"]),
    (("Acme Ltd employs 500 people.", "Acme Ltd employs six hundred people."), ["500", "six hundred"]),
    (("Acme Ltd has 20 branches.", "Acme Ltd has thirty branches."), ["20", "thirty"]),
    (("Acme Ltd pays 3% interest.", "Acme Ltd pays 4% interest."), ["3%", "4%"]),
    (
        ("The Tay Bridge was opened on 1 June 1878.", "The Tay Bridge was opened in May 1877."),
        ["1 June 1878", "May 1877"],
    ),
    (("The owner of Kell Hall is Ann Lee.", "The owner of Kell Hall is Bo Wu."), ["Ann Lee", "Bo Wu"]),
    (("Ann Lee is the mayor of Kell.", "Bo Wu is the mayor of Kell."), ["Ann Lee", "Bo Wu"]),
    (("海蓝公司的通知期为一百八十天。", "海蓝公司的通知期为270天。"), ["一百八十天", "270天"]),
    (("海蓝公司的总经理是张伟。", "海蓝公司的总经理是李娜。"), ["张伟", "李娜"]),
    (
        ("Kell Hall is 40 metres high.", "Kell Hall is 50 metres high.", "Kell Hall is 60 metres high."),
        ["40 metres", "50 metres", "60 metres"],
    ),
])  # fmt: skip
def test_statements_that_differ_in_the_one_value_of_a_thing_are_proposed(texts, expected):
    assert groups_of(*texts) == [expected]


@pytest.mark.parametrize("texts", [
    ("Kell Hall is 2 km long.", "Kell Hall is 2000 metres long."),
    ("The Kell lease lasts 12 months.", "The Kell lease lasts 1 year."),
    ("Acme Ltd has 1,234,567 customers.", "Acme Ltd has 1.2 million customers."),
    ("Kell Hall was opened on 12 May 1900.", "Kell Hall was opened in 1900."),
    ("Ann Lee competed at the 1992 Olympics.", "Ann Lee competed at the 1996 Olympics."),
    ("In 2019 Acme Ltd had 500 staff.", "In 2021 Acme Ltd had 600 staff."),
    ("The population was 500.", "The population was 600."),
    ("The head of Acme was Ann Lee.", "The head of Acme was Bo Wu."),
    ("The ferry of Kell Ltd is the Anna.", "The ferry of Kell Ltd is Anna."),
    ("Kell Hall is located in Vestby.", "Kell Hall is located in Agder."),
    ("The race of Kell began at 4:51 today.", "The race of Kell began at 4:49 today."),
    (
        "Kell had a population of 12,400 at the 2000 census.",
        "Kell had a population of 13,900 at the 2010 census.",
    ),
    (
        "The population of Kell was 12,400 at the 2000 census.",
        "The population of Kell was 12,400 at the 2010 census.",
    ),
    ("2019年海蓝公司的收入为500万元。", "2021年海蓝公司的收入为600万元。"),
    ("Acme Ltd had 500 staff (2020).", "Acme Ltd had 600 staff (2021)."),
    ("Node 18 requires 2 GB.", "Node 20 requires 4 GB."),
    ("101室的租金为500元。", "102室的租金为600元。"),
    ("神舟5号于2003年启用。", "神舟6号于2005年启用。"),
    ("Acme Ltd offers up to 5 days.", "Acme Ltd offers up to 10 days."),
    ("海蓝公司至少有100人。", "海蓝公司至少有200人。"),
    ("If Acme pays late, the interest is 5%.", "If Acme pays late, the interest is 6%."),
    ("Ann Lee said that Acme has 500 employees.", "Ann Lee said that Acme has 600 employees."),
    ("Acme Ltd does not have 500 employees.", "Acme Ltd does not have 600 employees."),
    ("若延期，海蓝公司的违约金为5%。", "若延期，海蓝公司的违约金为6%。"),
    ("The Kell Festival starts on 5 June 2020.", "The Kell Festival starts on 7 June 2021."),
    ("The Acme payment is due on 5 June 2020.", "The Acme payment is due on 5 July 2020."),
    (
        "The Kell strike lasted 3 days and ended on 5 May.",
        "The Kell strike lasted 3 days and ended on 5 June.",
    ),
    ("Acme's supplier is Siemens.", "Acme's supplier is Bosch."),
    ("Acme Ltd owns 1,234,567 shares of 5 euros.", "Acme Ltd owns 1.2 million shares of 6 euros."),
    ("The winner of the 2012 Kell Cup was Ann Lee.", "The winner of the 2016 Kell Cup was Bo Wu."),
])  # fmt: skip
def test_what_can_both_be_true_is_not_proposed(texts: tuple[str, str]) -> None:
    assert groups_of(*texts) == []


@pytest.mark.parametrize(("texts", "expected"), [
    (
        ("Die Kündigungsfrist des Vertrags Marlow beträgt 180 Tage.",
         "Die Kündigungsfrist des Vertrags Marlow beträgt 270 Tage."),
        ["180 Tage", "270 Tage"],
    ),
    (
        ("Die Brücke von Kell wurde am 3. Mai 1874 eröffnet.", "Die Brücke von Kell wurde 1879 eröffnet."),
        ["3. Mai 1874", "1879"],
    ),
    (("Die Firma Acme zahlt 3 Prozent.", "Die Firma Acme zahlt 4,5 %."), ["3 Prozent", "4,5 %"]),
    (("Le pont de Kell a été ouvert en 1874.", "Le pont de Kell a été ouvert en 1879."), ["1874", "1879"]),
    (
        ("Le préavis du contrat Marlow est de 180 jours.", "Le préavis du contrat Marlow est de 270 jours."),
        ["180 jours", "270 jours"],
    ),
    (("El puente de Kell mide 1.250 metros.", "El puente de Kell mide 950 m."), ["1.250 metros", "950 m"]),
    (
        ("El puente de Kell se abrió el 3 de mayo de 1874.", "El puente de Kell se abrió en 1879."),
        ["3 de mayo de 1874", "1879"],
    ),
    (("Мост Келл был открыт в 1874 году.", "Мост Келл был открыт 3 мая 1879 года."), ["1874", "3 мая 1879"]),
    (("Компания «Север» платит 5 процентов.", "Компания «Север» платит 7 %."), ["5 процентов", "7 %"]),
    (("ケル橋は1874年に開通した。", "ケル橋は1879年に開通した。"), ["1874年", "1879年"]),
    (("海藍社の通知期間は百八十日です。", "海藍社の通知期間は270日です。"), ["百八十日", "270日"]),
    (("تم افتتاح جسر كيل عام 1874.", "تم افتتاح جسر كيل عام ١٨٧٩."), ["1874", "١٨٧٩"]),
    (("يبلغ طول جسر كيل 120 متراً.", "يبلغ طول جسر كيل 150 متراً."), ["120 متراً", "150 متراً"]),
    (("La torre di Kell è alta 45 metri.", "La torre di Kell è alta 54 metri."), ["45 metri", "54 metri"]),
    (("A ponte de Kell foi aberta em 1950.", "A ponte de Kell foi aberta em 1952."), ["1950", "1952"]),
    (("De zaak van Jansen telt 40 mensen.", "De zaak van Jansen telt 45 mensen."), ["40", "45"]),
    (("Most w Kell otwarto w 1950 roku.", "Most w Kell otwarto w 1952 roku."), ["1950", "1952"]),
    (
        ("Bron i Kell invigdes den 3 maj 1950.", "Bron i Kell invigdes den 5 maj 1950."),
        ["3 maj 1950", "5 maj 1950"],
    ),
    (("Міст у Келлі відкрито 1950 року.", "Міст у Келлі відкрито 1952 року."), ["1950", "1952"]),
    (("켈 다리의 길이는 300미터이다.", "켈 다리의 길이는 350미터이다."), ["300미터", "350미터"]),
    (("Cầu Kell khánh thành năm 1950.", "Cầu Kell khánh thành năm 1952."), ["1950", "1952"]),
    (("Museum Kell dibuka pada 3 Mei 1950.", "Museum Kell dibuka pada 1952."), ["3 Mei 1950", "1952"]),
    (("केल पुल 1874 में खुला था।", "केल पुल 1879 में खुला था।"), ["1874", "1879"]),
    (("केल पुल की लंबाई 120 मीटर है।", "केल पुल की लंबाई 150 मीटर है।"), ["120 मीटर", "150 मीटर"]),
])  # fmt: skip
def test_values_are_compared_in_other_languages(texts, expected):
    assert groups_of(*texts) == [expected]


@pytest.mark.parametrize("texts", [
    ("In Kell hat Acme 12.500 Kunden.", "In Kell hat Acme 12 500 Kunden."),
    ("Die Brücke von Kell wurde am 3. Mai 2019 eröffnet.", "Die Brücke von Kell wurde im Mai 2019 eröffnet."),
    ("Der Vertrag Marlow läuft drei Jahre.", "Der Vertrag Marlow läuft 36 Monate."),
    ("Die Firma Acme zahlt 5 % Zinsen.", "Die Firma Acme zahlt fünf Prozent Zinsen."),
    ("Die Brücke von Kell ist 1 km lang.", "Die Brücke von Kell ist 1000 Meter lang."),
    ("Die Brücke von Kell ist 5 Meter lang.", "Die Brücke von Kell ist 5 Tonnen lang."),
    ("Die Firma Acme hat mindestens 500 Mitarbeiter.", "Die Firma Acme hat mindestens 600 Mitarbeiter."),
    ("Die Firma Acme zahlt nicht 5 Prozent.", "Die Firma Acme zahlt nicht 6 Prozent."),
    ("Laut Kell zahlt Acme 5 Prozent.", "Laut Kell zahlt Acme 6 Prozent."),
    ("2019 hatte die Firma Acme 500 Kunden.", "2021 hatte die Firma Acme 600 Kunden."),
    ("Die Kündigungsfrist beträgt 180 Tage.", "Die Kündigungsfrist beträgt 270 Tage."),
    ("Le pont de Kell mesure 1,2 km.", "Le pont de Kell mesure 1200 mètres."),
    ("Le prix est de 300 euros.", "Le prix est de 400 euros."),
    ("El contrato Marlow dura tres años.", "El contrato Marlow dura 36 meses."),
    ("Si Acme paga tarde, el interés es del 5 %.", "Si Acme paga tarde, el interés es del 6 %."),
    ("Договор Марлоу действует три года.", "Договор Марлоу действует 36 месяцев."),
    ("Мост Келл был открыт в мае 1874 года.", "Мост Келл был открыт в 1874 году."),
    ("海藍社の契約期間は三年です。", "海藍社の契約期間は36か月です。"),
    ("この契約の期間は3年です。", "この契約の期間は5年です。"),
    ("تم افتتاح جسر كيل عام 1874.", "تم افتتاح جسر كيل في مايو 1874."),
    ("يبلغ السعر 300 يورو.", "يبلغ السعر 400 يورو."),
    ("केल पुल की लंबाई 1 किमी है।", "केल पुल की लंबाई 1000 मीटर है।"),
    ("यह शुल्क 5 प्रतिशत है।", "यह शुल्क 6 प्रतिशत है।"),
])  # fmt: skip
def test_what_can_both_be_true_is_not_proposed_in_other_languages(texts: tuple[str, str]) -> None:
    assert groups_of(*texts) == []


@pytest.mark.parametrize(("text", "other", "expected"), [
    ("12.500 Euro", "12,500 euros", "same"),
    ("3 May 2019", "2019年5月3日", "same"),
    ("3. Mai 2019", "3 de mayo de 2019", "same"),
    ("三年", "3 years", "same"),
    ("5 Prozent", "5 %", "same"),
    ("1,5 Tonnen", "1500 кг", "same"),
    ("12,5 Euro", "12.500 Euro", "other"),
    ("1 km", "1 mile", "other"),
    ("5 Prozent", "5 метров", "unlike"),
    ("300 Euro", "300 dollars", "unlike"),
])  # fmt: skip
def test_values_of_two_languages_are_compared_by_what_they_mean(text: str, other: str, expected: str) -> None:
    [value], [other_value] = values(text), values(other)
    assert likeness(value, other_value) == expected


def test_a_thing_with_many_values_has_several() -> None:
    assert len(groups_of(*(f"Kell Hall is {metres} metres high." for metres in range(10, 50, 10)))) == 1
    assert groups_of(*(f"Kell Hall is {metres} metres high." for metres in range(10, 60, 10))) == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_one_document_says_twice_is_not_proposed(order: tuple[int, int]) -> None:
    both = [statement(OLD, "d1"), statement(NEW, "d1", "d2")]
    assert contradictions([both[n] for n in order]) == []
    assert len(contradictions([statement(OLD, "d1"), statement(NEW, "d2")])) == 1


def test_a_value_is_never_empty() -> None:
    texts = (
        "Kell Hall is 40 metres high.",
        "The Kell Hall is 40 metres high.",
        "Kell Hall is 50 metres high.",
    )
    [group] = contradictions([statement(text, f"d{n}") for n, text in enumerate(texts)])
    assert [stated.value for side in group for stated in side] == ["40 metres", "40 metres", "50 metres"]


@pytest.mark.parametrize("text", ["", "\0", "¤ is 5 km ¤", f"Kell Hall has {'9' * 399} seats.", "a" * 10_000])
def test_odd_texts_are_read(text: str) -> None:
    assert contradictions([statement(text, "d1"), statement(f"{text} ", "d2")]) == []


def test_long_statements_are_not_read() -> None:
    tail = "that it always was, " * 20
    assert groups_of(f"Kell Hall is, {tail}40 metres high.", f"Kell Hall is, {tail}50 metres high.") == []


def test_a_bare_number_of_four_digits_is_a_year() -> None:
    expected = [(2000, None, None), None, None]
    assert [value.day for value in values("at the 2000 census of 1,500 and 2000 metres")] == expected


def test_unnamed_things_are_the_same_where_titles_differ_in_the_version_only() -> None:
    for first, second, groups in (
        ("Marlow contract 2019", "Marlow contract 2021 amended", 1),
        ("Marlow contract", "Kell contract", 0),
        ("Report of January", "Report of February", 0),
        ("Lease of flat 1201", "Lease of flat 1202", 0),
    ):
        fees = ("The fee is 30 euros.", first), ("The fee is 40 euros.", second)
        assert len(contradictions([statement(text, title, title=title) for text, title in fees])) == groups


def test_generated_contradictions_are_proposed_and_cited_and_most_near_misses_are_not() -> None:
    """Through the whole step with the offline model, which takes every possible contradiction for one."""
    outcomes = [(pair, outcome_of(pair)) for pair in contradictory_pairs(40, 19)]
    true = [outcome for pair, outcome in outcomes if pair.contradicts]
    near = [outcome for pair, outcome in outcomes if not pair.contradicts]
    ordered = [outcome.ordered for outcome in true if outcome.ordered is not None]
    assert len(true) == 40
    assert sum(outcome.proposed and outcome.both for outcome in true) >= 0.95 * len(true)
    assert len(ordered) > 20
    assert all(ordered)
    assert sum(outcome.proposed for outcome in near) <= 0.26 * len(near)
    assert {outcome.reads for outcome in true if outcome.proposed} == {1}


@pytest.mark.parametrize(("row", "groups"), [("Marlow", 1), ("marlow ", 1), ("Bisham", 0), ("", 1)])
def test_rows_of_something_else_contradict_nothing(row: str, groups: int) -> None:
    stated = [statement(OLD, "d1")._replace(row="Marlow"), statement(NEW, "d2")._replace(row=row)]
    assert len(contradictions(stated)) == groups
