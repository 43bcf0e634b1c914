"""Reads the graph's data about the names of key elements, including all related names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from workers.adapters.neo4j.aliases.lines import claim_of
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.rows import named_by_word
from workers.core.graph.aliases import NameClaim
from workers.core.ids import element_id
from workers.core.language.person_names import (
    GENERAL,
    is_full_name,
    may_be_short_form,
    other_use,
    person_use,
    short_forms,
    written,
)
from workers.core.language.text import is_unspaced

DERIVED = ("stated", "short form")  # rules of merges that this made, and takes back
MOST_NAMES = 1000  # read at once; 8 short names have up to 480 full ones
MOST_FACTS = 300  # of an alias: they move in one transaction
_MOST_HITS = 60  # names that hold a word; with more of them it is short for none
_OWN = ("id", "name", "merge", "rule", "evidence", "home", "target", "may_mean", "placed")
_JAVA = "(?sU)"  # a point finds ends of lines, and words have other letters than those of ASCII
_INDEFINITE = "[Aa]n?|[Ee]in(?:e|en|em|er|es)?|[Uu]ne?|[Uu]na"
_HAN_INDEFINITE = "[一两几某每][个位名]|有[个位]|许多|很多|不少"
_JOINS = (
    "and|und|et|y|met|fought|killed|asked|told|greeted|followed|saw|helped|married|with|against|"
    "traf|mit|sowie"
)


@dataclass(frozen=True)
class Claim:
    """A statement of a live chunk, with its place."""

    claim: NameClaim
    document: str
    title: str
    sentence: str
    index: int  # of the chunk


@dataclass
class NameState:
    """A key element with the data that decides whose name it is."""

    id: str
    name: str
    merge: str | None  # id of the merge by which it leads elsewhere
    rule: str | None
    evidence: str | None
    home: str | None
    target: str | None  # what that merge made it a name of
    may_mean: list[str]  # whose name it may be, as it was written down last; ids, sorted
    placed: list[str]  # whom documents mean by it, as it was written down last
    claims: list[Claim]
    stale: list[Row]  # of what was noted and no live chunk states any more
    dependents: set[str]  # ids whose meaning may depend on its own
    apart: set[str] = field(default_factory=set)
    short_of: dict[str, str] = field(default_factory=dict)  # full names, id → name, it may be short for
    persons: set[str] = field(default_factory=set)  # of these, whom facts tell of as persons; ids
    is_frozen: bool = False  # not all that its meaning depends on was read: nobody knows it

    @property
    def leads(self) -> set[str]:
        """Ids on which its meaning depends."""
        ends = {end for end in (self.home, self.target) if end}
        return {claim.claim.name for claim in self.claims} | self.short_of.keys() | ends

    @property
    def is_unclear(self) -> bool:
        """Whether it may be short for a name not known to be a person's, but possibly one."""
        return not self.persons.issuperset(self.short_of)

    @property
    def is_derived(self) -> bool:
        """Whether it redirects to another element because documents say so."""
        return self.rule in DERIVED


class ShortForms(NamedTuple):
    """Short names, by id."""

    persons: set[str]  # that a document treats as persons, or also names in full
    fit: set[str]  # of these, which no document uses for others, or may


def read_states(
    connection: Connection,
    collection: str,
    ids: Iterable[str],
    known: Mapping[str, NameState] | None = None,
    most_names: int = MOST_NAMES,
) -> dict[str, NameState]:
    """Return id → state of some key elements, of those that depend on them, and of what all these depend on.

    What the meaning of others depends on is read first. What depends on names beyond those that are read at
    once is frozen.

    Args:
        connection: connection to the graph.
        collection: collection of the key elements.
        ids: their ids.
        known: states of before, by which what goes with them is read with the first query.
        most_names: read at once.
    """
    states: dict[str, NameState] = {}
    seen: set[str] = set()
    first = sorted(set(ids))
    above = _reached(first, known or {}, _dependents)
    wanted = [*first, *sorted(_reached(above, known or {}, _leads).difference(first))][:most_names]
    while wanted:
        seen.update(wanted)
        rows = connection.run("alias_states", collection=collection, ids=wanted)
        fresh = {row["id"]: _state(collection, row) for row in rows}
        _find_bearers(connection, collection, fresh)
        states |= fresh
        room = most_names - len(seen)
        leads = {other for state in states.values() for other in state.leads} - seen
        more = leads | _reached(first, states, _dependents) - seen
        wanted = sorted(leads if leads and len(more) > room else more)[:room]
    _freeze(states, seen)
    return states


def _leads(state: NameState) -> set[str]:
    return state.leads


def _dependents(state: NameState) -> set[str]:
    return state.dependents


def _reached(
    ids: Iterable[str], states: Mapping[str, NameState], following: Callable[[NameState], set[str]]
) -> set[str]:
    """Return some ids with all that follow on them, at first hand or over others that were read."""
    reached = set(ids)
    fresh = list(reached)
    while fresh:
        state = states.get(fresh.pop())
        more = following(state) - reached if state else set()
        reached |= more
        fresh += more
    return reached


def _freeze(states: dict[str, NameState], seen: set[str]) -> None:
    """Freeze what leads to a name that was not read, at first hand or over others."""
    behind: dict[str, list[str]] = {}
    for state in states.values():
        for name in state.leads:
            behind.setdefault(name, []).append(state.id)
    open_ends = [name for name in behind if name not in seen]
    while open_ends:
        for name in behind.get(open_ends.pop(), ()):
            if not states[name].is_frozen:
                states[name].is_frozen = True
                open_ends.append(name)


def contested(connection: Connection, collection: str, states: Iterable[NameState]) -> set[str]:
    """Return the ids of aliases that facts of live documents use for something else, or of too many facts.

    A person's full name is something else's in each document that does not claim it.
    """
    claimed = {state.id: state for state in states if state.claims}
    names = [
        {
            "id": state.id,
            "against": _against(state),
            "documents": sorted({claim.document for claim in state.claims}),
        }
        for state in claimed.values()
    ]
    rows = connection.run("alias_uses", collection=collection, names=names) if names else []
    return {
        row["id"]
        for row in rows
        if row["against"]
        or row["facts"] > MOST_FACTS
        or (row["elsewhere"] and is_full_name(claimed[row["id"]].name))
    }


def uses_of_short_forms(
    connection: Connection, collection: str, full: Mapping[str, set[str]], states: Mapping[str, NameState]
) -> ShortForms:
    """Return how live documents use short names (id → ids of full ones)."""
    short_names = [
        {
            "id": short,
            "full": sorted(names),
            "person": _JAVA + person_use(states[short].name),
            "other": _JAVA + other_use(states[short].name),
        }
        for short, names in sorted(full.items())
    ]
    if not short_names:
        return ShortForms(set(), set())
    rows = connection.run("alias_short_uses", collection=collection, names=short_names, general=GENERAL)
    telling = {row["id"] for row in rows if row["telling"]}
    return ShortForms(telling, {row["id"] for row in rows if row["id"] in telling and not row["unfit"]})


def _state(collection: str, row: Row) -> NameState:
    live = [claim for claim in row["claims"] if claim["live"]]
    shorts = {element_id(collection, word) for word in short_forms(row["name"])}
    return NameState(
        **{name: row[name] for name in _OWN},
        claims=[
            Claim(
                claim_of(claim["line"]), claim["document"], claim["title"], claim["sentence"], claim["index"]
            )
            for claim in sorted(live, key=lambda claim: (claim["document"], claim["chunk"], claim["line"]))
        ],
        stale=[{"alias": row["id"], **claim} for claim in row["claims"] if not claim["live"]],
        dependents={*row["named_by"], *row["members"]} | shorts,
        apart=set(row["apart"]),
    )


def _find_bearers(connection: Connection, collection: str, states: dict[str, NameState]) -> None:
    """Find the full names that short ones may mean, and mark them."""
    shorts = {state.id: state for state in states.values() if may_be_short_form(state.name)}
    if not shorts:
        return
    names = [{"id": state.id, "query": named_by_word(collection, state.name)} for state in shorts.values()]
    rows = connection.run("alias_bearers", names=names, limit=_MOST_HITS)
    full_names = {
        row["id"]: {
            bearer["id"]: bearer["name"]
            for bearer in row["bearers"]
            if shorts[row["id"]].name in short_forms(bearer["name"])
        }
        for row in rows
        if row["hits"] < _MOST_HITS
    }
    bearers = {name: spelled for some in full_names.values() for name, spelled in some.items()}
    claimed = {bearer["id"] for row in rows for bearer in row["bearers"] if bearer["claimed"]}
    person = _claimed_persons(connection, collection, bearers, claimed)
    for short, some in full_names.items():
        states[short].short_of = {name: spelled for name, spelled in some.items() if name in person}
        states[short].persons = {name for name in states[short].short_of if person[name]}


def _claimed_persons(
    connection: Connection, collection: str, bearers: Mapping[str, str], claimed: Collection[str]
) -> dict[str, bool]:
    """Return the full names (id → name) in live facts, each with whether a fact uses it for a person.

    Those that nobody has marked yet are marked, and asked for again: what came or went just before was not
    told of it, what does later is.
    """
    person = _persons(connection, collection, bearers)
    fresh = {name: bearers[name] for name in sorted(person) if name not in claimed}
    if not fresh:
        return person
    connection.run("alias_claim", collection=collection, ids=list(fresh))
    known = {name: is_person for name, is_person in person.items() if name in claimed}
    return known | _persons(connection, collection, fresh)


def _persons(connection: Connection, collection: str, bearers: Mapping[str, str]) -> dict[str, bool]:
    names = [
        {"id": name, "spelled": written(spelled), "person": _JAVA + person_use(spelled)}
        for name, spelled in sorted(bearers.items())
    ]
    rows = connection.run("alias_written", collection=collection, names=names) if names else []
    return {row["id"]: row["person"] for row in rows}


def other_uses(state: NameState) -> str:
    """Return what finds facts that use a name for something else than one of those it may mean."""
    parts = [_against(state)] if state.claims else []
    if state.short_of:
        parts.append(_JAVA + other_use(state.name))
    return "|".join(f"(?:{part})" for part in parts) or "(?!)"


def _against(state: NameState) -> str:
    """Return a query for facts in which an alias is a common noun, or is beside the person it describes."""
    parts: dict[str, None] = {}
    for claim in state.claims:
        alias, name = (_quoted(text) for text in (claim.claim.alias_spelled, claim.claim.name_spelled))
        if is_unspaced(claim.claim.alias_spelled):
            parts |= {f"(?:{_HAN_INDEFINITE}){alias}": None}
        elif claim.claim.alias_spelled.lower() != claim.claim.alias_spelled:
            parts |= dict.fromkeys(_common(claim.claim.alias_spelled, alias))
        if claim.claim.alias_spelled not in claim.claim.name_spelled and name not in alias:
            the = r"(?:[Tt]he |[Dd](?:er|ie|as|en|em) |[Ll][ea] |[Ee]l )?"
            parts |= dict.fromkeys(
                (
                    rf"\b{name} (?:{_JOINS}) {the}{alias}\b",
                    rf"\b{alias} (?:{_JOINS}) {name}\b",
                    rf"{name}[和与跟]{alias}",
                    rf"{alias}[和与跟]{name}",
                )
            )
    return f"{_JAVA}.*(?:{'|'.join(parts)}).*" if parts else "(?!)"


def _common(spelled: str, quoted: str) -> Iterator[str]:
    yield rf"\b{_quoted(spelled.lower())}s?\b"
    yield rf"\b(?:{_INDEFINITE}) {quoted}\b"


def _quoted(text: str) -> str:
    """Return a text as a pattern of Python's and of Java's."""
    return re.sub(r"([^\w\s])", r"\\\1", text)
