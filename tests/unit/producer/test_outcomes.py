"""Outcomes of jobs have a model for each kind, which old records and newer servers fit, too."""

from __future__ import annotations

from typing import Any

import pytest
from doubles.job_view import job_view

from hopline.models.answers import Answer
from hopline.models.jobs import JobState
from hopline.models.outcomes import OUTCOMES, DeleteOutcome, Outcome, outcome_of
from hopline.models.results import Job
from workers.flows.registry import FLOWS


def job(kind: str, **fields: Any) -> Job:
    params = {"sources": ["a"], "dry_run": False, "question": "Why?"}
    return Job.model_validate(job_view("j1", kind=kind) | {"params": params} | fields, extra="ignore")


def test_every_flow_ends_with_an_outcome_of_its_own() -> None:
    assert OUTCOMES.keys() == FLOWS.keys()


@pytest.mark.parametrize("kind", FLOWS)
def test_an_outcome_that_was_stored_without_a_kind_has_that_of_its_job(kind: str) -> None:
    read = outcome_of(job(kind), {"reason": "cancelled by ann"})
    assert isinstance(read, OUTCOMES[kind])
    assert read.kind == kind
    assert "cancelled by ann" in job(kind, outcome=read.model_dump(mode="json")).why


@pytest.mark.parametrize("kind", FLOWS)
def test_an_outcome_comes_back_as_it_was_told(kind: str) -> None:
    told = outcome_of(job(kind), {})
    assert isinstance(told, Outcome)
    assert job(kind, outcome=told.model_dump(mode="json")).outcome == told


def test_a_newer_server_may_add_fields_kinds_and_states() -> None:
    added = job("delete", state="frozen", outcome={"kind": "delete", "document_id": "d1", "weight": 2})
    assert added.outcome == DeleteOutcome(document_id="d1")
    assert (added.state, added.state is JobState.RUNNING) == ("frozen", False)
    assert added.model_dump(mode="json")["state"] == "frozen"
    dream = {"kind": "dream", "sheep": 3}
    assert job("dream", outcome=dream).outcome == dream
    assert job("dream", outcome=dream).model_dump(mode="json")["outcome"] == dream


def test_an_answer_is_read_from_its_job_or_from_what_was_stored() -> None:
    asked = job("query", state="done")
    stored = outcome_of(asked, {"text": "Because [1]."})
    assert isinstance(stored, Answer)
    assert Answer.of(asked.model_copy(update={"outcome": stored})) is stored


def test_the_schema_tells_outcomes_apart_by_their_kind() -> None:
    known = Job.model_json_schema(mode="serialization")["properties"]["outcome"]["anyOf"]
    mapping = next(part["discriminator"] for part in known if "discriminator" in part)["mapping"]
    assert mapping.keys() == OUTCOMES.keys()
