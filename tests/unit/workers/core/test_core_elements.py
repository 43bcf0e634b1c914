from __future__ import annotations

import pytest

from workers.core.graph.elements import element_spellings, normalise_element
from workers.core.language.dates import is_time

# What names become by each rule: name → its normal form; what is alike on both sides stays as it is.
FORMS = {
    "articles go": "an engine → engine; The Netherlands → netherlands; the the The Band → band; The → the",
    "a plural is the singular of its last word": "steam engines → steam engine; cities → city; "
    "churches → church; kitchen knives → kitchen knife; shelves → shelf; olives → olive; leaves → leaf; "
    "wolves → wolf; headaches → headache; viruses → virus; photos → photo; analyses → analysis",
    "not all that ends so is a plural": "physics → physics; means → means; diabetes → diabetes; "
    "perhaps → perhaps; glass → glass; wales → wales",
    "a capital tells a name from a plural": "John Adams → john adams; Knives → knives; "
    "Brooks → brooks; Market Thursdays → market thursday; thursdays → thursday",
    "a possessive is its owner": "Ada Lovelace's → ada lovelace; Adams's → adams; the 1990's → 1990s",
    "letters of one script have one form": "Ｚürich → zurich; Łódź → lodz; Bjørn Ærøe → bjorn aeroe; "
    "Straße → strasse; Сергей → сергей; がっこう → がっこう; Αθήνα → αθήνα; 北京·大学 → 北京·大学",
    "marks around a name go": "“Frankenstein” → frankenstein; 北京大学。 → 北京大学; (planet) → planet; "
    "planet) → planet; Mercury (planet) → mercury (planet); 《红楼梦》 → 《红楼梦》; ... → ",
    "initials stand together": "J. R. R. Tolkien → jrr tolkien; J.R.R.Tolkien → jrr tolkien; "
    "JRR Tolkien → jrr tolkien; A. N. Wilson → a.n. wilson; J.Smith → j. smith; U.S. Army → us army; "
    "the U. S. → us; Washington, D.C. → washington, dc; Roe v. Wade → roe v. wade; Л. Н. Ли → лн ли",
    "signs between words have one form": "Person - centered therapy → person-centered therapy; "
    "Paris – Dakar → paris-dakar; 1815–1852 → 1815-1852; -5 → -5; Smith & Sons → smith and sons; AT&T → at&t",
    "a date has one form": "3rd May 1871 → 3 may 1871; the 3rd of May, 1871 → 3 may 1871; "
    "May 3 1871 → 3 may 1871; 1871-05-03 → 3 may 1871; Sept. 11, 2001 → 11 september 2001; "
    "1871年5月3日 → 3 may 1871; 1871 年 5 月 → may 1871; May, 1871 → may 1871; 4th of July → 4 july",
    "what is no date stays": "1871 → 1871; February 31, 2000 → february 31, 2000; 05/03/1871 → 05/03/1871; "
    "1871-13-03 → 1871-13-03; May 3, 1871 treaty → may 3, 1871 treaty; Boeing 747 → boeing 747",
}


@pytest.mark.parametrize("rule", FORMS)
def test_a_name_has_one_normal_form(rule):
    expected = dict(pair.split(" → ") for pair in FORMS[rule].split("; "))
    assert {name: normalise_element(name) for name in expected} == expected
    assert normalise_element("The  Analytical \n Engine") == "analytical engine"


def test_what_differs_stays_apart():
    pairs = (
        "Adams/Adam, Henry IV/Henry V, World War I/World War II, Season 1/Season 2, 1912/1913, "
        "May 1871/May 1872, 3 May/3 June, 1990s/1990, Los Angeles Kings/king, "
        "Mercury (planet)/Mercury (element), й/и, が/か"
    )
    for name, other in (pair.split("/") for pair in pairs.split(", ")):
        assert normalise_element(name) != normalise_element(other)


def test_a_time_is_told_from_a_name():
    times = "3 may 1871; 1871; 1990s; 19th century; early 1871; june"
    assert [name for name in times.split("; ") if not is_time(name)] == []
    assert [name for name in ("1,233", "may", "boeing 747") if is_time(name)] == []


def test_a_question_may_spell_a_plural_either_way():
    assert element_spellings("Computers") == ("computers", "computer")
    assert element_spellings("computers") == ("computer", "computers")
    assert element_spellings("  ") == ()


def test_a_question_finds_the_singular_that_was_stored_before_the_dictionary():
    for plural, stored in (("knives", "knive"), ("shelves", "shelve"), ("viruses", "viruses")):
        assert stored in element_spellings(plural)[1:]


def test_a_singular_is_its_own_normal_form():
    for word in ("knives", "axes", "taxis", "theses", "lenses", "series", "thursdays", "staves"):
        assert normalise_element(normalise_element(word)) == normalise_element(word)
