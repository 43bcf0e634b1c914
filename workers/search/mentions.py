"""Which key elements does a question name? Told from its runs of words, without a model.

The ids of key elements are hashes of their normalised names, so every run of words can be looked up by id:
one round trip, whatever the size of the graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workers.core.elements import element_spellings
from workers.core.ranking import STOP_WORDS
from workers.core.text import words

_LONGEST = 8  # words of a run; longer titles are found by their parts
_MOST = 80  # words of a question that are looked at
_TOKEN = re.compile(r"\S+")
_EDGES = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True)
class Mention:
    """A run of words in a question that may be the name of a key element."""

    start: int  # offsets in the question
    end: int
    spellings: tuple[str, ...]  # normal forms, the likeliest first
    named: bool  # written as a name is: with a capital or a digit beyond the first word, or several words


@dataclass(frozen=True)
class Named:
    """A mention with the key element that it stands for."""

    mention: Mention
    id: str
    name: str
    chunks: int
    degree: int


def mentions_of(question: str) -> list[Mention]:
    """Return the runs of up to eight words that may be names, the longest first."""
    tokens = list(_TOKEN.finditer(question))[:_MOST]
    found = []
    for length in range(min(_LONGEST, len(tokens)), 0, -1):
        for first in range(len(tokens) - length + 1):
            run = tokens[first : first + length]
            if mention := _mention(question, run, opening=first == 0):
                found.append(mention)
    return found


def _mention(question: str, run: Sequence[re.Match[str]], *, opening: bool) -> Mention | None:
    start, end = run[0].start(), run[-1].end()
    text = question[start:end]
    content = [word for word in words(text) if word not in STOP_WORDS]
    spellings = element_spellings(text) if content else ()
    if not spellings:
        return None
    told = [_EDGES.sub("", token.group()) for token in run]
    capital = [
        word
        for nth, word in enumerate(told)
        if word[:1] and not word[:1].islower() and word.casefold() not in STOP_WORDS and (nth or not opening)
    ]
    # A question's first word has its capital from its place; with others beside it it may still be a name.
    return Mention(start, end, spellings, named=bool(capital) or len(content) > 1)


def chosen(mentions: Sequence[Mention], known: Mapping[str, tuple[str, str, int, int]]) -> list[Named]:
    """Return the mentions that key elements bear, without those inside a longer one, in the question's order.

    Args:
        mentions: the longest first.
        known: spelling → (id, name, chunks, degree) of the elements that were found.
    """
    taken: list[Named] = []
    for mention in mentions:
        found = next((known[spelling] for spelling in mention.spellings if spelling in known), None)
        inside = any(one.mention.start <= mention.start and mention.end <= one.mention.end for one in taken)
        if found and mention.named and not inside:
            taken.append(Named(mention, *found))
    return sorted(taken, key=lambda one: one.mention.start)


def without(question: str, named: Iterable[Named]) -> str:
    """Return what a question says beside the names: what it wants to know of them."""
    text = question
    for one in sorted(named, key=lambda one: -one.mention.start):
        text = f"{text[: one.mention.start]} {text[one.mention.end :]}"
    return " ".join(text.split())


def content_words(text: str) -> str:
    """Return the words that a full-text search is worth: stop words would only cost time."""
    return " ".join(dict.fromkeys(word for word in words(text) if word not in STOP_WORDS))
