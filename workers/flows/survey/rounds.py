"""Chooses which facts of which topics a survey looks at next; all of it follows from earlier results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from workers.traverse.survey.records import SurveyFact, SurveyTopic

HIT = 0.35  # relevance from which a fact helps; critics give 0.4 to what makes an answer clearer
BATCH = 15  # facts scored with one call
_PROBE = 5  # facts of one topic that are chosen at a time
_ROUNDS = 4  # in which the facts are scored, about
_MISSES = 2  # rounds without a hit, one after another, after which a topic is left
_PRIOR = 1.0  # a topic that nothing is known of counts as one of which all facts help


class Exploration:
    """The topics that are open and the facts scored so far.

    A round chooses a few facts of each of the best open topics, so that many topics are looked at. Where one
    helps, the topic is replaced by its children; where none helps in two rounds of a topic, it is left, with
    all that lies within it. A round of a topic of which no fact could be scored says nothing of it.

    Args:
        topics: that may be looked at, those that others lie within included.
        facts: that may be looked at.
        max_facts: scored at most.
        max_batches: calls at most.
    """

    def __init__(
        self, topics: Sequence[SurveyTopic], facts: Sequence[SurveyFact], max_facts: int, max_batches: int
    ) -> None:
        self._facts = facts
        self._left_facts, self._left_batches = max_facts, max_batches
        batches = min(max_batches, math.ceil(max_facts / BATCH))
        self._side_by_side = max(1, math.ceil(batches / _ROUNDS))
        self._parents = {topic.id: topic.parent for topic in topics}
        self._children: dict[str, list[str]] = {}
        for topic in topics:
            if topic.parent is not None:
                self._children.setdefault(topic.parent, []).append(topic.id)
        self._under: dict[str, list[int]] = {}  # the facts of each topic, best first
        for n in sorted(range(len(facts)), key=lambda n: (-facts[n].weight, n)):
            for name in self.path(n):
                self._under.setdefault(name, []).append(n)
        roots = (name for name in self._under if self._parents.get(name) not in self._under)
        self._misses = dict.fromkeys(roots, 0)  # of the open topics
        self._chosen: dict[str, list[int]] = {}  # of this round, by topic
        self.looked_for: dict[int, str] = {}  # the topic for which a fact was chosen
        self.scores: dict[int, float] = {}

    def path(self, n: int) -> list[str]:
        """Return the topics that a fact lies in, the finest first."""
        found = [self._facts[n].topic]
        while (parent := self._parents.get(found[-1])) in self._parents and parent not in found:
            found.append(str(parent))
        return found

    @property
    def hits(self) -> list[int]:
        """The facts that help, best first."""
        found = [n for n, score in self.scores.items() if score >= HIT]
        return sorted(found, key=lambda n: (-self.scores[n], n))

    def next_batches(self) -> list[list[int]]:
        """Return the facts of the next round, batch by batch; none where there is nothing more to score.

        Facts of one document stand together: what a hostile one says to the critic, it says beside its own.
        """
        room = min(self._left_facts, BATCH * min(self._side_by_side, self._left_batches))
        self._chosen = {}
        best = sorted(self._misses, key=lambda name: (-self._value(name), name))
        taken: set[int] = set(self.looked_for)
        while room > 0:
            before = room
            for name in best:
                free = [n for n in self._under[name] if n not in taken][: min(_PROBE, room)]
                if free:
                    self._chosen.setdefault(name, []).extend(free)
                    taken.update(free)
                    room -= len(free)
            if room == before:
                break
        return _batches([n for chosen in self._chosen.values() for n in chosen], self._facts)

    def take(self, scores: Mapping[int, float | None]) -> None:
        """Take in what critics gave the facts of the round: None, or nothing, where none scored one."""
        chosen = [n for facts in self._chosen.values() for n in facts]
        self._left_facts -= len(chosen)
        self._left_batches -= math.ceil(len(chosen) / BATCH)
        for name, facts in self._chosen.items():
            self.looked_for |= dict.fromkeys(facts, name)
            given = {n: score for n in facts if (score := scores.get(n)) is not None}
            self.scores |= given
            if any(score >= HIT for score in given.values()):
                self._enter(name)
            elif given:
                self._misses[name] += 1
                if self._misses[name] >= _MISSES:
                    del self._misses[name]
        self._chosen = {}

    def _enter(self, name: str) -> None:
        """Replace a topic by its children; one that has none stays open."""
        children = [child for child in self._children.get(name, ()) if child in self._under]
        if not children:
            self._misses[name] = 0
            return
        del self._misses[name]
        self._misses |= dict.fromkeys(children, 0)

    def _value(self, name: str) -> float:
        """Return what looking on is worth: the weight of facts not looked at, times the share that helped."""
        weight = sum(self._facts[n].weight for n in self._under[name] if n not in self.looked_for)
        known = [self.scores[n] for n in self._under[name] if n in self.scores]
        hits = sum(score >= HIT for score in known)
        return weight * (hits + _PRIOR) / (len(known) + _PRIOR)


def _batches(chosen: Sequence[int], facts: Sequence[SurveyFact]) -> list[list[int]]:
    """Return the facts in batches as even as can be."""
    if not chosen:
        return []
    ordered = sorted(chosen, key=lambda n: (facts[n].title, n))
    size = math.ceil(len(ordered) / math.ceil(len(ordered) / BATCH))
    return [ordered[start : start + size] for start in range(0, len(ordered), size)]
