"""ProfiledFacts: extracts the statements of a chunk, with the profile's types in each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from infra.offline_model.parser.chinese.profiled import read_chinese
from infra.offline_model.parser.chinese.words import is_chinese
from infra.offline_model.parser.extracted_facts import LONGEST, MOST_FACTS, closed, elements_of, lines_of
from infra.offline_model.parser.statements.cast import Cast, Member
from infra.offline_model.parser.statements.cast_words import Sort
from infra.offline_model.parser.statements.clauses import clauses
from infra.offline_model.parser.statements.pronouns import Pronouns
from infra.offline_model.parser.statements.relations import Related, Stated, marked, relations_of
from infra.offline_model.parser.statements.turning_points import event_of
from workers.core.language.text import words

# What in a type's name, or else in its description, says that it is for one of a sort.
_SAID_OF: dict[Sort, frozenset[str]] = {
    "person": frozenset(("person", "character", "someone", "human", "individual", "party", "人物", "角色")),
    "group": frozenset(("organization", "organisation", "group", "company", "team", "institution", "组织")),
    "nation": frozenset(("nation", "country", "state", "国家")),
    "region": frozenset(("region", "area", "地区")),
    "place": frozenset(("place", "location", "site", "town", "地点")),
    "item": frozenset(("item", "thing", "object", "asset", "artifact", "物品")),
}
_TAG = re.compile(r"(?:said|asked|answered|replied) \w++(?: \w++){0,2}")  # what is left behind a question
_INSTEAD: dict[Sort, Sort] = {"nation": "place", "region": "place"}


def extract_profiled(material: dict[str, Any]) -> dict[str, Any]:
    """Return {facts, entities} for {profile, title, chapter, text}."""
    profile = material.get("profile") or {}
    title, text = str(material.get("title") or ""), str(material.get("text") or "")
    read = read_chinese if is_chinese(text) else _read
    types = _types(profile.get("entities") or {})
    facts: dict[str, dict[str, Any]] = {}
    members: dict[str, Member] = {}
    stated: set[tuple[str, ...]] = set()
    for statement in read(
        list(lines_of(text, title)), [*profile.get("relations", {})], [*profile.get("events", {})]
    ):
        relations = [
            related
            for related in statement.related
            if _fits(related, profile, types) and _is_new(related, profile, stated)
        ]
        ends = {end for related in relations for end in (related.source, related.target)}
        members.update(
            (member.name, member) for member in statement.members if not member.plain or member in ends
        )
        facts.setdefault(statement.text, _fact(statement, relations))
    entities = [_entity(member, kind) for member in members.values() if (kind := _type_of(member, types))]
    return {"facts": list(facts.values())[:MOST_FACTS], "entities": entities}


def _read(sentences: list[str], relations: Sequence[str], events: Sequence[str]) -> Iterator[Stated]:
    cast = Cast(sentences)
    for fact in _statements(sentences, cast):
        marked_fact = marked(Pronouns(cast).inside(fact), cast)
        event = event_of(marked(fact, cast), events) or event_of(marked_fact, events)
        yield Stated(
            fact,
            list(relations_of(marked_fact, relations)),
            event,
            marked_fact.members,
            elements_of(fact, ""),
        )


def _statements(sentences: list[str], cast: Cast) -> Iterator[str]:
    pronouns = Pronouns(cast)
    for sentence in sentences:
        cast.called(sentence, pronouns.last)
        resolved = pronouns.resolved(sentence)
        pronouns.follow(resolved)
        for statement in clauses(resolved):
            if not _TAG.fullmatch(statement.strip(" .")):
                yield closed(statement, sentence)[:LONGEST]


def _fact(statement: Stated, relations: list[Related]) -> dict[str, Any]:
    ends = [end.name for related in relations for end in (related.source, related.target)]
    taking_part = [who["name"] for who in (statement.event or {}).get("participants", ())]
    return {
        "text": statement.text,
        "key_elements": list(dict.fromkeys((*ends, *taking_part, *statement.elements)))[:20],
        "relations": [
            {"source": related.source.name, "type": related.type, "target": related.target.name}
            for related in relations
        ],
        "event": statement.event,
    }


def _types(entities: Mapping[str, str]) -> dict[Sort, str]:
    """Return which of the profile's types each sort is: by its name, else by its description."""
    types: dict[Sort, str] = {}
    for sort, hints in _SAID_OF.items():
        by_name = [name for name in entities if hints & set(words(name))]
        by_description = [
            name for name, description in entities.items() if hints & set(words(str(description)))
        ]
        if by_name or by_description:
            types[sort] = (by_name or by_description)[0]
    return types


def _type_of(member: Member, types: Mapping[Sort, str]) -> str | None:
    if member.sort is None:
        return None
    return types.get(member.sort) or types.get(_INSTEAD.get(member.sort, member.sort))


def _fits(related: Related, profile: Mapping[str, Any], types: Mapping[Sort, str]) -> bool:
    kind = profile["relations"][related.type]
    return _type_of(related.source, types) in kind["from"] and _type_of(related.target, types) in kind["to"]


def _is_new(related: Related, profile: Mapping[str, Any], stated: set[tuple[str, ...]]) -> bool:
    """Return whether a relation is new, and remember it, because texts repeat themselves."""
    ends = (related.source.name, related.target.name)
    if profile["relations"][related.type].get("symmetric"):
        ends = (min(ends), max(ends))
    triple = (related.type, *ends)
    if triple in stated:
        return False
    stated.add(triple)
    return True


def _entity(member: Member, kind: str) -> dict[str, Any]:
    return {"name": member.name, "type": kind, "aliases": member.aliases}
