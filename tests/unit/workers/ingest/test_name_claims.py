"""Which sentences say how somebody is also called, and which only look as if they did."""

from __future__ import annotations

import re
import time

import pytest
from doubles.documents import made_document
from hypothesis import given
from hypothesis import strategies as st

from workers.core.language.text import is_unspaced
from workers.ingest.naming.claims import _apart, find_claims


def claims(text: str, names: list[str]) -> list[tuple[str, str, bool]]:
    """Return (alias, name, whether it passes on) of what a sentence states."""
    _document, [chunk] = made_document("c", "u", [(text, names)])
    known = {element.id: element.name for fact in chunk.facts for element in fact.key_elements}
    name_claims = find_claims(chunk.chunk.text, chunk.facts)
    assert all(chunk.chunk.text[claim.start : claim.end] == text for claim in name_claims)
    return [(known[claim.alias], known[claim.name], claim.passes) for claim in name_claims]


@pytest.mark.parametrize(
    ("text", "alias", "name"),
    [
        ("The sailors called Corvin Drake the Heron.", "the Heron", "Corvin Drake"),
        ("Corvin Drake was called the Heron.", "the Heron", "Corvin Drake"),
        ("Corvin Drake, nicknamed “the Heron”, sailed.", "the Heron", "Corvin Drake"),
        ("Corvin Drake went by the name of the Heron.", "the Heron", "Corvin Drake"),
        ("Tam Okafor, known along the coast as Red Tam, sold rope.", "Red Tam", "Tam Okafor"),
        ("The Quiet Knife, whose real name was Ilse Varn, left.", "Quiet Knife", "Ilse Varn"),
        ("The Heron's real name was Corvin Drake.", "the Heron", "Corvin Drake"),
        ("The Heron was in truth Corvin Drake.", "the Heron", "Corvin Drake"),
        ("Man nannte Jonas Weber den Reiher.", "Reiher", "Jonas Weber"),
        ("Jonas Weber, genannt der Reiher, segelte.", "Reiher", "Jonas Weber"),
        ("Jonas Weber wurde von allen der Reiher genannt.", "Reiher", "Jonas Weber"),
        ("Der Reiher hieß eigentlich Jonas Weber.", "Reiher", "Jonas Weber"),
        ("高承岳，人称独眼龙。", "独眼龙", "高承岳"),
        ("独眼龙本名高承岳。", "独眼龙", "高承岳"),
        ("独眼龙就是高承岳。", "独眼龙", "高承岳"),
        ("Corvin Drake goes by the Heron.", "the Heron", "Corvin Drake"),
        ("Corvin Drake went by “the Heron”.", "the Heron", "Corvin Drake"),
        ("Corvin Drake answered to the name of Red.", "Red", "Corvin Drake"),
        ("Corvin Drake answered to “the Heron”.", "the Heron", "Corvin Drake"),
        ("The Heron was none other than Drake.", "the Heron", "Drake"),
        ("Der Reiher war kein anderer als Jonas Weber.", "Reiher", "Jonas Weber"),
        ("Der Reiher war niemand anderes als Jonas Weber.", "Reiher", "Jonas Weber"),
        ("Alle riefen Jonas Weber „Reiher“.", "Reiher", "Jonas Weber"),
        ("大家都称高承岳为独眼龙。", "独眼龙", "高承岳"),
        ("When they met, Corvin Drake was called the Heron.", "the Heron", "Corvin Drake"),
        ("Ada, who loved birds, met Corvin Drake, who was called the Heron.", "the Heron", "Corvin Drake"),
        ("She sailed with Corvin Drake, known as the Heron.", "the Heron", "Corvin Drake"),
        ("Wie alle wissen: Jonas Weber wurde der Reiher genannt.", "Reiher", "Jonas Weber"),
        ("The boat was built by Corvin Drake, known as the Heron.", "the Heron", "Corvin Drake"),
        ("By then Corvin Drake was known as the Heron.", "the Heron", "Corvin Drake"),
        ("They say that Corvin Drake was called the Heron.", "the Heron", "Corvin Drake"),
        ("Corvin Drake (also known as the Heron) sailed.", "the Heron", "Corvin Drake"),
        ("Corvin Drake (known as “the Heron”) sailed.", "the Heron", "Corvin Drake"),
        ("Corvin Drake (alias the Heron) sailed.", "the Heron", "Corvin Drake"),
        ("Corvin Drake, best known as the Heron, sailed.", "the Heron", "Corvin Drake"),
        ("Corvin Drake was already called the Heron.", "the Heron", "Corvin Drake"),
        ("Corvin Drake, also called the Heron, sailed.", "the Heron", "Corvin Drake"),
        ("Mara Drake, née Mara Venn, sailed.", "Mara Venn", "Mara Drake"),
        ("Mara Drake (born Mara Venn) sailed.", "Mara Venn", "Mara Drake"),
        ("Jonas Weber (genannt der Reiher) segelte.", "Reiher", "Jonas Weber"),
        ("高承岳（又名独眼龙）来了。", "独眼龙", "高承岳"),
        ("高承岳，也叫独眼龙。", "独眼龙", "高承岳"),
        ("Jean Valjean, dit Monsieur Madeleine, vivait là.", "Monsieur Madeleine", "Jean Valjean"),
        ("Alonso Quijano, conocido como Don Quijote, salió.", "Don Quijote", "Alonso Quijano"),
    ],
)
def test_a_sentence_states_an_alias(text, alias, name):
    plain = [spelling.removeprefix("the ").lower() for spelling in (alias, name)]
    assert claims(text, [alias, name]) == [(*plain, False)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Corvin Drake was called a coward.", ["Corvin Drake", "coward"]),
        ("Mara Venn called Corvin Drake a coward.", ["Mara Venn", "Corvin Drake", "coward"]),
        ("Corvin Drake called for Mara Venn.", ["Corvin Drake", "Mara Venn"]),
        ("Corvin Drake called the Heron.", ["Corvin Drake", "the Heron"]),
        ("Corvin Drake was called to the help of the Heron.", ["Corvin Drake", "the Heron"]),
        ("Corvin Drake was called by the captain of the Heron.", ["Corvin Drake", "the Heron"]),
        ("Corvin Drake was never called the Heron.", ["Corvin Drake", "the Heron"]),
        ("Corvin Drake was called the Heron Inn's worst guest.", ["Corvin Drake", "the Heron"]),
        ("The brother of Corvin Drake was called the Heron.", ["Corvin Drake", "the Heron"]),
        ("Corvin Drake's brother was called the Heron.", ["Corvin Drake", "the Heron"]),
        ("Corvin Drake of Lisk, known as the Heron, sailed.", ["Lisk", "the Heron"]),
        ("Ilse Varn and Corvin Drake, known as the Heron, sailed.", ["Corvin Drake", "the Heron"]),
        ("They drank at the inn called the Heron with Corvin Drake.", ["inn", "Corvin Drake", "the Heron"]),
        ("He opened a store in Richmond, California, called Far Shore.", ["California", "Far Shore"]),
        ("He was an American performer known as the Heron.", ["American performer", "the Heron"]),
        ("高承岳的弟弟人称独眼龙。", ["高承岳", "独眼龙"]),
        ("Am Abend rief Corvin Drake Tobias Renn an.", ["Corvin Drake", "Tobias Renn"]),
        ("Da rief Ilse Tobias zu sich.", ["Ilse", "Tobias"]),
        ("Da rief Ilse den Tobias.", ["Ilse", "Tobias"]),
        ("Gestern nannte Ilse Tobias einen Freund.", ["Ilse", "Tobias"]),
        ("Corvin Drake answers to Ilse Renn.", ["Corvin Drake", "Ilse Renn"]),
        ("Corvin Drake answered to the Heron.", ["Corvin Drake", "the Heron"]),
        ("The Ministry answered to Parliament.", ["Ministry", "Parliament"]),
        ("Corvin Drake went by Lisbon to Porto.", ["Corvin Drake", "Lisbon"]),
        ("Corvin Drake was actually French.", ["Corvin Drake", "French"]),
        ("Corvin Drake is in fact Catholic.", ["Corvin Drake", "Catholic"]),
        ("Corvin Drake, gebürtig Hamburger, segelte.", ["Corvin Drake", "Hamburger"]),
        ("李明就是北京人。", ["李明", "北京人"]),
        ("Nobody called Corvin Drake the Heron.", ["Corvin Drake", "the Heron"]),
        ("No sailor called Corvin Drake the Heron.", ["Corvin Drake", "the Heron"]),
        ("They didn’t say that Corvin Drake was called the Heron.", ["Corvin Drake", "the Heron"]),
        ("It was not Corvin Drake who was called the Heron.", ["Corvin Drake", "the Heron"]),
        ("He denied that Corvin Drake was known as the Heron.", ["Corvin Drake", "the Heron"]),
        ("Neither Corvin Drake nor Ilse was called the Heron.", ["Corvin Drake", "Ilse", "the Heron"]),
        ("Niemand nannte Jonas Weber den Reiher.", ["Jonas Weber", "Reiher"]),
        ("没有人说高承岳，人称独眼龙。", ["高承岳", "独眼龙"]),
        ("凶手就是高承岳。", ["凶手", "高承岳"]),
        (
            "Ada Quill, who sailed with Corvin Drake, was known as the Heron.",
            ["Ada Quill", "Corvin Drake", "the Heron"],
        ),
        ("Ada Quill, who married Corvin Drake, was called the Heron.", ["Corvin Drake", "the Heron"]),
        ("The daughter of the smith Corvin Drake was called the Heron.", ["Corvin Drake", "the Heron"]),
        ("The town founded by Corvin Drake is called Lisk.", ["Corvin Drake", "Lisk"]),
        ("The disease that killed Corvin Drake is known as the Sweat.", ["Corvin Drake", "the Sweat"]),
        ("The novel by Corvin Drake was also known as the Heron.", ["Corvin Drake", "the Heron"]),
        ("The film starring Corvin Drake became known as the Heron.", ["Corvin Drake", "the Heron"]),
        ("The film starring Corvin Drake, also known as the Heron, ran.", ["Corvin Drake", "the Heron"]),
        (
            "Ada, whose brother knew Corvin Drake, went by the name of the Heron.",
            ["Corvin Drake", "the Heron"],
        ),
        ("Die Frau, die Jonas Weber liebte, wurde der Reiher genannt.", ["Jonas Weber", "Reiher"]),
        ("Das Dorf, das Jonas Weber gründete, ist als Reiher bekannt.", ["Jonas Weber", "Reiher"]),
        ("Perhaps Corvin Drake was called the Heron.", ["Corvin Drake", "the Heron"]),
        ("Corvin Drake was allegedly known as the Heron.", ["Corvin Drake", "the Heron"]),
        ("Angeblich nannte man Jonas Weber den Reiher.", ["Jonas Weber", "Reiher"]),
        ("据说高承岳人称独眼龙。", ["高承岳", "独眼龙"]),
        ("也许独眼龙就是高承岳。", ["高承岳", "独眼龙"]),
        ("他的哥哥就是高承岳。", ["哥哥", "高承岳"]),
        ("The novel by Corvin Drake, also known as the Heron, sold.", ["Corvin Drake", "the Heron"]),
        ("The man who visited the Heron was none other than Corvin Drake.", ["the Heron", "Corvin Drake"]),
        ("The man who killed Corvin Drake became the Warden.", ["Corvin Drake", "the Warden"]),
        ("Die Tochter des Schmieds Jonas Weber wurde der Reiher genannt.", ["Jonas Weber", "Reiher"]),
        ("Who says that Corvin Drake was called the Heron?", ["Corvin Drake", "the Heron"]),
        ("高承岳人称独眼龙吗？", ["高承岳", "独眼龙"]),
        ("Corvin Drake (born in Lisk) sailed.", ["Corvin Drake", "Lisk"]),
        ("Corvin Drake, born Lisk, sailed.", ["Corvin Drake", "Lisk"]),
    ],
)
def test_a_sentence_states_no_alias(text, names):
    assert claims(text, names) == []


@pytest.mark.parametrize(
    ("text", "title", "name"),
    [
        ("Everyone called Edda Vane the Queen.", "the Queen", "Edda Vane"),
        ("Harl Vane became the Warden.", "the Warden", "Harl Vane"),
        ("Mara Venn became the Heron.", "the Heron", "Mara Venn"),
        ("林远成为船长。", "船长", "林远"),
        ("大家都称林远为老师。", "老师", "林远"),
        ("大家都称高承岳为英雄。", "英雄", "高承岳"),
        ("高承岳被村民们称为叛徒。", "叛徒", "高承岳"),
        ("高承岳号称天才。", "天才", "高承岳"),
        ("民族英雄就是高承岳。", "民族英雄", "高承岳"),
        ("大家都叫高承岳大哥。", "大哥", "高承岳"),
        ("双胞胎弟弟就是高承岳。", "双胞胎弟弟", "高承岳"),
        ("The Inspector, whose real name was Corvin Drake, came.", "the Inspector", "Corvin Drake"),
        ("Enrico Dandolo, known as the Doge, sailed.", "the Doge", "Enrico Dandolo"),
        ("The children called Corvin Drake Father.", "Father", "Corvin Drake"),
        ("Mara Venn was called the Secretary-General.", "the Secretary-General", "Mara Venn"),
    ],
)
def test_what_passes_from_one_to_the_next_says_so(text, title, name):
    assert claims(text, [title, name]) == [(title.removeprefix("the ").lower(), name.lower(), True)]


def test_a_sentence_states_two_aliases_of_one_person():
    text = "Corvin Drake was known as the Heron or the Fox."
    assert claims(text, ["Corvin Drake", "the Heron", "the Fox"]) == [
        ("heron", "corvin drake", False),
        ("fox", "corvin drake", False),
    ]


def test_only_key_elements_of_the_chunk_are_names():
    assert claims("The sailors called Corvin Drake the Heron.", ["Corvin Drake", "sailors"]) == []


@pytest.mark.parametrize("before", ["Corvin Drake called ", "Corvin Drake, known as the Heron, sailed "])
def test_a_run_of_quotation_marks_takes_time_in_proportion(before):
    def taken(marks: int) -> float:
        text = f"{before}{marks * chr(39)} Drake left."
        _document, [chunk] = made_document("c", "u", [(text, ["Corvin Drake", "the Heron", "Drake"])])
        start = time.process_time()
        for _ in range(3):
            find_claims(chunk.chunk.text, chunk.facts)
        return time.process_time() - start

    taken(10)
    assert taken(800) < 5 * max(taken(200), 0.005)


_LETTERS = "ab 鹤白-é_"


@given(
    st.lists(st.text(_LETTERS, min_size=1, max_size=4), unique=True, min_size=1),
    st.text(_LETTERS, max_size=30),
)
def test_names_stand_where_a_pattern_of_all_of_them_finds_them(names: list[str], sentence: str):
    def bordered(name: str) -> str:
        return re.escape(name) if is_unspaced(name) else rf"(?<!\w){re.escape(name)}(?!\w)"

    pattern = re.compile("|".join(map(bordered, sorted(names, key=len, reverse=True))))
    assert list(_apart(names, sentence)) == [
        (match.start(), match[0]) for match in pattern.finditer(sentence)
    ]
