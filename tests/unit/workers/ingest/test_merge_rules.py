"""Which names may be one thing's, told from the names alone."""

from __future__ import annotations

import pytest

from workers.core.graph.elements import normalise_element
from workers.core.graph.merges import ElementProfile
from workers.ingest.resolution.names import (
    ambiguous,
    contained,
    is_capitalised,
    may_be_short,
    may_contain,
    may_merge,
)
from workers.ingest.resolution.spellings import only_a_gap, spelled_alike


def profile(*spellings: str) -> ElementProfile:
    name = normalise_element(spellings[0])
    return ElementProfile(id=f"k{name}", name=name, aliases=spellings, facts=1)


@pytest.mark.parametrize(
    ("short", "long", "rule"),
    [
        ("Telford", "Thomas Telford", "surname"),
        ("Beethoven", "Ludwig van Beethoven", "surname"),
        ("van Beethoven", "Ludwig van Beethoven", "surname"),
        ("Tolkien", "J. Tolkien", "surname"),
        ("T. Telford", "Thomas Telford", "initials"),
        ("J. R. R. Tolkien", "John Ronald Reuel Tolkien", "initials"),
        ("John Kennedy", "John F. Kennedy", "initials"),
        ("Lee Oswald", "Lee Harvey Oswald", "initials"),
        ("George A. Smith", "George Albert Smith", "initials"),
        ("Thomas Telford", "Sir Thomas Telford", "titled"),
        ("Lincoln", "President Lincoln", "titled"),
        ("Microsoft", "Microsoft Corp.", "company"),
        ("Menai Bridge", "Menai Bridge (Wales)", "qualified"),
        ("Kitzbühel", "Kitzbühel, Austria", "placed"),
        ("Mississauga", "Mississauga, Ontario, Canada", "placed"),
        ("ECO", "Economic Cooperation Organization (ECO)", "acronym"),
        ("Treaty on the Functioning of the Union", "Treaty on the Functioning of the Union (TFU)", "acronym"),
        ("Economic Cooperation Organization", "Economic Cooperation Organization (ECO)", "acronym"),
    ],
)
def test_a_short_form_is_told_from_its_longer_name(short, long, rule):
    assert contained(normalise_element(short), normalise_element(long)) == rule


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("Michigan", "University of Michigan"),
        ("York", "New York"),
        ("New York", "New York City"),
        ("Korea", "South Korea"),
        ("England", "Bank of England"),
        ("United States", "United States Army"),
        ("River", "Mississippi River"),
        ("Mississippi", "Mississippi River"),
        ("Thomas", "Thomas Telford"),
        ("Washington", "George Washington University"),
        ("Chicago", "Chicago Bulls"),
        ("Falls", "Victoria Falls"),
        ("Monica", "Santa Monica"),
        ("Samoa", "Manu Samoa"),
        ("Lost", "Lost (Season 2)"),
        ("Burn", "Burn (Usher song)"),
        ("Clark County", "Clark County, Kansas"),
        ("Union", "Union, Progress and Democracy"),
        ("Indian Territory", "Indian Territory, now Oklahoma"),
        ("World War", "World War II"),
        ("Henry", "Henry IV"),
        ("1912", "1912 Olympics"),
        ("May 1871", "3 May 1871"),
        ("May", "Theresa May"),
        ("John Kennedy", "Robert F. Kennedy"),
        ("R. Kennedy", "John F. Kennedy"),
        ("John Smith", "John and Mary Smith"),
        ("Telford", "Telford"),
        ("", "Telford"),
    ],
)
def test_what_only_holds_the_words_is_no_longer_form(short, long):
    assert contained(normalise_element(short), normalise_element(long)) is None


def test_a_name_within_several_is_ambiguous_unless_they_are_within_one_another():
    assert ambiguous(["john smith", "mary smith"])
    assert not ambiguous(["mississauga, ontario"])
    assert not ambiguous(["thomas telford", "t. telford", "sir thomas telford"])
    assert ambiguous(["victoria, australia", "queen victoria"])


@pytest.mark.parametrize(
    "rival",
    ["George H. W. Bush", "George H.W. Bush", "George Herbert Bush", "George von Bush", "George Xu Yi Bush"],
)
def test_whoever_begins_and_ends_like_the_short_name_is_a_rival(rival):
    short, long = normalise_element("George Bush"), normalise_element(rival)
    assert may_contain(short, long)
    assert ambiguous([long, normalise_element("George W. Bush")])


@pytest.mark.parametrize(
    "other", ["George Bush", "Bush", "George Bush Avenue", "John H. W. Bush", "Bush George"]
)
def test_who_begins_or_ends_otherwise_is_none(other):
    assert not may_contain("george bush", normalise_element(other))


@pytest.mark.parametrize(
    ("name", "other", "rule"),
    [
        ("Samuel Coleridge-Taylor", "Samuel Coleridge Taylor", "spelling"),
        ("Wal-Mart", "Walmart", "spelling"),
        ("Hawai'i", "Hawaii", "spelling"),
        ("St. Louis", "Saint Louis", "spelling"),
        ("Mt. Baker", "Mount Baker", "spelling"),
        ("Arts Centre", "Arts Center", "spelling"),
        ("Labour Party", "Labor Party", "spelling"),
        ("Washington, D.C.", "Washington DC", "spelling"),
        ("Nanjing Massacre", "Nanking Massacre", "typo"),
        ("Abraham van Deursen", "Abraham van Deusen", "typo"),
        ("Emilia Earhart", "Emilia Eahrart", "typo"),
    ],
)
def test_two_spellings_of_one_name_are_told(name, other, rule):
    left, right = normalise_element(name), normalise_element(other)
    assert spelled_alike(left, right) == rule
    assert spelled_alike(right, left) == rule


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("1912", "1913"),
        ("19-12", "1912"),
        ("World War I", "World War II"),
        ("Henry IV", "Henry V"),
        ("Season 1", "Season 2"),
        ("Season One", "Season Two"),
        ("Vitamin A", "Vitamin B"),
        ("Boeing 747", "Boeing 757"),
        ("F-16", "F-1 6"),
        ("German", "Germany"),
        ("German Empire", "Germany Empire"),
        ("Christian church", "Christina church"),
        ("North Carolina", "South Carolina"),
        ("Robert Smith", "Roberta Smith"),
        ("Ole Hansen", "Ole Hanson"),
        ("Maria Theresa", "Marie Theresa"),
        ("Austria", "Australia"),
        ("Iran", "Iraq"),
        ("employer", "employee"),
        ("legal", "illegal"),
        ("Telford", "Telford"),
    ],
)
def test_what_is_one_letter_away_may_be_another_thing(name, other):
    assert spelled_alike(normalise_element(name), normalise_element(other)) is None


@pytest.mark.parametrize(
    "name", ["1912", "3 May 1871", "19th century", "ab", "it", "the first", "May 1871", "42 km"]
)
def test_numbers_dates_and_noise_are_never_merged(name):
    assert not may_be_short(profile(name))
    assert name == "42 km" or not may_merge(profile(name))


def test_a_short_form_is_capitalised_wherever_it_was_seen():
    assert may_be_short(profile("Telford"))
    assert may_be_short(profile("托马斯"))
    assert not may_be_short(profile("Bridge", "bridge"))
    assert not may_be_short(profile("bridge"))
    assert not may_be_short(profile("Bridge"))
    assert not may_be_short(profile("of Telford"))
    assert not may_be_short(profile("Season 1"))
    assert is_capitalised(profile("“Telford”"))
    assert not is_capitalised(profile("Telford", "telford"))


def test_a_foreign_name_in_chinese_has_its_family_name_behind_the_dot():
    assert contained("特尔福德", "托马斯·特尔福德") is None  # no given names of that script are known
    assert spelled_alike("托马斯·特尔福德", "托马斯 特尔福德") == "spelling"


def test_a_gap_is_told_from_a_hyphen():
    assert only_a_gap("red wood", "redwood")
    assert only_a_gap("wal-mart", "walmart")
    assert not only_a_gap("al-andalus", "al andalus")
    assert not only_a_gap("nanjing massacre", "nanking massacre")
