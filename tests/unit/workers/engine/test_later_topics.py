"""A batch or sync that changed documents is followed by a build of the collection's topics."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from workers.core.errors import DependencyAway
from workers.core.jobs.work import Budget, Job, JobState, Json, Phase, Usage
from workers.engine.outbox import work_off
from workers.flows.later_topics import changed_documents
from workers.ledger.records import JobRecord
from workers.settings import Settings


class Store:
    """The ledger of one ended job, and the topics of its collection."""

    config = None

    def __init__(self, kind: str, outcome: Json, when: str, built: object = None) -> None:
        job = Job(id="j1", kind=kind, collection="notes", caller="k1", limited=True)
        self.record = JobRecord(
            job=job,
            state=JobState.DONE,
            phase=1,
            epoch=1,
            created=1.0,
            ended=2.0,
            items={},
            done={},
            timings={},
            usage=Usage(),
            budget=Budget(),
            leases_lost=0,
            dead=0,
            dropped=0,
            closed_for=None,
            outcome=outcome,
        )
        self.built = built
        self.submitted: list[Job] = []
        self.services: Any = SimpleNamespace(
            ledger=self,
            settings=Settings(_env_file=None, topics_after_ingest=when),
            graph=SimpleNamespace(topics=self),
        )

    def job(self, _name: str) -> JobRecord:
        return self.record

    def outbox(self, _name: str) -> dict[str, str]:
        return {}

    def leave(self, _name: str) -> bool:
        return True

    def submit(self, job: Job, _phase: Phase, **_more: object) -> int:
        self.submitted.append(job)
        return 1

    def epoch(self, _collection: str) -> object:
        if isinstance(self.built, Exception):
            raise self.built
        return self.built


@pytest.mark.parametrize(
    ("kind", "outcome", "changed"),
    [
        ("batch", {"counts": {"done": 2, "unchanged": 5, "failed": 1}}, 2),
        ("batch", {"counts": {"unchanged": 5, "failed": 1}}, 0),
        ("batch", {}, 0),
        ("sync", {"documents": {"done": 1, "partial": 1}, "removals": {"removed": 3, "kept": 2}}, 5),
        ("sync", {"counts": {"changed": 4}, "dry_run": True}, 0),
        ("document", {"status": "done"}, 0),
        ("topics", {"counts": {"done": 1}}, 0),
    ],
)
def test_what_changed_documents_is_counted(kind: str, outcome: Json, changed: int) -> None:
    assert changed_documents(kind, outcome) == changed


@pytest.mark.parametrize(
    ("when", "built", "builds"),
    [
        ("always", None, True),
        ("if_built", "b1", True),
        ("if_built", None, False),
        ("if_built", DependencyAway("away"), False),
        ("never", "b1", False),
    ],
)
def test_topics_are_built_as_the_setting_says(when: str, built: object, builds: object) -> None:
    store = Store("batch", {"counts": {"done": 1}}, when, built)
    work_off(store.services, "j1")
    assert bool(store.submitted) is builds


def test_the_build_is_one_however_often_it_is_ordered_and_waits_behind_all_other_work() -> None:
    store = Store("sync", {"documents": {"done": 1}}, "always")
    work_off(store.services, "j1")
    work_off(store.services, "j1")
    first, second = store.submitted
    assert first == second
    assert (first.kind, first.collection, first.priority, first.caller) == ("topics", "notes", "low", "")
    store.record = store.record.model_copy(update={"epoch": 2})
    work_off(store.services, "j1")
    assert store.submitted[-1].id != first.id


def test_what_changed_no_document_builds_nothing() -> None:
    store = Store("batch", {"counts": {"unchanged": 9}}, "always")
    work_off(store.services, "j1")
    assert store.submitted == []
