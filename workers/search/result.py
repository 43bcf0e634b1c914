"""Builds the search result from the ranking: texts, facts, key elements and reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hopline.models.search import Found, FoundChunk, FoundElement, FoundFact, Part
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.graph.surroundings import GraphSnapshot, SaidChunk, SaidFact, WalkSource
from workers.core.ports import Graph
from workers.search.fusion import damped, ranked
from workers.search.mentions import Named
from workers.search.titles import COMPARED
from workers.search.walk import Walked

_FACTS = 40  # reported per chunk
_SPARE = 5  # chunks read ahead beyond the limit: then most of those that lead in the end are among them
_NAMED = 3  # key elements and words that a reason names
_NEAR = 10  # ranks of a part that are worth a reason
_ELEMENTS = 8  # reported per chunk

Ranks = Mapping[str, int]


@dataclass(frozen=True)
class Ranked:
    """The ranking's data about the chunks found."""

    walked: Walked
    parts: Mapping[Part, Mapping[str, float]]
    scores: Mapping[str, float]
    order: Sequence[str]  # chunk ids, best first


class Teller:
    """Reads chunks from the graph, each once, and explains their ranks.

    Args:
        question: question as asked.
        named: key elements that it names.
        collection: collection of the chunks.
        graph: graph to read from.
        source: source of the names of key elements.
        snapshot: the source, if it is in memory.
    """

    def __init__(
        self,
        question: str,
        named: Sequence[Named],
        collection: str,
        graph: Graph,
        source: WalkSource,
        snapshot: GraphSnapshot | None = None,
    ) -> None:
        self._question = question
        self._named = {element.id: element.name for element in named}
        self._collection = collection
        self._graph = graph
        self._source = source
        self._snapshot = snapshot
        self._wanted = terms(question)
        self._said: dict[str, SaidChunk] = {}
        self._likely: frozenset[str] = frozenset()
        self._names: dict[str, str] = dict(self._named)

    def build_result(self, best: Ranked, limit: int, elements: int) -> Found:
        """Return the result: the best chunks, their facts, and the elements with the most mass."""
        chunks = self.chunks(best, best.order[:limit])
        facts = sorted(
            (fact for passage in chunks for fact in passage.facts),
            key=lambda fact: (-fact.score, fact.id, fact.chunk_id),
        )
        return Found(
            question=self._question,
            chunks=tuple(chunks),
            facts=tuple({fact.id: fact for fact in reversed(facts)}.values())[::-1],
            elements=self.elements(best.walked, elements),
        )

    def read_ahead(self, likely: Ranked, limit: int, elements: int) -> None:
        """Read ahead the likely content of the result: most of its chunks, and the names of its elements.

        Args:
            likely: the ranking before all similarities are known.
            limit: number of chunks in the result.
            elements: number of key elements in the result.
        """
        self._likely = frozenset(likely.order[:COMPARED])
        self._read(likely.order[: max(limit + _SPARE, COMPARED)])
        self._name(ranked(likely.walked.elements, elements))

    @property
    def named_ids(self) -> frozenset[str]:
        """The ids of the key elements that the question names."""
        return frozenset(self._named)

    def likely(self, ids: Sequence[str]) -> list[SaidChunk]:
        """Return the live chunks that ranked best when read ahead, whatever the limit."""
        return self.read_chunks([name for name in ids if name in self._likely])

    def read_chunks(self, ids: Sequence[str]) -> list[SaidChunk]:
        """Return live chunks as stored in the graph; one round trip if any has not been read yet."""
        self._read(ids)
        return [self._said[name] for name in ids if name in self._said]

    def _read(self, ids: Sequence[str]) -> None:
        if missing := [name for name in ids if name not in self._said]:
            passages = self._graph.around.chunks_said(self._collection, missing, _FACTS, self._snapshot)
            self._said |= {passage.chunk.id: passage for passage in passages}

    def chunks(self, best: Ranked, ids: Sequence[str]) -> list[FoundChunk]:
        """Return live chunks with their scores and reasons; reads like `read_chunks`."""
        passages = self.read_chunks(ids)
        self._names |= {
            element: name for passage in passages for fact in passage.facts for element, name in fact.elements
        }
        near = _near(best)
        facts = damped(best.walked.facts, {fact.id for passage in passages for fact in passage.facts})
        return [self._chunk(passage, best, near, facts) for passage in passages]

    def _name(self, elements: Sequence[str]) -> None:
        if missing := [element for element in elements if element not in self._names]:
            self._names |= self._source.names(missing)

    def elements(self, walked: Walked, limit: int) -> tuple[FoundElement, ...]:
        """Return the key elements that the question names, and those with the most mass; best first."""
        mass = dict.fromkeys(self._names, 0.0) | walked.elements
        # Elements named in the question are never cut off.
        subjects = ranked({element: mass[element] for element in self._named}, limit)
        rest = ranked(
            {element: mass[element] for element in mass if element not in self._named}, limit - len(subjects)
        )
        order = ranked({element: mass[element] for element in (*subjects, *rest)})
        self._name(order)
        return tuple(
            FoundElement(
                id=element, name=self._names[element], score=mass[element], asked=element in self._named
            )
            for element in order
            if element in self._names
        )

    def _chunk(self, passage: SaidChunk, best: Ranked, near: Ranks, facts: Mapping[str, float]) -> FoundChunk:
        name = passage.chunk.id
        found_facts = sorted(
            (self._fact(fact, name, facts.get(fact.id, 0.0)) for fact in passage.facts),
            key=lambda fact: (-fact.score, fact.id),
        )
        held = {element for fact in passage.facts for element, _name in fact.elements}
        mass = {element: best.walked.elements.get(element, 0.0) for element in held}
        top = ranked(mass)
        return FoundChunk(
            chunk=passage.chunk,
            document=passage.document,
            score=round(best.scores[name], 4),
            parts={part: round(scores[name], 4) for part, scores in best.parts.items() if name in scores},
            facts=tuple(found_facts),
            elements=tuple(
                FoundElement(
                    id=element, name=self._names[element], score=mass[element], asked=element in self._named
                )
                for element in top[:_ELEMENTS]
            ),
            reasons=tuple(self._reasons(passage, top, best, near)),
        )

    def _fact(self, fact: SaidFact, chunk: str, walked: float) -> FoundFact:
        # Half what the walk says of it, half the share of the question's words in it.
        score = (walked + overlap(self._wanted, fact.text)) / 2
        ids = tuple(element for element, _name in fact.elements)
        return FoundFact(id=fact.id, text=fact.text, chunk_id=chunk, score=round(score, 4), elements=ids)

    def _reasons(self, passage: SaidChunk, elements: Sequence[str], best: Ranked, near: Ranks) -> list[str]:
        reasons = []
        name = passage.chunk.id
        named = [self._names[element] for element in elements if element in self._named]
        if named:
            reasons.append(f"speaks of {', '.join(named[:_NAMED])}, which the question names")
        elif best.parts["walk"].get(name) and elements:
            linked = ", ".join(self._names[element] for element in elements[:_NAMED])
            reasons.append(f"joined to what the question speaks of by {linked}")
        if best.parts.get("titled", {}).get(name):
            reasons.append("its document is about what the question, or a passage that ranks high, names")
        if name in near:
            reasons.append(f"its text is near in meaning (rank {near[name]})")
        shared = self._wanted & terms(f"{passage.document.title} {passage.chunk.text}")
        if shared:
            reasons.append(f"shares {len(shared)} of {len(self._wanted)} words with the question")
        return reasons


def _near(best: Ranked) -> Ranks:
    """Return the chunks whose vectors are nearest, each with the better of its ranks."""
    near: dict[str, int] = {}
    for part in ("vector", "vector_asked"):
        for rank, name in enumerate(ranked(best.parts.get(part, {}), _NEAR), 1):
            near[name] = min(rank, near.get(name, rank))
    return near
