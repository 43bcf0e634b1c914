"""Rebuilds a query's walk from its visits' results, independent of their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workers.core.jobs.work import Done, Json

VISIT = "visit:"


def visit_id(node_id: str) -> str:
    """Return the item id of a node's visit: a node is visited once."""
    return VISIT + node_id


def told_walk(seeds: Sequence[Json], visits: Sequence[Done]) -> list[Json]:
    """Return {node_id, name, depth, parent} of each visited node, in order of depth and id.

    Depth is the smallest number of hops from a seed over what the visited nodes proposed; among parents of
    that depth the smallest id is named.
    """
    results = {done.item_id.removeprefix(VISIT): done.result for done in visits}
    names = {seed["id"]: seed["name"] for seed in seeds}
    for result in results.values():
        names.update((child, name) for child, name in result.get("next", ()))
    level: dict[str, str | None] = {seed["id"]: None for seed in seeds if seed["id"] in results}
    placed: dict[str, Json] = {}
    depth = 0
    while level:
        for node in sorted(level):
            name = results[node].get("name") or names.get(node, node)
            placed[node] = {"node_id": node, "name": name, "depth": depth, "parent": level[node]}
        level = _next_level(level, results, placed)
        depth += 1
    return list(placed.values())


def _next_level(
    level: Mapping[str, str | None], results: Mapping[str, Json], placed: Mapping[str, Json]
) -> dict[str, str | None]:
    below: dict[str, str | None] = {}
    for parent in sorted(level):
        for child, _name in results[parent].get("next", ()):
            if child in results and child not in placed:
                below.setdefault(child, parent)
    return below
