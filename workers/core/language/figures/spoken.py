"""Reads the value of a number in words: two hundred and five, двадцать пять, dreihundertfünfzig."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache, lru_cache

from workers.core.language.figures.words import number_words, own_scales, scales

GLUING = frozenset("de nl it sv da no fi hu sk et lv".split())  # noqa: SIM905 - a list of words reads best
_LINKS = {"de": "und", "da": "og", "no": "og", "sv": "och", "nl": "en"}
_SCALES = (1000, 10**6, 10**9)
_TIMES = (100, *_SCALES)
_TEN = 10
_LEFT = {10: 10, 100: 100}  # what may stand before a scale is less; before others, less than these
_FEWEST, _MOST = 6, 130  # letters of a number in one word
_AND = frozenset("and und et y e og och en i и та şi și va و lẻ linh".split())  # noqa: SIM905


def spoken(
    shaped: str, matches: list[re.Match[str]], place: int, language: str
) -> tuple[Decimal | None, int, bool]:
    """Return the value of a number in words, the position after it, and whether it is ordinal."""
    total, ordinal, after = Decimal(0), False, place
    current: Decimal | None = None
    known = scales((language,))
    while after < len(matches):
        between = shaped[matches[after - 1].end() : matches[after].start()] if after > place else ""
        found = _longest(shaped, matches, after, language)
        # As in one million, two hundred thousand.
        goes_on = between == ", " and language == "en" and total and not current and found and found[0] >= 100  # noqa: PLR2004
        if not goes_on and not re.fullmatch(r"[ \u00a0-]?", between):
            break
        word = matches[after].group()
        if found and not (current and not _continues(int(current), found[0]) and found[0] not in _SCALES):
            value, last, ordinal = found
            if value in _SCALES:
                total, current = total + (current or 1) * value, Decimal(0)
            else:
                current = (current or Decimal(0)) + value
            after = last
        elif current is not None and word in known and word != "sto":
            times = known[word]
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
        elif current is None and known.get(word) == 1000 and _goes_on(shaped, matches, after, language):  # noqa: PLR2004
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
        return matches[place + 1].group() in scales(("ro",))
    following = _longest(shaped, matches, place + 1, language) if word in _AND and number % 100 == 0 else None
    return following is not None and following[0] < 1000  # noqa: PLR2004


def _continues(number: int, following: int) -> bool:
    """Return whether another number word continues a number: two hundred | five."""
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
    glued = _glued(word, language) if language in GLUING and _FEWEST <= len(word) <= _MOST else None
    return (glued, place + 1, False) if glued else None


def _nominative(phrase: str, words: dict[str, tuple[int, bool]]) -> tuple[int, bool] | None:
    """Return what Arabic twenty to ninety mean in another case."""
    return words.get(f"{phrase[:-2]}ون") if phrase.endswith("ين") else None


@lru_cache(maxsize=4096)
def _glued(word: str, language: str) -> int | None:
    """Return the value of a number that in one word: dreihundertfünfzig, neljäsataakaksikymmentä."""
    words, _ = number_words(language)
    if word in words and not words[word][1]:
        return words[word][0]
    teen = words.get(word.removesuffix("toista"), (0, False))[0] if language == "fi" else 0
    if 0 < teen < _TEN and word.endswith("toista"):
        return _TEN + teen
    pattern, forms = _glue(language)
    if pattern.search(word) is None:
        return None
    if language == "sv" and word.endswith("et"):
        return _glued(f"{word}t", language)  # tjugoettusen: of three t's one is left out
    for form, times in forms:
        before, found, after = word.partition(form)
        while found:
            left = _glued(before, language) if before else 1
            right = _glued(after.removeprefix(_LINKS.get(language, "")), language) if after else 0
            if left and right is not None and left < _LEFT.get(times, times) and right < times:
                return left * times + right
            further, found, after = after.partition(form)
            before += form + further
    return None


@cache
def _glue(language: str) -> tuple[re.Pattern[str], list[tuple[str, int]]]:
    """Return what finds the words for a hundred, a thousand and more within a word, and their values."""
    kept = (_TEN, *_TIMES) if language == "fi" else _TIMES
    times = {word: int(value) for word, value in own_scales(language).items()}
    times |= {word: value for word, (value, _) in number_words(language)[0].items() if value in kept}
    if language == "it":
        times["cent"] = 100  # centottanta
    bare = [
        word
        for word in times
        if not any(word != each and word.endswith(each) and times[word] == times[each] for each in times)
    ]
    ordered = sorted(bare, key=lambda word: (-times[word], -len(word)))
    return re.compile("|".join(ordered)), [(word, times[word]) for word in ordered]
