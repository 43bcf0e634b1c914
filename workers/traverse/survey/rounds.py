"""Chooses the topics and facts that a survey examines next, based only on earlier results."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from itertools import count

from workers.core.answers.likeness import Likeness
from workers.traverse.survey.records import SurveyFact, SurveyTopic

HIT = 0.35  # relevance from which a fact helps; critics give 0.4 to what makes an answer clearer
BATCH = 15  # facts scored with one call
_PROBE = 5  # facts of one topic that are chosen at a time
# One in so many facts of a round is chosen whatever its topic: another build that cuts topics otherwise would
# lead to other facts altogether.
_LEAD = 2
_ROUNDS = 4  # in which the facts are scored, about
_MISSES = 2  # rounds without a hit, one after another, after which a topic is left
_PRIOR = 1.0  # an unknown topic counts as one whose facts all help
_OLD = 0.05  # what a fact without a new word is worth beside one that is all new


@dataclass
class Picker:
    """Picks facts for one round from those that searches found near, preferring new statements.

    Args:
        facts: the facts that may be examined.
        likeness: similarity of their texts.
        taken: the facts examined already.
    """

    facts: Sequence[SurveyFact]
    likeness: Likeness
    taken: set[int]
    chosen: dict[str, list[int]] = field(default_factory=dict)  # in this round, by topic
    _documents: set[int] = field(default_factory=set)  # that state the facts taken
    _said: Counter[str] = field(default_factory=Counter)  # their words

    def __post_init__(self) -> None:
        for n in self.taken:
            self._note(n)

    def pick(self, among: Iterable[int], most: int, *, elsewhere: bool = True) -> list[int]:
        """Return facts that were not taken yet, and take them.

        Args:
            among: facts to choose from; among equally good ones the first is taken.
            most: maximum number of facts.
            elsewhere: only facts of documents from which none was taken.
        """
        fresh = [n for n in among if n not in self.taken]
        # No fact says more that is new than it did before others were taken: one that is worth most by now is
        # worth most of all (lazy greedy choice: Minoux, 1978).
        left = [(-self.worth(n), place) for place, n in enumerate(fresh)]
        heapify(left)
        picks: list[int] = []
        while left and len(picks) < most:
            n = fresh[left[0][1]]
            if elsewhere and self._documents.issuperset(self.facts[n].documents):
                heappop(left)
            elif (now := (-self.worth(n), left[0][1])) > left[0]:
                heapreplace(left, now)
            else:
                heappop(left)
                picks.append(n)
                self.taken.add(n)
                self._note(n)
        return picks

    def worth(self, n: int) -> float:
        """Return a fact's weight times how much it says that the facts already taken do not."""
        fact = self.facts[n]
        return fact.weight * (_OLD + self.likeness.novelty(fact.text, self._said))

    def _note(self, n: int) -> None:
        self._documents.update(self.facts[n].documents)
        self._said.update(self.likeness.words(self.facts[n].text))


class Exploration:
    """The open topics and the facts scored so far.

    The first round starts with the facts that each search found nearest, so that a sub-question gets those
    that only it leads to. Half of a round consists of the best facts of all open topics; the rest are a few
    facts of each of the best topics, so that many topics are examined: first from documents that no fact was
    taken from, and new statements before similar ones. If a fact helps, its topic is replaced by its
    children; if none helps in two rounds of a topic, the topic is dropped with all its descendants. A round
    without a scored fact of a topic does not count for that topic.

    Args:
        topics: the topics that may be examined, including parents.
        facts: the facts that may be examined.
        max_facts: maximum number of facts to score.
        max_batches: maximum number of calls.
    """

    def __init__(
        self, topics: Sequence[SurveyTopic], facts: Sequence[SurveyFact], max_facts: int, max_batches: int
    ) -> None:
        self._facts = facts
        self._likeness = Likeness([fact.text for fact in facts])
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
        self.looked_for: dict[int, str] = {}  # the topic for which a fact was chosen
        self.scores: dict[int, float] = {}

    def path(self, n: int) -> list[str]:
        """Return the topics that contain a fact, the finest first."""
        topics = [self._facts[n].topic]
        while (parent := self._parents.get(topics[-1])) in self._parents and parent not in topics:
            topics.append(str(parent))
        return topics

    @property
    def hits(self) -> list[int]:
        """The facts that help, best first."""
        hits = [n for n, score in self.scores.items() if score >= HIT]
        return sorted(hits, key=lambda n: (-self.scores[n], n))

    def next_batches(self) -> list[list[int]]:
        """Return the facts of the next round, batch by batch; none if there is nothing more to score.

        Facts of one document are scored together, so that instructions in a hostile document affect only its
        own facts.
        """
        room = max(0, min(self._left_facts, BATCH * min(self._side_by_side, self._left_batches)))
        picker = Picker(self._facts, self._likeness, set(self.looked_for))
        best = sorted(self._misses, key=lambda name: (-self._value(name), name))
        self._lead(best, picker, room // _LEAD)
        for elsewhere in (True, False):
            self._fill(best, picker, room, elsewhere=elsewhere)
        return _batches([n for facts in picker.chosen.values() for n in facts], self._facts)

    def _lead(self, topics: Sequence[str], picker: Picker, most: int) -> None:
        """Choose the best facts of all topics together, first of those that searches found nearest."""
        topic_of = {n: name for name in topics for n in self._under[name]}
        best = sorted(topic_of, key=lambda n: (-self._facts[n].weight, n))
        lead = picker.pick([n for n in best if self._facts[n].is_nearest], most)
        lead += picker.pick(best, most - len(lead))
        for n in lead:
            picker.chosen.setdefault(topic_of[n], []).append(n)

    def _fill(self, topics: Sequence[str], picker: Picker, room: int, *, elsewhere: bool) -> None:
        """Choose facts of the topics in turn, a few more of each at a time, until they fill the round."""
        left = dict.fromkeys(topics)
        for turn in count(1):
            for name in list(left):
                room_left = room - sum(map(len, picker.chosen.values()))
                wanted = min(turn * _PROBE - len(picker.chosen.get(name, ())), room_left)
                chosen = picker.pick(self._under[name], wanted, elsewhere=elsewhere)
                if chosen:
                    picker.chosen.setdefault(name, []).extend(chosen)
                if len(chosen) < wanted or not room_left:
                    del left[name]
            if not left:
                return

    def take(self, scores: Mapping[int, float | None]) -> None:
        """Add the critics' scores of a round's facts: None for a fact without a score.

        A worker of another version may have chosen other facts than `next_batches` would.
        """
        self._left_facts -= len(scores)
        self._left_batches -= math.ceil(len(scores) / BATCH)
        for name, facts in self._by_topic(scores).items():
            self.looked_for |= dict.fromkeys(facts, name)
            topic_scores = {n: score for n in facts if (score := scores[n]) is not None}
            self.scores |= topic_scores
            if any(score >= HIT for score in topic_scores.values()):
                self._enter(name)
            elif topic_scores and name in self._misses:
                self._misses[name] += 1
                if self._misses[name] >= _MISSES:
                    del self._misses[name]

    def _by_topic(self, facts: Iterable[int]) -> dict[str, list[int]]:
        """Group facts by their open topic; by the coarsest one if none is open."""
        groups: dict[str, list[int]] = {}
        for n in facts:
            path = self.path(n)
            groups.setdefault(next((name for name in path if name in self._misses), path[-1]), []).append(n)
        return groups

    def _enter(self, name: str) -> None:
        """Replace an open topic by its children; one that has none stays open."""
        if name not in self._misses:
            return
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
