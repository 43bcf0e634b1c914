"""Derives the examined facts, claims and coverage of a survey from the results of its phases."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from hopline.models.base import Frozen
from hopline.models.jobs import Json
from hopline.words import counted
from workers.core.answers.evidence import fitting
from workers.core.answers.likeness import Likeness
from workers.core.jobs.flow import Results, result_of
from workers.core.jobs.params import QueryParams
from workers.core.jobs.work import Done, Item, Job
from workers.core.language.text import CHINESE
from workers.core.records import ScoredFact
from workers.core.scope import reads_less
from workers.critic.score import FactRelevance, ScorableFact
from workers.traverse.question import SCORE, TAIL_CALLS, failure_of
from workers.traverse.survey.answer import SurveyWriting
from workers.traverse.survey.claims import (
    Claim,
    ClaimsInput,
    ClaimsResult,
    RelevantFact,
    claim_of,
    merged,
    ranked_claims,
)
from workers.traverse.survey.plan import survey_without_model
from workers.traverse.survey.records import SurveyPlanResult, SurveyTopic, TopicsResult, Totals
from workers.traverse.survey.rounds import BATCH, Exploration
from workers.traverse.survey.schema import MOST_FACTS
from workers.traverse.survey.score import SurveyScoreInput, SurveyScoreResult

PLANNING, TOPICS, FIRST_ROUND = range(3)
CLAIMS: Final = "critic.survey_claims"
_HEAD_CALLS = 2  # one plan, one embedding
_CLAIMS = 24  # that the answer is written from
# Limits of the JSON from which the answer is written: together less than an item's input may have.
_FACT_BYTES, _CLAIM_BYTES = 160 * 1024, 64 * 1024
_NOT_LOOKED_AT = 5  # topics that the coverage names
_NOTHING = TopicsResult(totals=Totals(), topics=(), facts=(), documents=())
# How like a fact is to the first of its group, which says the same, and to that of a wider one, which speaks
# of the same.
_SAYS, _SPEAKS = 0.6, 0.2


class TopicSeen(Frozen):
    """A topic of the coarsest level in the coverage."""

    id: str
    name: str
    facts: int  # looked at; 0 where it was not
    hits: int = 0  # that help


class Coverage(Frozen):
    """The numbers of topics, facts and documents that a survey examined, and the totals."""

    documents: int
    of_documents: int
    topics: int  # of the coarsest level
    of_topics: int  # 0 where the collection has none
    facts: int
    of_facts: int
    hits: int  # facts that help
    since: int  # documents, at least, that came after the topics were built
    looked_at: tuple[TopicSeen, ...]  # best first
    not_looked_at: tuple[TopicSeen, ...]  # the best of them

    def line(self, question: str) -> str:
        """Return the coverage in words, Chinese for a Chinese question and otherwise English."""
        names = [topic.name for topic in self.not_looked_at]
        if CHINESE.search(question):
            return self._in_chinese("；".join(names))
        facts = _of(self.facts, self.of_facts, "fact")
        documents = _of(self.documents, self.of_documents, "document")
        topics = f"from {_of(self.topics, self.of_topics, 'topic')}"
        if not self.of_topics:
            topics = "which searches found: the collection has no topics yet"
        parts = [f"Looked at {facts} in {documents}, {topics}."]
        parts += [f"Not looked at: {'; '.join(names)}."] if names else []
        if self.since:
            parts.append(f"At least {counted(self.since, 'document')} came after the topics were built.")
        return " ".join(parts)

    def _in_chinese(self, names: str) -> str:
        documents = f"{max(self.documents, self.of_documents):,} 篇文档中的 {self.documents:,} 篇"
        facts = f"{max(self.facts, self.of_facts):,} 条事实中的 {self.facts:,} 条"
        topics = f"涉及 {max(self.topics, self.of_topics):,} 个主题中的 {self.topics:,} 个"
        if not self.of_topics:
            topics = "均由检索得到：该集合还没有主题"
        line = f"查看了 {documents}、{facts}，{topics}。"
        line += f"未查看：{names}。" if names else ""
        return line + (f"主题生成之后至少新增了 {self.since:,} 篇文档。" if self.since else "")


def _of(some: int, whole: int, what: str) -> str:
    return f"{some:,} of {counted(max(some, whole), what)}"


@dataclass(frozen=True)
class Calls:
    """Numbers of model calls that the parts of a survey may make."""

    batches: int  # of facts to score, at least one
    claims: int

    @classmethod
    def of(cls, params: QueryParams) -> Calls:
        """Return the calls left after plan, embedding and writing; scoring comes first."""
        left = params.max_model_calls - _HEAD_CALLS - TAIL_CALLS
        batches = max(1, min(math.ceil(params.max_facts / BATCH), (left + 1) // 2))
        claims = max(params.max_topics, math.ceil(batches * BATCH / MOST_FACTS))  # none is left out
        return cls(batches=batches, claims=max(0, min(claims, left - batches)))


class Survey:
    """The state of a survey according to its results; rounds are phases, and their facts follow from them.

    Args:
        results: results of all phases so far.
        job: the job; its parameters set the limits.
        last: the last finished phase; by default all phases with results.
    """

    def __init__(self, results: Results, job: Job, last: int | None = None) -> None:
        self._results = results
        self._last = max(results, default=0) if last is None else last
        self.params = QueryParams.read_stored(job.params)
        # Who reads the answer later may see less: counts and names of topics are of all that was there.
        self.is_limited = reads_less(job.params, job.principals)
        self.calls = Calls.of(self.params)
        result = self.topics_result or _NOTHING
        self.exploration = Exploration(result.topics, result.facts, self.params.max_facts, self.calls.batches)
        self.rounds = 0  # that are over
        self.next_batches = self._replay() if self._last >= TOPICS else []

    @cached_property
    def plan(self) -> SurveyPlanResult:
        """The plan; if there is none, the question itself."""
        done = self._results.get(PLANNING, ())
        plan = result_of(done[0], SurveyPlanResult) if done else None
        return plan or survey_without_model(self.params.question)

    @cached_property
    def topics_result(self) -> TopicsResult | None:
        """Topics and facts that may be examined; None if they could not be found."""
        done = self._results.get(TOPICS, ())
        return result_of(done[0], TopicsResult) if done else None

    @property
    def claims_phase(self) -> int:
        """The number of the phase that makes claims."""
        return FIRST_ROUND + self.rounds

    def _replay(self) -> list[list[int]]:
        """Take in the rounds that are over; return the batches of the next one."""
        while self.claims_phase <= self._last:
            done = self._results.get(self.claims_phase, ())
            if any(item.step != SCORE for item in done):
                return []
            results = {
                item.item_id: result for item in done if (result := result_of(item, SurveyScoreResult))
            }
            calls = max((result.calls for result in results.values()), default=0)
            # Results that are all there, and name their facts, need no choice to be made again.
            is_told = 0 < calls <= len(results) and all(result.ids for result in results.values())
            batches = [] if is_told else self.exploration.next_batches()
            if not (done or batches):
                return []
            self.rounds += 1
            self.exploration.take(self._scores(results, batches))
            calls = calls or len(batches)
            if len(done) < calls:  # the phase was closed: time or money is up
                return []
        return self.exploration.next_batches()

    def _scores(
        self, results: Mapping[str, SurveyScoreResult], batches: Sequence[Sequence[int]]
    ) -> dict[int, float | None]:
        """Return the critics' scores of a round's facts; None for those without a score.

        The results name the facts, because another version may have chosen them. A missing result, or one
        that does not name them, is taken to be about the facts that this version chooses.
        """
        chosen = {score_id(self.rounds, nth): batch for nth, batch in enumerate(batches, 1)}
        relevances: dict[int, FactRelevance] = {}
        named: set[int] = set()
        for item_id, result in results.items():
            named.update(self._numbers[name] for name in result.ids if name in self._numbers)
            batch = chosen.pop(item_id, ()) if result.ids else chosen.get(item_id, ())
            relevances |= self._relevance_by_fact(result, batch)
        critics = {n: relevance for n, relevance in relevances.items() if relevance.scored_by == "critic"}
        self._relevances |= critics
        every = dict.fromkeys((*relevances, *sorted(named), *(n for batch in chosen.values() for n in batch)))
        return every | {n: relevance.score for n, relevance in critics.items()}

    def _relevance_by_fact(self, result: SurveyScoreResult, batch: Sequence[int]) -> dict[int, FactRelevance]:
        numbers = [self._numbers.get(name) for name in result.ids] or batch
        relevances = (result, *result.others)
        return {n: relevance for n, relevance in zip(numbers, relevances, strict=False) if n is not None}

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {fact.id: n for n, fact in enumerate((self.topics_result or _NOTHING).facts)}

    @cached_property
    def _relevances(self) -> dict[int, FactRelevance]:
        return {}

    def scoring(self) -> list[Item]:
        """Return the items of the next round."""
        return [
            self._score_of(score_id(self.rounds + 1, nth), facts)
            for nth, facts in enumerate(self.next_batches, 1)
        ]

    def _score_of(self, name: str, numbers: Sequence[int]) -> Item:
        facts = [(self.topics_result or _NOTHING).facts[n] for n in numbers]
        topics = (self._coarsest(n) for n in numbers)
        first, *others = (
            ScorableFact(fact=fact.text, title=fact.title, quote=fact.quote, topic=topic)
            for fact, topic in zip(facts, topics, strict=True)
        )
        score = SurveyScoreInput(
            **dict(first),
            ids=tuple(fact.id for fact in facts),
            calls=len(self.next_batches),
            question=self.plan.question,
            sub_questions=self.plan.sub_questions,
            others=tuple(others),
        )
        return Item(id=name, step=SCORE, input=score)

    def _coarsest(self, n: int) -> str:
        """Return the name of a fact's coarsest topic; "" if it has none."""
        name = self.exploration.path(n)[-1]
        return next((topic.name for topic in (self.topics_result or _NOTHING).topics if topic.id == name), "")

    @cached_property
    def relevant(self) -> list[int]:
        """The facts that help, best first; if no critic scored any, those that searches found nearest."""
        if self.exploration.scores:
            return self.exploration.hits
        facts = (self.topics_result or _NOTHING).facts
        return sorted(self.exploration.looked_for, key=lambda n: (-facts[n].weight, n))[:BATCH]

    def scored(self) -> list[ScoredFact]:
        """Return the facts that help, with their scores."""
        return [self._scored(n) for n in self.relevant]

    def _scored(self, n: int) -> ScoredFact:
        """Return a fact with its critic's score; without a score it keeps its search rank."""
        fact, relevance = (self.topics_result or _NOTHING).facts[n], self._relevances.get(n)
        score = relevance.score if relevance else None
        return ScoredFact(
            fact_text=fact.text,
            source_node_id=fact.topic or fact.id,
            source_fact_id=fact.id,
            source_qdrant_chunk_id=fact.chunk or None,
            extracted_from_depth=0,
            score=max(0.0, fact.weight) / self._most if score is None else score,
            source_description=relevance.source_description if relevance else fact.title,
            scored_by="unscored" if score is None else "critic",
        )

    @cached_property
    def _most(self) -> float:
        return max((fact.weight for fact in (self.topics_result or _NOTHING).facts), default=0.0) or 1.0

    @cached_property
    def groups(self) -> list[list[RelevantFact]]:
        """The helpful facts in groups for claims, best first: similar ones together, across topics.

        A statement found in many topics then becomes one claim that counts all their documents.
        """
        facts = alike([self._relevant(n) for n in self.relevant])
        groups = packed_groups(facts, max(1, self.calls.claims), MOST_FACTS)
        return [sorted(group, key=lambda fact: -fact.relevance) for group in groups]

    def _relevant(self, n: int) -> RelevantFact:
        scored, fact = self._scored(n), (self.topics_result or _NOTHING).facts[n]
        return RelevantFact(id=fact.id, text=fact.text, relevance=scored.score, topic=fact.topic)

    def claims_items(self) -> list[Item]:
        """Return the items that make claims; none if only the calls for the writing are left."""
        if not self.calls.claims:
            return []
        return [
            Item(
                id=claims_id(nth),
                step=CLAIMS,
                input=ClaimsInput(
                    question=self.plan.question,
                    sub_questions=self.plan.sub_questions,
                    kind=self.plan.kind,
                    facts=tuple(facts),
                ),
            )
            for nth, facts in enumerate(self.groups, 1)
        ]

    def claims(self) -> list[Claim]:
        """Return all claims, merging those of several groups that say the same.

        Facts from which no claim could be made are claims themselves.
        """
        groups = {claims_id(nth): facts for nth, facts in enumerate(self.groups, 1)}
        claims: list[Claim] = []
        used: set[str] = set()
        for item in self._results.get(self.claims_phase, ()):
            if item.step == CLAIMS and (made := result_of(item, ClaimsResult)):
                claims += made.claims
                used |= set(made.facts or (fact.id for fact in groups.get(item.item_id, ())))
        rest = (fact for facts in groups.values() for fact in facts if fact.id not in used)
        return merged([*claims, *(claim_of([fact], fact.text, self._stated) for fact in rest)], self._stated)

    @cached_property
    def _stated(self) -> Mapping[str, set[str]]:
        result = self.topics_result or _NOTHING
        return {fact.id: {result.documents[n] for n in fact.documents} for fact in result.facts}

    def writing(self) -> SurveyWriting:
        """Return the input of the writing step, within the size limit of an item."""
        claims = fitting(ranked_claims(self.claims(), _CLAIMS), _CLAIM_BYTES)
        used = {fact for claim in claims for fact in claim.facts}
        facts = [fact for fact in self.scored() if fact.source_fact_id in used]
        return SurveyWriting(
            question=self.plan.question,
            sub_questions=self.plan.sub_questions,
            kind=self.plan.kind,
            facts=tuple(fitting(facts, _FACT_BYTES)),
            claims=tuple(claims),
            looked_at=len(self._documents({*self.exploration.scores, *self.relevant})),
        )

    def coverage(self) -> Coverage:
        """Return how much was examined, and the totals."""
        result = self.topics_result or _NOTHING
        scored = list(self.exploration.scores)
        relevant = set(self.relevant)
        seen: dict[str, list[int]] = {}
        for n in scored:
            seen.setdefault(self.exploration.path(n)[-1], []).append(n)
        coarse = [topic for topic in result.topics if topic.level == 0]
        return Coverage(
            documents=len(self._documents(scored)),
            of_documents=result.totals.documents,
            topics=sum(topic.id in seen for topic in coarse),
            of_topics=result.totals.topics,
            facts=len(scored),
            of_facts=result.totals.facts,
            hits=len(relevant.intersection(scored)),
            since=result.totals.since,
            looked_at=tuple(_seen(topic, seen[topic.id], relevant) for topic in coarse if topic.id in seen),
            not_looked_at=tuple(_seen(topic, (), relevant) for topic in coarse if topic.id not in seen)[
                :_NOT_LOOKED_AT
            ],
        )

    def _documents(self, facts: Iterable[int]) -> set[int]:
        return {document for n in facts for document in (self.topics_result or _NOTHING).facts[n].documents}

    @property
    def first_failure(self) -> str:
        """Return why a scoring or claims item failed; "" if none did."""
        return next((why for done in self._after_topics if (why := failure_of(done))), "")

    @property
    def _after_topics(self) -> list[Done]:
        return [done for phase, some in self._results.items() if phase >= FIRST_ROUND for done in some]

    def failures(self) -> Json:
        """Return errors on the way, with reasons and counts."""
        failures: Json = {}
        for name, phase in (("plan_failed", PLANNING), ("search_failed", TOPICS)):
            reasons = [why for done in self._results.get(phase, ())[:1] if (why := failure_of(done))]
            if reasons:
                failures[name] = reasons[0]
        rest = self._after_topics
        for name, step in (("scores_failed", SCORE), ("claims_failed", CLAIMS)):
            failed = [
                {"item": done.item_id, "reason": why}
                for done in rest
                if done.step == step and (why := failure_of(done))
            ]
            if failed:
                failures[name] = {"count": len(failed), "items": failed}
        dropped = sum(
            made.dropped for done in rest if done.step == CLAIMS and (made := result_of(done, ClaimsResult))
        )
        return failures | ({"claims_dropped": dropped} if dropped else {})


def _seen(topic: SurveyTopic, facts: Sequence[int], relevant: set[int]) -> TopicSeen:
    return TopicSeen(id=topic.id, name=topic.name, facts=len(facts), hits=len(relevant.intersection(facts)))


def score_id(number: int, nth: int) -> str:
    """Return the item id of a batch in a round, both numbered from 1."""
    return f"score:{number}:{nth}"


def claims_id(nth: int) -> str:
    """Return the item id for making claims from a group of facts, numbered from 1."""
    return f"claims:{nth}"


def alike(facts: Sequence[RelevantFact]) -> dict[tuple[str, ...], list[RelevantFact]]:
    """Return the facts by similarity, whatever their topics: (wider group, narrower group) → facts."""
    ordered = sorted(facts, key=lambda fact: (-fact.relevance, fact.text))
    texts = [fact.text for fact in ordered]
    likeness = Likeness(texts)
    says, speaks = likeness.grouped(texts, _SAYS), likeness.grouped(texts, _SPEAKS)
    groups: dict[tuple[str, ...], list[RelevantFact]] = {}
    for fact in ordered:
        first = says[fact.text]
        groups.setdefault((speaks[first], first), []).append(fact)
    return groups


def packed_groups(
    alike_facts: Mapping[tuple[str, ...], Sequence[RelevantFact]], most: int, largest: int
) -> list[list[RelevantFact]]:
    """Return all facts in groups; similar ones stay together if a group has room for them.

    Args:
        alike_facts: facts by similarity, the widest group first.
        most: maximum number of groups.
        largest: maximum number of facts in a group, provided that `most` groups have room for all.
    """
    pieces = [
        alike_facts[path][start : start + largest]
        for path in _ordered(alike_facts)
        for start in range(0, len(alike_facts[path]), largest)
    ]
    if len(pieces) <= most:
        return [list(piece) for piece in pieces]
    groups = _joined(pieces, most)
    if max(map(len, groups)) <= largest:
        return groups
    facts = [fact for piece in pieces for fact in piece]
    size = math.ceil(len(facts) / most)
    return [facts[start : start + size] for start in range(0, len(facts), size)]


def _ordered(alike_facts: Mapping[tuple[str, ...], Sequence[RelevantFact]]) -> list[tuple[str, ...]]:
    """Return the groups with most help first, and those within one side by side."""
    helps: dict[tuple[str, ...], float] = {}
    for path, facts in alike_facts.items():
        for length in range(1, len(path) + 1):
            helps[path[:length]] = helps.get(path[:length], 0.0) + sum(fact.relevance for fact in facts)
    return sorted(
        alike_facts, key=lambda path: [(-helps[path[:n]], path[n - 1]) for n in range(1, len(path) + 1)]
    )


def _joined(pieces: Sequence[Sequence[RelevantFact]], most: int) -> list[list[RelevantFact]]:
    """Join the pieces into at most `most` groups of about the same size."""
    groups: list[list[RelevantFact]] = []
    left = sum(map(len, pieces))
    size = 0
    for piece in pieces:
        if not groups or len(groups[-1]) >= size:
            left -= len(groups[-1]) if groups else 0
            size = math.ceil(left / max(1, most - len(groups)))
            groups.append([])
        groups[-1].extend(piece)
    return groups
