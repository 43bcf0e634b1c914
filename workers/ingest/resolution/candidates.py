"""Proposes merges of key elements: by names first, then shared facts, then vectors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hopline.errors import Permanent
from hopline.models.documents import Chunk, Document
from hopline.models.merges import Proposal, Rule
from workers.core.graph.merges import ElementProfile, Pattern, Shared
from workers.core.ports import Ports
from workers.core.records import FactSource
from workers.ingest.resolution.names import (
    WITHIN,
    ambiguous,
    contained,
    has_digit,
    is_capitalised,
    may_be_person,
    may_be_short,
    may_contain,
    may_merge,
    parts,
)
from workers.ingest.resolution.spellings import only_a_gap, spelled_alike

# What many facts hold is no double of anything. All of a source's facts move in one transaction; all places
# of a target must be looked at, to know what it shares.
SOURCE_FACTS, _TARGET_FACTS = 300, 2000
_CONTAINING = 40  # names looked at; what stands in more of them is no short form of one
_RESEMBLING = 12
_SHORT_WORD = 3  # letters that may be initials
# Spellings of one name lie above it (docs/adr/0016): letters decide, vectors may object.
SIMILAR = 0.6


class Pair(NamedTuple):
    """Two elements that may be one."""

    source: ElementProfile
    target: ElementProfile
    rule: Rule


class Proposals(NamedTuple):
    """Which elements of a page may become redirects, and to which target, at most one each."""

    sure: list[Proposal]  # by the rules
    # Whose names fit, but that share too little, or whose vectors lie too far apart.
    left_open: list[Proposal]


def propose_merges(
    page: Sequence[ElementProfile], ports: Ports, *, source_facts: int = SOURCE_FACTS
) -> Proposals:
    """Return which elements of a page should be merged, and which the rules leave open.

    Args:
        page: the elements that may become redirects.
        ports: graph, vectors and model.
        source_facts: what more facts hold is no double.
    """
    small = [element for element in page if element.facts <= source_facts]
    pairs = _contained_pairs(small, ports)
    taken = {pair.source.id for pair in pairs}
    pairs += [pair for pair in _spelled_pairs(small, ports) if pair.source.id not in taken]
    ends = [(pair.source.id, pair.target.id) for pair in pairs]
    compared = list(zip(pairs, ports.graph.merging.shared(ports.job.collection, ends), strict=True))
    related = [
        (pair, shared)
        for pair, shared in compared
        if _related(pair, shared)
        and (pair.rule != "surname" or is_named_in_full_first(pair.source, pair.target, ports))
    ]
    sure = _confirmed(related, ports)
    confirmed = {proposal.source for proposal in sure}
    left = [(pair, shared) for pair, shared in compared if pair.source.id not in confirmed]
    return Proposals(sure, [_open_proposal(pair, shared) for pair, shared in left])


def _contained_pairs(small: Sequence[ElementProfile], ports: Ports) -> list[Pair]:
    shorts = [element for element in small if may_be_short(element)]
    patterns = [Pattern(mode="phrase", name=element.name) for element in shorts]
    patterns += [Pattern(mode="ends", name=_ends(element.name)) for element in shorts]
    matches = ports.graph.merging.elements_matching(ports.job.collection, patterns, _CONTAINING)
    phrases, ends = matches[: len(shorts)], matches[len(shorts) :]
    pairs = []
    for short, holding, ending in zip(shorts, phrases, ends, strict=True):
        several = len(ending) >= _CONTAINING  # only some were looked at
        if len(holding) < _CONTAINING and not (several and may_be_person(short.name)):
            pairs += _longer(short, [*holding, *(() if several else ending)])
    return pairs


def _ends(name: str) -> str:
    """Return how a longer form of a person's name begins and ends; nothing for a single word."""
    held = parts(name).words
    if len(held) < 2:  # noqa: PLR2004 - a given name and a family name
        return ""
    first = held[0][:1] if len(held[0]) <= _SHORT_WORD else held[0]
    return f"{first} {held[-1]}"


def _longer(short: ElementProfile, candidates: Iterable[ElementProfile]) -> list[Pair]:
    rivals = {
        candidate.name: candidate
        for candidate in candidates
        if may_contain(short.name, candidate.name) and is_capitalised(candidate)
    }
    longer = [name for name in rivals if contained(short.name, name)]
    if not longer or ambiguous(list(rivals)):
        return []
    full = [name for name in longer if all(contained(name, other) != "initials" for other in longer)]
    target = rivals[min(full, key=lambda name: (len(name), name))]
    rule = contained(short.name, target.name)
    fits = rule and may_merge(target) and not has_digit(target.name) and target.facts <= _TARGET_FACTS
    return [Pair(short, target, rule)] if rule and fits else []


def _spelled_pairs(small: Sequence[ElementProfile], ports: Ports) -> list[Pair]:
    named = [element for element in small if may_merge(element)]
    patterns = [Pattern(mode="resembling", name=element.name) for element in named]
    matches = ports.graph.merging.elements_matching(ports.job.collection, patterns, _RESEMBLING)
    pairs = []
    for source, near in zip(named, matches, strict=True):
        alike = [(other, rule) for other in near if (rule := _spelled(source, other))]
        above = [(other, rule) for other, rule in alike if _rank(other) < _rank(source)]
        if above:
            target, rule = min(above, key=lambda entry: _rank(entry[0]))
            if target.facts <= _TARGET_FACTS:
                pairs.append(Pair(source, target, rule))
    return pairs


def _spelled(element: ElementProfile, other: ElementProfile) -> Rule | None:
    names = is_capitalised(element) and is_capitalised(other)
    return (
        spelled_alike(element.name, other.name) if names or not only_a_gap(element.name, other.name) else None
    )


def _rank(element: ElementProfile) -> tuple[int, str]:
    """The commoner of two spellings stays; of equals that with the smaller id."""
    return (-element.facts, element.id)


def _related(pair: Pair, shared: Shared) -> bool:
    """Return whether two elements share what their rule requires.

    A short form may not be anywhere without the longer one: else it may be short for another thing as well.
    """
    if pair.rule in WITHIN:
        return shared.whole and 0 < shared.documents == shared.source_documents
    return shared.documents > 0 or pair.rule == "spelling"


def _confirmed(related: Sequence[tuple[Pair, Shared]], ports: Ports) -> list[Proposal]:
    spelled = [(pair, shared) for pair, shared in related if pair.rule in {"spelling", "typo"}]
    near = _similarities([pair for pair, _shared in spelled], ports)
    proposals = []
    for pair, shared in related:
        evidence = _in_common(shared)
        if pair.rule in {"spelling", "typo"}:
            similarity = near.get(pair.source.id, 0.0)
            if similarity < SIMILAR:
                continue
            evidence += f", similarity {similarity:.2f}"
        proposals.append(_proposal(pair, pair.rule, evidence))
    return proposals


def _in_common(shared: Shared) -> str:
    return f"{shared.documents} of {shared.source_documents} documents, {shared.facts} facts in common"


def _similarities(pairs: Sequence[Pair], ports: Ports) -> dict[str, float]:
    """Return the cosine of each source's name with its target's stored vector; nothing without vectors."""
    if not pairs:
        return {}
    collection = ports.job.collection
    try:
        ports.vectors.check(collection, ports.model.embedder)
    except Permanent:
        return {}
    vectors = ports.model.embed([pair.source.name for pair in pairs])
    similarities = ports.vectors.nearest_among(collection, vectors, [pair.target.id for pair in pairs])
    return {
        pair.source.id: scores[pair.target.id]
        for pair, scores in zip(pairs, similarities, strict=True)
        if pair.target.id in scores
    }


def _open_proposal(pair: Pair, shared: Shared) -> Proposal:
    return _proposal(pair, "model", f"{pair.rule}: {_in_common(shared)}")


def _proposal(pair: Pair, rule: Rule, evidence: str) -> Proposal:
    return Proposal(
        source=pair.source.id,
        source_name=pair.source.name,
        target=pair.target.id,
        target_name=pair.target.name,
        rule=rule,
        evidence=evidence,
    )


def is_named_in_full_first(short: ElementProfile, full: ElementProfile, ports: Ports) -> bool:
    """Return whether each document with the short form has the full name before it.

    "The sitcom Seinfeld, written by Jerry Seinfeld" is of two things: the shorter one cannot refer to what
    was not named yet. Three to five reads; where the text has a name in other letters, it is no objection.
    """
    shorts, fulls = _first_places(short, ports), _first_places(full, ports)
    full_places = {
        place.chunk_id: fulls.get(document)
        for document, place in shorts.items()
        if not _is_earlier(fulls.get(document), place.chunk_id, place.start)
    }
    chunks = ports.graph.nodes.chunks(ports.job.collection, list(full_places)) if full_places else []
    return all(_in_order(document, chunk, short, full, full_places[chunk.id]) for chunk, document in chunks)


def _first_places(element: ElementProfile, ports: Ports) -> dict[str, FactSource]:
    """Return per document the first place that carries one of the element's facts."""
    collection = ports.job.collection
    node = ports.graph.nodes.read_node(collection, element.id, max_facts=element.facts, max_neighbours=0)
    if node is None:
        return {}
    first: dict[str, FactSource] = {}
    for place in ports.graph.nodes.fact_sources(collection, [fact.fact_id for fact in node.facts]):
        known = first.get(place.document_id)
        if known is None or place.start < known.start:
            first[place.document_id] = place
    return first


def _is_earlier(full: FactSource | None, chunk_id: str, start: int) -> bool:
    return full is not None and full.chunk_id != chunk_id and full.start < start


def _in_order(
    document: Document, chunk: Chunk, short: ElementProfile, full: ElementProfile, place: FactSource | None
) -> bool:
    """Check the document's first chunk with the short form; place is the full name's first."""
    whole = _any_of(full.aliases)
    if whole.search(_on_one_line(document.title)):
        return True
    text = _on_one_line(chunk.text)
    if document.title not in short.aliases:  # "Tarski's problem was posed by Alfred Tarski" names the problem
        text = _any_of((document.title,)).sub("", text)
    named = whole.search(text)
    if named is None:
        return place is None or place.chunk_id == chunk.id
    alone = _any_of(short.aliases).search(whole.sub(_blank, text))
    return alone is None or named.start() < alone.start()


def _any_of(names: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds any of the names as whole words, the longest first."""
    ordered = sorted((_on_one_line(name) for name in names if name.strip()), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)") if ordered else _NOTHING


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


_NOTHING = re.compile(r"(?!)")
