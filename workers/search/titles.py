"""Ranks chunks higher whose document is about something that the question, or a highly ranked chunk, names.

The next hop of a question is often the document about something that the first hop's passage names: trained
retrievers follow the links from page to page (Asai et al., 2020, Learning to Retrieve Reasoning Paths over
Wikipedia Graph for Question Answering). Here the facts' key elements are the links, and a document's title
says what it is about. Weights and numbers as measured on HotpotQA and MuSiQue (docs/adr/0085).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache

from workers.core.graph.elements import normalise_element
from workers.core.graph.surroundings import SaidChunk
from workers.core.ids import element_id

COMPARED = 20  # chunks, best first, whose titles are looked at
_NAMING = 5  # of them, best first, whose facts' key elements are
_QUALIFIER = re.compile(r"(?<!\s)\s*+[(（][^()（）]*[)）]$")  # "Dublin (Ohio)" is about Dublin


def by_titles(
    passages: Sequence[SaidChunk], scores: Sequence[float], subjects: AbstractSet[str]
) -> dict[str, float]:
    """Return chunk → rank, 0..1, of whatever names its document's title; only chunks with such a title.

    Only the best chunk of a document is raised, because its title counts only once.

    Args:
        passages: the best chunks, best first.
        scores: their scores.
        subjects: ids of the key elements that the question names; they count 1.
    """
    shares: dict[str, float] = {}
    naming: list[tuple[float, frozenset[str], set[str]]] = []  # share, title, key elements
    for passage, score in zip(passages[:_NAMING], scores, strict=False):
        elements = {element for fact in passage.facts for element, _name in fact.elements}
        naming.append((score / scores[0] if scores[0] else 0.0, _title_ids(passage), elements))
    met: set[str] = set()
    for passage in passages:
        if passage.document.id in met:
            continue
        met.add(passage.document.id)
        title = _title_ids(passage)
        named = (share for share, other, held in naming if not title & other and title & held)
        if share := 1.0 if title & subjects else max(named, default=0.0):
            shares[passage.chunk.id] = share
    return shares


def _title_ids(passage: SaidChunk) -> frozenset[str]:
    return _ids(passage.document.collection, passage.document.title)


@lru_cache(maxsize=4096)
def _ids(collection: str, title: str) -> frozenset[str]:
    """Return the ids of the key elements that a title may name, with and without its part in brackets."""
    return frozenset(
        element_id(collection, name)
        for text in (title, _QUALIFIER.sub("", title))
        if (name := normalise_element(" ".join(text.split())))
    )
