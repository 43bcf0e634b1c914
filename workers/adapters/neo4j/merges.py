"""Merges key elements in Neo4j: finds duplicates, creates redirects, and undoes them."""

from __future__ import annotations

from collections.abc import Sequence

from hopline.errors import Transient
from hopline.models.documents import KeyElement
from hopline.models.merges import Merge, NameCandidates, Proposal, ResolvedName
from workers.adapters.groups import Groups
from workers.adapters.neo4j.connection import Connection, Row, Run
from workers.adapters.neo4j.rows import all_words, ending, resembling, to_element
from workers.adapters.neo4j.typed_graph import merge_typed, undo_typed
from workers.core.graph.merges import ElementProfile, Pattern, Shared, Undone
from workers.core.ids import merge_id
from workers.core.retries import RETRIES

_READERS = 2  # look-ups of redirects under way at a time, for each process
_MOST_IDS = 5000  # of one such look-up
_PLACES = 2000  # of each element, when it is asked what two share
_MERGED_TOGETHER = 50  # at most, in one transaction: its locks and memory stay small
_FIELDS = frozenset(Merge.model_fields)

Redirects = tuple[str, Sequence[str]]  # a collection, and ids of its elements


class MergeStore:
    """A merged element stays as a redirect: `(:KeyElement)-[:MERGED_INTO {merge, into}]->(:KeyElement)`.

    Its facts link to the target instead, with `via` on HAS_KEY_ELEMENT: the ids of the elements that they
    really name, including the target; without `via` it is the target alone. `into` is the element that it was
    merged into, if the way to the target leads through others. A target stores its own spellings in
    `own_aliases`, and in `aliases`, which readers search, those of all elements that lead to it. All
    transactions lock facts, then elements, by id, as writers do.

    Args:
        connection: connection to the graph.
        readers: maximum number of concurrent look-ups of redirects.
    """

    def __init__(self, connection: Connection, readers: int = _READERS) -> None:
        self._connection = connection
        self._redirects = Groups(self._redirects_all, self._redirects_one, _fit, readers)

    def element_page(
        self, collection: str, *, after: str, before: str, limit: int
    ) -> tuple[list[ElementProfile], str]:
        """Return live elements (no redirects), after < id < before, and the next cursor ("" at the end)."""
        page = {"collection": collection, "after": after, "before": before, "limit": limit}
        rows = self._connection.run("element_page", **page)
        following = rows[-1]["id"] if len(rows) == limit else ""
        return [_profile(row) for row in rows if row["live"]], following

    def elements_matching(
        self, collection: str, patterns: Sequence[Pattern], limit: int
    ) -> list[list[ElementProfile]]:
        """Return, for each pattern, the live elements with matching names, best first."""
        if not patterns:
            return []
        queries = [_query(collection, pattern) for pattern in patterns]
        rows = self._connection.run("elements_matching", queries=queries, limit=limit)
        return [[_profile(element) for element in row["elements"]] for row in rows]

    def shared(self, collection: str, pairs: Sequence[tuple[str, str]]) -> list[Shared]:
        """Return what the elements of each pair have in common, over at most 2,000 places of each."""
        if not pairs:
            return []
        listed = [list(pair) for pair in pairs]
        rows = self._connection.run("elements_shared", collection=collection, pairs=listed, places=_PLACES)
        return [Shared(**row) for row in rows]

    def merge_elements(self, collection: str, proposal: Proposal, job: str) -> bool:
        """Redirect the source to the target (or to its own target); return whether it is a redirect now."""
        parameters = _build_parameters(collection, proposal, job)
        if self._connection.run("merge_elements", typed=False, **parameters) or merge_typed(
            self._connection, **parameters
        ):
            return True
        return bool(self._connection.run("merged", source=proposal.source, id=parameters["id"]))

    def merge_stated(self, collection: str, proposals: Sequence[Proposal]) -> list[bool]:
        """Merge elements that documents state to be the same, many in a transaction; return each result.

        A transaction that changes searchable names costs the server 15 ms, however many they are.
        """
        done: list[bool] = []
        for first in range(0, len(proposals), _MERGED_TOGETHER):
            some = proposals[first : first + _MERGED_TOGETHER]
            made = self._merge_together(collection, some) if len(some) > 1 else [False]
            pairs = zip(made, some, strict=True)
            done += [merged or self.merge_elements(collection, proposal, "") for merged, proposal in pairs]
        return done

    def _merge_together(self, collection: str, proposals: Sequence[Proposal]) -> list[bool]:
        """Merge in one transaction; False for each pair that was not merged, or needs more than one query."""

        def work(run: Run) -> list[bool]:
            sources, targets = (
                [getattr(proposal, end) for proposal in proposals] for end in ("source", "target")
            )
            run("merge_lock", collection=collection, sources=sources, targets=targets)
            merges = (_build_parameters(collection, proposal, "") for proposal in proposals)
            return [bool(run("merge_elements", typed=False, **merge)) for merge in merges]

        return self._connection.together("merge_elements", work)

    def undo_merge(self, collection: str, merge: str) -> Undone | None:
        """Restore a merged element with its facts and spellings; None if there is no such merge."""
        rows = self._undo(collection, merge, withdraw=False)
        if not rows:
            return None
        return Undone(
            merge=_merge(rows[0]["merge"]),
            restored=tuple(to_element(element) for element in rows[0]["restored"]),
            removed=tuple(rows[0]["removed"]),
        )

    def withdraw_merge(self, collection: str, merge: str) -> None:
        """Undo a merge as if it had never been made, so that it may be made again."""
        self._undo(collection, merge, withdraw=True)

    def _undo(self, collection: str, merge: str, *, withdraw: bool) -> list[Row]:
        parameters = {"collection": collection, "id": merge, "withdraw": withdraw}
        for _ in range(RETRIES.neo4j_conflicts):
            rows = self._connection.run("undo_merge", typed=False, **parameters) or undo_typed(
                self._connection, **parameters
            )
            if rows or (found := self.merge(merge)) is None or found.collection != collection:
                return rows
        raise Transient(
            f"merge {merge} cannot be undone while other work changes the redirects of its elements"
        )

    def merge(self, merge: str) -> Merge | None:
        """Return a merge by id."""
        rows = self._connection.run("merge", id=merge)
        return _merge(rows[0]["merge"]) if rows else None

    def merges(self, collection: str | None, *, after: str = "", limit: int = 100) -> list[Merge]:
        """Return a page of merges, ordered by id, including undone ones."""
        if collection is None:
            rows = self._connection.run("merges_all", after=after, limit=limit)
        else:
            rows = self._connection.run("merges", collection=collection, after=after, limit=limit)
        return [_merge(row["merge"]) for row in rows]

    def name_candidates(self, collection: str, *, after: str = "", limit: int = 100) -> list[NameCandidates]:
        """Return a page of ambiguous names, ordered by element id."""
        rows = self._connection.run("name_candidates", collection=collection, after=after, limit=limit)
        return [
            NameCandidates(
                collection=collection,
                element=to_element(row["element"]),
                candidates=tuple(map(to_element, row["candidates"])),
                resolved_in=tuple(ResolvedName(**name) for name in row["resolved"]),
            )
            for row in rows
        ]

    def candidates_of(self, collection: str, element: str) -> list[KeyElement]:
        """Return the key elements that a name may mean, ordered by name."""
        rows = self._connection.run("candidates_of", collection=collection, id=element)
        return [to_element(row["element"]) for row in rows]

    def names_in(self, collection: str, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
        """Return, for each chunk, all names of the key elements in its facts to which others redirect."""
        names: dict[str, list[tuple[str, ...]]] = {}
        for row in self._connection.run("merged_names", collection=collection, ids=list(chunk_ids)):
            names.setdefault(row["id"], []).append(tuple(dict.fromkeys(row["names"])))
        return names

    def redirects(self, collection: str, ids: Sequence[str]) -> dict[str, str]:
        """Return the target of each given id that is a redirect."""
        return self._redirects.do((collection, ids))

    def _redirects_all(self, requests: Sequence[Redirects]) -> list[dict[str, str]]:
        wanted = list(dict.fromkeys(name for _collection, ids in requests for name in ids))
        rows = self._connection.run("redirects", collection=requests[0][0], ids=wanted)
        targets = {row["id"]: row["target"] for row in rows}
        return [{name: targets[name] for name in ids if name in targets} for _collection, ids in requests]

    def _redirects_one(self, request: Redirects) -> dict[str, str]:
        return self._redirects_all([request])[0]


def _build_parameters(collection: str, proposal: Proposal, job: str) -> Row:
    """Return the parameters of `merge_elements`."""
    name = merge_id(collection, proposal.source, proposal.target)
    return {"collection": collection, "id": name, "job": job, **proposal.model_dump()}


def _fit(requests: Sequence[Redirects], other: Redirects) -> bool:
    """Return whether elements fit into a shared look-up."""
    collection, ids = other
    return collection == requests[0][0] and sum(len(more) for _, more in requests) + len(ids) <= _MOST_IDS


def _query(collection: str, pattern: Pattern) -> str:
    if pattern.mode == "resembling":
        return resembling(collection, pattern.name)
    if pattern.mode == "ends":
        first, _space, last = pattern.name.partition(" ")
        return ending(collection, first, last)
    return all_words(collection, "name", pattern.name)


def _profile(row: Row) -> ElementProfile:
    return ElementProfile(
        id=row["id"], name=row["name"], aliases=tuple(sorted(row["aliases"])), facts=row["facts"]
    )


def _merge(row: Row) -> Merge:
    return Merge(**{name: value for name, value in row.items() if name in _FIELDS})
