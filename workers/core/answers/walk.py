"""Rebuilds a query's walk from its visits' results, independent of their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from hopline.models.answers import WalkStep
from hopline.models.base import Frozen

VISIT = "visit:"


class NextNode(NamedTuple):
    """A node to visit."""

    id: str
    name: str


class Visited(Frozen):
    """What of a visit makes the walk."""

    name: str  # of the node; "" where its visit failed
    next: tuple[NextNode, ...]  # where to go from there, visited or not


def visit_id(node_id: str) -> str:
    """Return the item id of a node's visit: a node is visited once."""
    return VISIT + node_id


def rebuild_walk(seeds: Iterable[NextNode], visits: Mapping[str, Visited]) -> list[WalkStep]:
    """Return the visited nodes, in order of depth and id.

    Depth is the smallest number of hops from a seed over what the visited nodes proposed; among parents of
    that depth the smallest id is named.

    Args:
        seeds: where the walk began.
        visits: by the id of their nodes.
    """
    level: dict[str, str | None] = {}
    names: dict[str, str] = {}
    for seed in seeds:
        names[seed.id] = seed.name
        if seed.id in visits:
            level[seed.id] = None
    for visit in visits.values():
        names.update(visit.next)
    placed: dict[str, WalkStep] = {}
    depth = 0
    while level:
        for node in sorted(level):
            name = visits[node].name or names.get(node, node)
            placed[node] = WalkStep(node_id=node, name=name, depth=depth, parent=level[node])
        level = _next_level(level, visits, placed)
        depth += 1
    return list(placed.values())


def _next_level(
    level: Mapping[str, str | None], visits: Mapping[str, Visited], placed: Mapping[str, WalkStep]
) -> dict[str, str | None]:
    below: dict[str, str | None] = {}
    for parent in sorted(level):
        for child in visits[parent].next:
            if child.id in visits and child.id not in placed:
                below.setdefault(child.id, parent)
    return below
