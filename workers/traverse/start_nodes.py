"""Excludes nodes that are not worth starting a walk or path from, because they lead nowhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from hopline.models.search import FoundFact
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.graph.element_kinds import leads_on
from workers.core.graph.surroundings import NamedElement
from workers.core.ports import Ports


def worth_starting(
    names: Mapping[str, str],
    facts: Sequence[FoundFact],
    wanted: frozenset[str],
    *,
    named: Collection[str] = (),
) -> list[str]:
    """Return the elements to start from, in the given order; all of them if none would be left.

    Verbs, adjectives and adverbs are left out, as are figures that the question does not mention, and
    elements that share no word with the question, neither in their name nor in a fact that the search found.

    Args:
        names: names of the elements by id, best first.
        facts: facts that the search found, best first.
        wanted: content words of the question and its parts.
        named: ids of elements that the question's plan names; these stay.
    """
    texts: dict[str, list[str]] = {}
    for fact in facts:
        for element in fact.elements:
            texts.setdefault(element, []).append(fact.text)
    kept = [
        element
        for element, name in names.items()
        if element in named
        or (
            leads_on(name, (texts.get(element) or [""])[0], wanted)
            and _shares(name, texts.get(element), wanted)
        )
    ]
    return kept or list(names)


def _shares(name: str, texts: Sequence[str] | None, wanted: frozenset[str]) -> bool:
    """Return whether an element's name or facts share a word with the question; True without facts."""
    return not texts or not wanted.isdisjoint(terms(name)) or any(overlap(wanted, text) > 0 for text in texts)


def known_starts(elements: Sequence[str], ports: Ports) -> dict[str, NamedElement]:
    """Return the graph's data about elements, by given id, spellings included; one round trip."""
    if not elements:
        return {}
    known = ports.graph.around.elements_found(ports.job.collection, elements, spellings=True)
    return {element.asked: element for element in known}


def judged_already(
    elements: Sequence[str], facts: Sequence[FoundFact], known: Mapping[str, NamedElement]
) -> set[str]:
    """Return the elements whose facts all belong to an earlier element, so that reading adds nothing.

    Args:
        elements: ids, best first.
        facts: facts that the search found.
        known: the elements' data, including how many facts each has.
    """
    of_element = {element: {fact.id for fact in facts if element in fact.elements} for element in elements}
    read: set[str] = set()
    judged: set[str] = set()
    for element in elements:
        own = of_element[element]
        if own and own <= read and element in known and known[element].degree <= len(own):
            judged.add(element)
        else:
            read |= own
    return judged
