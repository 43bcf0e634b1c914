"""The sides of a contradiction: pieces of evidence in order, and their form for the writer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property

from hopline.models.jobs import Json
from hopline.models.metadata import Value
from workers.core.answers.evidence import fact_key
from workers.core.ports import Ports
from workers.critic.contradictions import Statement, contradictions
from workers.critic.gather import Evidence, Placed

_MOST_COMPARED = 400  # pieces of evidence, best first
_MOST_GROUPS = 20
_MOST_SIDES = 4  # of one conflict
Sides = tuple["Side", ...]  # of the highest priority, and then the newest, first


@dataclass(frozen=True)
class Side:
    """A piece of evidence that contradicts another, or may do so."""

    n: int  # its number
    place: Placed  # of its documents the one of the highest priority, and then the newest
    keys: frozenset[str]  # of the facts that say so
    value: str = ""  # in which the sides differ, as written; "" where it is not known
    date: date | None = None  # of the document
    priority: float | None = None  # of the document; None counts as 0

    @property
    def order(self) -> tuple[float, int]:
        """Sort key among the sides, smallest first."""
        return -(self.priority or 0), -(self.date.toordinal() if self.date else 0)

    def material(self) -> Json:
        """Return the side in the form the writer sees."""
        shown: Json = {"n": self.n, "value": self.value, "source": self.place.source.title}
        shown |= {"date": self.date.isoformat()} if self.date else {}
        return shown | ({"priority": self.priority} if self.priority is not None else {})


def shown_sides(sides: Sides) -> list[Json]:
    """Return the sides of a possible contradiction in the form the writer sees."""
    return [side.material() for side in sides]


class EvidenceSides:
    """Finds contradictions in the evidence; reads the documents' metadata once, if needed.

    Args:
        evidence: evidence by number. Entries that stand for several facts are not sides.
        ports: the graph.
    """

    def __init__(self, evidence: Mapping[int, Evidence], ports: Ports) -> None:
        self._places = {n: entry.placed[0] for n, entry in evidence.items() if len(entry.placed) == 1}
        self._ports = ports
        self.possible: tuple[Sides, ...] = self._possible()

    def of(self, numbers: Sequence[int]) -> Sides:
        """Return the sides of a conflict between pieces of evidence, one per value or quote.

        Their values are known if a group of possible contradictions contains all of them. Table rows that
        describe something else than all others are not sides.
        """
        stated = {number: _statement(self._places[number]) for number in numbers if number in self._places}
        known = [
            number
            for number, mine in stated.items()
            if not all(mine.is_of_other_row(theirs) for theirs in stated.values() if theirs is not mine)
        ]
        if len(known) < 2:  # noqa: PLR2004 - it takes two to contradict
            return ()
        groups = ({side.n: side.value for side in group} for group in self.possible)
        values: dict[int, str] = next((group for group in groups if group.keys() >= set(known)), {})
        distinct: dict[str, Side] = {}
        for side in self._sorted({n: values.get(n, "") for n in known}):
            first = distinct.setdefault(side.value or side.place.source.quote, side)
            distinct[side.value or side.place.source.quote] = replace(first, keys=first.keys | side.keys)
        return tuple(distinct.values())[:_MOST_SIDES] if len(distinct) > 1 else ()

    def _possible(self) -> tuple[Sides, ...]:
        compared = [n for n in list(self._places)[:_MOST_COMPARED] if self._places[n].document_sources]
        groups = contradictions([_statement(self._places[n]) for n in compared])[:_MOST_GROUPS]
        return tuple(
            self._sorted({compared[stated.n]: stated.value for side in group for stated in side})
            for group in groups
        )

    def _sorted(self, values: Mapping[int, str]) -> Sides:
        return tuple(
            sorted((self._side(n, value) for n, value in values.items()), key=lambda side: side.order)
        )

    def _side(self, n: int, value: str) -> Side:
        place = self._places[n]
        sides = [
            _side_of(
                n,
                place if nth == 0 else place.quoted_from(source),
                value,
                self._metadata.get(source.document_id, {}),
            )
            for nth, source in enumerate(place.document_sources)
        ]
        return min(sides, key=lambda side: side.order) if sides else Side(n, place, _keys(place), value)

    @cached_property
    def _metadata(self) -> Mapping[str, Mapping[str, Value]]:
        sources = (source for place in self._places.values() for source in place.document_sources)
        ids = sorted({source.document_id for source in sources})
        documents = self._ports.graph.store.documents_of(ids)
        return {document.id: document.metadata for document in documents}


def _statement(place: Placed) -> Statement:
    sources = place.document_sources
    if not sources:  # of a graph alone
        return Statement(place.fact.fact_text)
    documents, stands = frozenset(source.document_id for source in sources), sources[0].place
    return Statement(sources[0].fact, documents, sources[0].title, (stands and stands.row) or "")


def _side_of(n: int, place: Placed, value: str, metadata: Mapping[str, Value]) -> Side:
    day, priority = metadata.get("date"), metadata.get("priority")
    counts = isinstance(priority, int | float) and not isinstance(priority, bool) and math.isfinite(priority)
    return Side(
        n=n,
        place=place,
        keys=_keys(place),
        value=value,
        date=day if type(day) is date else None,
        priority=priority if counts else None,  # type: ignore[arg-type]
    )


def _keys(place: Placed) -> frozenset[str]:
    return frozenset((fact_key(place.fact.fact_text),))
