"""Finds the key elements that a question names, from its word sequences, without a model.

The ids of key elements are hashes of their normalised names, so every run of words can be looked up by id:
one round trip, whatever the size of the graph. Chinese, Japanese, Thai and some other languages put no spaces
between words; in these, every character counts as a word.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from workers.core.answers.lexical_rank import STOP_WORDS
from workers.core.graph.elements import element_spellings
from workers.core.language.index_words import index_words, sought
from workers.core.language.text import UNSPACED, is_unspaced, words

_LONGEST = 8  # words of a run; longer titles are found by their parts
_LONGEST_UNSPACED = 12  # characters, where words have no spaces between them
_LONGEST_SPELLED = 24  # the same, where they are letters and marks: of Thai, Khmer, Burmese …
_MOST = (
    120  # words of a question that are looked at, the last ones: the story before the question comes first
)
_SPELLED = re.compile(r"[\u0e00-\u1bff\ua980-\uaa7f]")
_TOKEN = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
_EDGES = re.compile(r"^\W++|(?<!\W)\W++$")


@dataclass(frozen=True)
class Mention:
    """A run of words in a question that may be the name of a key element."""

    start: int  # offsets in the question
    end: int
    spellings: tuple[str, ...]  # normal forms, the likeliest first
    named: bool  # written as a name is: with a capital or a digit beyond the first word, or several words


@dataclass(frozen=True)
class Named:
    """A mention with its key element."""

    mention: Mention
    id: str
    name: str
    chunks: int
    degree: int


def mentions_of(question: str) -> list[Mention]:
    """Return the runs of up to eight words (or 12 or 24 characters) that may be names, the longest first."""
    tokens = [_token(match) for match in deque(_TOKEN.finditer(question), _MOST)]
    longest = _longest(question) if any(token.unspaced for token in tokens) else _LONGEST
    mentions = []
    for length in range(min(longest, len(tokens)), 0, -1):
        for first in range(len(tokens) - length + 1):
            run = tokens[first : first + length]
            if mention := _mention(question, run, opening=run[0].start == 0):
                mentions.append(mention)
    return mentions


def _longest(unspaced: str) -> int:
    return _LONGEST_SPELLED if _SPELLED.search(unspaced) else _LONGEST_UNSPACED


def looked_at(text: str) -> int:
    """Count the words of a text for the limit; unspaced characters count as words."""
    return sum(1 for _ in _TOKEN.finditer(text))


class _Token(NamedTuple):
    """A word of a question, looked at once for all runs that it is in."""

    start: int
    end: int
    unspaced: bool  # a character that counts as a word
    capital: bool  # a word that is written as a name is
    content: int  # words in it that are no stop words


def _token(match: re.Match[str]) -> _Token:
    unspaced = is_unspaced(match.group())
    capital = not unspaced and _is_capital(_EDGES.sub("", match.group()))
    return _Token(*match.span(), unspaced, capital, _content(match.group()))


def _content(text: str) -> int:
    return sum(word not in STOP_WORDS for word in words(text))


def _mention(question: str, run: Sequence[_Token], *, opening: bool) -> Mention | None:
    start, end = run[0].start, run[-1].end
    text = question[start:end]
    characters = sum(token.unspaced for token in run)
    content = _content(text) if characters else sum(token.content for token in run)
    spellings = element_spellings(text) if content else ()
    if not spellings:
        return None
    # A question's first word has its capital from its place; with others beside it it may still be a name.
    capital = any(token.capital for token in run[opening:])
    return Mention(start, end, spellings, named=capital or content > 1 or characters > 1)


def _is_capital(word: str) -> bool:
    return bool(word) and not word[0].islower() and word.casefold() not in STOP_WORDS


def chosen(mentions: Sequence[Mention], known: Mapping[str, tuple[str, str, int, int]]) -> list[Named]:
    """Return the mentions of key elements, without those inside a longer one, in the question's order.

    Args:
        mentions: mentions, the longest first.
        known: spelling → (id, name, chunks, degree) of the elements found.
    """
    taken: list[Named] = []
    for mention in mentions:
        element = next((known[spelling] for spelling in mention.spellings if spelling in known), None)
        inside = any(
            name.mention.start <= mention.start and mention.end <= name.mention.end for name in taken
        )
        if element and mention.named and not inside:
            taken.append(Named(mention, *element))
    return sorted(taken, key=lambda name: name.mention.start)


def without(question: str, named: Iterable[Named]) -> str:
    """Return a question without its names; "" if only stop words are left."""
    kept, at = [], 0
    for name in sorted(named, key=lambda name: name.mention.start):
        kept.append(question[at : name.mention.start])  # nothing where two names overlap
        at = max(at, name.mention.end)
    text = " ".join(" ".join([*kept, question[at:]]).split())
    return text if content_words(text) else ""


def content_words(text: str) -> str:
    """Return the words worth a full-text search: stop words would only cost time.

    They are in the forms given by `sought`, each at the position of its last occurrence, because only the end
    of a long text is searched for.
    """
    terms = [term for word in index_words(text) if word not in STOP_WORDS for term in sought(word)]
    return " ".join(reversed(dict.fromkeys(reversed(terms))))
