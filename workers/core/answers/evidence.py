"""Turns the facts of visits into evidence: collect, pre-rank, decay, pack."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

import orjson

from workers.core.answers.lexical_rank import overlap
from workers.core.ids import content_hash
from workers.core.jobs.work import as_json
from workers.core.language.text import normalise
from workers.core.records import FactSource, FinalFact, QuotedFact, RankedFact, RawFact, ScoredFact

Entry = TypeVar("Entry")


def fact_key(text: str) -> str:
    """Return the identity of a raw fact: its text, since a stored fact's id is a hash of its text.

    So a sentence read in a chunk and an atomic fact with the same text are one fact.
    """
    return content_hash(normalise(text))[:24]


def collected(
    readings: Iterable[tuple[str, Sequence[QuotedFact]]], depths: Mapping[str, int], wanted: frozenset[str]
) -> list[RankedFact]:
    """Return each raw fact once, with its smallest depth, best first, independent of the order of readings.

    Args:
        readings: id of each reading (a node's visit, an action of a path), with its raw facts.
        depths: smallest known depth by that id; by default a fact's own.
        wanted: the question's terms; a fact with more of them comes first.
    """
    best: dict[str, tuple[bool, int, str, QuotedFact]] = {}
    nearest: dict[str, int] = {}
    for place, facts in readings:
        for fact in facts:
            depth = depths.get(place, fact.extracted_from_depth)
            key = fact_key(fact.fact_text)
            entry = (fact.source_fact_id is None, depth, place, fact)  # what is stored can be cited best
            if key not in best or entry[:3] < best[key][:3]:
                best[key] = entry
            nearest[key] = min(depth, nearest.get(key, depth))
    ranked = [
        (-overlap(wanted, fact.fact_text), nearest[key], key, fact) for key, (*_order, fact) in best.items()
    ]
    ranked.sort(key=lambda entry: entry[:3])
    return [
        RankedFact(**{**dict(fact), "extracted_from_depth": depth}, search_score=round(-negative, 4))
        for negative, depth, _key, fact in ranked
    ]


def scored(fact: RawFact, score: float, description: str, scored_by: str) -> ScoredFact:
    """Return the raw fact with its score, without title and quote."""
    raw = {name: getattr(fact, name) for name in RawFact.model_fields}
    return ScoredFact.model_validate(
        {**raw, "score": score, "source_description": description, "scored_by": scored_by}
    )


def final_facts(facts: Iterable[ScoredFact], decay_rate: float, threshold: float) -> list[FinalFact]:
    """Return the facts that remain after decay, best first.

    The threshold does not apply to a fact that no critic has seen; it keeps its search rank.
    """
    kept: list[FinalFact] = []
    for fact in facts:
        decayed = decayed_score(fact.score, fact.extracted_from_depth, decay_rate)
        if decayed >= threshold or fact.scored_by == "unscored":
            kept.append(FinalFact(**dict(fact), final_decayed_score=decayed))
    return sorted(kept, key=_rank)


def _rank(fact: FinalFact) -> tuple[float, float, int, int, str]:
    key = fact.source_fact_id or normalise(fact.fact_text)
    nth = fact.place.nth if fact.place else 0  # rows of a table keep their order
    return (-fact.final_decayed_score, -fact.score, fact.extracted_from_depth, nth, key)


def packed(
    entries: Sequence[Entry], size: Callable[[Entry], int], budget: int
) -> tuple[list[Entry], list[Entry]]:
    """Return the entries that fit and those that do not, best first.

    An entry that does not fit goes to the overflow; later, smaller ones may still fit.
    """
    fits: list[Entry] = []
    over: list[Entry] = []
    left = budget
    for entry in entries:
        need = size(entry)
        if need <= left:
            left -= need
            fits.append(entry)
        else:
            over.append(entry)
    return fits, over


def fitting(entries: Sequence[Entry], room: int) -> list[Entry]:
    """Return the entries that fit into a number of bytes of JSON; see `packed`."""
    return packed(entries, lambda entry: len(orjson.dumps(entry, default=as_json)) + 1, room)[0]


def best_sources(sources: Iterable[FactSource]) -> dict[str, FactSource]:
    """Return the place that supports each fact best; ungrounded places are left out."""
    best: dict[str, FactSource] = {}
    for source in sources:
        if not source.grounded or not source.quote:
            continue
        other = best.get(source.fact_id)
        if other is None or _worth(source) < _worth(other):
            best[source.fact_id] = source
    return best


def best_sources_by_document(sources: Iterable[FactSource]) -> dict[str, list[FactSource]]:
    """Return the best place of each fact in each document that states it; see `best_sources`."""
    documents: dict[str, list[FactSource]] = {}
    for source in sources:
        documents.setdefault(source.document_id, []).append(source)
    places: dict[str, list[FactSource]] = {}
    for name in sorted(documents):
        for fact, source in best_sources(documents[name]).items():
            places.setdefault(fact, []).append(source)
    return places


def _worth(source: FactSource) -> tuple[float, str, int, str]:
    return (-source.match, source.document_id, source.start, source.chunk_id)


def decayed_score(score: float, depth: int, decay_rate: float) -> float:
    """Return `max(0, score * (1 - decay_rate * depth))`.

    Args:
        score: the critic's relevance, 0..1.
        depth: hops from a seed to the fact's node, 0 for a seed.
        decay_rate: share of the score lost per hop, 0..1.
    """
    return max(0.0, score * (1.0 - decay_rate * depth))
