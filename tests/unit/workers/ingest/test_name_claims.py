"""Which sentences say how somebody is also called, and which only look as if they did."""

import re
from collections.abc import Iterator

import pytest
from doubles.documents import made_document
from hypothesis import given
from hypothesis import strategies as st

from workers.core.language.text import is_unspaced
from workers.ingest.naming.claims import find_claims, places_apart


def claims(text: str, names: list[str]) -> list[tuple[str, str, bool]]:
    """Return (alias, name, whether it passes on) of what a sentence states."""
    _document, [chunk] = made_document("c", "u", [(text, names)])
    known = {element.id: element.name for fact in chunk.facts for element in fact.key_elements}
    name_claims = find_claims(chunk.chunk.text, chunk.facts)
    assert all(chunk.chunk.text[claim.start : claim.end] == text for claim in name_claims)
    return [(known[claim.alias], known[claim.name], claim.passes) for claim in name_claims]


# Sentences with the [name] of somebody and what is or seems to be an {alias}.
ALIASES = """
The sailors called [Corvin Drake] {the Heron}. / [Corvin Drake], nicknamed “{the Heron}”, sailed.
[Corvin Drake] went by the name of {the Heron}.
[Tam Okafor], known along the coast as {Red Tam}, sold rope.
The {Quiet Knife}, whose real name was [Ilse Varn], left. / {The Heron}'s real name was [Corvin Drake].
Man nannte [Jonas Weber] den {Reiher}. / [Jonas Weber], genannt der {Reiher}, segelte.
[Jonas Weber] wurde von allen der {Reiher} genannt. / Der {Reiher} hieß eigentlich [Jonas Weber].
[高承岳]，人称{独眼龙}。 / {独眼龙}本名[高承岳]。 / [Corvin Drake] went by “{the Heron}”.
[Corvin Drake] answered to the name of {Red}. / [Corvin Drake] answered to “{the Heron}”.
{The Heron} was none other than [Drake]. / Der {Reiher} war niemand anderes als [Jonas Weber].
Alle riefen [Jonas Weber] „{Reiher}“. / 大家都称[高承岳]为{独眼龙}。
Ada, who loved birds, met [Corvin Drake], who was called {the Heron}.
Wie alle wissen: [Jonas Weber] wurde der {Reiher} genannt.
By then [Corvin Drake] was known as {the Heron}. / They say that [Corvin Drake] was called {the Heron}.
[Corvin Drake] (also known as {the Heron}) sailed. / [Corvin Drake] (known as “{the Heron}”) sailed.
[Mara Drake], née {Mara Venn}, sailed. / [Mara Drake] (born {Mara Venn}) sailed.
[高承岳]（又名{独眼龙}）来了。
[Jean Valjean], dit {Monsieur Madeleine}, vivait là.
"""
PASSED_ON = """
Everyone called [Edda Vane] {the Queen}. / [Harl Vane] became {the Warden}. / [林远]成为{船长}。
大家都称[高承岳]为{英雄}。 / {民族英雄}就是[高承岳]。
{The Inspector}, whose real name was [Corvin Drake], came.
[Enrico Dandolo], known as {the Doge}, sailed. / The children called [Corvin Drake] {Father}.
[Mara Venn] was called {the Secretary-General}.
"""
NO_ALIASES = """
[Corvin Drake] was called a [coward]. / [Corvin Drake] called for [Mara Venn].
[Corvin Drake] called [the Heron]. / [Corvin Drake] was called by the captain of [the Heron].
[Corvin Drake] was never called [the Heron]. / [Corvin Drake] was called [the Heron] Inn's worst guest.
The brother of [Corvin Drake] was called [the Heron].
Corvin Drake of [Lisk], known as [the Heron], sailed.
Ilse Varn and [Corvin Drake], known as [the Heron], sailed.
He was an [American performer] known as [the Heron]. / [高承岳]的弟弟人称[独眼龙]。
Am Abend rief [Corvin Drake] [Tobias Renn] an. / Da rief [Ilse] [Tobias] zu sich.
Gestern nannte [Ilse] [Tobias] einen Freund. / [Corvin Drake] answers to [Ilse Renn].
[Corvin Drake] answered to [the Heron]. / [Corvin Drake] went by [Lisbon] to Porto.
[Corvin Drake] was actually [French]. / [Corvin Drake], gebürtig [Hamburger], segelte. / [李明]就是[北京人]。
Nobody called [Corvin Drake] [the Heron]. / They didn’t say that [Corvin Drake] was called [the Heron].
It was not [Corvin Drake] who was called [the Heron].
Neither [Corvin Drake] nor [Ilse] was called [the Heron]. / Niemand nannte [Jonas Weber] den [Reiher].
没有人说[高承岳]，人称[独眼龙]。 / [凶手]就是[高承岳]。
[Ada Quill], who sailed with [Corvin Drake], was known as [the Heron].
The daughter of the smith [Corvin Drake] was called [the Heron].
The town founded by [Corvin Drake] is called [Lisk].
The film starring [Corvin Drake], also known as [the Heron], ran.
Die Frau, die [Jonas Weber] liebte, wurde der [Reiher] genannt.
Perhaps [Corvin Drake] was called [the Heron]. / Angeblich nannte man [Jonas Weber] den [Reiher].
据说[高承岳]人称[独眼龙]。 / 他的[哥哥]就是[高承岳]。
The man who visited [the Heron] was none other than [Corvin Drake].
Who says that [Corvin Drake] was called [the Heron]? / [高承岳]人称[独眼龙]吗？
[Corvin Drake], born [Lisk], sailed.
"""


def stated(table: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield the sentences of a table, each with its aliases and with its names."""
    for marked in re.split(r" / |\n", table.strip()):
        aliases, names = re.findall(r"{(.+?)}", marked), re.findall(r"\[(.+?)\]", marked)
        articles = [[re.sub("^The ", "the ", spelled) for spelled in some] for some in (aliases, names)]
        yield re.sub(r"[][{}]", "", marked), *articles


@pytest.mark.parametrize(("table", "passes"), [(ALIASES, False), (PASSED_ON, True)], ids=["own", "passed on"])
def test_a_sentence_states_an_alias_and_whether_it_passes_from_one_to_the_next(table, passes):
    for text, [alias], [name] in stated(table):
        plain = [spelling.removeprefix("the ").lower() for spelling in (alias, name)]
        assert claims(text, [alias, name]) == [(*plain, passes)], text


def test_a_sentence_states_no_alias():
    for text, _aliases, names in stated(NO_ALIASES):
        assert claims(text, names) == [], text


def test_a_sentence_states_two_aliases_of_one_person():
    text = "Corvin Drake was known as the Heron or the Fox."
    expected = [("heron", "corvin drake", False), ("fox", "corvin drake", False)]
    assert claims(text, ["Corvin Drake", "the Heron", "the Fox"]) == expected


def test_only_key_elements_of_the_chunk_are_names():
    assert claims("The sailors called Corvin Drake the Heron.", ["Corvin Drake", "sailors"]) == []


@pytest.mark.timeout(300)  # with their square it would take hours
def test_a_run_of_quotation_marks_takes_time_in_proportion():
    names, marks = ["Corvin Drake", "the Heron", "Drake"], 200_000 * "'"
    assert claims(f"Corvin Drake called {marks} Drake left.", names) == []
    assert len(claims(f"Corvin Drake, known as the Heron, sailed {marks} Drake left.", names)) == 1


_LETTERS = "ab 鹤白-é_"


@given(
    st.lists(st.text(_LETTERS, min_size=1, max_size=4), unique=True, min_size=1),
    st.text(_LETTERS, max_size=30),
)
def test_names_stand_where_a_pattern_of_all_of_them_finds_them(names: list[str], sentence: str):
    def bordered(name: str) -> str:
        return re.escape(name) if is_unspaced(name) else rf"(?<!\w){re.escape(name)}(?!\w)"

    pattern = re.compile("|".join(map(bordered, sorted(names, key=len, reverse=True))))
    expected = [(match.start(), match[0]) for match in pattern.finditer(sentence)]
    assert list(places_apart(names, sentence)) == expected
