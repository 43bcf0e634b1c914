"""A worker that is told to go finishes what it holds and takes nothing new; the batch does not notice."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet.checks import assert_nothing_left
from fleet.crew import PATIENCE, Crew, private_crew, wait_until

from workers.core.records import Frozen
from workers.telemetry.metrics import KEY as COUNTS

# A worker of twenty threads asks about the last of them some seconds after another was told to go.
DOCUMENTS, SLOW = 120, {"latency": 2.0}


class Submitted(Frozen):
    job_id: str
    collection: str


@pytest.fixture(scope="module")
def crew(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    """Workers whose leases outlast what holds a process up: what is lost and asked again is counted."""
    with private_crew(stack_env, tmp_path_factory.mktemp("drain")) as crew:
        yield crew


def _submit(crew: Crew, folder: Path, collection: str) -> Submitted:
    """Submit documents of one chunk and one fact each: no two ask the model the same, here or elsewhere."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(DOCUMENTS):
        text = f"Report {number}\n\nHarbour {number} of {collection} was opened by Maren Holt.\n"
        (folder / f"{number:03}.txt").write_text(text, encoding="utf-8")
    submitted = crew.client.submit_documents([folder], collection)
    return Submitted(job_id=submitted.job_id, collection=collection)


def _asked(crew: Crew) -> int:
    return crew.model.requests().get("ExtractedFacts", 0)


def _leases_lost(crew: Crew) -> int:
    counts = {str(name): float(value) for name, value in crew.redis.hgetall(COUNTS).items()}
    return int(sum(value for name, value in counts.items() if "leases_lost" in name))


def _assert_whole(crew: Crew, submitted: Submitted) -> None:
    report = crew.client.wait(submitted.job_id, 180)
    assert [document.status for document in report.documents] == ["done"] * DOCUMENTS
    assert crew.client.services.graph.census(submitted.collection).live.documents == DOCUMENTS
    assert_nothing_left(crew)


def test_a_drained_worker_finishes_what_it_holds_and_nothing_is_paid_twice(
    crew: Crew, tmp_path: Path
) -> None:
    crew.model.set(chat=SLOW)
    crew.have(old="bulk", other="bulk", a="interactive", quarantine="quarantine")
    lost = _leases_lost(crew)
    submitted = _submit(crew, tmp_path / "drained", "drain-one")
    wait_until(lambda: _asked(crew) >= DOCUMENTS // 6, "extractions are under way")
    old = crew.workers["old"]
    old.popen.send_signal(signal.SIGTERM)
    assert old.popen.wait(PATIENCE) == 0, "it ends by itself"
    assert _asked(crew) < DOCUMENTS, "it ended in the middle of the batch"
    _assert_whole(crew, submitted)
    assert _asked(crew) == DOCUMENTS, "each chunk was asked for once"
    assert _leases_lost(crew) == lost, "what it held it finished"


def test_a_rolling_upgrade_asks_for_each_chunk_once(crew: Crew, tmp_path: Path) -> None:
    crew.model.set(chat=SLOW)
    crew.have(first="bulk", second="bulk", a="interactive", quarantine="quarantine")
    lost = _leases_lost(crew)
    submitted = _submit(crew, tmp_path / "upgraded", "drain-all")
    wait_until(lambda: _asked(crew) >= DOCUMENTS // 10, "extractions are under way")
    for old, new in (("first", "third"), ("second", "fourth")):
        crew.start(new, "bulk")
        crew.workers[old].popen.send_signal(signal.SIGTERM)
        assert crew.workers.pop(old).popen.wait(PATIENCE) == 0
    _assert_whole(crew, submitted)
    assert _asked(crew) == DOCUMENTS
    assert _leases_lost(crew) == lost
