"""The normal form of a key element's name, the same at ingestion and in a question."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from workers.core.language.dates import plain_date
from workers.core.language.plurals import is_weekdays, singular, singular_by_rule
from workers.core.language.text import normalise

_AROUND = " \t\n\"'“”‘’«»„`.,;:!?。、"
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_ARTICLE = re.compile(r"^(?:(?:the|an?)\s+)+(?=\S)")
_ABBREVIATION = 4  # letters, at most; few that are said as words have more (NASA)
_DIGIT = re.compile(r"\d")
_ARTICLES = frozenset(("a", "an", "the"))
_POSSESSIVE = re.compile(r"(?<!\d)'s$|(?<=s)'$")
_DECADE = re.compile(r"(?<=\d)'s\b")
_AMPERSAND = re.compile(r"(?<=\w) & (?=\w)")
_SPACED_DASH = re.compile(r"(?<=\w) ?- (?=\w)|(?<=\w) -(?=\w)")
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—−", "-") | {"’": "'", "‘": "'", "ʼ": "'"})
_LETTER = r"[^\W\d_]"
# Two initials or more: each with its point, but for the last where the name or the word ends.
_INITIALS = re.compile(rf"(?<![\w.'])(?:{_LETTER}\. ?)+{_LETTER}(?:\.|(?!\w)(?=$|[^\w\s]))")
_INITIAL = re.compile(rf"(?<![\w.'])({_LETTER}\.)(?={_LETTER}{{2}})")
# Marks over Latin letters only: elsewhere they make another letter (й, が).
_ACCENTS = re.compile(r"(?<=[a-z])[\u0300-\u036f]+")
_LATIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"})


def normalise_element(name: str) -> str:
    """Return the name under which a key element is stored; "" if nothing but punctuation is left.

    Unicode NFKC, case-folded, accents over Latin letters dropped, white space collapsed, dashes and
    apostrophes of one kind, quotes and end punctuation dropped, leading English article and possessive
    dropped, initials together (J. R. R. Tolkien, J.R.R. Tolkien: jrr tolkien), dates as day, month, year, and
    the last word put in the singular where that is safe: an English plural in small letters, or a day of the
    week. Another capitalised last word is a name (Adams is not Adam) and stays. Normalising a normal form
    again changes nothing, unless it is such a name: "adams" no longer shows that it was one.
    """
    shaped = _shaped(name)
    plain = _plain(shaped)
    return plain if _ends_in_name(shaped) else _in_singular(plain)


def element_spellings(name: str) -> tuple[str, ...]:
    """Return the possible normal forms of a name in a question, likeliest first.

    A question does not always capitalise as the text did, so the forms with and without the plural are both
    tried, as is the singular that graphs from before the dictionary contain (ADR 43). A stored name is always
    among its own spellings.
    """
    shaped = _shaped(name)
    plain = _plain(shaped)
    single = _in_singular(plain)
    head, space, last = plain.rpartition(" ")
    former = f"{head}{space}{singular_by_rule(last)}"
    forms = (plain, single, former) if _ends_in_name(shaped) else (single, plain, former)
    return tuple(dict.fromkeys(form for form in forms if form))


def spelled(name: str, spellings: Iterable[str]) -> str:
    """Return a key element's name as documents spell it, for people; unchanged if none does.

    Spellings that differ only in capitals and accents come first, then those with more capitals. Words all in
    capitals come last if they look like a heading: several words, or one of five letters or more that is also
    spelled with fewer capitals (LONDON beside London).

    Args:
        name: the name in normal form.
        spellings: spellings found in documents; some may be other names of the same thing.
    """
    same = [each for each in sorted(spellings) if _folded(each) == name or normalise_element(each) == name]
    capitalised = {_folded(each) for each in same if not each.isupper() and each != each.lower()}

    def likeness(spelling: str) -> tuple[bool, bool, int]:
        folded = _folded(spelling)
        is_long = " " in spelling or (len(spelling) > _ABBREVIATION and folded in capitalised)
        return not (is_long and spelling.isupper()), folded == name, sum(map(str.isupper, spelling))

    return max(same, key=likeness, default=name)


def _ends_in_name(shaped: str) -> bool:
    last = shaped.rpartition(" ")[2]
    return last != last.lower() and not is_weekdays(last.lower())


def _shaped(name: str) -> str:
    if name.isascii():
        return name.strip(_AROUND)
    return unicodedata.normalize("NFKC", name).translate(_DASHES).strip(_AROUND)


def _plain(shaped: str) -> str:
    """Return the name after all rules but the plural's; again and again, until no rule finds anything."""
    folded = _folded(shaped)
    while (again := _trimmed(folded)) != folded:
        folded = _folded(again)
    return folded


def _folded(text: str) -> str:
    folded = normalise(text)
    if folded.isascii():
        return folded
    apart = unicodedata.normalize("NFD", folded.translate(_LATIN))
    return normalise(_ACCENTS.sub("", apart).translate(_DASHES))


def _trimmed(folded: str) -> str:
    text = _without_brackets(folded.strip(_AROUND))
    if "'" in text:
        text = _POSSESSIVE.sub("", _DECADE.sub("s", text))
    if "-" in text:
        text = _SPACED_DASH.sub("-", text)
    if "&" in text:
        text = _AMPERSAND.sub(" and ", text)
    if "." in text:
        text = _INITIAL.sub(r"\1 ", _INITIALS.sub(_joined, text))
    if text.startswith(("a", "the")):
        text = _ARTICLE.sub("", text)
    text = text.strip(_AROUND)
    return (plain_date(text) or text) if _DIGIT.search(text) else text


def _joined(initials: re.Match[str]) -> str:
    letters = re.findall(_LETTER, initials[0])
    together = "".join(letters)
    # A. N. Wilson is not an article and Wilson.
    abbreviation = "".join(f"{letter}." for letter in letters) if together in _ARTICLES else together
    follows = initials.string[initials.end() : initials.end() + 1]
    return f"{abbreviation} " if follows.isalnum() else abbreviation


def _without_brackets(text: str) -> str:
    """Drop brackets around the whole name, and unpaired ones; Mercury (planet) keeps its own."""
    for left, right in _BRACKETS.items():
        if left not in text and right not in text:
            continue
        if text.count(left) != text.count(right):
            return text.strip(left + right)
        if text.startswith(left) and text.find(right) == len(text) - 1:
            return text[1:-1]
    return text


def _in_singular(plain: str) -> str:
    """Put the last word in the singular, then apply the rules again."""
    head, space, last = plain.rpartition(" ")
    word = singular(last)
    return plain if word == last else _in_singular(_plain(f"{head}{space}{word}"))
