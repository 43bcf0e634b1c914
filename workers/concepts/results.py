"""Derives a concept map's progress from the results of its phases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from workers.concepts.texts import say
from workers.core.concepts.maps import SHORT_REASON, shortened
from workers.core.jobs.flow import Results, done_of
from workers.core.jobs.params import ConceptParams
from workers.core.jobs.work import Done, Job, Json

VALIDATE: Final = "concepts.validate_concept"
READ: Final = "concepts.read_map"
CHECK: Final = "concepts.check_relation"
EXPAND: Final = "concepts.expand"
JUDGE: Final = "concepts.validate_relation"
SAVE: Final = "concepts.save_map"
CHECKED = 40  # old relations that are looked at again, strongest first; others stay as they are


@dataclass
class Round:
    """One expansion and what became of what it offered."""

    number: int
    wanted: int = 0
    failed: str = ""  # why nothing was offered
    none: bool = False  # the model said that it knows no more
    dropped: list[Json] = field(default_factory=list)  # {name, reason} before anybody judged them
    offered: list[Json] = field(default_factory=list)
    valid: list[Json] = field(default_factory=list)
    invalid: list[Json] = field(default_factory=list)  # {name, reason}, those without a verdict too


@dataclass
class Gathered:
    """All that is known of a map while its job runs."""

    concept: str
    verdict: Json  # of the concept
    held: Json  # what the graph holds
    unread: str = ""  # why that is not known
    kept: list[Json] = field(default_factory=list)  # old relations that are still valid
    bad: list[Json] = field(default_factory=list)  # {id, name, reason}
    unchecked: list[Json] = field(default_factory=list)  # {id, name, domain, reason}: nobody could say
    rounds: list[Round] = field(default_factory=list)
    spent: bool = False  # no model call is left

    @property
    def new(self) -> list[Json]:
        """New relations that are valid."""
        return [one for each in self.rounds for one in each.valid]

    @property
    def known(self) -> list[str]:
        """Names that the map has and keeps."""
        return [one["name"] for one in (*self.kept, *self.unchecked, *self.new)]

    @property
    def taken(self) -> list[str]:
        """Their disciplines."""
        return [one["domain"] for one in (*self.kept, *self.unchecked, *self.new)]

    @property
    def refused(self) -> list[str]:
        """Names that were judged, and are not to be offered again."""
        judged = (*self.bad, *self.held["broken"], *(one for each in self.rounds for one in each.invalid))
        return list(dict.fromkeys([*(one["name"] for one in judged), *self.held["retired"]]))


def params_of(job: Job) -> ConceptParams:
    """Return the requested parameters."""
    return ConceptParams.read_stored(job.params)


def to_check(found: Gathered) -> list[Json]:
    """Return the old relations to re-check; those that a person wrote stay."""
    return [one for one in found.held["relations"] if not one.get("by")]


def check_id(relation: str) -> str:
    """Return the id of the item that re-checks an old relation."""
    return f"check:{relation}"


def expand_id(number: int) -> str:
    """Return the id of a round's expansion."""
    return f"expand:{number}"


def judge_id(number: int, nth: int) -> str:
    """Return the id of the item that judges what a round offered at this place."""
    return f"validate:{number}:{nth}"


def gather(results: Results, job: Job) -> Gathered:
    """Return what the phases so far have brought."""
    params = params_of(job)
    verdict, why = _only(results, VALIDATE)
    held, unread = _only(results, READ)
    if why:
        verdict = {"valid": None, "reason": "", "domain": "", "definition": "", "failed": why}
    if unread:
        held = {"version": 0, "relations": [], "retired": [], "broken": []}
    if params.refresh:
        # What a job took out earlier may come again; what a person did not.
        held = {**held, "retired": held.get("banned", [])}
    found = Gathered(concept=params.concept, verdict=verdict, held=held, unread=unread)
    _add_checks(found, results)
    _add_rounds(found, results)
    found.spent = any(one.result.get("spent") for done in results.values() for one in done)
    return found


def _only(results: Results, step: str) -> tuple[Json, str]:
    """Return the result of a step's only item, or why there is none."""
    done = done_of(results, step)
    if not done:
        return {}, "it was not done in time"
    return done[0].result, done[0].error or ""


def _add_checks(found: Gathered, results: Results) -> None:
    done = {one.item_id: one for one in done_of(results, CHECK)}
    found.kept += [one for one in found.held["relations"] if one.get("by")]
    for nth, relation in enumerate(to_check(found)):
        one = done.get(check_id(relation["id"]))
        told = {"id": relation["id"], "name": relation["name"]}
        if one is None or one.error or one.result["valid"] is None:
            why = _why(found.concept, one) if nth < CHECKED else say(found.concept, "beyond", n=CHECKED)
            found.unchecked.append({**told, "domain": relation["domain"], "reason": why})
        elif one.result["valid"]:
            found.kept.append(relation)
        else:
            found.bad.append({**told, "reason": one.result["reason"]})


def _add_rounds(found: Gathered, results: Results) -> None:
    judged = {one.item_id: one for one in done_of(results, JUDGE)}
    for number, done in enumerate(done_of(results, EXPAND), 1):
        if done.error:
            found.rounds.append(Round(number=number, failed=done.error))
            continue
        told = done.result
        one = Round(
            number=number,
            wanted=told["wanted"],
            failed=told.get("failed", ""),
            none=told["none"],
            dropped=told["dropped"],
            offered=told["offered"],
        )
        verdicts = [judged.get(judge_id(number, nth)) for nth in range(len(one.offered))]
        _sort_out(found.concept, one, verdicts)
        found.rounds.append(one)


def _sort_out(concept: str, one: Round, verdicts: Sequence[Done | None]) -> None:
    for relation, verdict in zip(one.offered, verdicts, strict=True):
        if verdict and not verdict.error and verdict.result["valid"]:
            one.valid.append(relation)
        else:
            one.invalid.append({"name": relation["name"], "reason": _why(concept, verdict)})


def _why(concept: str, done: Done | None) -> str:
    """Return why a relation does not count as valid."""
    if done is None:
        return say(concept, "unreached")
    if done.error:
        return shortened(f"{say(concept, 'unchecked')}: {done.error}", SHORT_REASON)
    return str(done.result["reason"])


def missing(found: Gathered, job: Job) -> int:
    """Return how many valid relations are still wanted."""
    params = params_of(job)
    have = found.new if params.refresh else [*found.kept, *found.new]
    return max(0, params.wanted - len(have))
