"""What the sweeper leaves: all that a job which is kept may want, however old it is; real Redis and files."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from doubles.broker import Broker
from doubles.kept_names import NamedKept
from doubles.manifests import pages_of
from doubles.vectors import MemoryVectors

from workers.core.jobs.manifest import ManifestWriter
from workers.core.jobs.params import DocumentParams
from workers.engine.submit import cancel_job, submit_job
from workers.engine.sweeper import sweep_all, sweep_once
from workers.flows.batch import document_item, listed_phase
from workers.ledger.keys import ACTIVE, job_key
from workers.services import Services
from workers.settings import Settings

DAY = 86400


@pytest.fixture
def services(empty_redis: str, tmp_path: Path) -> Iterator[Services]:
    settings = Settings(
        _env_file=None, redis_url=empty_redis, blob_url=str(tmp_path / "blobs"), var=tmp_path, result_days=20
    )
    made = Services(settings)
    made.redis.flushdb()
    yield made
    made.close()


def submit(services: Services) -> tuple[str, str]:
    """Submit a batch; return its job and the reference of its list."""
    writer = ManifestWriter(services.blobs, 4)
    for at in range(20):
        writer.add(document_item(at, DocumentParams(uri=f"/d/{at}", source=f"/d/{at}", format="txt")))
    listed = writer.finish()
    batch_params = {"documents": listed.size, "manifest": listed.reference}
    phase = listed_phase(listed.reference, listed.size, 4)
    job = submit_job(services, Broker(), "batch", "default", batch_params, phase=phase).job.id
    return job, listed.reference


def age(services: Services, job: str, days: float) -> None:
    """Let a job have begun so long ago, and all that lies in the store be put a little before."""
    begun = time.time() - days * DAY
    services.redis.hset(job_key(job, "job"), "created", round(begun * 1000))
    services.redis.zadd(ACTIVE, {job: begun}, xx=True)
    for path in Path(services.settings.blob_url).glob("??/??/*"):
        os.utime(path, (begun - 60, begun - 60))


@pytest.mark.parametrize("days", [8, 15])
def test_the_list_of_a_batch_that_took_long_is_there_for_a_retry(services: Services, days: float) -> None:
    job, listed = submit(services)
    age(services, job, days)
    cancel_job(services, job)
    sweep_once(services)
    assert sum(len(page) for page in pages_of(services.blobs, listed)) == 20


def test_a_retried_batch_keeps_its_list_too(services: Services) -> None:
    job, listed = submit(services)
    age(services, job, 8)
    services.redis.zadd(ACTIVE, {job: time.time()})  # as a retry does
    sweep_once(services)
    assert sum(len(page) for page in pages_of(services.blobs, listed)) == 20


def test_what_no_job_wants_any_more_goes_though_another_job_is_older_than_half_the_time(
    services: Services,
) -> None:
    job, _listed = submit(services)
    forgotten = services.blobs.put(b"forgotten")
    age(services, job, 13)
    services.redis.hset(job_key(job, "job"), "created", round((time.time() - 5 * DAY) * 1000))
    sweep_once(services)
    assert not list(Path(services.settings.blob_url).glob(f"??/??/{forgotten}"))


def test_versions_of_documents_are_tidied_also_where_blobs_cannot_be(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = NamedKept("notes")
    vars(services)["graph"] = SimpleNamespace(kept=kept, close=lambda: None)
    vars(services)["vectors"] = MemoryVectors()
    monkeypatch.setattr(services.blobs, "sweep", None)
    sweep_all(services)
    assert kept.steps == ["drop", "forget"]


def test_blobs_are_swept_while_the_graph_is_away(services: Services) -> None:
    forgotten = services.blobs.put(b"forgotten")
    job, _listed = submit(services)
    age(services, job, 13)
    services.redis.hset(job_key(job, "job"), "created", round((time.time() - 5 * DAY) * 1000))
    vars(services)["graph"] = SimpleNamespace(close=lambda: None)  # whatever is asked of it is an error
    sweep_all(services)
    assert not list(Path(services.settings.blob_url).glob(f"??/??/{forgotten}"))
