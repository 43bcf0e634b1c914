"""Derives and withdraws redirects between key elements according to names stated by live documents."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import structlog

from hopline.models.merges import Proposal, Rule
from workers.adapters.neo4j.aliases.states import (
    MOST_FACTS,
    MOST_NAMES,
    NameState,
    contested,
    other_uses,
    read_states,
    uses_of_short_forms,
)
from workers.adapters.neo4j.connection import Connection, Row
from workers.adapters.neo4j.merges import MergeStore
from workers.core.graph.aliases import (
    NamedPlace,
    NameUse,
    Place,
    Resolution,
    UsingDocument,
    resolve_names,
    resolve_places,
)
from workers.core.language.person_names import written
from workers.core.language.text import is_unspaced

_ROUNDS = 8  # in which others change what was read meanwhile
# Key elements that are looked at in one round, and where these depend on too many names.
_TOGETHER = (200, 40, 8)
_SENTENCE = 300  # characters of evidence
_STALE = ("alias", "chunk", "line")

_log = structlog.get_logger()


class AliasSettlement:
    """Derives merges from what live chunks state of names.

    What is stated is the truth, the merges follow from it: `settle` reads the names that documents bear on,
    those that depend on them and what all these depend on, and makes or takes back what differs. It runs
    after the transaction that changed what is live, and reads what it changed again until nothing differs:
    of two documents that come at once, the later one's sees both, and the other sees what it overwrote. It
    may be repeated, and is, where a worker was lost. The transaction that makes a merge, or takes it back,
    also notes that the key element's vector is due (`DocumentGraph.vectors_due`).

    Args:
        connection: connection to the graph.
        most_names: read at once.
    """

    def __init__(self, connection: Connection, most_names: int = MOST_NAMES) -> None:
        self._connection = connection
        self._most_names = most_names
        self._merging = MergeStore(connection)

    def settle(self, documents: Sequence[str]) -> None:
        """Update the names that depend on the given documents of one collection."""
        rows = self._connection.run("alias_sync", ids=sorted(documents))
        if concerned := {name for row in rows for name in row["ids"]}:
            self._settle(rows[0]["collection"], sorted(concerned))

    def settle_elements(self, collection: str, elements: Sequence[str]) -> None:
        """Bring the names in line that depend on some key elements, which a person merged or parted."""
        rows = self._connection.run("alias_concerned", collection=collection, ids=sorted(elements))
        if rows:
            self._settle(collection, [row["id"] for row in rows])

    def _settle(self, collection: str, ids: list[str]) -> None:
        for together in _TOGETHER:
            frozen: set[str] = set()
            for first in range(0, len(ids), together):
                frozen |= self._settle_some(collection, ids[first : first + together])
            ids = sorted(frozen)
        if ids:
            _log.warning("alias.frozen", collection=collection, names=len(ids))

    def _settle_some(self, collection: str, ids: list[str]) -> set[str]:
        """Return which names are left unchanged because too many depend on one another."""
        refused: set[tuple[str, str]] = set()
        frozen: set[str] = set()
        states: dict[str, NameState] = {}
        wanted: Collection[str] = ids
        for _ in range(_ROUNDS):
            states = read_states(self._connection, collection, wanted, states, self._most_names)
            frozen.update(name for name in wanted if name in states and states[name].is_frozen)
            wanted = self._agree(collection, states, refused)
            if not wanted:
                break
        return frozen.intersection(ids)

    def _agree(
        self, collection: str, states: Mapping[str, NameState], refused: set[tuple[str, str]]
    ) -> set[str]:
        """Update redirects that differ from the stated names; return the names that were written.

        Only these are checked again, with names that depend on them, because an older state may have
        overwritten another worker's result; names left alone are up to workers that see more.
        """
        stale = [{name: row[name] for name in _STALE} for state in states.values() for row in state.stale]
        if stale:
            self._connection.run("alias_forget", stale=stale)
        meant, candidates = self._resolved(collection, states)
        changed: set[str] = set()
        for state in states.values():
            if state.is_frozen:
                continue
            if state.is_derived and state.merge and meant.get(state.id) != state.target:
                self._withdraw(collection, state)
                changed.add(state.id)
        fresh = [
            (alias, name)
            for alias, name in meant.items()
            if not (states[alias].target == name and states[alias].is_derived)
            and (alias, name) not in refused
        ]
        refused.update(fresh)
        changed |= self._merge(collection, [(states[alias], states[name]) for alias, name in fresh])
        changed |= self._explain(collection, states, meant)
        changed |= self._offer(collection, states, candidates)
        return changed | place_names(self._connection, collection, states.values(), candidates)

    def _explain(
        self, collection: str, states: Mapping[str, NameState], meant: Mapping[str, str]
    ) -> set[str]:
        """Update the evidence of merges whose statement is gone, or that another document now precedes."""
        rows, changed = [], set()
        for alias, name in meant.items():
            state = states[alias]
            rule, evidence = _evidence(state, states[name])
            if state.is_derived and state.target == name and (state.rule, state.evidence) != (rule, evidence):
                rows.append({"id": state.merge, "rule": rule, "evidence": evidence})
                changed.add(alias)
        if rows:
            self._connection.run("alias_evidence", collection=collection, merges=rows)
        return changed

    def _offer(
        self, collection: str, states: Mapping[str, NameState], candidates: Mapping[str, tuple[str, ...]]
    ) -> set[str]:
        """Store the candidates of ambiguous names."""
        rows = []
        for state in states.values():
            may_mean = list(candidates.get(state.id, ()))
            if not state.is_frozen and state.may_mean != may_mean:
                rows.append({"id": state.id, "may_mean": may_mean})
        if rows:
            self._connection.run("alias_candidates", collection=collection, names=rows)
        return {str(row["id"]) for row in rows}

    def _resolved(self, collection: str, states: Mapping[str, NameState]) -> Resolution:
        known = {name: state for name, state in states.items() if not state.is_frozen}
        stated = {
            # "Tobias Renn, known as Renn" says nothing of the Renns of other documents.
            state.id: {*(claim.claim.name for claim in state.claims), *state.persons} & known.keys()
            for state in known.values()
            if state.claims
        }
        barred = {state.id for state in known.values() if any(claim.claim.passes for claim in state.claims)}
        barred |= contested(self._connection, collection, known.values())
        # A word of what may be no person is nobody's, unless documents state whose.
        full = {
            state.id: set(state.short_of)
            for state in known.values()
            if state.short_of and not state.claims and not state.is_unclear
        }
        shorts = uses_of_short_forms(self._connection, collection, full, known)
        # So is one that no document uses for a person: such a document settles nothing when it comes.
        stated |= {short: full[short] & known.keys() for short in shorts.persons}
        barred |= shorts.persons - shorts.fit
        return resolve_names(
            stated,
            rank=lambda name: _rank(known[name].name),
            barred=barred,
            apart=[frozenset((state.id, other)) for state in known.values() for other in state.apart],
            fixed={state.id: state.home for state in known.values() if state.home and not state.is_derived},
        )

    def _withdraw(self, collection: str, state: NameState) -> None:
        _log.info("alias.withdrawn", collection=collection, alias=state.name, merge=state.merge)
        self._merging.withdraw_merge(collection, state.merge or "")

    def _merge(self, collection: str, pairs: Sequence[tuple[NameState, NameState]]) -> set[str]:
        """Make aliases lead to names; return the ids of those that do and did not."""
        done = self._merging.merge_stated(collection, [_proposal(*pair) for pair in pairs])
        made = [pair for pair, merged in zip(pairs, done, strict=True) if merged]
        for state, target in made:
            rule, _sentence = _evidence(state, target)
            _log.info("alias.resolved", collection=collection, alias=state.name, name=target.name, rule=rule)
        return {state.id for state, _target in made}


def _proposal(state: NameState, target: NameState) -> Proposal:
    rule, evidence = _evidence(state, target)
    return Proposal(
        source=state.id,
        source_name=state.name,
        target=target.id,
        target_name=target.name,
        rule=rule,
        evidence=evidence,
    )


def _evidence(state: NameState, target: NameState) -> tuple[Rule, str]:
    for claim in state.claims:
        if claim.claim.name == target.id:
            place = f"{claim.title}, {claim.document}" if claim.title else claim.document
            return "stated", f"“{claim.sentence[:_SENTENCE]}” ({place})"
    return "short form", f"no other name of the collection has it: {target.name}"


def _rank(name: str) -> tuple[int, int]:
    """A name of more words is fuller, and so is a longer one."""
    return (len(name.split()), len(name))


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
        connection: connection to the graph.
        collection: collection of the names.
        states: states of the names.
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
    """Return whether facts already lead to the right elements, so that no locks are needed."""
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
