"""The normal form of a key element's name, the same at ingestion and in a question."""

from __future__ import annotations

import re
import unicodedata

from workers.core.text import normalise

_AROUND = " \t\n\"'“”‘’«»„`.,;:!?()[]{}。、"
_ARTICLE = re.compile(r"^(?:the|an?)\s+(?=\S)")
_POSSESSIVE = re.compile(r"'s$|(?<=s)'$")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-") | {"’": "'", "‘": "'", "ʼ": "'"})
_PLURAL = re.compile(r"[a-z]{4,}s")
# Words that end like plurals and are none, and plurals whose singular the rules below would misspell.
_NO_PLURAL = frozenset(
    """
    news lens means series species movies cookies zombies prairies headquarters athens wales thames james
    charles netherlands philippines alps andes
    """.split()  # noqa: SIM905 - a list of words reads best
)
_NO_PLURAL_ENDINGS = ("ss", "us", "is", "os", "as", "ics", "uses", "ises", "oes", "aches")


def normalise_element(name: str) -> str:
    """Return the name under which a key element is stored; "" where nothing but punctuation is left.

    Unicode NFKC, case-folded, white space collapsed, quotes and end punctuation dropped, leading English
    article and possessive dropped, and the last word put in the singular where that is safe: a regular
    English plural in small letters. A capitalised last word is a name (Adams is not Adam) and stays.
    """
    shaped = unicodedata.normalize("NFKC", name).translate(_DASHES).strip(_AROUND)
    head, space, last = shaped.rpartition(" ")
    shaped = f"{head}{space}{_singular(last)}"
    return _plain(shaped)


def element_spellings(name: str) -> tuple[str, ...]:
    """Return the normal forms that a name in a question may stand for, the likeliest first.

    A question does not always capitalise as the text did, so the forms with and without the plural are both
    tried.
    """
    plain = _plain(unicodedata.normalize("NFKC", name).translate(_DASHES).strip(_AROUND))
    forms = (normalise_element(name), plain, normalise_element(plain))
    return tuple(dict.fromkeys(form for form in forms if form))


def _plain(shaped: str) -> str:
    folded = _POSSESSIVE.sub("", normalise(shaped).strip(_AROUND))
    return _ARTICLE.sub("", folded)


def _singular(word: str) -> str:
    if not _PLURAL.fullmatch(word) or word in _NO_PLURAL or word.endswith(_NO_PLURAL_ENDINGS):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return word[:-2]
    return word[:-1]
