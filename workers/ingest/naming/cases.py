"""Finds the key elements of a chunk that are another one's name in another grammatical case."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import permutations

from hopline.models.documents import KeyElement
from workers.core.graph.aliases import NameClaim
from workers.core.graph.elements import normalise_element, spelled
from workers.core.language.languages import language_of
from workers.core.language.name_cases import INFLECTED, is_case_of
from workers.core.language.text import sentences
from workers.core.records import AtomicFact
from workers.ingest.naming.claims import places_apart

_ALIKE = 2  # letters at the beginning of each word
# Before a name that ends in s, it tells a genitive from a family name.
_GENITIVE = re.compile(
    r"\b(?:des|dieses|jenes|jedes|[msk]?eines|unseres|eures|ihres)(?: [\w-]+en){0,2} $", re.IGNORECASE
)


def find_cases(text: str, facts: Sequence[AtomicFact]) -> tuple[NameClaim, ...]:
    """Return which names of a chunk's facts are others of these in another case, told by the text's language.

    The text writes the name in that case, and the facts, or the title, have its nominative. What may be the
    case of two names is none.

    Args:
        text: text of the chunk.
        facts: facts of the chunk.
    """
    groups: defaultdict[tuple[str, ...], dict[str, KeyElement]] = defaultdict(dict)
    for fact in facts:
        for element in fact.key_elements:
            groups[tuple(word[:_ALIKE] for word in element.name.split())][element.id] = element
    alike = [group.values() for group in groups.values() if len(group) > 1]
    if not alike or (language := language_of(text)) not in INFLECTED:
        return ()
    pairs = [pair for group in alike for pair in _cases(group, language)]
    return tuple(claim for pair in pairs if (claim := _claim(text, *pair, language)))


def _cases(elements: Iterable[KeyElement], language: str) -> list[tuple[KeyElement, KeyElement]]:
    """Return the elements that are a case of one other, each with that one."""
    nominatives: defaultdict[str, list[KeyElement]] = defaultdict(list)
    known = {element.id: element for element in elements}
    for element, other in permutations(known.values(), 2):
        common = _in_small_letters(element) | _in_small_letters(other)
        capitals = common.isdisjoint({*element.name.split()} ^ {*other.name.split()})
        if is_case_of(element.name, other.name, language, capitals=capitals):
            nominatives[element.id].append(other)
    found = [
        (known[id_], [name for name in names if name.id not in nominatives])
        for id_, names in nominatives.items()
    ]
    return [(element, names[0]) for element, names in found if len(names) == 1]


def _in_small_letters(element: KeyElement) -> set[str]:
    words = {word for alias in element.aliases for word in alias.split()}
    return {normalise_element(word) for word in words if word[:1].islower()}


def _claim(text: str, element: KeyElement, name: KeyElement, language: str) -> NameClaim | None:
    own = [alias for alias in element.aliases if normalise_element(alias) == element.name]
    for start, end in sentences(text):
        for at, alias in places_apart(own, text[start:end]):
            if language != "de" or _GENITIVE.search(text[start : start + at]):
                return NameClaim(
                    alias=element.id,
                    name=name.id,
                    alias_spelled=alias,
                    name_spelled=spelled(name.name, name.aliases),
                    start=start,
                    end=end,
                )
    return None
