"""Whether two words are cases of one name: Анна and Анной, Kraków and Krakowie, Helsinki and Helsingissä.

An ending that makes another name is no case: Peterson is not Peters, Mariana not Marian, Петров not Пётр.
"""

from __future__ import annotations

import re
from functools import lru_cache

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
    "a ą e ę ě i y o u ů em om am ami ach ách ech ich ích owi ovi ie ia ią ę ego emu im ym iego iemu iej ej "
    "ha ho mu eho emu ova ove ovou ova ou ii iu iom iami iach ow om ech mi"
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
_FINNISH = re.compile(
    r"(?:n|a|ta|tta|ssa|sta|lla|lta|lle|na|ksi|tta|ien|en|in|iin|een|aan|oon|uun|yyn|seen|hon|han|hin|ssaan)$"
)
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
_OF_SHORT = ("a", "y", "i", "e", "ie", "ou", "а", "ы", "и", "і", "е", "у", "ои", "ою")  # Ewa, Ewie
_FLEETING = re.compile(r"[eoеоіё](?=[^aeiouyаеиоуыэюяіїє]$)")
# What makes a family name of a given name, or another name of one: no case of it.
_MADE = re.compile(
    r"(?:s?s[oe]n|n?en|man|mann|t[oaeéi]n|sk[iy]|e[zs]|ov|ev|ova|eva|ova|in|ina|i?ne|ic|ich|vich|wicz|czyk|"
    r"ko|enko|"
    r"ос|ов|ев|ова|ева|ин|ина|ко|енко|ич|вич|скии|ски|ц|янц|ян|[aoe]|ia|io|ie|ina|ino|ell[aeo]|ett[aeo]|"
    r"ell?|ett?|"
    r"ey|ley|ton|ham|by|ini|oni|d[oa]|os)"
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
        word: in small letters, without accents.
        other: the same.
        language: ISO 639-1 code, of what the words stand in.
    """
    if word[:2] != other[:2]:
        return False
    if language == "fi":
        return _finnish(word) == _finnish(other) and len(_finnish(word)) >= _SHORTEST
    if language == "et" and _finnish(word) == _finnish(other):
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


def _finnish(word: str) -> str:
    """Return the skeleton of a Finnish word, in which consonants that change with the case are one."""
    if word.endswith(("nen", "sen", "selle", "selta", "sella", "sessa", "sesta", "seen", "sena", "seksi")):
        found = re.sub(r"(?:nen|s(?:e(?:n|lle|lta|lla|ssa|sta|na|ksi|en)))$", "s", word)
    else:
        found = _FINNISH.sub("", word) if len(word) > _SHORTEST + 1 else word
        found = re.sub(r"(?<=[aeiouy])s$", "", found)  # Hietakangas, Hietakankaan
    stem = found.rstrip("aeiouy")
    stem = stem.replace("ng", "nk").replace("d", "t").replace("v", "p")
    return re.sub(r"k$", "", re.sub(r"([kpt])\1", r"\1", stem))
