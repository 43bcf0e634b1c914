"""Statements in documents about names, and the key elements that the names stand for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from hopline.models.base import Frozen


class NameClaim(Frozen):
    """A sentence of a chunk that states another name of somebody."""

    alias: str  # id of a key element of the chunk's facts
    name: str  # id of the key element that it means, of the chunk's facts as well
    alias_spelled: str  # as the sentence writes it, without an article
    name_spelled: str
    start: int  # of the sentence: offsets within the chunk's text
    end: int
    passes: bool = False  # a title or an office: others bear it before and after


class Resolution(NamedTuple):
    """The key elements that are names of others, and those that may be names of several."""

    meant: dict[str, str]  # alias → the one that it means
    candidates: dict[str, tuple[str, ...]]  # alias → those that it may mean, by id


def resolve_names(
    stated: Mapping[str, Collection[str]],
    *,
    rank: Callable[[str], tuple[int, ...]],
    barred: Collection[str] = (),
    apart: Collection[frozenset[str]] = (),
    fixed: Mapping[str, str] | None = None,
) -> Resolution:
    """Return the meaning of each alias; it does not depend on the order of the statements.

    An alias of one name means that name. An alias of several names means them only if they resolve to one
    element; otherwise it has no meaning. Among names that are aliases of one another, the fullest one is
    kept.

    Args:
        stated: alias → names that live documents say it stands for; ids.
        rank: rank of an id: the fuller the name, the higher.
        barred: aliases that also have another meaning, and titles.
        apart: pairs that a person has separated.
        fixed: merges made by people: alias → its target; a target is never an alias here.
    """
    people = dict(fixed or {})
    wanted = {
        alias: {name for name in names if name != alias and frozenset((alias, name)) not in apart}
        for alias, names in stated.items()
        if alias not in people
    }
    open_names = {alias: names for alias, names in wanted.items() if alias not in barred and names}
    meant: dict[str, str] = {}
    kept: set[str] = set()  # that stay themselves: the fullest of a circle
    while fresh := {
        alias: min(names)
        for alias, names in open_names.items()
        if alias not in meant and alias not in kept and _are_one(names, {**people, **meant})
    }:
        meant |= fresh
        for circle in _circles({**people, **meant}):
            fullest = min(circle & meant.keys(), key=lambda name: ([-part for part in rank(name)], name))
            del meant[fullest]
            kept.add(fullest)
    candidates = {
        alias: tuple(sorted(names))
        for alias, names in wanted.items()
        if names and alias not in meant and alias not in kept
    }
    return Resolution(dict(sorted(meant.items())), dict(sorted(candidates.items())))


def _are_one(names: Iterable[str], meant: Mapping[str, str]) -> bool:
    return len({_root(name, meant) for name in names}) == 1


def _root(name: str, meant: Mapping[str, str]) -> str:
    seen = {name}
    while (following := meant.get(name)) is not None and following not in seen:
        seen.add(following)
        name = following
    return name


def _circles(meant: Mapping[str, str]) -> set[frozenset[str]]:
    circles: set[frozenset[str]] = set()
    for start in meant:
        way, at = [start], meant[start]
        while at not in way and at in meant:
            way.append(at)
            at = meant[at]
        if at == start:
            circles.add(frozenset(way))
    return circles


class Place(NamedTuple):
    """A position in a document; positions are ordered as the text is read."""

    chunk: int
    start: int  # offset within the chunk


class NamedPlace(NamedTuple):
    """A sentence that says which key element a name stands for."""

    bearer: str  # id
    place: Place
    passes: bool  # an office: who held it before is another


class NameUse(NamedTuple):
    """A fact that contains a name of several key elements, at one of its positions."""

    fact: str  # id
    place: Place


class UsingDocument(NamedTuple):
    """A live document that uses a name of several key elements."""

    id: str
    uses: Sequence[NameUse]
    claims: Sequence[NamedPlace] = ()
    whole: Collection[str] = ()  # ids of bearers that it names in full, where the name is short for them


class PlacedName(NamedTuple):
    """The key element that a document means by a shared name; all as ids."""

    bearer: str
    document: str


def resolve_places(documents: Iterable[UsingDocument]) -> tuple[dict[str, str], list[PlacedName]]:
    """Return the key element of each fact, and the documents of each element; the order does not matter.

    A document that gives the name to one key element only, or mentions only one in full, means that one
    throughout; a title of office applies only from the sentence that confers it. If a document gives the name
    to several, it means the one mentioned last. A fact that means several, or whose meaning is unknown at one
    of its positions, gets none.
    """
    meant: dict[str, set[str | None]] = {}
    named: set[PlacedName] = set()
    for document in documents:
        for use in document.uses:
            bearer = _bearer(document, use.place)
            meant.setdefault(use.fact, set()).add(bearer)
            if bearer:
                named.add(PlacedName(bearer, document.id))
    facts = {fact: bearer for fact, (bearer, *others) in _sorted(meant) if bearer and not others}
    return facts, sorted(named, key=lambda name: (name.document, name.bearer))


def _sorted(meant: Mapping[str, set[str | None]]) -> Iterable[tuple[str, list[str | None]]]:
    return ((fact, sorted(bearers, key=str)) for fact, bearers in sorted(meant.items()))


def _bearer(document: UsingDocument, place: Place) -> str | None:
    bearers = {claim.bearer for claim in document.claims} | set(document.whole)
    if len(bearers) == 1 and not any(claim.passes for claim in document.claims):
        return next(iter(bearers))
    before = [claim for claim in document.claims if claim.place <= place]
    latest = max((claim.place for claim in before), default=None)
    last = {claim.bearer for claim in before if claim.place == latest}
    return next(iter(last)) if len(last) == 1 else None
