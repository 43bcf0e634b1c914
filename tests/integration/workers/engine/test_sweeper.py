"""What the sweeper leaves: all that a job which is kept may want, however old it is; real files."""

import os
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import redis
from doubles.broker import Broker
from doubles.documents import CURIE
from doubles.graph_steps import write_hidden
from doubles.kept_names import NamedKept
from doubles.manifests import pages_of
from doubles.memory_redis import services_over
from doubles.model import Ingestion
from doubles.single_worker import submit_batch
from doubles.vectors import MemoryVectors

from workers.core.graph.vectors import Point
from workers.core.redis_keys import ACTIVE, job_key
from workers.engine.submit import cancel_job
from workers.engine.sweeper import sweep_all, sweep_once
from workers.services import Services

pytestmark = pytest.mark.memory_too
DAY = 86400


@pytest.fixture
def services(client: redis.Redis, tmp_path: Path) -> Services:
    return services_over(client, blob_url=str(tmp_path / "blobs"), var=tmp_path, result_days=20)


def submit(services: Services) -> tuple[str, str]:
    """Submit a batch; return its job and the reference of its list."""
    return submit_batch(services, Broker(), 20, 4)


def age(services: Services, job: str, days: float) -> None:
    """Let a job have begun so long ago, and all that lies in the store be put a little before."""
    begun = time.time() - days * DAY
    services.redis.hset(job_key(job, "job"), "created", round(begun * 1000))
    services.redis.zadd(ACTIVE, {job: begun}, xx=True)
    for path in Path(services.settings.blob_url).glob("??/??/*"):
        os.utime(path, (begun - 60, begun - 60))


@pytest.mark.parametrize(("days", "retried"), [(8, False), (15, False), (8, True)])
def test_the_list_of_a_batch_that_took_long_is_there_for_a_retry_and_after_it(services, days, retried):
    job, listed = submit(services)
    age(services, job, days)
    if retried:
        services.redis.zadd(ACTIVE, {job: time.time()})
    else:
        cancel_job(services, job)
    sweep_once(services)
    assert sum(len(page) for page in pages_of(services.blobs, listed)) == 20


def test_versions_of_documents_are_tidied_also_where_blobs_cannot_be(services, monkeypatch):
    kept = NamedKept("notes")
    vars(services)["graph"] = SimpleNamespace(kept=kept, close=lambda: None)
    vars(services)["vectors"] = MemoryVectors()
    monkeypatch.setattr(services.blobs, "sweep", None)
    sweep_all(services)
    assert kept.steps == ["drop", "forget"]


def test_what_no_job_wants_goes_though_another_is_old_and_the_graph_is_away(services):
    forgotten = services.blobs.put(b"forgotten")
    job, _listed = submit(services)
    age(services, job, 13)
    services.redis.hset(job_key(job, "job"), "created", round((time.time() - 5 * DAY) * 1000))
    vars(services)["graph"] = SimpleNamespace(close=lambda: None)  # whatever is asked of it is an error
    sweep_all(services)
    assert not list(Path(services.settings.blob_url).glob(f"??/??/{forgotten}"))


def test_what_an_overtaken_version_left_goes_with_its_vectors(services: Services, tmp_path: Path) -> None:
    ingestion = Ingestion(tmp_path)
    ingestion.ingest()
    seen, embedded, name = ingestion.held(), ingestion.embedded(), ingestion.document().id
    for part in ("graph", "vectors", "model"):
        vars(services)[part] = getattr(ingestion, part)
    left, chunks = write_hidden(ingestion.graph, "default", "bern.txt", [CURIE])
    ingestion.graph.store.open_version(left.model_copy(update={"content_hash": "of the next text"}))
    ingestion.vectors.upsert("default", [Point(graph_id=chunks[0].chunk.id, kind="chunk", vector=(1.0, 1.0))])
    assert ingestion.graph.store.superseded(9) == [(name, "default")]
    sweep_all(services)
    assert ingestion.graph.store.superseded(9) == []
    assert (ingestion.held(), ingestion.embedded()) == (seen, embedded)
