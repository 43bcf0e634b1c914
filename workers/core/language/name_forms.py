"""Whether two words are cases of one name: Анна and Анной, Kraków and Krakowie, Helsinki and Helsingissä.

An ending that makes another name is no case: Peterson is not Peters, Mariana not Marian, Петров not Пётр.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, lru_cache
from typing import NamedTuple

from workers.core.language.name_words import GIVEN_NAMES

_SHORTEST = 3  # letters of a stem
_CYRILLIC = re.compile(r"[\u0400-\u04ff]")
_GREEK = re.compile(r"[\u0370-\u03ff]")
# Endings of cases and, for adjectives, of genders, as words are compared: in small letters, without accents.
# Grammars list no others for names.
_CYRILLIC_ENDINGS = (
    "а я о е э ы и у ю ь ои еи ою ею ом ем ам ям ами ями ах ях ии ыи ого его ому ему ым им ая яя ое ее "
    "ую юю ых их ыми ими ию иеи ием ия ие ии иях іи і ї ові еві єм їв єю ою ові ському ка ку ці ко ове ове"
)
_SLAVIC_ENDINGS = (
    "a ą e ę ě i y o u ů em om am ami ach ách ech ich ích owi ovi ie ia ią ę ego emu im ym iem iego iemu iej "
    "ej ha ho mu eho emu ova ove ovou ova ou ii iu iom iami iach ow om ech mi"
)
_ENDINGS = {
    "de": "s es ens",
    "tr": (
        "i ı u ü in ın un ün a e da de ta te dan den tan ten ya ye yi yı yu yü la le yla yle nin nın nun nün"
    ),
    "hu": (
        "t at et ot ban ben ba be bol ra re rol n on en an hoz hez nal nel tol nak nek val vel ig e a i "
        "ert kent "
        "kal kel tal tel rral ssal ssel"
    ),
    "lv": "s a is us e u am im ai ei ei as es i os is ie iem am ja jas jai jam ju a",
    "lt": "as is us e o io aus os es ui iui ai ei a i u iu uje yje oje eje e um imi umi",
    "et": "i e u a sse s st le l lt ks ga ni na ta d t",
    "ro": "ul ului lui ei i a e u le",
    "el": "ς σ α ας η ης ο ος ου ον ων οι ους ες ε",
    "hr": _SLAVIC_ENDINGS + " om em",
    "nl": "s",
    "sv": "s",
    "da": "s",
    "no": "s",
    "id": "nya",
    "ms": "nya",
    "es": "s es",
    "pt": "s es",
    "fr": "s x",
    "it": "",
    "ca": "s",
}
_ENDINGS |= dict.fromkeys(("pl", "cs", "sk", "sl"), _SLAVIC_ENDINGS)
# Finnic words change their last consonants where a case closes the syllable: Virta, Virran; Sepp, Sepa.
_GRADES = {
    "fi": ("kk:k pp:p tt:t nk:ng mp:mm nt:nn lt:ll rt:rr lk:l lk:lj rk:r rk:rj hk:h hk:hj k: k:v p:v t:d"),
    "et": "kk:k pp:p tt:t nd:nn ld:ll rd:rr mb:mm sk:s hk:h ht:h rb:rv lb:lv b: b:v d: g:",
}
_UNGRADED = {"fi": "sk st sp tk ts", "et": "st sp"}
_CLOSING = {
    "fi": ("n", "t", "ssa", "sta", "lla", "lta", "lle", "ksi", "tta"),
    "et": ("", "s", "st", "l", "lt", "le", "sse", "ks", "ga", "ni", "na", "ta", "d"),
}
_OPEN = ("", "a", "ta", "na", "en", "jen", "ten", "hin", "han", "hon", "hun", "seen", "siin")
_VOWELS = "aeiouy"
# Consonants that change before an ending: Praha, Praze.
SHIFTS = str.maketrans({"h": "z", "g": "z", "k": "c", "г": "з", "к": "ц", "х": "с"})
# The same where it takes other letters, as words are compared: Zawierusze, Pradze, Barbarze, Marcie, Průše.
_SHIFTED = (
    ("sz", "ch"),
    ("dz", "g"),
    ("dz", "d"),
    ("rz", "r"),
    ("c", "t"),
    ("s", "ch"),
    ("l", "ł"),
    ("с", "х"),
)
_SOFTENING = ("e", "i", "ie", "е", "и", "і")
_OF_SHORT = frozenset("a y i e ie ou а ы и і е у ои ою я ю ем єм".split())  # noqa: SIM905 - Ewa, Ewie; Гай, Гая
_FLEETING = re.compile(r"[eoеоіё](?=[^aeiouyаеиоуыэюяіїє]$)")
# What makes a family name of a given name, or another name of one: no case of it.
_MADE = re.compile(
    r"(?:s?s[oe]n|n?en|man|mann|t[oaeéi]n|sk[iy]|e[zs]|ov|ev|ova|eva|ova|in|ina|i?ne|ic|ich|vich|wicz|czyk|"
    r"ko|enko|"
    r"ос|ов|ев|ова|ева|ин|ина|ко|енко|ич|вич|скии|ски|ц|янц|ян|[aoe]|ia|io|ie|ina|ino|ell[aeo]|ett[aeo]|"
    r"ell?|ett?|"
    r"ey|ley|ton|ham|by|ini|oni|d[oa]|os|la)"
)


def makes_other_name(shorter: str, longer: str) -> bool:
    """Return whether a longer bare word is another name made of a shorter one, and no form of it."""
    if shorter == longer:
        return False
    if shorter in GIVEN_NAMES and longer in GIVEN_NAMES:
        return True
    if _CYRILLIC.match(shorter):
        return _MADE.fullmatch(longer[len(shorter) :]) is not None and len(longer) - len(shorter) > 1
    return _MADE.fullmatch(longer[len(shorter) :]) is not None


@lru_cache(maxsize=10_000)
def is_name_form(word: str, other: str, language: str) -> bool:
    """Return whether two bare words are cases of one name.

    Args:
        word: the word in lower case, without accents.
        other: the same.
        language: ISO 639-1 code of the words' text.
    """
    if word[:2] != other[:2]:
        return False
    if language == "fi":
        is_other = word in GIVEN_NAMES and other in GIVEN_NAMES and f"{word}n" != other != word[:-1]
        return not is_other and any(
            _is_one_noun(one, two) for one in _finnish(word) for two in _finnish(other)
        )
    if language == "et" and (_is_graded(word, other) or _is_graded(other, word)):
        return True
    endings = _endings("cyrillic" if _CYRILLIC.match(word) else "el" if _GREEK.match(word) else language)
    if not endings:
        return False
    slavic = bool(_CYRILLIC.match(word)) or language in {"pl", "cs", "sk", "sl", "hr"}
    return not _stems(word, endings, slavic=slavic).isdisjoint(_stems(other, endings, slavic=slavic))


@lru_cache(maxsize=32)
def _endings(language: str) -> tuple[str, ...]:
    words = _CYRILLIC_ENDINGS if language == "cyrillic" else _ENDINGS.get(language, "")
    return tuple(sorted({*words.replace("ς", "σ").split(), ""}, key=len, reverse=True)) if words else ()


@lru_cache(maxsize=20_000)
def _stems(word: str, endings: tuple[str, ...], *, slavic: bool) -> frozenset[str]:
    found = set()
    for ending in endings:
        stem = word.removesuffix(ending) if ending else word
        if slavic and len(stem) + 1 == _SHORTEST and ending in _OF_SHORT:
            found.add(stem)
        if (ending and stem == word) or len(stem) < _SHORTEST:
            continue
        found.add(stem)
        if slavic:
            if ending in _SOFTENING:
                found.add(stem[:-1] + stem[-1].translate(SHIFTS))
                found.update(stem.removesuffix(soft) + hard for soft, hard in _SHIFTED if stem.endswith(soft))
            if len(stem) > _SHORTEST:
                found.add(_FLEETING.sub("", stem))
            if ending and not ending.startswith(("e", "i", "е", "и")):
                found.add(stem[:-1] + stem[-1].translate(SHIFTS))
    return frozenset(found)


class _Noun(NamedTuple):
    """A reading of a Finnish word."""

    stem: str  # to its last consonants
    vowel: str  # behind them; i before an ending may be e
    kind: str  # "closed" before an ending that closes the syllable, "long" vowel, nominative in "e" or "s"


@lru_cache(maxsize=20_000)
def _finnish(word: str) -> frozenset[_Noun]:
    found = {_noun(f"{word[:-3]}se", "")} if word.endswith("nen") else set()
    if word[-2:-1] in _VOWELS and word.endswith("s"):  # Hietakangas, Hietakankaan; Markus, Markuksen
        found |= {_noun(word[:-1], "s"), _noun(f"{word[:-1]}kse", "")}
    if word[-1:] not in _VOWELS:  # Vesterholm, Vesterholmin
        found.add(_noun(f"{word}i", ""))
    if word.endswith("si"):  # Haukivesi, Haukiveden
        found.add(_noun(f"{word[:-2]}ti", ""))
    for endings, kind in ((_CLOSING["fi"], "closed"), (_OPEN, "")):
        for ending in endings:
            base = word.removesuffix(ending)
            if len(base) < _SHORTEST or (ending and base == word):
                continue
            if ending in {"ta", "ten"} and base[-1] in "slnr":  # Virtasta, Saarten
                base += "e"
            if base[-1] in _VOWELS:
                found.add(_noun(base, kind if ending or base[-1] != "e" else "e"))
    return frozenset(found)


def _noun(base: str, kind: str) -> _Noun:
    is_long = base[-1] == base[-2]
    vowel = base[-1].replace("i", "e")
    return _Noun(base[:-2] if is_long else base[:-1], vowel, "long" if is_long else kind)


def _is_one_noun(one: _Noun, two: _Noun) -> bool:
    if one.vowel != two.vowel:
        return False
    kinds = {one.kind, two.kind}
    if one.stem == two.stem:
        return len(one.stem) >= _SHORTEST and ("s" not in kinds or kinds <= {"s", "long"})
    return any(
        weak.stem in _weak(strong.stem, "fi")
        and (weak.kind == "closed" or (weak.kind in {"e", "s"} and strong.kind == "long"))
        for weak, strong in ((one, two), (two, one))
    )


def _is_graded(word: str, other: str) -> bool:
    """Return whether an Estonian word is in its strong grade and another one in its weak: Kask, Kase."""
    stems = {word, word[:-1] if word[-1] in _VOWELS else word}
    bases = {other.removesuffix(ending) for ending in _CLOSING["et"] if other.endswith(ending)}
    return any(
        base[:-1] in _weak(stem, "et") for stem in stems for base in bases if base and base[-1] in _VOWELS
    )


def _weak(stem: str, language: str) -> list[str]:
    """Return a stem in its weak grade; nothing if it has no other one."""
    grades = _grades(language)
    strong = next((each for each in (stem[-2:], stem[-1:]) if each in grades), None)
    return [] if strong is None else [stem.removesuffix(strong) + weak for weak in grades[strong]]


@cache
def _grades(language: str) -> dict[str, list[str]]:
    """Return the weak grades of each strong one."""
    found: dict[str, list[str]] = defaultdict(list)
    for strong, _, weak in (pair.partition(":") for pair in _GRADES[language].split()):
        found[strong].append(weak)
    for strong in _UNGRADED[language].split():
        found[strong] = []
    return found
