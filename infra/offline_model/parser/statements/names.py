"""Finds names, dates, numbers and quoted phrases in a text."""

from __future__ import annotations

import re

from infra.offline_model.parser.question.synonyms import STOP_WORDS, is_dense
from workers.core.language.languages import function_words, language_of

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
DATE = re.compile(rf"\b(?:\d{{1,2}} (?:{_MONTHS})(?:,? \d{{3,4}})?|(?:{_MONTHS})(?: \d{{1,2}},?)? \d{{4}})\b")
YEAR = re.compile(r"\b(?:1\d{3}|20\d{2})s?\b|\b\d{1,4} (?:BC|AD)\b")
QUOTED = re.compile(r"[\"“«„「『]([^\"”»“」』]{2,80})[\"”»“」』]")
_UNITS = (
    "met(?:re|er)s?|km|kilomet(?:re|er)s?|miles?|feet|foot|tonnes?|tons?|kg|people|inhabitants|years?|days?|hours?|"
    "minutes?|seconds?|percent|per cent|million|billion|thousand|m|cm|mm|°C|dollars?|euros?|pounds?|"
    "square [a-z]+"
)
NUMBER = re.compile(
    rf"(?<![\w.,-])\d+(?:[.,]\d+)*(?: (?:million|billion|thousand))?(?: ?(?:{_UNITS})\b| ?%|(?![\w-]))"
)
WORD_NUMBER = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|"
    r"seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|hundred|thousand|million|dozen)\b",
    re.IGNORECASE,
)
# Capital letters of Latin, Greek and Cyrillic.
CAPITALS = "A-Z" + "".join(chr(code) for code in range(0xC0, 0x530) if chr(code).isupper())
_CAPITAL = rf"[{CAPITALS}](?:[^\W_]|['’.&-](?=[^\W_]))*"
_PARTICLE = (
    r"(?:of the|of|de la|de|del|della|di|da|van der|van den|van|von|der|du|des|la|le|el|al|bin|ibn|y|for the)"
)
_NAME = re.compile(
    rf"{_CAPITAL}(?:\.(?= {_CAPITAL}))?(?:(?: {_PARTICLE})?[ ](?:{_CAPITAL}|[IVX]+\b)(?:\.(?= [A-Z]))?)*"
)
_FOREIGN = re.compile(r"[\u30a0-\u30ff]{2,}|[\u4e00-\u9fff]{2,}|[a-zA-Z]{3,}|\d{2,}")
_POSSESSIVE = re.compile(r"['’]s?$")
MONTHS = frozenset(_MONTHS.split("|"))
_ALONE_NO_NAME = frozenset(_MONTHS.casefold().split("|")) | {"i", "mr", "mrs", "dr", "bc", "ad", "am", "pm"}
_GERMAN_MONTHS = "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
_GERMAN_ALONE_NO_NAME = _ALONE_NO_NAME | frozenset(_GERMAN_MONTHS.casefold().split("|"))
# In "im Juni von Greta Holm" the month begins no name; in "August Horch" it may.
_GERMAN_MONTH = re.compile(rf"(?:\b(?:[Ii]m|ab|bis|seit)|\d\.) (?:{_GERMAN_MONTHS})(?![\w-])")
_DEMONYM = re.compile(r"(?:ish|ese|ian|ean|ch|can)$")
# Adverbs and others that begin a sentence with a capital letter.
_OPENERS = frozenset(
    """
    although however today later since because according despite meanwhile another many several
    there here when while whereas where what which who whose whom why how did does is are was were
    do can could has have had will would should name give tell list find show please one two three
    four five six seven eight nine ten sixteen twenty first second third most each every either
    neither both together whether once still thus hence moreover furthermore instead like unlike
    upon within without among nobody no none nothing others next then never always often sometimes
    about after before during until near inside outside under above below high
    """.split()  # noqa: SIM905 - a list of words reads best
)


def names(text: str) -> list[str]:
    """Return the names of a text in order: runs of capitalised words, joined by particles."""
    proper_names = []
    german = language_of(text) == "de"
    no_name = function_words("de") if german else frozenset[str]()
    alone_no_name = _GERMAN_ALONE_NO_NAME if german else _ALONE_NO_NAME
    for date in (DATE, _GERMAN_MONTH) if german else (DATE,):
        text = date.sub(lambda found: "," * len(found.group()), text)
    for match in _NAME.finditer(text):
        name = _tidy(match.group(), no_name)
        begins = _begins_sentence(text, match.start())
        ordinary = name.casefold() in alone_no_name or _is_ordinary(name, text, match, begins=begins)
        if name and not ordinary:
            proper_names.append(name)
    return list(dict.fromkeys(proper_names))


def dates(text: str) -> list[str]:
    """Return dates and years in order; a year within a date is not named again."""
    whole = DATE.findall(text)
    rest = DATE.sub(" ", text)
    return list(dict.fromkeys([*whole, *YEAR.findall(rest)]))


def numbers(text: str) -> list[str]:
    """Return numbers with their units, without those of dates."""
    return list(dict.fromkeys(NUMBER.findall(YEAR.sub(" ", DATE.sub(" ", text)))))


def quoted(text: str) -> list[str]:
    """Return the phrases in quotation marks."""
    return QUOTED.findall(text)


def foreign_terms(text: str) -> list[str]:
    """Return what may serve as names in a text without capital letters."""
    if is_dense(text):
        return list(dict.fromkeys(_FOREIGN.findall(text)))
    return list(
        dict.fromkeys(word for word in re.findall(r"[^\W\d_]{5,}", text) if word.casefold() not in STOP_WORDS)
    )


def _tidy(name: str, no_name: frozenset[str]) -> str:
    """Return a name without the words before it that are none.

    Args:
        name: with capital letters.
        no_name: further words of the text's language that are no names.
    """
    words = _POSSESSIVE.sub("", name).split(" ")
    while words and any(words[0].casefold() in some for some in (STOP_WORDS, _OPENERS, no_name)):
        words = words[1:]
    return " ".join(words).removesuffix(".")


def _begins_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \"“'(")
    return not before or before[-1] in ".!?:\n"


def _is_ordinary(name: str, text: str, match: re.Match[str], *, begins: bool) -> bool:
    small = name.casefold()
    if len(name) == 1:
        return True
    if " " in name or not name[1:].islower():
        return False
    if begins and (match.group() == name) and re.search(rf"(?<!\w){re.escape(small)}(?!\w)", text):
        return True  # the same word stands there in small letters
    if begins and small.endswith("ing"):
        return True  # Building went on
    after = text[match.end() : match.end() + 2]
    before = text[: match.start()].rsplit(None, 1)[-1:] or [""]
    adjective = bool(_DEMONYM.search(small)) and after[:1] == " " and after[1:].islower()
    return adjective and before[0].casefold() in ("a", "an", "the")
