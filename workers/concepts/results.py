"""Derives a concept map's progress from the results of its phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from hopline.words import shortened
from workers.concepts.records import (
    CheckResult,
    ConceptResult,
    DroppedName,
    ExpandResult,
    MapResult,
    ModelResult,
    RelationResult,
)
from workers.concepts.texts import say
from workers.core.concepts.maps import SHORT_REASON, ConceptRelation, Related
from workers.core.jobs.flow import Record, Results, done_of, result_of
from workers.core.jobs.params import ConceptParams
from workers.core.jobs.work import Done, Job

VALIDATE: Final = "concepts.validate_concept"
READ: Final = "concepts.read_map"
CHECK: Final = "concepts.check_relation"
EXPAND: Final = "concepts.expand"
JUDGE: Final = "concepts.validate_relation"
SAVE: Final = "concepts.save_map"
CHECKED = 40  # old relations that are looked at again, strongest first; others stay as they are


@dataclass(frozen=True)
class Doubt:
    """A kept relation that is invalid, or that nobody could check."""

    relation: ConceptRelation
    reason: str


@dataclass
class Round:
    """One expansion with the verdicts on its proposals."""

    number: int
    wanted: int = 0
    failed: str = ""  # why nothing was offered
    none: bool = False  # the model said that it knows no more
    dropped: Sequence[DroppedName] = ()  # before anybody judged them
    offered: Sequence[Related] = ()
    valid: list[Related] = field(default_factory=list)
    invalid: list[DroppedName] = field(default_factory=list)  # those without a verdict too


@dataclass
class Findings:
    """All that is known of a map while its job runs."""

    concept: str
    verdict: ConceptResult
    held: MapResult  # what the graph holds
    unread: str = ""  # why that is not known
    kept: list[ConceptRelation] = field(default_factory=list)  # old relations that are still valid
    bad: list[Doubt] = field(default_factory=list)
    unchecked: list[Doubt] = field(default_factory=list)  # nobody could say
    rounds: list[Round] = field(default_factory=list)
    spent: bool = False  # no model call is left

    @property
    def new(self) -> list[Related]:
        """New relations that are valid."""
        return [relation for attempt in self.rounds for relation in attempt.valid]

    @property
    def remaining(self) -> list[Related]:
        """The relations that the map has and keeps."""
        return [*self.kept, *(doubt.relation for doubt in self.unchecked), *self.new]

    @property
    def known(self) -> list[str]:
        """Names that the map has and keeps."""
        return [relation.name for relation in self.remaining]

    @property
    def taken(self) -> list[str]:
        """Their disciplines."""
        return [relation.domain for relation in self.remaining]

    @property
    def refused(self) -> list[str]:
        """Names that were judged, and are not to be offered again."""
        judged = [
            *(doubt.relation.name for doubt in self.bad),
            *(broken.name for broken in self.held.broken),
            *(dropped.name for attempt in self.rounds for dropped in attempt.invalid),
        ]
        return list(dict.fromkeys([*judged, *self.held.retired]))


def params_of(job: Job) -> ConceptParams:
    """Return the requested parameters."""
    return ConceptParams.read_stored(job.params)


def to_check(findings: Findings) -> list[ConceptRelation]:
    """Return the old relations to re-check; those that a person wrote stay."""
    return [relation for relation in findings.held.relations if not relation.by]


def check_id(relation: str) -> str:
    """Return the id of the item that re-checks an old relation."""
    return f"check:{relation}"


def expand_id(number: int) -> str:
    """Return the id of a round's expansion."""
    return f"expand:{number}"


def judge_id(number: int, nth: int) -> str:
    """Return the id of the item that judges a round's proposal at this position."""
    return f"validate:{number}:{nth}"


def gather(results: Results, job: Job) -> Findings:
    """Return the results of the phases so far."""
    params = params_of(job)
    verdict, why = _only(results, VALIDATE, ConceptResult)
    held, unread = _only(results, READ, MapResult)
    verdict = verdict or ConceptResult(valid=None, reason="", domain="", definition="", failed=why)
    held = held or MapResult(version=0, relations=(), retired=(), broken=())
    if params.refresh:
        # Relations that a job retired may come back; those that a person retired may not.
        held = held.model_copy(update={"retired": held.banned})
    findings = Findings(concept=params.concept, verdict=verdict, held=held, unread=unread)
    _add_checks(findings, results)
    _add_rounds(findings, results)
    findings.spent = any(_is_spent(done) for phase in results.values() for done in phase)
    return findings


def _is_spent(done: Done) -> bool:
    """Return whether an item found the budget used up, whichever its step."""
    result = result_of(done, ModelResult)
    return bool(result and result.spent)


def _only(results: Results, step: str, kind: type[Record]) -> tuple[Record | None, str]:
    """Return the result of a step's only item, or why there is none."""
    done = done_of(results, step)
    if not done:
        return None, "it was not done in time"
    return result_of(done[0], kind), done[0].error or ""


def _add_checks(findings: Findings, results: Results) -> None:
    checks = {done.item_id: done for done in done_of(results, CHECK)}
    findings.kept += [relation for relation in findings.held.relations if relation.by]
    for nth, relation in enumerate(to_check(findings)):
        done = checks.get(check_id(relation.id))
        verdict = result_of(done, CheckResult) if done else None
        if verdict is None or verdict.valid is None:
            why = (
                _why(findings.concept, done) if nth < CHECKED else say(findings.concept, "beyond", n=CHECKED)
            )
            findings.unchecked.append(Doubt(relation, why))
        elif verdict.valid:
            findings.kept.append(relation)
        else:
            findings.bad.append(Doubt(relation, verdict.reason))


def _add_rounds(findings: Findings, results: Results) -> None:
    judged = {done.item_id: done for done in done_of(results, JUDGE)}
    for number, done in enumerate(done_of(results, EXPAND), 1):
        result = result_of(done, ExpandResult)
        if result is None:
            findings.rounds.append(Round(number=number, failed=done.error or ""))
            continue
        attempt = Round(
            number=number,
            wanted=result.wanted,
            failed=result.failed or "",
            none=result.none,
            dropped=result.dropped,
            offered=result.offered,
        )
        verdicts = [judged.get(judge_id(number, nth)) for nth in range(len(attempt.offered))]
        _sort_out(findings.concept, attempt, verdicts)
        findings.rounds.append(attempt)


def _sort_out(concept: str, attempt: Round, verdicts: Sequence[Done | None]) -> None:
    for relation, done in zip(attempt.offered, verdicts, strict=True):
        verdict = result_of(done, RelationResult) if done else None
        if verdict and verdict.valid:
            attempt.valid.append(relation)
        else:
            attempt.invalid.append(DroppedName(name=relation.name, reason=_why(concept, done)))


def _why(concept: str, done: Done | None) -> str:
    """Return why a relation does not count as valid."""
    if done is None:
        return say(concept, "unreached")
    verdict = result_of(done, RelationResult)
    if verdict is None:
        return shortened(f"{say(concept, 'unchecked')}: {done.error}", SHORT_REASON)
    return verdict.reason


def missing(findings: Findings, job: Job) -> int:
    """Return how many valid relations are still wanted."""
    params = params_of(job)
    have = findings.new if params.refresh else [*findings.kept, *findings.new]
    return max(0, params.wanted - len(have))
