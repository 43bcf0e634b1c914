"""Brings the British, the American and the carelessly doubled spelling of a word to one."""

from __future__ import annotations

import re

_SHORTEST = 5  # letters of a key: Anna is not Ana
_ALIKE = (
    (re.compile(r"([^\W\d_])\1"), r"\1"),  # travelled, Patterson
    (re.compile(r"(?<=arch)ae|(?<=medi)ae|(?<=p)ae(?=[do])|^ae(?=sth)|(?<=an)ae(?=[ms])|(?<=man)oe"), "e"),
    (re.compile(r"our(?=\w)|(?<=[^aeiou])our$"), "or"),  # colourful, harbour
    (re.compile(r"(?<=[tb])re(?=s?$)"), "er"),  # theatre, fibre
    (re.compile(r"(?<=\w{3}[iy])s(?=(?:e[drs]?|ing|ations?)$)"), "z"),  # organisation, analyse
    (re.compile(r"(?<=en)c(?=es?$)"), "s"),  # defence
    (re.compile(r"(?<=[aeo]log)ue(?=s?$)"), ""),  # catalogue
)


def spelling_key(word: str) -> str:
    """Return what the spellings of a case-folded word have in common; the word itself if it is short."""
    key = word
    for spelling, common in _ALIKE:
        key = spelling.sub(common, key)
    return key if len(key) >= _SHORTEST else word
