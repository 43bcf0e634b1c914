"""Makes claims from the relevant facts of a topic: each supported by facts, and checked like sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial

from hopline.errors import Permanent
from hopline.events.questions import ClaimsMade
from hopline.models.base import Frozen, VisibleText
from hopline.words import shortened
from workers.core.answers.check import missing_names, without_markers
from workers.core.answers.check_numbers import missing_numbers
from workers.core.answers.evidence import best_sources
from workers.core.answers.lexical_rank import terms
from workers.core.answers.likeness import Likeness
from workers.core.errors import BudgetExceeded
from workers.core.jobs.work import Outcome
from workers.core.ports import Ports
from workers.core.prompts import load_prompt
from workers.core.records import FactSource
from workers.critic.gather import surroundings
from workers.critic.verify import fault, other_names
from workers.traverse.survey.schema import DraftClaim, TopicClaims

_CLAIMS = 5  # of one call
_REPLY_TOKENS = 1024
_SHOWN = 100  # characters of a claim in events
# Of a claim's rank, against what it repeats of those before it: with more, a writer of few sentences says the
# large themes several times and leaves the small ones out.
_WORTH = 0.4
_SAME = 0.8  # share of words from which two claims say the same
_DENIAL = re.compile(
    r"\b(?:no|not|nor|never|none|neither|cannot|without|keine?[mnrs]?|nicht|nie|ohne)\b|n['’]t\b|[不没沒无無未]",
    re.IGNORECASE,
)


class RelevantFact(Frozen):
    """A fact that a critic found relevant."""

    id: str
    text: VisibleText
    relevance: float  # 0 to 1
    topic: str  # id of the topic that it was looked at for


class ClaimsInput(Frozen):
    """A question, and relevant facts of one topic or a few."""

    question: str
    sub_questions: tuple[str, ...]
    kind: str  # of answer
    facts: tuple[RelevantFact, ...]  # best first


class Claim(Frozen):
    """A statement with the facts that support it."""

    text: str
    facts: tuple[str, ...]  # ids
    relevance: float  # the most of a fact
    topic: str  # id
    documents: int  # distinct ones that state its facts


class ClaimsResult(Frozen):
    """The claims made from the facts."""

    claims: tuple[Claim, ...]
    facts: tuple[str, ...] = ()  # ids of those it was made of; none where an earlier version made it
    dropped: int = 0  # claims that the check deleted
    failed: str | None = None  # why no model made them: each fact is a claim


def make_claims(claims_input: ClaimsInput, ports: Ports) -> Outcome:
    """Make at most five claims from facts.

    A claim is kept only if it refers to facts that it was given, and if their places support its numbers,
    dates and names. If the model fails for good, or no claim is kept, the best facts themselves are the
    claims.

    Args:
        claims_input: the question and the facts.
        ports: graph and model; the fast model is called once.
    """
    result = _made(claims_input, ports).model_copy(
        update={"facts": tuple(fact.id for fact in claims_input.facts)}
    )
    event = ClaimsMade(
        claims=tuple(shortened(claim.text, _SHOWN) for claim in result.claims),
        facts=len(claims_input.facts),
        dropped=result.dropped,
        failed=result.failed,
    )
    return Outcome(result=result, events=(event,))


def _made(claims_input: ClaimsInput, ports: Ports) -> ClaimsResult:
    carried = ports.graph.nodes.fact_sources(ports.job.collection, [fact.id for fact in claims_input.facts])
    sources = best_sources(carried)
    facts = [fact for fact in claims_input.facts if fact.id in sources]
    stated: dict[str, set[str]] = {}
    for source in carried:
        stated.setdefault(source.fact_id, set()).add(source.document_id)
    if not facts:
        return ClaimsResult(claims=())
    alone = tuple(claim_of([fact], fact.text, stated) for fact in facts[:_CLAIMS])
    try:
        drafts = _draft_claims(claims_input, facts, sources, ports)
    except (Permanent, BudgetExceeded) as error:
        return ClaimsResult(claims=alone, failed=str(error)[:300])
    kept = _kept(drafts, claims_input, facts, sources, stated, ports)
    if drafts and not kept:
        return ClaimsResult(claims=alone, dropped=len(drafts))
    return ClaimsResult(claims=tuple(kept), dropped=len(drafts) - len(kept))


def _draft_claims(
    claims_input: ClaimsInput, facts: Sequence[RelevantFact], sources: Mapping[str, FactSource], ports: Ports
) -> list[DraftClaim]:
    material = {
        "question": claims_input.question,
        "sub_questions": list(claims_input.sub_questions),
        "kind": claims_input.kind,
        "facts": [
            {
                "n": n,
                "fact": fact.text,
                "quote": sources[fact.id].quote,
                "source": sources[fact.id].title,
            }
            for n, fact in enumerate(facts, 1)
        ],
    }
    prompt = load_prompt("workers.traverse.survey", "survey_claims")
    return ports.model.ask(prompt, material, TopicClaims, max_tokens=_REPLY_TOKENS).value.claims[:_CLAIMS]


def _kept(
    drafts: Sequence[DraftClaim],
    claims_input: ClaimsInput,
    facts: Sequence[RelevantFact],
    sources: Mapping[str, FactSource],
    stated: Mapping[str, set[str]],
    ports: Ports,
) -> list[Claim]:
    """Return the claims that the places of their facts carry."""
    names = other_names(ports.graph.merging, ports.job.collection, list(sources.values()))
    ordinary = "\n".join((claims_input.question, *(fact.text for fact in facts)))
    carries = partial(fault, around=surroundings(ports), ordinary=ordinary, question=claims_input.question)
    kept: dict[str, Claim] = {}
    for draft in drafts:
        text = " ".join(without_markers(draft.text).split())
        numbers = dict.fromkeys(draft.facts)
        if not text or not numbers or any(not 1 <= n <= len(facts) for n in numbers):
            continue
        cited = [facts[n - 1] for n in numbers]
        places = [sources[fact.id] for fact in cited]
        if carries(text, places, names=names) is None:
            kept.setdefault(text.casefold(), claim_of(cited, text, stated))
    return list(kept.values())


def claim_of(facts: Sequence[RelevantFact], text: str, stated: Mapping[str, set[str]]) -> Claim:
    """Return a claim based on the given facts, with the topic of the most relevant one."""
    best = max(facts, key=lambda fact: fact.relevance)
    documents: set[str] = set().union(*(stated.get(fact.id, set()) for fact in facts))
    return Claim(
        text=text,
        facts=tuple(fact.id for fact in facts),
        relevance=best.relevance,
        topic=best.topic,
        documents=max(1, len(documents)),
    )


def merged(claims: Sequence[Claim], stated: Mapping[str, set[str]]) -> list[Claim]:
    """Return the claims, merging those that say the same: with the facts and documents of all of them.

    Two claims say the same if they share nearly all words, and neither has a number, a name or a negation
    that the other lacks. The claim stated by the most documents gives the text.

    Args:
        claims: claims in any order; the result does not depend on it.
        stated: ids of documents by fact.
    """
    kept: list[list[Claim]] = []
    for claim in sorted(claims, key=lambda claim: (-_worth(claim), claim.text, claim.facts)):
        same = next((group for group in kept if _say_the_same(group[0].text, claim.text)), None)
        if same is None:
            kept.append([claim])
        else:
            same.append(claim)
    return [_joined(group, stated) for group in kept]


def _say_the_same(text: str, other: str) -> bool:
    if text.casefold() == other.casefold():
        return True
    if _shared(terms(text), terms(other)) < _SAME or _denials(text) != _denials(other):
        return False
    differ = (
        *missing_numbers(text, other),
        *missing_numbers(other, text),
        *missing_names(text, other),
        *missing_names(other, text),
    )
    return not differ


def _denials(text: str) -> list[str]:
    return sorted(_DENIAL.findall(text.casefold()))


def _joined(group: Sequence[Claim], stated: Mapping[str, set[str]]) -> Claim:
    if len(group) == 1:
        return group[0]
    facts = tuple(dict.fromkeys(fact for claim in group for fact in claim.facts))
    documents = set[str]().union(*(stated.get(fact, set()) for fact in facts))
    best = max(group, key=lambda claim: claim.relevance)
    return group[0].model_copy(
        update={
            "facts": facts,
            "documents": max(1, len(documents)),
            "relevance": best.relevance,
            "topic": best.topic,
        }
    )


def ranked_claims(claims: Sequence[Claim], limit: int) -> list[Claim]:
    """Return the best claims by maximal marginal relevance (Carbonell and Goldstein, 1998).

    A claim's worth is its relevance times the number of documents that state it, relative to the highest of
    all; the similarity of two claims is that of their words.

    Args:
        claims: claims in any order; the result does not depend on it.
        limit: maximum number of claims.
    """
    left = sorted(claims, key=lambda claim: (-_worth(claim), claim.text))
    most = _worth(left[0]) if left else 1.0
    likeness = Likeness([claim.text for claim in left])
    nearest = dict.fromkeys((claim.text for claim in left), 0.0)  # to any of those chosen
    chosen: list[Claim] = []
    while left and len(chosen) < limit:
        best = max(
            left,
            key=lambda claim: _WORTH * _worth(claim) / (most or 1.0) - (1 - _WORTH) * nearest[claim.text],
        )
        left.remove(best)
        chosen.append(best)
        for claim in left:
            nearest[claim.text] = max(nearest[claim.text], likeness.of(claim.text, best.text))
    return chosen


def _worth(claim: Claim) -> float:
    return claim.relevance * claim.documents


def _shared(mine: frozenset[str], theirs: frozenset[str]) -> float:
    return len(mine & theirs) / len(mine | theirs) if mine | theirs else 1.0
