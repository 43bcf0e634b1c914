"""Finds pairs of key elements that the rules leave open, with the facts that a model judges them by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hopline.models.jobs import Json
from hopline.models.merges import NameCandidates, Proposal
from workers.core.graph.merges import ElementProfile
from workers.core.ids import merge_id
from workers.core.language.text import normalise
from workers.core.ports import Ports
from workers.core.records import FactSource
from workers.ingest.resolution.candidates import SOURCE_FACTS, Proposals

_SHOWN = 3  # facts of each of the two
_READ = 30  # these are chosen from so many
_LONGEST = 400  # characters of a fact
_NAMES = 250  # that may mean several: no page of elements holds more


class LikelyPair(Proposal):
    """Two key elements that may name one thing, as a model is asked about them."""

    material: Json  # {one, other}: name and facts of each
    contents: tuple[str, ...]  # content hashes of the chunks in which these facts stand


def likely_pairs(
    page: Sequence[ElementProfile], proposals: Proposals, after: str, ports: Ports
) -> list[LikelyPair]:
    """Return the pairs for a model, with each element of the page at most once.

    It is what the rules left open, and names that documents give to one element only, but
    also use as ordinary words. A name that several bear is left out, and so is what a person keeps apart.

    Args:
        page: key elements, ordered by id.
        proposals: results of the rules for them.
        after: the id that the page follows.
        ports: the graph is read, three times for each pair.
    """
    collection, merging = ports.job.collection, ports.graph.merging
    names = merging.name_candidates(collection, after=after, limit=_NAMES)
    wanted = _wanted(page, proposals, {name.element.id: name for name in names})
    known = [merging.merge(merge_id(collection, pair.source, pair.target)) for pair in wanted]
    pairs = [pair for pair, merge in zip(wanted, known, strict=True) if not (merge and merge.undone)]
    facts = {end: _facts(end, name, ports) for pair in pairs for end, name in _ends(pair)}
    pairs = [pair for pair in pairs if facts[pair.source] and facts[pair.target]]
    chunks = sorted({fact.chunk_id for shown in facts.values() for fact in shown})
    stored = ports.graph.nodes.chunks(collection, chunks) if chunks else []
    contents = {chunk.id: chunk.content_hash for chunk, _document in stored}
    return [_described(pair, facts, contents) for pair in pairs]


def _wanted(
    page: Sequence[ElementProfile], proposals: Proposals, names: Mapping[str, NameCandidates]
) -> list[Proposal]:
    several = {name for name, meant in names.items() if len(meant.candidates) > 1}
    taken = {proposal.source for proposal in (*proposals.sure, *proposals.left_open)} | several
    small = (element.id for element in page if element.facts <= SOURCE_FACTS)
    free = [element for element in small if element in names and element not in taken]
    return [
        *(proposal for proposal in proposals.left_open if proposal.source not in several),
        *(_name_of_one(names[name]) for name in free if names[name].candidates),
    ]


def _name_of_one(name: NameCandidates) -> Proposal:
    """Return the merge of a name with the one that it may mean, which no document makes sure."""
    return Proposal(
        source=name.element.id,
        source_name=name.element.name,
        target=name.candidates[0].id,
        target_name=name.candidates[0].name,
        rule="model",
        evidence="documents know no other by this name, and may use it otherwise",
    )


def _ends(pair: Proposal) -> tuple[tuple[str, str], tuple[str, str]]:
    return (pair.source, pair.source_name), (pair.target, pair.target_name)


def _facts(element: str, name: str, ports: Ports) -> list[FactSource]:
    """Return some facts of an element, in an order that further merges do not change.

    Those that write its own name come alone, where there are any: what a merge brought has another one.
    """
    node = ports.graph.nodes.read_node(ports.job.collection, element, max_facts=_READ, max_neighbours=0)
    facts = sorted(node.facts, key=lambda fact: fact.fact_id) if node else []
    own = [fact for fact in facts if name in normalise(fact.fact)]
    return (own or facts)[:_SHOWN]


def _described(pair: Proposal, facts: dict[str, list[FactSource]], contents: dict[str, str]) -> LikelyPair:
    source, target = (
        {"name": name, "facts": [{"fact": fact.fact[:_LONGEST], "title": fact.title} for fact in facts[end]]}
        for end, name in _ends(pair)
    )
    chunks = {fact.chunk_id for end, _name in _ends(pair) for fact in facts[end]}
    hashes = sorted({contents[chunk] for chunk in chunks if chunk in contents})
    return LikelyPair(**pair.model_dump(), material={"one": source, "other": target}, contents=tuple(hashes))
