"""Tells persons' full names from other names, and how a text uses their short forms."""

from __future__ import annotations

import re

from workers.core.language.name_words import (
    COUNTED,
    GENERIC,
    GIVEN_NAMES,
    HONORIFICS,
    JOINING,
    LEGAL_FORMS,
    PARTICLES,
)

_SHORTEST = 3  # letters of a word that stands for a person
_MOST_WORDS = 3
_OTHER = GENERIC | COUNTED | HONORIFICS | JOINING | LEGAL_FORMS | PARTICLES
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_HAN_NAME = 3  # characters: a family name and a given name of two
# The commonest family names of one character; a name that is missing costs a merge, not an error.
_HAN_FAMILIES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾萧田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭"
    "陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤柳裴霍"
)
# What a person does and a place does not, right after the name.
_ACTS = (
    "said|told|asked|went|came|took|saw|made|gave|found|knew|thought|left|felt|kept|held|brought|began|ran|sat|"
    "stood|lost|met|wrote|spoke|broke|drew|drove|flew|fell|fought|forgot|hid|laid|sang|sent|shook|slept|sold|"
    "spent|stole|swam|swore|taught|threw|woke|wore|built|bought|caught|chose|cut|dug|ate|drank|rode|rang|read|"
    "put|paid|bent|slid|crept|knelt|leapt|wept|led|shut|set|let|says|tells|asks|goes|comes|takes|sees|makes|gives|"
    "finds|knows|thinks|feels|keeps|holds|brings|runs|sits|stands|meets|writes|speaks|lives|works|loves|hates|"
    "wants|was born|is married|was married|was buried|was afraid|could not|"
    "sagte|ging|kam|nahm|sah|gab|fand|kannte|dachte|brachte|lief|stand|verlor|traf|schrieb|sprach|fuhr|fiel|"
    "schlief|trug|baute|fragte|holte|segelte|heiratete"
)
_BEFORE = "with|by|told|asked|met|helped|followed|thanked|married|warned|mit|von|traf|fragte"
_AFTERWARDS = rf",? (?:(?:[a-z]+ly|also|then|never|had|has) )?(?:{_ACTS}|[a-zäöü]+ed|[a-zäöü]+te)\b"
_BEFOREHAND = rf"\b(?:{_BEFORE}) "
_ACT_AFTER, _ACT_BEFORE = re.compile(_AFTERWARDS), re.compile(f"{_BEFOREHAND}$")
_KINDS = (
    "city|town|village|capital|river|country|state|province|county|district|island|lake|mountain|sea|region|"
    "company|firm|band|song|album|film|novel|book|ship|boat|planet|horse|dog|cat|team|club|school|street|"
    "Stadt|Dorf|Fluss|Land|Insel|Schiff"
)
# Normalised names of peoples and languages, which many things have in common.
GENERAL = r".*(?:ian|ean|ish|ese|can|ench|german|dutch|greek|swiss)"
_WITHIN = "in|into|within|throughout|outside|across|capital of|city of|town of|streets of|nach"


def short_forms(name: str) -> tuple[str, ...]:
    """Return the words by which a normalised name may be shortened, as a person's is; () if it is none.

    tobias renn: tobias, renn. 高承岳: 承岳.
    """
    if _HAN.fullmatch(name):
        return (name[1:],) if len(name) == _HAN_NAME and name[0] in _HAN_FAMILIES else ()
    held = name.split()
    if not 1 < len(held) <= _MOST_WORDS or any(word in _OTHER or not word.isalpha() for word in held):
        return ()
    if len(held) == _MOST_WORDS and held[0] not in GIVEN_NAMES:
        return ()
    return tuple(dict.fromkeys(word for word in (held[0], held[-1]) if len(word) >= _SHORTEST))


def is_full_name(name: str) -> bool:
    """Return whether a normalised name is surely a person's full one: red tam and 白狐狸 may be by-names."""
    return name.split(" ", maxsplit=1)[0] in GIVEN_NAMES and bool(short_forms(name))


def may_be_short_form(name: str) -> bool:
    """Return whether a normalised name may be a person's given or family name alone."""
    if _HAN.fullmatch(name):
        return len(name) == _HAN_NAME - 1
    return name.isalpha() and len(name) >= _SHORTEST and name not in _OTHER


def written(name: str) -> str:
    """Return a normalised name as a text writes a name: tobias renn is Tobias Renn."""
    return " ".join(word.capitalize() for word in name.split(" "))


def person_use(name: str) -> str:
    """Return what finds a name used as a person's, for Python and for Java: the whole text fits.

    A given name that many bear is a person's wherever it stands.
    """
    spelled = written(name)
    if _HAN.fullmatch(name) or name.split(" ", maxsplit=1)[0] in GIVEN_NAMES:
        return f"(?s).*{spelled}.*"
    return rf"(?s).*(?:\b{spelled}{_AFTERWARDS}|{_BEFOREHAND}{spelled}\b).*"


def is_person_use(name: str, text: str) -> bool:
    """Return whether `person_use` finds a name in a text; without a pattern for every name."""
    spelled = written(name)
    if _HAN.fullmatch(name) or name.split(" ", maxsplit=1)[0] in GIVEN_NAMES:
        return spelled in text
    at = text.find(spelled)
    while at >= 0:
        end = at + len(spelled)
        whole = not (at and text[at - 1].isalnum())
        if whole and _ACT_AFTER.match(text, end):
            return True
        if _ACT_BEFORE.search(text, 0, at) and not text[end : end + 1].isalnum():
            return True
        at = text.find(spelled, end)
    return False


def other_use(name: str) -> str:
    """Return what finds the same word used for a place or a thing, in the same way."""
    spelled = written(name)
    if _HAN.fullmatch(name):
        return f"(?s).*(?:[在到去往从至]{spelled}|{spelled}[市城县河山省国镇村湖江岛]).*"
    thing = rf"\b{spelled} (?:is|was|ist|war) (?:[\w-]+ ){{0,4}}(?:{_KINDS})\b"
    return rf"(?s).*(?:\b(?:{_WITHIN}) {spelled}\b|{thing}|\b[Tt]he {spelled}\b|\b{name}s?\b).*"
