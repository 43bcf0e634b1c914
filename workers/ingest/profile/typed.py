"""Checks extracted types, relations and events against the profile and the text; drops the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from hopline.models.documents import KeyElement
from hopline.models.jobs import Json
from workers.core.graph.elements import normalise_element
from workers.core.language.text import normalise
from workers.core.records import AtomicFact, FactEvent, FactRelation, Participant
from workers.ingest.profile.profile import Profile
from workers.ingest.schema import (
    ExtractedFact,
    NamedEntity,
    ProfiledFact,
    ProfiledFacts,
    StatedEvent,
    StatedParticipant,
    StatedRelation,
)

_LONGEST_NAME = 100  # characters, of entities and events
_LONGEST_PART = 200  # characters of a role or an outcome
_MOST_ALIASES = 10  # of an entity in one chunk
_MOST_STATED = 20  # relations, and participants, of one fact
_PRONOUNS = frozenset("i he she it they we you him her them us his hers its their theirs".split())  # noqa: SIM905


class TypedReply:
    """The valid part of a model's reply to a profile.

    Args:
        profile: the profile that was requested.
        reply: the model's reply.
        title: the document's.
        text: text of the chunk.
    """

    def __init__(self, profile: Profile, reply: ProfiledFacts, *, title: str, text: str) -> None:
        self.facts = reply.facts
        self.dropped: Counter[str] = Counter()
        self._profile = profile
        self._held = normalise(f"{title} {text}")
        self._types: dict[str, dict[str, None]] = {}  # by normalised name
        self._spelled: dict[str, str] = {}
        self._aliases: dict[str, dict[str, None]] = {}
        self._meant: dict[str, str] = {}  # normalised alias -> normalised name
        for entity in reply.entities:
            self._take(entity)
        self._take_aliases(reply.entities)

    def names(self, fact: ExtractedFact) -> list[str]:
        """Return the names of a fact's key elements, aliases replaced, most relevant first."""
        named = list(dict.fromkeys(self._full(name) for name in fact.key_elements))
        if not isinstance(fact, ProfiledFact):
            return named
        held = {normalise_element(name) for name in named}
        ends = [
            end for relation in fact.relations[:_MOST_STATED] for end in (relation.source, relation.target)
        ]
        if fact.event:
            ends += [participant.name for participant in fact.event.participants[:_MOST_STATED]]
        full = dict.fromkeys(self._full(end) for end in ends if self._is_named(end, fact, held))
        return list(dict.fromkeys((*full, *named)))

    def complete(self, fact: AtomicFact, stated: ExtractedFact) -> AtomicFact:
        """Return a fact with the types of its key elements, its relations and its event."""
        elements = {element.name: self._typed(element) for element in fact.key_elements}
        fields = {"key_elements": tuple(elements.values())}
        if not isinstance(stated, ProfiledFact):
            return fact.model_copy(update=fields)
        relations = dict.fromkeys(self._relations(stated.relations, elements))
        event = self._event(stated.event, elements) if stated.event else None
        return fact.model_copy(
            update={**fields, "relations": tuple(relations), "events": (event,) if event else ()}
        )

    def counts(self, facts: Iterable[AtomicFact]) -> Json:
        """Count the entities, relations and events of facts by kind, and dropped ones."""
        known = list(facts)
        typed = {element.id for fact in known for element in fact.key_elements if element.types}
        return {
            "entities": len(typed),
            "relations": sum(len(fact.relations) for fact in known),
            "events": sum(len(fact.events) for fact in known),
            "dropped": dict(self.dropped),
        }

    def _take(self, entity: NamedEntity) -> None:
        name = normalise_element(entity.name)
        if entity.type not in self._profile.entities or not name or _too_long(entity.name):
            self.dropped["entities"] += 1
            return
        self._types.setdefault(name, {})[entity.type] = None
        self._spelled.setdefault(name, " ".join(entity.name.split()))

    def _take_aliases(self, entities: Iterable[NamedEntity]) -> None:
        """Keep the aliases that occur in the text; one shared by two, or itself a name, is dropped."""
        bearers: dict[str, set[str]] = {}
        for entity in entities:
            name = normalise_element(entity.name)
            for alias in entity.aliases if name in self._types else ():
                spelling = " ".join(alias.split())
                if normalise_element(alias) == name:
                    continue
                if self._is_alias(spelling):
                    bearers.setdefault(spelling, set()).add(name)
                else:
                    self.dropped["aliases"] += 1
        for spelling, names in bearers.items():
            [name, *others] = names
            seen = self._aliases.setdefault(name, {})
            if others or len(seen) >= _MOST_ALIASES:
                self.dropped["aliases"] += 1
                continue
            seen[spelling] = None
            self._meant[normalise_element(spelling)] = name

    def _is_alias(self, spelling: str) -> bool:
        small = normalise_element(spelling)
        # One word in small letters means many: "captain" is no name, "the Captain" is.
        bare = " " not in spelling and spelling.isascii() and spelling.islower()
        if not small or bare or _too_long(spelling) or small in _PRONOUNS or small in self._types:
            return False
        return _holds(self._held, spelling)

    def _full(self, name: str) -> str:
        """Return an entity's name for its alias; any other name unchanged."""
        small = normalise_element(name)
        return self._spelled.get(self._meant.get(small, small), name)

    def _is_named(self, name: str, fact: ProfiledFact, held: set[str]) -> bool:
        """Return whether a fact names an end: among its key elements or in its words, by whichever name."""
        full = normalise_element(self._full(name))
        if full in held:
            return True
        known = (name, self._spelled.get(full, name), *self._aliases.get(full, ()))
        text = normalise(fact.text)
        return full in self._types and any(_holds(text, form) for form in known)

    def _typed(self, element: KeyElement) -> KeyElement:
        types = tuple(self._types.get(element.name, ()))
        if not types:
            return element
        aliases = dict.fromkeys((*element.aliases, *self._aliases.get(element.name, ())))
        return element.model_copy(update={"types": types, "aliases": tuple(aliases)})

    def _relations(
        self, stated: Iterable[StatedRelation], elements: dict[str, KeyElement]
    ) -> Iterator[FactRelation]:
        for nth, statement in enumerate(stated):
            relation = self._relation(statement, elements) if nth < _MOST_STATED else None
            if relation:
                yield relation
            else:
                self.dropped["relations"] += 1

    def _relation(self, statement: StatedRelation, elements: dict[str, KeyElement]) -> FactRelation | None:
        kind = self._profile.relations.get(statement.type)
        source, target = self._element(statement.source, elements), self._element(statement.target, elements)
        if kind is None or source is None or target is None or source.id == target.id:
            return None
        if not self._profile.joins(statement.type, frozenset(source.types), frozenset(target.types)):
            return None
        if kind.symmetric and target.name < source.name:
            source, target = target, source  # of two directions that say the same, always the same one
        return FactRelation(source=source.id, type=statement.type, target=target.id)

    def _event(self, event: StatedEvent, elements: dict[str, KeyElement]) -> FactEvent | None:
        name = " ".join(event.name.split())
        if event.type not in self._profile.events or not name or _too_long(name):
            self.dropped["events"] += 1
            return None
        taking_part: dict[str, Participant] = {}
        for nth, who in enumerate(event.participants):
            element = self._element(who.name, elements) if nth < _MOST_STATED else None
            if element is None or not element.types or element.id in taking_part:
                self.dropped["participants"] += 1
            else:
                taking_part[element.id] = self._participant(element.id, who)
        return FactEvent(type=event.type, name=name, participants=tuple(taking_part.values()))

    def _participant(self, element: str, who: StatedParticipant) -> Participant:
        texts = [" ".join(part.split()) for part in (who.role, who.outcome)]
        role, outcome = (part if len(part) <= _LONGEST_PART else "" for part in texts)
        if long := sum(len(part) > _LONGEST_PART for part in texts):
            self.dropped["participants"] += long
        return Participant(element=element, role=role, outcome=outcome)

    def _element(self, name: str, elements: dict[str, KeyElement]) -> KeyElement | None:
        """Return which of a fact's key elements a name means."""
        return elements.get(normalise_element(self._full(name)))


def _too_long(name: str) -> bool:
    return len(name) > _LONGEST_NAME


def _holds(text: str, name: str) -> bool:
    """Return whether a normalised text has a name as whole words; where scripts have no spaces, at all."""
    small = re.escape(normalise(name))
    border = r"(?!\w)" if small.isascii() else ""
    before = r"(?<!\w)" if border else ""
    return bool(small) and re.search(before + small + border, text) is not None
