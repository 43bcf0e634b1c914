"""Steps that merge key elements that name the same thing, and undo merges."""

from __future__ import annotations

from pydantic import TypeAdapter

from workers.core.errors import unknown_name
from workers.core.graph.merges import Proposal
from workers.core.jobs.work import Event, Item, Json, Outcome
from workers.core.ports import Ports
from workers.ingest.resolution.candidates import propose_merges
from workers.ingest.vectors import store_vectors

_LISTED = 50  # proposals of a page that a dry run shows
_PAGE = 250  # elements: two full-text searches and some hundred lookups, about a second

_PROPOSALS = TypeAdapter(tuple[Proposal, ...])


def find_merges(given: Json, ports: Ports) -> Outcome:
    """Step ingest.merge_find: look through a page of elements for doubles; the next page is a child.

    Input: {range: its name, after, before: ids, both excluded}. Result: {elements: how many were looked at,
    found: how many doubles, proposals: reference, "" if there are none}.
    """
    page, following = ports.graph.element_page(
        ports.job.collection, after=given["after"], before=given["before"], limit=_PAGE
    )
    proposals = propose_merges(page, ports)
    reference = ports.blobs.put(_PROPOSALS.dump_json(tuple(proposals)), ".json") if proposals else ""
    children: tuple[Item, ...] = ()
    if following:
        more = {**given, "after": following}
        children = (Item(id=f"find:{given['range']}:{following}", step="ingest.merge_find", input=more),)
    counts = {"elements": len(page), "found": len(proposals)}
    event = Event(name="elements.compared", data=counts)
    return Outcome(result={**counts, "proposals": reference}, children=children, events=(event,))


def make_merges(given: Json, ports: Ports) -> Outcome:
    """Step ingest.merge: makes some merges, then deletes the vectors of the redirects.

    Input: {proposals: reference}. Result: {made, refused: kept apart by an undoing, or gone meanwhile}.
    """
    proposals = _PROPOSALS.validate_json(ports.blobs.get(given["proposals"]), extra="ignore")
    collection, job = ports.job.collection, ports.job.id
    made = [one for one in proposals if ports.graph.merge_elements(collection, one, job)]
    ports.vectors.delete(collection, [one.source for one in made])
    counts = {"made": len(made), "refused": len(proposals) - len(made)}
    return Outcome(result=counts, events=(Event(name="elements.merged", data=counts),))


def list_merges(given: Json, ports: Ports) -> Outcome:
    """Step ingest.merge_list: show what would be merged, and merge nothing.

    Input: {proposals: reference}. Result: {listed: [source, target, rule, evidence] of the first}.
    """
    proposals = _PROPOSALS.validate_json(ports.blobs.get(given["proposals"]), extra="ignore")
    told = [[one.source_name, one.target_name, one.rule, one.evidence] for one in proposals[:_LISTED]]
    return Outcome(result={"listed": told})


def undo_merge(_given: Json, ports: Ports) -> Outcome:
    """Step ingest.unmerge: undoes the job's merge, and makes the restored elements' vectors again.

    Result: {merge, restored: names, removed: how many elements no fact holds without it}.

    Raises:
        InvalidInput: the job's collection has no such merge.
    """
    collection, merge = ports.job.collection, ports.job.params["undo"]
    undone = ports.graph.undo_merge(collection, merge)
    if undone is None:
        raise unknown_name("merge", merge, listed_by="hopline elements merges")
    ports.vectors.prepare(collection, ports.model.embedder)
    ports.vectors.delete(collection, list(undone.removed))
    store_vectors(ports, collection, [(one.id, "element", one.name) for one in undone.restored])
    told = {"restored": [one.name for one in undone.restored], "removed": len(undone.removed)}
    event = Event(name="merge.undone", data={"merge": merge, **told})
    return Outcome(result={"merge": undone.merge.model_dump(), **told}, events=(event,))
