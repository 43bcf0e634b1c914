"""Steps that merge key elements that name the same thing, and undo merges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from hopline.errors import unknown_name
from hopline.events.documents import ElementsCompared, ElementsMerged, MergeUndone
from hopline.models.base import Frozen
from hopline.models.merges import Merge, Proposal
from workers.core.graph.merges import ElementProfile
from workers.core.jobs.params import MergeParams
from workers.core.jobs.work import Item, NoInput, Outcome
from workers.core.ports import Ports, Removed
from workers.core.records import IN_FULL
from workers.ingest.resolution.candidates import Proposals, propose_merges
from workers.ingest.resolution.likely_pairs import LikelyPair, likely_pairs
from workers.ingest.resolution.verdicts import (
    PROPOSALS,
    LikelyPairs,
    as_proposal,
    find_verdict,
    store_pairs,
)
from workers.ingest.vectors import forget_vectors, store_vectors

_LISTED = 50  # proposals of a page that a dry run shows
_PAGE = 250  # elements: two full-text searches and some hundred lookups, about a second


class FindInput(Frozen):
    """A range of key elements."""

    range: str  # its name
    after: str  # id, excluded
    before: str  # id, excluded


class FindResult(Frozen):
    """The doubles on a page of key elements."""

    elements: int  # that were looked at
    found: int  # doubles
    proposals: str  # blob; "" if there are none
    likely: int = 0  # pairs to ask a model about, where one may be asked
    pairs: tuple[LikelyPairs, ...] = ()  # the same in parts


class MergeInput(Frozen):
    """Doubles that were found on a page."""

    proposals: str  # blob


class MergeResult(Frozen):
    """What was merged."""

    made: int
    refused: int  # kept apart by an undoing, or gone meanwhile


class MergeListResult(Frozen):
    """What would be merged."""

    listed: tuple[tuple[str, str, str, str], ...]  # (source, target, rule, evidence) of the first ones


class UndoResult(Frozen):
    """What an undoing brought back."""

    merge: Annotated[Merge, IN_FULL]
    restored: tuple[str, ...]  # names
    removed: int  # elements that no fact holds without the merge


def find_merges(part: FindInput, ports: Ports, *, page_size: int = _PAGE) -> Outcome:
    """Step ingest.merge_find: look through a page of elements for doubles; the next page is a child.

    Where a model may be asked, what it said of pairs before is taken, and the others are made ready.

    Args:
        part: the range that is left to look through.
        ports: ports of the step.
        page_size: the most elements read at once.
    """
    page, following = ports.graph.merging.element_page(
        ports.job.collection, after=part.after, before=part.before, limit=page_size
    )
    proposals = propose_merges(page, ports)
    merges = proposals.sure
    pairs: list[LikelyPair] = []
    if MergeParams.read_stored(ports.job.params).ask:
        known, pairs = _likely(page, proposals, part.after, ports)
        merges = [*merges, *known]
    children: tuple[Item, ...] = ()
    if following:
        more = part.model_copy(update={"after": following})
        children = (Item(id=f"find:{part.range}:{following}", step="ingest.merge_find", input=more),)
    event = ElementsCompared(elements=len(page), found=len(merges))
    result = FindResult(
        elements=len(page),
        found=len(merges),
        proposals=ports.blobs.put(PROPOSALS.dump_json(tuple(merges)), ".json") if merges else "",
        likely=len(pairs),
        pairs=store_pairs(pairs, ports),
    )
    return Outcome(result=result, children=children, events=(event,))


def _likely(
    page: Sequence[ElementProfile], proposals: Proposals, after: str, ports: Ports
) -> tuple[list[Proposal], list[LikelyPair]]:
    """Return the pairs that a model has called the same before, and those that it was not asked about."""
    pairs = [(pair, find_verdict(pair, ports)) for pair in likely_pairs(page, proposals, after, ports)]
    known = [as_proposal(pair) for pair, verdict in pairs if verdict and verdict.same]
    return known, [pair for pair, verdict in pairs if verdict is None]


def make_merges(page: MergeInput, ports: Ports) -> Outcome:
    """Step ingest.merge: makes some merges, deletes the vectors of the redirects, and settles the names."""
    proposals = PROPOSALS.validate_json(ports.blobs.get(page.proposals), extra="ignore")
    collection, job = ports.job.collection, ports.job.id
    made = [
        proposal for proposal in proposals if ports.graph.merging.merge_elements(collection, proposal, job)
    ]
    ports.vectors.delete(collection, [proposal.source for proposal in made])
    _settle(ports, [end for proposal in made for end in (proposal.source, proposal.target)])
    counts = {"made": len(made), "refused": len(proposals) - len(made)}
    return Outcome(result=MergeResult(**counts), events=(ElementsMerged(**counts),))


def list_merges(page: MergeInput, ports: Ports) -> Outcome:
    """Step ingest.merge_list: show what would be merged, and merge nothing."""
    proposals = PROPOSALS.validate_json(ports.blobs.get(page.proposals), extra="ignore")
    listed = (
        (proposal.source_name, proposal.target_name, proposal.rule, proposal.evidence)
        for proposal in proposals[:_LISTED]
    )
    return Outcome(result=MergeListResult(listed=tuple(listed)))


def undo_merge(_input: NoInput, ports: Ports) -> Outcome:
    """Step ingest.unmerge: undoes the job's merge, and makes the restored elements' vectors again.

    Raises:
        InvalidInput: the job's collection has no such merge.
    """
    collection, merge = ports.job.collection, MergeParams.read_stored(ports.job.params).undo or ""
    undone = ports.graph.merging.undo_merge(collection, merge)
    if undone is None:
        raise unknown_name("merge", merge, listed_by="hopline merges")
    ports.vectors.prepare(collection, ports.model.embedder)
    ports.vectors.delete(collection, list(undone.removed))
    store_vectors(ports, collection, [(element.id, "element", element.name) for element in undone.restored])
    _settle(ports, [undone.merge.source, undone.merge.target])
    restored = tuple(element.name for element in undone.restored)
    result = UndoResult(merge=undone.merge, restored=restored, removed=len(undone.removed))
    event = MergeUndone(merge=merge, restored=restored, removed=result.removed)
    return Outcome(result=result, events=(event,))


def _settle(ports: Ports, elements: list[str]) -> None:
    """Update the meaning of names after merges: a name of two merged elements means their target."""
    if elements:
        collection, store = ports.job.collection, ports.graph.store
        store.settle_elements(collection, elements)
        forget_vectors(ports, collection, Removed(due=tuple(store.vectors_due(collection))))
