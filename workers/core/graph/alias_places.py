"""Tells of a name that several bear whom each document means by it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple


class Place(NamedTuple):
    """Where something stands in a document; places come one after another as they are read."""

    chunk: int
    start: int  # offset within the chunk


class NamedPlace(NamedTuple):
    """A sentence that says whose a name is."""

    bearer: str  # id
    place: Place
    passes: bool  # an office: who held it before is another


class NameUse(NamedTuple):
    """A fact that holds a name of several, at one of its places."""

    fact: str  # id
    place: Place


class UsingDocument(NamedTuple):
    """A live document that uses a name of several."""

    id: str
    uses: Sequence[NameUse]
    claims: Sequence[NamedPlace] = ()
    whole: Collection[str] = ()  # ids of bearers that it names in full, where the name is short for them


class PlacedName(NamedTuple):
    """The element that a document means by a name that several bear; ids."""

    bearer: str
    document: str


def resolve_places(documents: Iterable[UsingDocument]) -> tuple[dict[str, str], list[PlacedName]]:
    """Return fact → bearer where documents tell it, and each bearer's documents; in any order the same.

    A document that says it of one bearer alone, or names one alone in full, means that one throughout; but an
    office is whose it is from the sentence on that says so. One that says it of several means who was named
    last. A fact that means several, or at one of its places nobody knows whom, means none.
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
