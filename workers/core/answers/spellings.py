"""The spellings of names in a text: whole, in parts, as initials, as a country's adjective."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from hopline.visible import visible
from workers.core.language.demonyms import is_same_place
from workers.core.language.name_forms import makes_other_name
from workers.core.language.plurals import singular_by_rule
from workers.core.language.text import UNSPACED

# In 秦三娘在IBM工作 the name is IBM.
TOKEN = re.compile(rf"[^\W_{UNSPACED}]+(?:['’.&-][^\W_{UNSPACED}]+)*")
_PARTS = re.compile(r"['’.&-]")
_OWNED = re.compile(r"['’]s?$")
# Particles that may occur between two words of a name.
PARTICLES = ("of", "and", "for", "the", "de", "von", "van")
_WITHIN_NAME = re.compile(rf"\.?\s+(?:(?:{'|'.join(PARTICLES)})\s+)*|\s*&\s*")
_INFLECTED = 3  # letters by which German and Germany may differ
_SHORTEST = 4
_ALSO_WORDS = frozenset(("us", "un", "eu"))  # short forms of names, but in small letters words of a language
_TOKENS_KEPT = 10_000
TEXTS_KEPT = 64  # of chunks or evidence: a few for each thread
_INITIALS, _MOST_INITIALS = 3, 7  # letters that are initials, and not by chance


class Spellings(NamedTuple):
    """Names of a text, for lookups."""

    words: frozenset[str]  # bare, whole, without points and in their parts
    pairs: frozenset[str]  # two words that follow one another, as one
    initials: frozenset[str]  # of names of several words
    capitals: frozenset[str]  # words written in capitals, without points

    def hold(self, name: str) -> bool:
        """Return whether the text contains a word of a name, in any case, number or form."""
        word = bare(name)
        plain = word.replace(".", "")
        if plain in _ALSO_WORDS and is_capitals(name):
            return plain in self.capitals or plain in self.initials
        if word in self.words or plain in self.words or word.replace("-", "") in self.pairs:
            return True
        if is_capitals(name) and plain.removesuffix("s") in self.initials:
            return True
        parts = [part for part in _PARTS.split(word) if part]
        if len(parts) > 1:
            return all(part in self.words or self._inflect(part) for part in parts)
        return self._inflect(word)

    def hold_together(self, names: Sequence[str]) -> bool:
        """Return whether the text contains a name of several words as one word."""
        return len(names) > 1 and "".join(bare(name).replace(".", "") for name in names) in self.words

    def _inflect(self, word: str) -> bool:
        return any(_is_same(word, other) for other in self.words)


@lru_cache(maxsize=TEXTS_KEPT)
def spellings(text: str) -> Spellings:
    """Return the spellings of a text; cached, since all facts of a chunk are looked for in it."""
    shaped = unicodedata.normalize("NFKC", visible(text))
    tokens = TOKEN.findall(shaped)
    words = [bare(token) for token in tokens]
    parts = {part for word in words for part in (word, word.replace(".", ""), *_PARTS.split(word))}
    return Spellings(
        words=frozenset(parts),
        pairs=frozenset(left + right for left, right in pairwise(words)),
        initials=frozenset(initials for name in _names(shaped) for initials in _initials(name)),
        capitals=frozenset(
            bare(part).replace(".", "")
            for token in tokens
            if not token.islower()
            for part in (_unowned(token), *re.split("['’&-]", token))
            if is_capitals(part)
        ),
    )


def phrase(text: str, *, as_written: bool = False) -> str:
    """Return the bare words of a text between spaces, so that whole names can be found in it.

    Args:
        text: any text.
        as_written: whether to keep capitals and accents.
    """
    shape = _unowned if as_written else bare
    return f" {' '.join(shape(token).replace('.', '') for token in TOKEN.findall(visible(text)))} "


def _unowned(token: str) -> str:
    return _OWNED.sub("", token)


@lru_cache(maxsize=_TOKENS_KEPT)
def bare(token: str) -> str:
    """Return a word case-folded, without accents and a possessive ending."""
    folded = unicodedata.normalize("NFKD", _OWNED.sub("", token.casefold()))
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


def is_capitals(token: str) -> bool:
    """Return whether a word is in capitals except for points and a plural ending."""
    letters = token.removesuffix("s").replace(".", "")
    return len(letters) > 1 and letters.isalpha() and letters.isupper()


def follows(between: str) -> bool:
    """Return whether two capitalised words belong to one name, by what separates them."""
    return _WITHIN_NAME.fullmatch(between) is not None


def _names(text: str) -> Iterator[list[str]]:
    """Yield the words of each name of several words; at the beginning of a sentence there may be too many."""
    name: list[str] = []
    end = 0
    for match in TOKEN.finditer(text):
        if not match.group()[0].isupper():
            continue
        if name and not follows(text[end : match.start()]):
            yield name
            name = []
        name.append(match.group())
        end = match.end()
    yield name


def _initials(name: Sequence[str]) -> Iterator[str]:
    """Yield the initials of a name, and of the name without its first or last words."""
    letters = "".join(bare(word)[:1] for word in name)
    for start in range(len(letters)):
        for end in range(start + 2, min(start + _MOST_INITIALS, len(letters)) + 1):
            if end - start >= _INITIALS or end - start == len(letters):
                yield letters[start:end]


def _is_same(word: str, other: str) -> bool:
    if is_same_place(word, other):
        return True
    shorter, longer = sorted((singular_by_rule(word), singular_by_rule(other)), key=len)
    if shorter == longer:
        return True
    return (
        len(shorter) >= _SHORTEST
        and longer.startswith(shorter)
        and len(longer) - len(shorter) <= _INFLECTED
        and not makes_other_name(shorter, longer)
    )
