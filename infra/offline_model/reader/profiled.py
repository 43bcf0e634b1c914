"""ProfiledFacts: the statements of a chunk, and what a profile's types find in each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from infra.offline_model.reader.cast import Cast, Member
from infra.offline_model.reader.cast_words import Sort
from infra.offline_model.reader.clauses import clauses
from infra.offline_model.reader.extract import LONGEST, MOST_FACTS, closed, elements_of, lines_of
from infra.offline_model.reader.pronouns import Pronouns
from infra.offline_model.reader.relating import Related, marked, relations_of
from infra.offline_model.reader.turning import event_of
from workers.core.text import words

# What in a type's name, or else in its description, says that it is for one of a sort.
_SAID_OF: dict[Sort, frozenset[str]] = {
    "person": frozenset(("person", "character", "someone", "human", "individual", "party")),
    "group": frozenset(("organization", "organisation", "group", "company", "team", "institution")),
    "nation": frozenset(("nation", "country", "state")),
    "region": frozenset(("region", "area")),
    "place": frozenset(("place", "location", "site", "town")),
    "item": frozenset(("item", "thing", "object", "asset", "artifact")),
}
_TAG = re.compile(r"(?:said|asked|answered|replied) (?:\w+ ?){1,3}")  # what is left behind a question
_INSTEAD: dict[Sort, Sort] = {"nation": "place", "region": "place"}


def extract_profiled(given: dict[str, Any]) -> dict[str, Any]:
    """Return {facts, entities} for {profile, title, chapter, text}."""
    profile = given.get("profile") or {}
    title, text = str(given.get("title") or ""), str(given.get("text") or "")
    sentences = list(lines_of(text, title))
    cast = Cast(sentences)
    types = _types(profile.get("entities") or {})
    relations, events = list(profile.get("relations") or {}), list(profile.get("events") or {})
    facts: dict[str, dict[str, Any]] = {}
    told: dict[str, Member] = {}
    stated: set[tuple[str, ...]] = set()
    for fact in _statements(sentences, cast):
        said = marked(Pronouns(cast).inside(fact), cast)
        found = [
            one
            for one in relations_of(said, relations)
            if _fits(one, profile, types) and _is_new(one, profile, stated)
        ]
        event = event_of(marked(fact, cast), events) or event_of(said, events)
        related = {end for one in found for end in (one.source, one.target)}
        told.update((one.name, one) for one in said.members if not one.plain or one in related)
        facts.setdefault(fact, _fact(fact, found, event))
    entities = [_entity(one, kind) for one in told.values() if (kind := _type_of(one, types))]
    return {"facts": list(facts.values())[:MOST_FACTS], "entities": entities}


def _statements(sentences: list[str], cast: Cast) -> Iterator[str]:
    pronouns = Pronouns(cast)
    for sentence in sentences:
        cast.called(sentence, pronouns.last)
        resolved = pronouns.resolved(sentence)
        pronouns.follow(resolved)
        for statement in clauses(resolved):
            if not _TAG.fullmatch(statement.strip(" .")):
                yield closed(statement, sentence)[:LONGEST]


def _fact(fact: str, found: list[Related], event: dict[str, Any] | None) -> dict[str, Any]:
    ends = [one.name for related in found for one in (related.source, related.target)]
    taking_part = [one["name"] for one in (event or {}).get("participants", ())]
    return {
        "text": fact,
        "key_elements": list(dict.fromkeys((*ends, *taking_part, *elements_of(fact, ""))))[:20],
        "relations": [
            {"source": one.source.name, "type": one.type, "target": one.target.name} for one in found
        ],
        "event": event,
    }


def _types(entities: Mapping[str, str]) -> dict[Sort, str]:
    """Return which of the profile's types each sort is: by its name, else by its description."""
    found: dict[Sort, str] = {}
    for sort, said in _SAID_OF.items():
        by_name = [name for name in entities if said & set(words(name))]
        by_told = [name for name, told in entities.items() if said & set(words(str(told)))]
        if by_name or by_told:
            found[sort] = (by_name or by_told)[0]
    return found


def _type_of(one: Member, types: Mapping[Sort, str]) -> str | None:
    if one.sort is None:
        return None
    return types.get(one.sort) or types.get(_INSTEAD.get(one.sort, one.sort))


def _fits(related: Related, profile: Mapping[str, Any], types: Mapping[Sort, str]) -> bool:
    kind = profile["relations"][related.type]
    return _type_of(related.source, types) in kind["from"] and _type_of(related.target, types) in kind["to"]


def _is_new(related: Related, profile: Mapping[str, Any], stated: set[tuple[str, ...]]) -> bool:
    """Tell whether a relation was not stated before, and keep it: a text says again what it says."""
    ends = (related.source.name, related.target.name)
    if profile["relations"][related.type].get("symmetric"):
        ends = (min(ends), max(ends))
    told = (related.type, *ends)
    if told in stated:
        return False
    stated.add(told)
    return True


def _entity(one: Member, kind: str) -> dict[str, Any]:
    return {"name": one.name, "type": kind, "aliases": one.aliases}
