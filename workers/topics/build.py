"""Builds the topics of a collection from its live facts and the topics before."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

import graspologic_native
import numpy as np
from numpy.typing import NDArray

from hopline.errors import Permanent
from hopline.models.times import timestamp
from hopline.models.topics import LEVELS, TopicEpoch
from workers.core.graph.topics import BuiltTopic, TopicStore
from workers.core.ids import topic_id
from workers.topics.levels import Level, by_first_fact, element_homes, group_facts, home_facts
from workers.topics.projection import Floats, Ints, Projection, project

ELEMENTS = 8  # central ones that a topic knows
_WRITTEN = 5000  # facts of topics that are written at a time
_MOST_OPENED = 0.5  # of the elements; where more may move, all may
KEPT = 0.3  # Jaccard of the facts from which a topic is still the same one


class Before(NamedTuple):
    """A topic of the epoch before."""

    id: str
    level: int
    facts: Ints  # numbers of those that are live still
    size: int  # how many it had


@dataclass(frozen=True, eq=False)
class Topics:
    """The topics that were found."""

    projection: Projection
    levels: Sequence[Level]  # coarsest first
    ids: Sequence[Sequence[str]]  # of each level's topics

    def all(self) -> Iterator[BuiltTopic]:
        """Yield all topics, coarsest first."""
        for number, level in enumerate(self.levels):
            for topic, name in enumerate(self.ids[number]):
                parent = int(level.parents[topic])
                yield BuiltTopic(
                    id=name,
                    level=number,
                    parent=self.ids[number - 1][parent] if number else None,
                    elements=tuple(self.projection.elements[at] for at in level.elements[topic]),
                    facts=tuple(self.projection.facts[at] for at in level.facts_of(topic).tolist()),
                    documents=int(level.documents[topic]),
                )

    def epoch(self, name: str, now: float) -> TopicEpoch:
        """Return the record of their epoch."""
        return TopicEpoch(
            id=name,
            built_at=timestamp(now),
            facts=len(self.projection.facts),
            documents=self.projection.documents,
            topics=tuple(len(ids) for ids in self.ids),
        )


def build_topics(store: TopicStore, collection: str, *, job: str, anew: bool = False) -> TopicEpoch:
    """Build the topics of a collection and make them the ones that readers see; return their epoch.

    May be repeated: a try that was cut short leaves nothing that readers see, and the next removes it.

    Args:
        store: reads facts and older topics, and keeps the new ones.
        collection: whose.
        job: that does it.
        anew: build from scratch and keep only ids; otherwise start from the earlier topics.

    Raises:
        DependencyAway, Transient: it can be tried again.
    """
    epoch = store.begin_epoch(collection, job)
    projection = project(store.live_facts(collection))
    newest = store.epoch(collection)
    pages = store.stored_topics(collection, newest.id) if newest else iter(())
    topics = find_topics(collection, projection, list(known_topics(projection, pages)), anew=anew)
    for some in _batches(topics.all()):
        store.add_topics(epoch, some)
    return store.publish_epoch(collection, topics.epoch(epoch, time.time()))


def find_topics(
    collection: str, projection: Projection, before: Sequence[Before] = (), *, anew: bool = False
) -> Topics:
    """Return the topics of a graph of facts.

    Args:
        collection: whose ids they get.
        projection: the graph.
        before: the topics of the epoch before.
        anew: whether to take only the ids of the earlier topics.
    """
    if anew or not before:
        homes = home_facts(projection, partition(projection))
    else:
        homes = _homes_again(projection, before)
    levels = group_facts(projection, homes, elements=ELEMENTS)
    ids = []
    for number, level in enumerate(levels):
        known = [(topic.id, topic.facts, topic.size) for topic in before if topic.level == number]
        new_id = _new_ids(collection, projection, level, number)
        ids.append(carry_ids(level.topic_of, len(level.documents), known, new_id))
    return Topics(projection, levels, ids)


def _new_ids(collection: str, projection: Projection, level: Level, number: int) -> Callable[[int, int], str]:
    def new_id(topic: int, nth: int) -> str:
        return topic_id(collection, projection.facts[level.facts_of(topic)[0]], number, nth)

    return new_id


def known_topics(projection: Projection, pages: Iterable[Sequence[BuiltTopic]]) -> Iterator[Before]:
    """Yield older topics for a new build, with only their live facts."""
    at = {name: number for number, name in enumerate(projection.facts)}
    for page in pages:
        for topic in page:
            facts = [number for name in topic.facts if (number := at.get(name)) is not None]
            yield Before(topic.id, topic.level, np.array(facts, np.int64), len(topic.facts))


def _homes_before(projection: Projection, before: Sequence[Before]) -> Ints:
    """Return the topic of each fact in the epoch before, [level, fact]; -1 for one that came since."""
    homes = np.full((LEVELS, len(projection.facts)), -1, np.int64)
    for number, topic in enumerate(before):
        homes[topic.level, topic.facts] = number
    return by_first_fact(homes)


def _homes_again(projection: Projection, before: Sequence[Before]) -> Ints:
    """Return the topic of each fact, [level, fact], where facts of topics that nothing touched stay."""
    known = _homes_before(projection, before)
    start = element_homes(projection, known)
    touched = _touched(projection, known, start, before)
    opened = touched[start[0]]
    if opened.sum() > _MOST_OPENED * len(opened):
        return home_facts(projection, partition(projection, start))
    moved = len(projection.facts) + partition(projection, start, opened)
    kept = np.where(touched[known[0]], -1, known)
    return home_facts(projection, np.where(opened, moved, start), kept)


def _touched(projection: Projection, known: Ints, start: Ints, before: Sequence[Before]) -> NDArray[np.bool_]:
    """Return which coarsest topics, by number, gained or lost a fact; the last entry is for -1, no topic.

    Unaffected topics do not change, which clustering the whole graph would not guarantee.
    """
    touched = np.zeros(len(projection.facts) + 1, np.bool_)
    touched[-1] = True
    for topic in before:
        if topic.level == 0 and len(topic.facts) < topic.size:
            touched[known[0, topic.facts]] = True
    came = known[0][projection.pair_fact] < 0
    touched[start[0][projection.pair_element[came]]] = True
    return touched


def _batches(topics: Iterable[BuiltTopic]) -> Iterator[list[BuiltTopic]]:
    some: list[BuiltTopic] = []
    facts = 0
    for topic in topics:
        some.append(topic)
        facts += len(topic.facts) + ELEMENTS
        if facts >= _WRITTEN:
            yield some
            some, facts = [], 0
    if some:
        yield some


def carry_ids(
    topic_of: Ints, topics: int, before: Sequence[tuple[str, Ints, int]], new_id: Callable[[int, int], str]
) -> list[str]:
    """Return an id for each topic of a level: that of the topic before which it shares most facts with.

    One to one, the largest Jaccard first, then the smaller id.

    Args:
        topic_of: the topic of each fact.
        topics: how many there are.
        before: of the same level: id, numbers of its facts that are there still, and how many it had.
        new_id: makes the id of a new topic from its number and the count of ids already taken.
    """
    ids: dict[int, str] = {}
    carried: set[str] = set()
    for _overlap, name, topic in sorted(_overlaps(topic_of, topics, before)):
        if topic not in ids and name not in carried:
            ids[topic] = name
            carried.add(name)
    taken = {name for name, _facts, _size in before}
    for topic in range(topics):
        if topic not in ids:
            fresh = (new_id(topic, nth) for nth in count())
            ids[topic] = next(name for name in fresh if name not in taken)
            taken.add(ids[topic])
    return [ids[topic] for topic in range(topics)]


def _overlaps(
    topic_of: Ints, topics: int, before: Sequence[tuple[str, Ints, int]]
) -> list[tuple[float, str, int]]:
    """Return minus the Jaccard of each pair with at least KEPT, the old one's id and the new one's number."""
    sizes = np.bincount(topic_of, minlength=topics)
    overlaps = []
    for name, facts, size in before:
        shared = np.unique(topic_of[facts], return_counts=True)
        for topic, common in zip(*(numbers.tolist() for numbers in shared), strict=True):
            overlap = common / (size + int(sizes[topic]) - common)
            if overlap >= KEPT:
                overlaps.append((-overlap, name, topic))
    return overlaps


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
        before: initial communities in the form of the result; -1 for an element without one.
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
        resolution: resolution of the constant Potts model.
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
        raise Permanent("the library that finds topics failed for the graph of these facts")
    for name, community in communities.items():
        community_of[int(name)] = community
    return community_of


def _communities(
    edges: list[tuple[str, str, float]], resolution: float, begun: dict[str, int] | None
) -> dict[str, int] | None:
    """Return the community of each name; None if the library panics, as it does on some dense graphs."""
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
    """Return communities in which each element without one forms its own."""
    return np.where(before >= 0, before, before.max(initial=-1) + 1 + np.arange(len(before)))


def _numbered(above: Ints, within: Ints) -> Ints:
    """Return numbers from 0 of the pairs of two numbers, in their order."""
    _, numbers = np.unique(above * (within.max(initial=0) + 1) + within, return_inverse=True)
    return numbers.astype(np.int64)
