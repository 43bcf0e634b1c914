"""What was ranked, as who searches gets it: texts, facts, key elements, and reasons in plain words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.core.around import SaidChunk, SaidFact
from workers.core.ports import Graph
from workers.core.ranking import overlap, terms
from workers.search.found import Found, FoundChunk, FoundElement, FoundFact, Part
from workers.search.fusion import damped, ranked
from workers.search.mentions import Named
from workers.search.walk import Walked

_FACTS = 40  # told of a chunk
_NAMED = 3  # key elements and words that a reason names
_NEAR = 10  # ranks of a part that are worth a reason
_ELEMENTS = 8  # told of a chunk


@dataclass(frozen=True)
class Ranked:
    """All that the ranking knows."""

    question: str
    named: Sequence[Named]
    walked: Walked
    parts: Mapping[Part, Mapping[str, float]]
    scores: Mapping[str, float]
    best: Sequence[str]  # chunk ids, best first


def told(best: Ranked, collection: str, graph: Graph, elements: int) -> Found:
    """Return what was found; one round trip for the chunks, and one for elements that none of them holds."""
    said = graph.chunks_said(collection, best.best, _FACTS) if best.best else []
    teller = _Teller(best, said)
    chunks = tuple(teller.chunk(one) for one in said)
    facts = sorted((fact for one in chunks for fact in one.facts), key=lambda f: (-f.score, f.id, f.chunk_id))
    return Found(
        question=best.question,
        chunks=chunks,
        facts=tuple({fact.id: fact for fact in reversed(facts)}.values())[::-1],
        elements=_elements(best, teller.names, collection, graph, elements),
    )


def _elements(
    best: Ranked, names: dict[str, str], collection: str, graph: Graph, limit: int
) -> tuple[FoundElement, ...]:
    """Return the elements that the walk passed most, those that the question names among them."""
    asked = {one.id: one.name for one in best.named}
    mass = {**dict.fromkeys(names, 0.0), **dict.fromkeys(asked, 0.0), **best.walked.elements}
    order = ranked(mass, limit)
    names = {**names, **asked}
    if missing := [name for name in order if name not in names]:
        names |= {element.id: element.name for element in graph.elements(collection, missing)}
    return tuple(
        FoundElement(id=one, name=names[one], score=mass[one], asked=one in asked)
        for one in order
        if one in names
    )


class _Teller:
    """Tells of one chunk after another."""

    def __init__(self, best: Ranked, said: Sequence[SaidChunk]) -> None:
        self._best = best
        self._wanted = terms(best.question)
        self._facts = damped(best.walked.facts)
        self._asked = {one.id for one in best.named}
        self.names = {element: name for one in said for fact in one.facts for element, name in fact.elements}
        self._places = {
            part: {name: place for place, name in enumerate(ranked(scores), 1)}
            for part, scores in best.parts.items()
        }

    def chunk(self, one: SaidChunk) -> FoundChunk:
        """Return a chunk with what speaks for it."""
        name = one.chunk.id
        facts = sorted(
            (self._fact(fact, name) for fact in one.facts), key=lambda fact: (-fact.score, fact.id)
        )
        held = {element for fact in one.facts for element, _name in fact.elements}
        mass = {element: self._best.walked.elements.get(element, 0.0) for element in held}
        top = ranked(mass)
        return FoundChunk(
            chunk=one.chunk,
            document=one.document,
            score=round(self._best.scores[name], 4),
            parts={part: round(found[name], 4) for part, found in self._best.parts.items() if name in found},
            facts=tuple(facts),
            elements=tuple(
                FoundElement(
                    id=element, name=self.names[element], score=mass[element], asked=element in self._asked
                )
                for element in top[:_ELEMENTS]
            ),
            reasons=tuple(self._reasons(one, top)),
        )

    def _fact(self, fact: SaidFact, chunk: str) -> FoundFact:
        # Half what the walk says of it, half the share of the question's words in it.
        score = (self._facts.get(fact.id, 0.0) + overlap(self._wanted, fact.text)) / 2
        ids = tuple(element for element, _name in fact.elements)
        return FoundFact(id=fact.id, text=fact.text, chunk_id=chunk, score=round(score, 4), elements=ids)

    def _reasons(self, one: SaidChunk, elements: Sequence[str]) -> list[str]:
        reasons = []
        name = one.chunk.id
        named = [self.names[element] for element in elements if element in self._asked]
        if named:
            reasons.append(f"speaks of {', '.join(named[:_NAMED])}, which the question names")
        elif self._best.parts["walk"].get(name) and elements:
            linked = ", ".join(self.names[element] for element in elements[:_NAMED])
            reasons.append(f"joined to what the question names by {linked}")
        near = [self._places[part].get(name) for part in ("vector", "vector_asked") if part in self._places]
        rank = min((place for place in near if place), default=None)
        if rank and rank <= _NEAR:
            reasons.append(f"its text is near in meaning (rank {rank})")
        if self._best.parts.get("words", {}).get(name):
            shared = sorted(self._wanted & terms(f"{one.document.title} {one.chunk.text}"))
            if shared:
                reasons.append(f"shares {len(shared)} of {len(self._wanted)} words with the question")
        return reasons
