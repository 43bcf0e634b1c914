"""Leaves out the nodes from which no walk or path need start: code knows that they lead nowhere."""

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
    """Return the elements to start from, in the given order; all of them, where none would be left.

    Left out are verbs, adjectives and adverbs, figures that are not asked about, and elements that share no
    word with the question, neither in their name nor in a fact that the search brought.

    Args:
        names: of the elements by id, best first.
        facts: what the search brought, best first.
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
    """Return whether anything of an element has a word of the question; of what is not known it may."""
    return not texts or not wanted.isdisjoint(terms(name)) or any(overlap(wanted, text) > 0 for text in texts)


def known_starts(elements: Sequence[str], ports: Ports) -> dict[str, NamedElement]:
    """Return what the graph knows of elements, by the ids given, spellings too; one round trip."""
    if not elements:
        return {}
    known = ports.graph.around.elements_found(ports.job.collection, elements, spellings=True)
    return {element.asked: element for element in known}


def judged_already(
    elements: Sequence[str], facts: Sequence[FoundFact], known: Mapping[str, NamedElement]
) -> set[str]:
    """Return the elements all of whose facts an element before them holds, too: reading them brings nothing.

    Args:
        elements: ids, best first.
        facts: what the search brought.
        known: tells how many facts an element has; the search has brought the facts themselves.
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
