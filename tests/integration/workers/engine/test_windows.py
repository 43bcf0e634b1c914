"""How many documents of a batch are in flight: as many as its window says, whatever its size."""

from __future__ import annotations

import pytest
from doubles.memory_redis import services_over
from doubles.single_worker import SingleWorker, submit_batch

from workers.core.jobs.manifest import ManifestWriter
from workers.core.jobs.work import Outcome
from workers.ledger.keys import job_key
from workers.ledger.records import Claim


@pytest.mark.parametrize("window", [40, 300])
def test_a_window_is_filled_again_as_soon_as_a_page_fits(client, tmp_path, window):
    worker = SingleWorker(services_over(client, blob_url=str(tmp_path)))
    name, _list = submit_batch(worker.services, worker.broker, 2 * window + 200, window)
    job, driver, due = worker.record(name).job, worker.runner.driver, job_key(name, "due")
    driver.admit(job, worker.ledger.look([name])[0].cursor)
    in_flight = []
    for _ in range(window):
        claim = Claim(job_id=name, epoch=1, item_id=client.zrange(due, 0, 0)[0], token="t")
        driver.send_new(job, worker.ledger.finish(claim, Outcome(result={})), ())
        in_flight.append(client.zcard(due))
    assert max(in_flight) <= window
    assert min(in_flight) >= window - ManifestWriter(worker.services.blobs, window).page
