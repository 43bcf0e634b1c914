"""Makes facts with a name of several lead to whom their documents mean by it, and no longer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from workers.adapters.neo4j.aliases.states import MOST_FACTS, NameState, other_uses
from workers.adapters.neo4j.connection import Connection, Row
from workers.core.graph.alias_places import (
    NamedPlace,
    NameUse,
    Place,
    UsingDocument,
    resolve_places,
)
from workers.core.language.person_names import written
from workers.core.language.text import is_unspaced

_SEVERAL = 2


def place_names(
    connection: Connection,
    collection: str,
    states: Iterable[NameState],
    candidates: Mapping[str, Sequence[str]],
) -> set[str]:
    """Bring in line what facts with names of several lead to; return the names with a change.

    The facts keep the name: that they lead to its bearer as well is a link with `via`, as after a merge.

    Args:
        connection: to the graph.
        collection: of the names.
        states: of the names.
        candidates: name → those that it may mean; ids.
    """
    known = {state.id: state for state in states if not state.is_frozen}
    several = {
        name: known[name] for name, some in candidates.items() if name in known and len(some) >= _SEVERAL
    }
    uses_by_name = _uses(connection, collection, several) if several else {}
    rows = []
    for state in known.values():
        uses = uses_by_name.get(state.id, [])
        row = _row(state, _documents(state, uses, candidates.get(state.id, ())))
        if row["lines"] != state.placed or not _stand(uses, row["places"], known):
            rows.append(row)
    if not rows:
        return set()
    return {row["id"] for row in connection.run("alias_place", collection=collection, names=rows)}


def _uses(connection: Connection, collection: str, states: Mapping[str, NameState]) -> dict[str, list[Row]]:
    """Return for names of several a row for each document that uses one."""
    names = [
        {
            "id": state.id,
            "other": other_uses(state),
            "full": sorted(state.short_of),
            "written": sorted(written(name) for name in state.short_of.values()),
        }
        for state in states.values()
    ]
    uses: dict[str, list[Row]] = {}
    for row in connection.run("alias_places", collection=collection, names=names, most=MOST_FACTS):
        uses.setdefault(row["id"], []).append(row)
    return uses


def _documents(state: NameState, uses: Iterable[Row], candidates: Collection[str]) -> Iterator[UsingDocument]:
    """Yield the documents that use a name for nothing else."""
    for row in uses:
        document = _document(state, row, candidates)
        # Who stands beside a short name in one fact is another: Mara Renn was the daughter of Renn.
        if not row["other"] and not (row["beside"] and not document.claims):
            yield document


def _stand(uses: Iterable[Row], places: Iterable[Row], states: Mapping[str, NameState]) -> bool:
    """Return whether facts lead already to whom they mean: then nothing is to be locked."""
    bearers = {place["fact"]: place["bearer"] for place in places}
    for use in (use for row in uses for use in row["uses"]):
        bearer = states.get(bearers.get(use["fact"], ""))
        home = (bearer.home or bearer.id) if bearer else None
        if any(by_name and other != home for other, by_name in use["leads"]):
            return False
        if bearer and home not in (other for other, _by_name in use["leads"]):
            return False
    return True


def _document(state: NameState, row: Row, candidates: Collection[str]) -> UsingDocument:
    claims = [
        NamedPlace(claim.claim.name, Place(claim.index, claim.claim.start), claim.claim.passes)
        for claim in state.claims
        if claim.document == row["document"]
        and claim.claim.name in candidates
        # A noun of a script without capitals is anybody's in the next sentence.
        and not (claim.claim.passes and is_unspaced(claim.claim.alias_spelled))
    ]
    uses = [NameUse(use["fact"], Place(use["chunk"], use["start"])) for use in row["uses"]]
    whole = [name for name in row["whole"] if name in candidates]
    return UsingDocument(row["document"], uses, claims, whole)


def _row(state: NameState, documents: Iterable[UsingDocument]) -> Row:
    facts, named = resolve_places(documents)
    return {
        "id": state.id,
        "places": [{"fact": fact, "bearer": bearer} for fact, bearer in facts.items()],
        "bearers": sorted(set(facts.values())),
        "lines": [f"{name.bearer}\t{name.document}" for name in named],
    }
