"""Builds a visit's view of a node for the model, and checks the model's reply against it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopline.models.jobs import Json
from hopline.visible import visible
from workers.core.answers.lexical_rank import overlap, terms
from workers.core.graph.element_kinds import place_of
from workers.core.graph.paths import ChunkReading
from workers.core.language.text import sentences
from workers.core.models.tools import FoundBy
from workers.core.records import FactSource, GraphPlace, Neighbour, NodeReading, QuotedFact
from workers.tools.queries import property_call
from workers.traverse.guide import Guide
from workers.traverse.schema import NodeNotes, ReadFact

_QUOTE = 400  # characters of a quote that the critic sees
_PROPERTY = "property:"
_TOOL = "visit"  # as a citation names what found a property
_PROPERTIES = 20  # of a node, that are shown
_VALUE = 400  # characters of a value; a longer one is not shown, for it could not be cited whole


@dataclass(frozen=True)
class Shown:
    """A node as the model sees it. Ids are short handles: cheaper than hashes, and harder to mistype."""

    node: NodeReading
    depth: int
    facts: dict[str, FactSource]  # handle f1, f2 … → a grounded fact
    chunks: dict[str, ChunkReading]  # c1, c2 …; with their facts once a reply cites them
    neighbours: dict[str, Neighbour]  # n1, n2 …, best first

    @property
    def properties(self) -> Json:
        """The node's short properties, by name."""
        short = [(name, value) for name, value in self.node.properties.items() if len(str(value)) <= _VALUE]
        return dict(sorted(short)[:_PROPERTIES])

    def material(self) -> Json:
        """Return the node's part of the model's input."""
        return {
            "node": {"id": "node", "name": self.node.name, "properties": self.properties},
            "facts": [{"id": handle, "text": fact.fact} for handle, fact in self.facts.items()],
            "chunks": [{"id": handle, "text": reading.chunk.text} for handle, reading in self.chunks.items()],
            "neighbours": self._shown_neighbours(),
        }

    def _shown_neighbours(self) -> list[Json]:
        """Return the neighbours for the model; of a fact that is shown the id is enough."""
        handles = {fact.fact: handle for handle, fact in self.facts.items()}
        return [
            {
                "id": handle,
                "name": near.name,
                **({"relationship": near.relationship} if near.is_typed else {}),
                "shared": near.shared,
                "context": handles.get(near.context, near.context),
            }
            for handle, near in self.neighbours.items()
        ]


@dataclass(frozen=True)
class Noted:
    """The accepted part of a reply. All texts come from the graph, so a model cannot add to them."""

    facts: list[QuotedFact]
    next: list[Neighbour]
    invented: int  # ids that were never offered
    ungrounded: int  # statements that their chunk does not carry


def ranked_facts(
    facts: Sequence[FactSource], wanted: frozenset[str], guide: Guide, limit: int
) -> dict[str, FactSource]:
    """Return grounded facts, each once, under handles, best first: by ranker score and shared words."""
    once: dict[str, FactSource] = {}
    for fact in facts:
        if fact.grounded:
            once.setdefault(fact.fact_id, fact)
    best = list(once.values())
    score = {fact.fact_id: guide.facts.get(fact.fact_id, 0.0) + overlap(wanted, fact.fact) for fact in best}
    best.sort(key=lambda fact: (-score[fact.fact_id], fact.fact_id))
    return {f"f{n}": fact for n, fact in enumerate(best[:limit], 1)}


def ranked_neighbours(
    neighbours: Sequence[Neighbour],
    wanted: frozenset[str],
    guide: Guide,
    passed: frozenset[str],
    limit: int,
    *,
    read: bool = False,
) -> dict[str, Neighbour]:
    """Return neighbours not yet on the path, best first: by ranker score and shared words, hubs last.

    Typed relations and names come before titles; figures, verbs and adjectives come last.

    Args:
        neighbours: neighbours of the node.
        wanted: content words of the question and its parts.
        guide: the ranker's scores.
        passed: names of nodes on the path to here.
        limit: maximum number of neighbours.
        read: whether all facts of the node are shown; if so, neighbours without other facts are left out.
    """
    fresh = [near for near in neighbours if near.name not in passed and (near.holds_more or not read)]
    score = {
        near.id: guide.elements.get(near.id, 0.0) + overlap(wanted, f"{near.name} {near.context}")
        for near in fresh
    }
    fresh.sort(key=lambda near: (place_of(near, wanted), -score[near.id], -near.closeness, near.id))
    return {f"n{n}": near for n, near in enumerate(fresh[:limit], 1)}


def believed(notes: NodeNotes, shown: Shown, threshold: float) -> Noted:
    """Return the part of the model's notes that is based on what it was shown.

    Args:
        notes: the reply.
        shown: the node as shown to the model.
        threshold: share of a statement's words that a sentence of the chunk must contain.
    """
    facts: dict[str, QuotedFact] = {}
    invented = ungrounded = 0
    for statement in notes.facts:
        for source in statement.source_ids:
            raw = _raw_fact(statement, source, shown, threshold)
            if raw is None and source in shown.chunks:
                ungrounded += 1
            elif raw is None:
                invented += 1
            else:
                facts.setdefault(raw.source_fact_id or raw.fact_text, raw)
    offered = dict.fromkeys(handle for handle in notes.next if handle in shown.neighbours)
    invented += len([handle for handle in notes.next if handle not in shown.neighbours])
    following = [] if notes.stop else [shown.neighbours[handle] for handle in offered]
    return Noted(list(facts.values()), following, invented, ungrounded)


def _raw_fact(statement: ReadFact, source: str, shown: Shown, threshold: float) -> QuotedFact | None:
    if source in shown.facts:
        return _from_fact(shown.facts[source], shown)
    if source in shown.chunks:
        return _from_chunk(statement.text, shown.chunks[source], shown, threshold)
    name = source.removeprefix(_PROPERTY)
    if source.startswith(_PROPERTY) and name in shown.properties:
        return _from_property(name, shown)
    return None


def _from_fact(fact: FactSource, shown: Shown) -> QuotedFact:
    return QuotedFact(
        fact_text=fact.fact,
        source_node_id=shown.node.id,
        source_fact_id=fact.fact_id,
        source_qdrant_chunk_id=fact.chunk_id,
        extracted_from_depth=shown.depth,
        title=fact.title,
        quote=fact.quote[:_QUOTE],
    )


def _from_property(name: str, shown: Shown) -> QuotedFact:
    """Return a node's property as a fact; its place is the node, the property and the value."""
    node, value = shown.node, shown.properties[name]
    statement = f"{node.name}: {name} is {value}"
    place = GraphPlace(
        call=f"{_PROPERTY}{node.id}:{name}",
        nth=0,
        said=statement,
        row={"node": node.name, "property": name, "value": value},
        nodes=(node.element_id,) if node.element_id else (),
        relationships=(),
    )
    return QuotedFact(
        fact_text=statement,
        source_node_id=node.id,
        source_property=name,
        extracted_from_depth=shown.depth,
        place=place,
        title=node.name,
        quote=place.said,
    )


def property_calls(facts: Sequence[QuotedFact], collection: str) -> dict[str, FoundBy]:
    """Return the tool calls that would find raw facts from node properties again, by call id."""
    return {
        fact.place.call: property_call(
            _TOOL,
            fact.place.row["node"],
            id=fact.source_node_id,
            collection=collection,
            property=fact.source_property,
        )
        for fact in facts
        if fact.place and fact.source_property is not None
    }


def _from_chunk(text: str, reading: ChunkReading, shown: Shown, threshold: float) -> QuotedFact | None:
    """Return the chunk's stored fact that matches best, or that of its sentence that matches better.

    A sentence that no fact carries is returned unchanged.
    """
    words, chunk = terms(text), reading.chunk
    of_node = [fact for fact in shown.node.facts if fact.chunk_id == chunk.id]
    stored = [fact for fact in (*of_node, *reading.facts) if fact.grounded]
    fact = _nearest(words, stored)
    said_by_fact = overlap(words, fact.fact) if fact else 0.0
    spans = [(overlap(words, chunk.text[start:end]), start, end) for start, end in sentences(chunk.text)]
    match, start, end = max(spans, key=lambda span: (span[0], -span[1]), default=(0.0, 0, 0))
    if max(match, said_by_fact) < threshold or not words:
        return None
    if fact and said_by_fact >= match:
        return _from_fact(fact, shown)
    begin, stop = chunk.start + start, chunk.start + end
    carried = _nearest(words, [fact for fact in stored if fact.start < stop and fact.end > begin])
    if carried and overlap(words, carried.fact) > 0:
        return _from_fact(carried, shown)
    return QuotedFact(
        fact_text=chunk.text[start:end],
        source_node_id=shown.node.id,
        source_qdrant_chunk_id=chunk.id,
        extracted_from_depth=shown.depth,
        title=reading.document.title,
        quote=visible(chunk.text[start:end])[:_QUOTE],
    )


def _nearest(words: frozenset[str], facts: Sequence[FactSource]) -> FactSource | None:
    return max(facts, key=lambda fact: overlap(words, fact.fact), default=None)
