"""Whether two names are cases of one: Анна Иванова and Анной Ивановой, Gartenvereins Birkenau.

This is stricter than `name_forms`, which compares sentences with their sources, because names joined here
become one key element. Both endings of each word must belong to one declension, and a form that may also be
another name does not count: Александра may be Александр's genitive or a woman, Peters a family name.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import permutations, product

from workers.core.language.name_forms import SHIFTS
from workers.core.language.name_words import GIVEN_NAMES

INFLECTED = frozenset(("be", "cs", "de", "el", "fi", "hr", "hu", "pl", "ru", "sk", "sl", "tr", "uk"))
_SHORTEST = 3  # letters of a stem
_LONG = 5  # letters of a stem behind which few endings make another name
_LATIN_SLAVIC = frozenset(("pl", "cs", "sk", "sl", "hr"))
# One declension each, its nominative first, in small letters, Latin ones without accents; _ is no ending.
_CYRILLIC = (
    "_ а у ом ем е і ові", "_ а у ым им е", "а ы е у ой ою", "а и е у ой ою", "а и і у ою",
    "я и е ю ей ею", "я і ю ею", "ия ии ию ией", "ія ії ію ією", "й я ю ем е и", "й я ю єм ї",
    "ь я ю ем е", "ь я ю ем і", "ь и ью", "о а у ом е", "о а у ом і", "е я ю ем", "ие ия ию ием ии",
    "ый ого ому ым ом", "ий его ему им ем", "ий ого ому им ом", "ой ого ому ым ом", "ая ой ую",
    "яя ей юю", "а ої ій у ою", "ое ого ому ым ом", "ее его ему им ем", "е ого ому им", "ы ов ам ами ах",
    "и ов ам ами ах", "и ів ам ами ах", "и ей ям ями ях", "ые ых ым ыми", "ие их им ими",
)  # fmt: skip
_SLAVIC = (
    "_ a u owi em iem ie", "_ a u ovi em e", "_ a u om em", "a y e ie", "a i e ie", "a y e u ou",
    "a e i u o om", "ia ii ie io", "ie ii", "o a u em ie", "o a u em e", "o a u om em", "i iego iemu im",
    "y ego emu ym", "a ej", "a iej", "e ego emu ym", "ie iego iemu im", "y eho emu ym em", "i iho imu im",
    "a e ou", "e eho emu ym em", "i ega emu im em", "i og om im",
)  # fmt: skip
_GREEK = ("οσ ου ο ε", "η ησ", "α ασ", "ο ου", "ι ιου", "ιον ιου", "ιο ιου")
_OF_WOMEN = ("a", "e", "u", "ou", "ie")  # Novotná and Novotnou without accents: no cases of Novotný
# Endings that make a woman's name of a man's, or a family name of a given one: Jana of Jan, Παύλου of Παύλος.
_EITHER = {
    "cyrillic": frozenset((("_", "а"), ("й", "я"), ("ь", "я"), ("о", "а"), ("ая", "ой"))),
    "slavic": frozenset([*permutations(("_", "a", "e", "o", "i", "ia", "ie"), 2), *product(_OF_WOMEN, "y")]),
    "greek": frozenset((("οσ", "ου"),)),
}
_SHIFTING = ("e", "ie", "е", "і")
_HUNGARIAN = re.compile(r"(?:[bn][ae][nk]|[btr]ol|h[oe]z|v[ae]l|n[ae]l|ert|kent)")
_TURKISH = re.compile(r"'(?:n?[iu]n|y?[iuea]|[dt][ea]n?|y?l[ea])")
_FINNISH = re.compile(r"(?:ssa|sta|lla|lta|lle|ksi|n)$")
_GRADES = re.compile(r"(?P<sign>[kpt])(?P=sign)")


def is_case_of(name: str, nominative: str, language: str, *, capitals: bool = True) -> bool:
    """Return whether a name in normal form is a case of another one, which is its nominative.

    Args:
        name: the name in normal form.
        nominative: the same.
        language: ISO 639-1 code, of the text that has both.
        capitals: whether the words that differ may be names; else they are common nouns.
    """
    cases, words = name.split(), nominative.split()
    if name == nominative or len(words) != len(cases):
        return False
    pairs = [pair for pair in zip(words, cases, strict=True) if pair[0] != pair[1]]
    found = [_compare(*pair, language) for pair in pairs]
    return None not in found and (not capitals or True in found)


@lru_cache(maxsize=10_000)
def _compare(word: str, other: str, language: str) -> bool | None:
    """Return whether a word is surely the nominative of another; None if it is not.

    False: it is that of a common noun, but of names the two may be different ones.
    """
    if word in GIVEN_NAMES and other in GIVEN_NAMES:
        return None
    if "\u0400" <= word[0] <= "\u04ff":
        return _declined(word, other, _CYRILLIC, "cyrillic")
    if "\u0370" <= word[0] <= "\u03ff":
        return _declined(word, other, _GREEK, "greek")
    if language in _LATIN_SLAVIC:
        return _declined(word, other, _SLAVIC, "slavic")
    if language == "fi":
        return _finnish(word, other)
    ending = other.removeprefix(word) if other.startswith(word) and len(word) > _SHORTEST else ""
    return True if _is_ending(ending, word, language) else None


def _is_ending(ending: str, word: str, language: str) -> bool:
    match language:
        case "de":  # who asks knows that an article tells the genitive
            return ending in {"s", "es"} and word not in GIVEN_NAMES
        case "tr":
            return _TURKISH.fullmatch(ending) is not None
        case "hu":
            is_accusative = ending in {"t", "et", "ot"} and len(word) >= _LONG
            return is_accusative or _HUNGARIAN.fullmatch(ending) is not None
        case _:
            return False


def _declined(word: str, other: str, declensions: tuple[str, ...], kind: str) -> bool | None:
    found: bool | None = None
    for declension in declensions:
        first, *endings = declension.split()
        for ending in endings:
            if _fits(word, first, other, ending):
                is_sure = (first, ending) not in _EITHER[kind] or _is_sure(word, first, other, ending)
                found = found or is_sure
    return found


def _is_sure(word: str, first: str, other: str, ending: str) -> bool:
    """Return whether endings that may make another name do not: Anny of Anna, Krakowie of Kraków, Praze."""
    stem = _stem(other, ending)
    return (
        (ending == "y" and word in GIVEN_NAMES)
        or (ending == "ie" and len(stem) >= _LONG and stem.endswith("w"))
        or (ending == "e" and stem.endswith("ov"))
        or stem != _stem(word, first)
    )


def _fits(one: str, first: str, two: str, second: str) -> bool:
    stem, other = _stem(one, first), _stem(two, second)
    if stem == other:
        return len(stem) >= _SHORTEST
    if len(stem) != len(other) or len(stem) < _SHORTEST:
        return False
    shifted = stem[:-1] + stem[-1].translate(SHIFTS)
    return second in _SHIFTING and shifted == other


def _stem(word: str, ending: str) -> str:
    if ending == "_":
        return word if word[-1] not in "аеиоуыэюяіїєьйaeiouy" else ""
    return word.removesuffix(ending) if word.endswith(ending) else ""


def _finnish(word: str, other: str) -> bool | None:
    ending = _FINNISH.search(other)
    if ending is None or _FINNISH.search(word.removesuffix("nen")):
        return None
    stem = other[: ending.start()]
    if word.endswith("nen"):
        stems = [f"{word[:-3]}se"]
    elif word.endswith("i"):
        stems = [word, f"{word[:-1]}e"]
    else:
        stems = [f"{word}e" if word.endswith("e") else word]
        stems += [f"{word}i"] if word[-1] not in "aeiouy" else []
    if len(stem) <= _SHORTEST or _graded(stem) not in map(_graded, stems):
        return None
    return ending[0] != "n" or word.endswith("nen") or len(word) > _LONG  # Kari, and Karin is a woman


def _graded(stem: str) -> str:
    """Return a stem whose two consonant grades look alike: Helsinki, Helsingi-."""
    return _GRADES.sub(r"\g<sign>", stem.replace("ng", "nk").replace("d", "t"))
