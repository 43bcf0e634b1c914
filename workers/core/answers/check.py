"""Checks that the numbers, dates and names in a sentence appear in the text that it cites."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from workers.core.answers.lexical_rank import STOP_WORDS, terms
from workers.core.language.decimals import is_rounded
from workers.core.language.numerals import each_number, is_month, is_spelled, months
from workers.core.language.text import UNSPACED, sentences
from workers.core.language.visible import visible

# In 秦三娘在IBM工作 the name is IBM.
_TOKEN = re.compile(rf"[^\W_{UNSPACED}]+(?:['’.&-][^\W_{UNSPACED}]+)*")
_PARTS = re.compile(r"['’.&-]")
_OWNED = re.compile(r"['’]s?$")
_MARKER = re.compile(r"\s*\[\d+(?:\s*[,;\-]\s*\d+)*\]")
_INFLECTED = 3  # letters by which German and Germany may differ
_SHORTEST = 4
# Words that a sentence may begin with although no source says them: they join, they do not tell.
_OPENERS = frozenset(
    """
    additionally according although another because besides consequently despite due finally furthermore
    hence however instead later like meanwhile moreover nevertheless next no one several similarly since
    still therefore thus today together two unlike upon yes yet first second within without among around
    along many every either overall
    """.split()  # noqa: SIM905 - a list of words reads best
)
# Those of them that begin no name, also where one follows at once: Besides Africa, Unlike Germany.
_BEFORE_NAMES = frozenset(
    "according although among because besides despite unlike upon within without around".split()  # noqa: SIM905
)
_ORDINARY_ENDINGS = ("ly", "tion", "sion", "ing", "ment", "ness", "ship", "ances")


def without_markers(text: str) -> str:
    """Return a sentence in one line, without citation markers that its writer put into it."""
    return " ".join(_MARKER.sub("", text).split())


def missing_numbers(sentence: str, stands: str) -> list[str]:
    """Return the numbers and months of a sentence that are missing in the text, as written.

    A decimal stands there rounded, too, and a share in percent; see `core.language.decimals`.
    """
    stated = list(each_number(stands))
    known = {one.value for one in stated}
    lacking: dict[str, str] = {}
    for one in each_number(sentence):
        if one.value not in known and not is_rounded(one, stated):
            lacking.setdefault(one.value, one.text)
    named = {token.casefold() for token, _first in _capitalised(sentence) if is_month(token)}
    return [*lacking.values(), *sorted(named - months(stands))]


def missing_names(sentence: str, stands: str, ordinary: str = "") -> list[str]:
    """Return the names of a sentence that are missing in the text.

    Args:
        sentence: what was written. Names are its words with a capital letter.
        stands: the text that must hold them.
        ordinary: text of the same matter; a word that begins a sentence and stands there in small letters is
            no name.
    """
    small = _small_words(f"{stands} {ordinary}")
    names = [
        token
        for token, first in _capitalised(sentence)
        if not is_month(token) and not (first and _is_ordinary(token, small))
    ]
    return absent(names, stands) if names else []


def absent(names: Sequence[str], text: str) -> list[str]:
    """Return the names that are missing in the text in any case or number."""
    known = _forms(text)
    return [name for name in dict.fromkeys(names) if not _stands(name, known)]


def speaks_of(sentence: str, stands: str) -> bool:
    """Return whether a sentence shares at least one content word with its source."""
    said = terms(sentence)
    return not said or bool(said & terms(stands))


def _capitalised(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the capitalised words, and whether each is capitalised only as the first of its sentence."""
    shaped = unicodedata.normalize("NFKC", visible(text))
    for start, end in sentences(shaped):
        found = list(_TOKEN.finditer(shaped, start, end))
        tokens = [one.group() for one in found]
        for place, token in enumerate(tokens):
            if token.islower() or token.isdigit() or not any(letter.isupper() for letter in token):
                continue
            if len(token) == 1 or _bare(token) in STOP_WORDS:
                continue
            begins = place == 0 and token[1:].islower()
            word = token.casefold()
            comma = word in _OPENERS and shaped.startswith(",", found[0].end())  # Yes, Ada did
            apart = comma or word in _BEFORE_NAMES
            yield token, begins and (apart or not (len(tokens) > 1 and tokens[1][0].isupper()))


def _is_ordinary(token: str, small: frozenset[str]) -> bool:
    word = token.casefold()
    return word in _OPENERS or word in small or is_spelled(word) or word.endswith(_ORDINARY_ENDINGS)


def _bare(token: str) -> str:
    return _OWNED.sub("", token.casefold())


def _forms(text: str) -> frozenset[str]:
    """Return the words of a text whole, without points, and in their parts."""
    found: set[str] = set()
    for token in _TOKEN.findall(unicodedata.normalize("NFKC", visible(text))):
        word = _bare(token)
        found.update((word, word.replace(".", ""), *_PARTS.split(word)))
    return frozenset(found)


def _small_words(text: str) -> frozenset[str]:
    return frozenset(
        token for token in _TOKEN.findall(unicodedata.normalize("NFKC", visible(text))) if token.islower()
    )


def _stands(token: str, known: frozenset[str]) -> bool:
    word = _bare(token)
    if word in known or word.replace(".", "") in known:
        return True
    parts = [part for part in _PARTS.split(word) if part]
    if len(parts) > 1:
        return all(part in known for part in parts)
    return any(_same_root(word, other) for other in known)


def _same_root(word: str, other: str) -> bool:
    shorter, longer = sorted((word, other), key=len)
    return (
        len(shorter) >= _SHORTEST and longer.startswith(shorter) and len(longer) - len(shorter) <= _INFLECTED
    )
