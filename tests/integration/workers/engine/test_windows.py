"""How many documents of a batch are in flight: as many as its window says, whatever its size."""

from __future__ import annotations

from pathlib import Path

import pytest
from doubles.broker import Broker

from workers.core.jobs.manifest import ManifestWriter
from workers.core.jobs.params import DocumentParams
from workers.core.jobs.work import Outcome
from workers.engine.runner import Runner
from workers.engine.submit import submit_job
from workers.flows.batch import document_item, listed_phase
from workers.ledger.keys import job_key
from workers.ledger.records import Claim
from workers.services import Services
from workers.settings import Settings


@pytest.mark.parametrize("window", [40, 200, 600])
def test_a_window_is_filled_again_as_soon_as_a_page_fits(
    empty_redis: str, tmp_path: Path, window: int
) -> None:
    services = Services(Settings(_env_file=None, redis_url=empty_redis, blob_url=str(tmp_path)))
    writer = ManifestWriter(services.blobs, window)
    for at in range(2 * window + 400):
        writer.add(document_item(at, DocumentParams(uri=f"/d/{at}", source=f"/d/{at}", format="txt")))
    listed = writer.finish()
    driver, ledger = Runner(services, Broker()).driver, services.ledger
    batch_params = {"documents": listed.size, "manifest": listed.reference}
    phase = listed_phase(listed.reference, listed.size, window)
    job = submit_job(services, Broker(), "batch", "default", batch_params, phase=phase).job
    driver.admit(job, ledger.look([job.id])[0].cursor)
    in_flight = []
    for _ in range(window):
        due = job_key(job.id, "due")
        claim = Claim(job_id=job.id, epoch=1, item_id=services.redis.zrange(due, 0, 0)[0], token="t")
        driver.send_new(job, ledger.finish(claim, Outcome(result={})), ())
        in_flight.append(services.redis.zcard(due))
    assert max(in_flight) <= window
    assert min(in_flight) >= window - writer.page
    services.close()
