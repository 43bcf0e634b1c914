"""Communities of key elements at three resolutions, each within one of the level above."""

from __future__ import annotations

import graspologic_native
import numpy as np
from numpy.typing import NDArray

from hopline.errors import Permanent
from hopline.models.topics import LEVELS
from workers.topics.projection import Floats, Ints, Projection

# Of the constant Potts model (Traag, Van Dooren, Nesterov 2011): weight of edges per pair of members above
# which a community holds together. Measured on 21,494 facts of HotpotQA: 1,300, 2,200 and 3,300 communities.
RESOLUTIONS = (0.02, 0.05, 0.1)
_RANDOMNESS = 1e-4
_SEED = 7
# Rounds from scratch, until little moves any more: what was not finished is upset by any change. From an
# older partition one is enough: with two, fewer communities stay as they were.
_ROUNDS, _ROUNDS_AGAIN = 10, 1


def partition(
    projection: Projection, before: Ints | None = None, opened: NDArray[np.bool_] | None = None
) -> Ints:
    """Return the community of each element at each level: [level, element], numbers from 0.

    Each level is Leiden (Traag, Waltman, van Eck 2019) with the constant Potts model over the edges within
    the communities of the level above. The seed is fixed: the same graph has the same communities.

    Args:
        projection: the graph.
        before: communities to begin with, shaped as what is returned; -1 for an element that had none.
        opened: elements that may move; the others keep together as before. All, unless given.
    """
    size = len(projection.elements)
    communities = np.zeros((LEVELS, size), np.int64)
    above = np.zeros(size, np.int64)
    low, high = projection.edge_low, projection.edge_high
    free = np.ones(size, np.bool_) if opened is None or before is None else opened
    for level, resolution in enumerate(RESOLUTIONS):
        inside = (above[low] == above[high]) & free[low] & free[high]
        start = None if before is None else _alone_if_new(before[level])
        moved = _leiden(
            size,
            (low[inside], high[inside], projection.edge_weight[inside]),
            resolution,
            None if start is None else _numbered(above, start),
        )
        # What took part is numbered apart from what has no edges, and from what stays as it was.
        alone = size + np.arange(size)
        stays = alone if start is None else np.where(free, alone, 2 * size + start)
        communities[level] = above = _numbered(above, np.where(moved >= 0, moved, stays))
    return communities


def _leiden(size: int, edges: tuple[Ints, Ints, Floats], resolution: float, start: Ints | None) -> Ints:
    """Return the community of each element that edges join, -1 elsewhere.

    Args:
        size: how many elements there are.
        edges: both ends of each edge, by these, and its weight.
        resolution: of the constant Potts model.
        start: communities of all elements to begin with; each is one of its own unless given.

    Raises:
        Permanent: the library fails, from these communities and from scratch.
    """
    low, high, weight = edges
    community_of = np.full(size, -1, np.int64)
    if not len(low):
        return community_of
    names = [str(at) for at in range(size)]
    begun = None
    if start is not None:
        # The library asks for communities of all that the edges name, of nothing else, from 0 without gaps.
        joined = np.unique(np.concatenate((low, high)))
        _, numbers = np.unique(start[joined], return_inverse=True)
        begun = dict(zip((names[at] for at in joined.tolist()), numbers.tolist(), strict=True))
    named = zip(low.tolist(), high.tolist(), weight.tolist(), strict=True)
    edges_named = [(names[element], names[other], edge_weight) for element, other, edge_weight in named]
    communities = _communities(edges_named, resolution, begun)
    if communities is None and begun is not None:
        communities = _communities(edges_named, resolution, None)
    if communities is None:
        raise Permanent("the library that finds topics failed on the graph of these facts")
    for name, community in communities.items():
        community_of[int(name)] = community
    return community_of


def _communities(
    edges: list[tuple[str, str, float]], resolution: float, begun: dict[str, int] | None
) -> dict[str, int] | None:
    """Return the community of each name; None where the library panics, as on some dense graphs."""
    try:
        _quality, communities = graspologic_native.leiden(
            edges,
            starting_communities=begun,
            resolution=resolution,
            randomness=_RANDOMNESS,
            iterations=_ROUNDS if begun is None else _ROUNDS_AGAIN,
            use_modularity=False,
            seed=_SEED,
        )
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # no Exception, so that nobody catches it unawares
            raise
        return None
    return dict(communities)


def _alone_if_new(before: Ints) -> Ints:
    """Return communities in which each element that had none is one of its own."""
    return np.where(before >= 0, before, before.max(initial=-1) + 1 + np.arange(len(before)))


def _numbered(above: Ints, within: Ints) -> Ints:
    """Return numbers from 0 of the pairs of two numbers, in their order."""
    _, numbers = np.unique(above * (within.max(initial=0) + 1) + within, return_inverse=True)
    return numbers.astype(np.int64)
