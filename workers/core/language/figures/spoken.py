"""Reads the value of a number in words: two hundred and five, двадцать пять, dreihundertfünfzig."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from workers.core.language.figures.words import TIMES, number_words

_GLUED = {
    "de": (("hundert", 100), ("tausend", 1000)),
    "nl": (("honderd", 100), ("duizend", 1000)),
    "it": (("cento", 100), ("mila", 1000), ("mille", 1000)),
    "sv": (("hundra", 100), ("tusen", 1000)),
    "da": (("hundrede", 100), ("tusinde", 1000)),
    "no": (("hundre", 100), ("tusen", 1000)),
    "fi": (("sataa", 100), ("sata", 100), ("tuhatta", 1000), ("tuhat", 1000), ("kymmentä", 10)),
    "hu": (("száz", 100), ("ezer", 1000)),
    "sk": (("sto", 100), ("tisíc", 1000)),
}
_AND = frozenset("and und et y e og och en i и та şi și va".split())  # noqa: SIM905


def spoken(
    shaped: str, matches: list[re.Match[str]], place: int, language: str
) -> tuple[Decimal | None, int, bool]:
    """Return the value of a number in words, the place behind them, and whether it is ordinal."""
    total, ordinal, after = Decimal(0), False, place
    current: Decimal | None = None
    while after < len(matches):
        joined = after > place and not re.fullmatch(
            r"[ \u00a0-]?", shaped[matches[after - 1].end() : matches[after].start()]
        )
        if joined:
            break
        found = _longest(shaped, matches, after, language)
        word = matches[after].group()
        if found and not (current and not _continues(int(current), found[0]) and found[0] != 1000):  # noqa: PLR2004
            value, last, ordinal = found
            if value == 1000:  # noqa: PLR2004
                total, current = total + (current or 1) * 1000, Decimal(0)
            else:
                current = (current or Decimal(0)) + value
            after = last
        elif current is not None and word in TIMES and len(word) > 2 and word != "sto":  # noqa: PLR2004
            times = TIMES[word]
            if times == 100:  # noqa: PLR2004
                current *= 100
            else:
                total, current = (
                    (total + current) * times
                    if total and total < times
                    else total + (current or (0 if total else 1)) * times,
                    Decimal(0),
                )
            after += 1
        elif current is None and TIMES.get(word) == 1000 and _goes_on(shaped, matches, after, language):  # noqa: PLR2004
            total, current, after = Decimal(1000), Decimal(0), after + 1
        elif current is not None and _joins(shaped, matches, after, language, int(total + current)):
            after += 1
        else:
            break
    return (None if current is None else total + current), after, ordinal


def _goes_on(shaped: str, matches: list[re.Match[str]], place: int, language: str) -> bool:
    """Return whether a smaller number follows a thousand without a number before it: тысяча двести."""
    if place + 1 == len(matches) or shaped[matches[place].end() : matches[place + 1].start()] != " ":
        return False
    following = _longest(shaped, matches, place + 1, language)
    return following is not None and 1 < following[0] < 1000  # noqa: PLR2004


def _joins(shaped: str, matches: list[re.Match[str]], place: int, language: str, number: int) -> bool:
    """Return whether a word joins a number with what follows: two hundred and five, douăzeci de mii."""
    if not number or place + 1 == len(matches):
        return False
    word = matches[place].group()
    if language == "ro" and word == "de":
        return matches[place + 1].group() in TIMES
    following = _longest(shaped, matches, place + 1, language) if word in _AND and number % 100 == 0 else None
    return following is not None and following[0] < 1000  # noqa: PLR2004


def _continues(number: int, following: int) -> bool:
    """Return whether a number in words goes on with another: two hundred | five."""
    return (number % 100 == 0 and following < 100) or (number % 1000 == 0 and following < 1000)  # noqa: PLR2004


def _longest(
    shaped: str, matches: list[re.Match[str]], place: int, language: str
) -> tuple[int, int, bool] | None:
    words, longest = number_words(language)
    for count in range(min(longest, len(matches) - place), 0, -1):
        start, end = matches[place].start(), matches[place + count - 1].end()
        phrase = re.sub(r"[-\u00a0]", " ", shaped[start:end])
        form = words.get(phrase)
        if form is None and count <= 2 and phrase[:1] in "وבהולכש" and len(phrase) > 3:  # noqa: PLR2004
            form = words.get(phrase[1:]) or _nominative(phrase[1:], words)
        form = form or _nominative(phrase, words)
        if form:
            return form[0], place + count, form[1]
    word = matches[place].group()
    glued = _glued(word, language) if len(word) > 7 and language in _GLUED else None  # noqa: PLR2004
    return (glued, place + 1, False) if glued else None


def _nominative(phrase: str, words: dict[str, tuple[int, bool]]) -> tuple[int, bool] | None:
    """Return what Arabic twenty to ninety mean in another case."""
    return words.get(f"{phrase[:-2]}ون") if phrase.endswith("ين") else None


@lru_cache(maxsize=4096)
def _glued(word: str, language: str) -> int | None:
    """Return the value of a number that is written as one word: dreihundertfünfzig."""
    words, _ = number_words(language)
    if word in words and not words[word][1]:
        return words[word][0]
    for glue, times in reversed(_GLUED[language]):
        before, found, after = word.partition(glue)
        if not found:
            continue
        left = 1 if not before else _glued(before, language)
        rest = re.sub("^(?:und|og|och)", "", after)
        right = 0 if not rest else _glued(rest, language)
        if left is not None and right is not None and right < times:
            return left * times + right
    return None
