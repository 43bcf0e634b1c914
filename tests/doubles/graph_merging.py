"""Merged key elements in memory: every mention is kept as it was, and where it leads is worked out again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hopline.models.documents import KeyElement
from hopline.models.merges import Merge, NameCandidates, Proposal
from workers.core.graph.merges import ElementProfile, Pattern, Shared, Undone
from workers.core.ids import element_id, merge_id
from workers.core.language.text import words

if TYPE_CHECKING:
    from doubles.graph_reading import StoredFact


class MemoryMerging:
    """Redirects over what `MemoryGraph` stores."""

    fact_nodes: dict[str, StoredFact]
    element_nodes: dict[str, KeyElement]  # what readers see: redirects are not there
    own_nodes: dict[str, KeyElement]  # every element with its own spellings
    into: dict[str, tuple[str, str]]  # redirect -> (merge, the element it was merged into)
    records: dict[str, tuple[str, Merge]]  # merge -> (collection, record)
    may_mean: dict[str, tuple[str, ...]]  # a name that leads to nobody -> whom it may mean; a test fills it

    def root(self, element: str) -> str:
        while element in self.into:
            element = self.into[element][1]
        return element

    def settle(self) -> None:
        """Work out what every fact holds, and every element's spellings."""
        for fact in self.fact_nodes.values():
            fact.elements = dict.fromkeys(self.root(name) for name in fact.named)
        spelled: dict[str, list[str]] = {}
        for name, own in self.own_nodes.items():
            spelled.setdefault(self.root(name), []).extend(own.aliases)
        self.element_nodes.clear()
        for name, aliases in spelled.items():
            fields = {"aliases": tuple(sorted(set(aliases)))}
            self.element_nodes[name] = self.own_nodes[name].model_copy(update=fields)

    def forget(self) -> list[str]:
        """Drop elements that no fact holds, with their redirects; return their ids."""
        held = {name for fact in self.fact_nodes.values() for name in fact.elements}
        gone = sorted(name for name in self.own_nodes if self.root(name) not in held)
        for name in gone:
            del self.own_nodes[name]
            if name in self.into:
                self.records.pop(self.into.pop(name)[0], None)
        self.settle()
        return gone

    def element_page(
        self, collection: str, *, after: str, before: str, limit: int
    ) -> tuple[list[ElementProfile], str]:
        page = [profile for profile in self._profiles(collection) if after < profile.id < before][:limit]
        return page, page[-1].id if len(page) == limit else ""

    def elements_matching(
        self, collection: str, patterns: Sequence[Pattern], limit: int
    ) -> list[list[ElementProfile]]:
        known = sorted(self._profiles(collection), key=lambda profile: (len(profile.name), profile.id))
        return [
            [profile for profile in known if _fits(pattern, profile.name)][:limit] for pattern in patterns
        ]

    def shared(self, collection: str, pairs: Sequence[tuple[str, str]]) -> list[Shared]:
        return [self._shared(collection, *pair) for pair in pairs]

    def merge_elements(self, collection: str, proposal: Proposal, job: str) -> bool:
        name = merge_id(collection, proposal.source, proposal.target)
        if proposal.source in self.into:
            return self.into[proposal.source][0] == name
        target = self.root(proposal.target)
        joined = {element for element in self.own_nodes if self.root(element) in (proposal.source, target)}
        apart = any(
            record.undone and {record.source, record.target} <= joined for _, record in self.records.values()
        )
        held = {element for element in (proposal.source, target) if self._is_in(collection, element)}
        if apart or len(held) < 2:
            return False
        self.into[proposal.source] = (name, proposal.target)
        made = Merge(
            **proposal.model_dump(), id=name, collection=collection, job=job, made="2020-01-01T00:00:00Z"
        )
        self.records[name] = (collection, made)
        self.settle()
        return True

    def undo_merge(self, collection: str, merge: str) -> Undone | None:
        where, record = self.records.get(merge, ("", None))
        if record is None or where != collection:
            return None
        record = record.model_copy(update={"undone": record.undone or "2020-01-02T00:00:00Z"})
        self.records[merge] = (collection, record)
        if self.into.get(record.source, ("",))[0] == merge:
            del self.into[record.source]
        self.settle()
        removed = self.forget()
        back = self.element_nodes.get(record.source)
        return Undone(merge=record, restored=(back,) if back else (), removed=tuple(removed))

    def merge(self, merge: str) -> Merge | None:
        return self.records[merge][1] if merge in self.records else None

    def merges(self, collection: str | None, *, after: str = "", limit: int = 100) -> list[Merge]:
        records = [
            record
            for name, (where, record) in sorted(self.records.items())
            if name > after and collection in (None, where)
        ]
        return records[:limit]

    def redirects(self, collection: str, ids: Sequence[str]) -> dict[str, str]:
        return {name: self.root(name) for name in ids if name in self.into and self._is_in(collection, name)}

    def name_candidates(self, collection: str, *, after: str = "", limit: int = 100) -> list[NameCandidates]:
        candidates = [
            NameCandidates(
                collection=collection,
                element=self.element_nodes[name],
                candidates=tuple(self.candidates_of(collection, name)),
            )
            for name in sorted(self.may_mean)
            if name > after and self._is_in(collection, name)
        ]
        return candidates[:limit]

    def candidates_of(self, collection: str, element: str) -> list[KeyElement]:
        known = self.may_mean.get(element, ()) if self._is_in(collection, element) else ()
        elements = [self.element_nodes[self.root(name)] for name in known]
        return sorted(elements, key=lambda candidate: candidate.name)

    def names_in(self, collection: str, chunk_ids: Sequence[str]) -> dict[str, list[tuple[str, ...]]]:
        leading = {self.root(name) for name in self.into}
        groups: dict[str, list[tuple[str, ...]]] = {}
        for name, fact in sorted(self.fact_nodes.items()):
            for place in self._places(collection, name):
                for home in sorted(leading & fact.elements.keys()):
                    members = [
                        element.name for key, element in self.own_nodes.items() if self.root(key) == home
                    ]
                    names = tuple(sorted({*members, *self.element_nodes[home].aliases}))
                    if place.chunk_id in chunk_ids and names not in groups.setdefault(place.chunk_id, []):
                        groups[place.chunk_id].append(names)
        return groups

    def _is_in(self, collection: str, element: str) -> bool:
        own = self.own_nodes.get(element)
        return own is not None and element_id(collection, own.name) == element

    def _profiles(self, collection: str) -> Iterator[ElementProfile]:
        degrees = Counter(name for fact in self.fact_nodes.values() for name in fact.elements)
        for element in self._elements(collection):
            yield ElementProfile(**element.model_dump(), facts=degrees[element.id])

    def _shared(self, collection: str, source: str, target: str) -> Shared:
        left, right = (
            [
                place
                for name, fact in self.fact_nodes.items()
                if each in fact.elements
                for place in self._places(collection, name)
            ]
            for each in (source, target)
        )
        both = {
            field: {getattr(p, field) for p in left} & {getattr(p, field) for p in right}
            for field in ("fact_id", "chunk_id", "document_id")
        }
        return Shared(
            facts=len(both["fact_id"]),
            chunks=len(both["chunk_id"]),
            documents=len(both["document_id"]),
            source_documents=len({place.document_id for place in left}),
        )


def _fits(pattern: Pattern, name: str) -> bool:
    held, wanted = words(name), words(pattern.name)
    if not wanted:
        return False
    if pattern.mode == "phrase":
        return any(held[at : at + len(wanted)] == wanted for at in range(len(held)))
    if pattern.mode == "ends":
        return wanted[-1] in held and any(word.startswith(wanted[0]) for word in held)
    spelling, other = (text.replace(" ", "").replace("-", "") for text in (name, pattern.name))
    return spelling in _slips(other) or other in _slips(spelling) or bool(_slips(spelling) & _slips(other))


def _slips(text: str) -> set[str]:
    return {text} | {text[:at] + text[at + 1 :] for at in range(len(text))}
