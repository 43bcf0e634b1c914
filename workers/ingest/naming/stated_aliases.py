"""Turns aliases that both a profile's reply and a sentence state into separate key elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopline.models.documents import KeyElement
from workers.core import ids
from workers.core.graph.elements import normalise_element
from workers.core.records import AtomicFact
from workers.ingest.naming.claims import find_claims


def name_stated_aliases(collection: str, text: str, facts: Sequence[AtomicFact]) -> tuple[AtomicFact, ...]:
    """Return the facts of a chunk, where aliases that a sentence states are key elements as well.

    Within the chunk a profile's alias means its entity and is no element. Other chapters may call somebody by
    it alone: where a sentence states it, it is to be found and kept as any other statement of a name is.

    Args:
        collection: part of an element's id.
        text: text of the chunk.
        facts: facts of the chunk, with the aliases as spellings of the entities' elements.
    """
    swallowed = {alias.id: (alias, holder) for alias, holder in _swallowed(collection, facts)}
    if not swallowed:
        return tuple(facts)
    probe = facts[0].model_copy(update={"key_elements": tuple(alias for alias, _ in swallowed.values())})
    ends = [(claim.alias, claim.name) for claim in find_claims(text, (*facts, probe))]
    named = list(facts)
    for alias, holder in swallowed.values():
        if (alias.id, holder) in ends or (holder, alias.id) in ends:
            place = _place(named, alias, holder)
            elements = (*named[place].key_elements, alias)
            named[place] = named[place].model_copy(update={"key_elements": elements})
    return tuple(named)


def _swallowed(collection: str, facts: Sequence[AtomicFact]) -> Iterator[tuple[KeyElement, str]]:
    """Yield elements for the spellings that are names of their own, each with the id of whose they are."""
    elements = {element.id: element for fact in facts for element in fact.key_elements}
    for element in elements.values():
        for spelled in element.aliases:
            name = normalise_element(spelled)
            alias = ids.element_id(collection, name)
            if name and alias not in elements:
                yield KeyElement(id=alias, name=name, aliases=(spelled,)), element.id


def _place(facts: Sequence[AtomicFact], alias: KeyElement, holder: str) -> int:
    """Return the place of the first fact of an element that also writes an alias, or else of its first."""
    own = [
        nth for nth, fact in enumerate(facts) if any(element.id == holder for element in fact.key_elements)
    ]
    return next((nth for nth in own if alias.aliases[0] in facts[nth].text), own[0])
