"""Step ingest.merge_ask: asks a model about pairs of key elements that the rules leave open."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import ceil

from pydantic import TypeAdapter, ValidationError

from hopline.events.documents import ElementsAsked
from hopline.models.base import Frozen
from hopline.models.merges import Proposal
from workers.core.errors import BudgetExceeded, ModelRefused, ModelRefusedSchema
from workers.core.jobs.work import Outcome
from workers.core.models.replies import reply_key
from workers.core.ports import Model, Ports, Tier
from workers.core.prompts import load_prompt
from workers.ingest.requests import schema_of
from workers.ingest.resolution.likely_pairs import LikelyPair
from workers.ingest.schema import SameThing, SameThings

_TOGETHER = 5  # pairs of one call
_STORED = 2 * _TOGETHER  # pairs of one blob
_TIER: Tier = "fast"
_TOKENS, _TOKENS_A_PAIR = 200, 150  # of a reply
_ERROR = 300  # characters

PAIRS = TypeAdapter(tuple[LikelyPair, ...])
PROPOSALS = TypeAdapter(tuple[Proposal, ...])


class LikelyPairs(Frozen):
    """Some pairs that a model may be asked about."""

    count: int
    blob: str


class AskInput(Frozen):
    """Pairs that a model is asked about."""

    pairs: tuple[str, ...]  # blobs
    calls: int  # at most, those included that confirm a pair or repair a reply


class AskResult(Frozen):
    """What a model said of them."""

    asked: int  # pairs that it judged
    same: int  # of these
    left: int  # not judged: the calls were used up before all were asked and confirmed, or it left them out
    proposals: str  # blob: what is the same; "" if nothing is
    calls: int = 0  # made, those included that repaired a reply
    failed: str | None = None  # why it did not judge some


class Verdict(Frozen):
    """A model's verdict on a pair, without its reason, which may quote deleted documents."""

    same: bool
    alone: bool = False  # asked in a call of its own


def store_pairs(pairs: Sequence[LikelyPair], ports: Ports) -> tuple[LikelyPairs, ...]:
    """Store pairs in parts of a few calls each."""
    parts = (tuple(pairs[first : first + _STORED]) for first in range(0, len(pairs), _STORED))
    return tuple(
        LikelyPairs(count=len(part), blob=ports.blobs.put(PAIRS.dump_json(part), ".json")) for part in parts
    )


def calls_for(pairs: int) -> int:
    """Return how many calls it takes to ask about so many pairs, before any is confirmed."""
    return ceil(pairs / _TOGETHER)


def ask_model(part: AskInput, ports: Ports) -> Outcome:
    """Step ingest.merge_ask: ask about pairs, several a call; each verdict is kept before the next call.

    What is the same is confirmed in a call of its own, since facts of one pair may speak of another. A reply
    that cannot be used says nothing: its pairs stay as they are.
    """
    stored = [PAIRS.validate_json(ports.blobs.get(blob), extra="ignore") for blob in part.pairs]
    pairs = list(chain.from_iterable(stored))
    verdicts = {pair.source: kept for pair in pairs if (kept := find_verdict(pair, ports))}
    replies = _Replies(part, ports)
    replies.ask([pair for pair in pairs if pair.source not in verdicts])
    verdicts |= replies.verdicts
    judged = [(pair, verdicts[pair.source]) for pair in pairs if pair.source in verdicts]
    same = tuple(as_proposal(pair) for pair, verdict in judged if verdict.same)
    result = AskResult(
        asked=len(judged),
        same=len(same),
        left=len(pairs) - len(judged),
        proposals=ports.blobs.put(PROPOSALS.dump_json(same), ".json") if same else "",
        calls=replies.bound.made,
        failed=replies.failed,
    )
    return Outcome(result=result, events=(ElementsAsked(asked=result.asked, same=result.same),))


class _Replies:
    """Replies of a model within a bound of calls."""

    def __init__(self, part: AskInput, ports: Ports) -> None:
        self.verdicts: dict[str, Verdict] = {}  # by the id of a pair's source
        self.failed: str | None = None
        self._ports = ports
        self._model, self.bound = ports.model.bounded(part.calls)

    def ask(self, pairs: Sequence[LikelyPair]) -> None:
        """Ask about pairs while calls are left; the last call is about one pair, as none could confirm it."""
        waiting = list(pairs)
        try:
            while waiting and self.bound.left:
                size = _TOGETHER if self.bound.left > 1 else 1
                for pair in self._judge(waiting[:size]):
                    if self.bound.left:
                        self._judge([pair])
                del waiting[:size]
        except BudgetExceeded as error:  # a reply had to be repaired
            self.failed = str(error)[:_ERROR]

    def _judge(self, pairs: Sequence[LikelyPair]) -> list[LikelyPair]:
        """Ask about pairs in one call and store settled verdicts; return the pairs to confirm alone."""
        try:
            judged = _ask(pairs, self._model)
        except (ModelRefusedSchema, ModelRefused) as error:
            self.failed = str(error)[:_ERROR]
            return []
        doubtful = []
        for number, verdict in judged.items():
            pair = pairs[number - 1]
            if not _is_settled(verdict):
                doubtful.append(pair)
                continue
            self.verdicts[pair.source] = verdict
            _keep_verdict(pair, verdict, self._ports)
        return doubtful


def _is_settled(verdict: Verdict) -> bool:
    """Return whether a verdict needs no call more: facts of others may have brought it about."""
    return verdict.alone or not verdict.same


def _ask(pairs: Sequence[LikelyPair], model: Model) -> dict[int, Verdict]:
    """Return the verdicts by the numbers of pairs, from 1; one that is judged both ways is not the same."""
    reply = model.ask(
        load_prompt("workers.ingest", "same_things"),
        {"pairs": [{"n": number, **pair.material} for number, pair in enumerate(pairs, 1)]},
        SameThings,
        tier=_TIER,
        max_tokens=_most_tokens(len(pairs)),
    ).value
    judged: dict[int, list[SameThing]] = {}
    for thing in reply.things:
        judged.setdefault(thing.n, []).append(thing)
    alone = len(pairs) == 1
    return {
        number: Verdict(same=all(thing.same for thing in things), alone=alone)
        for number, things in judged.items()
        if 1 <= number <= len(pairs)
    }


def as_proposal(pair: LikelyPair) -> Proposal:
    """Return the merge of a pair that a model called the same, without the facts that it was shown."""
    return Proposal(**{name: getattr(pair, name) for name in Proposal.model_fields})


def find_verdict(pair: LikelyPair, ports: Ports) -> Verdict | None:
    """Return the stored verdict on a pair; None if it was not asked about, or any of its facts was purged.

    Earlier versions kept what was the same beside others: that is asked again.
    """
    key = _key(pair, ports)
    kept = [ports.replies.get(content, key) for content in pair.contents]
    if not kept or not all(kept):
        return None
    try:
        verdict = Verdict.read_stored(kept[0] or b"")
    except ValidationError:
        return None
    return verdict if _is_settled(verdict) else None


def _keep_verdict(pair: LikelyPair, verdict: Verdict, ports: Ports) -> None:
    """Keep a verdict under each chunk that it rests on: it is purged with any of them."""
    key, data = _key(pair, ports), verdict.model_dump_json().encode()
    for content in pair.contents:
        ports.replies.put(content, key, data)


def _key(pair: LikelyPair, ports: Ports) -> str:
    """Return the key of a pair's verdict, whichever pairs it was asked about with."""
    prompt = load_prompt("workers.ingest", "same_things")
    schema = schema_of(SameThings)
    return reply_key(ports.model.name_of(_TIER), prompt.text, schema, pair.material, _most_tokens(1))


def _most_tokens(pairs: int) -> int:
    return _TOKENS + _TOKENS_A_PAIR * pairs
