"""What the ledger tells of a named batch, for its report; on a real Redis."""

import secrets

import pytest
import redis
from doubles.ledger_play import Play

from hopline.models.jobs import Usage
from workers.core.jobs.batches import BatchRecord
from workers.core.jobs.work import Job, Phase
from workers.core.redis_keys import job_key
from workers.ledger.batches import BatchBooks, Batches
from workers.ledger.ledger import Ledger
from workers.ledger.pauses import Pauses


@pytest.fixture
def batch(client: redis.Redis) -> BatchRecord:
    name = f"b{secrets.token_hex(4)}"
    job = Job(
        id=f"j{secrets.token_hex(8)}", kind="batch", collection="c", params={"documents": 1, "name": name}
    )
    Ledger(client).submit(job, Phase(items=()))
    record = BatchRecord(name=name, job_id=job.id, collection="c", documents=1)
    Batches(client).save(record)
    return record


def test_a_batchs_figures_are_those_of_its_job(client: redis.Redis, batch: BatchRecord) -> None:
    fields = {"waited:model.rpm": 1500, "waited:model.calls": 20, "spent_calls": 7, "spent_cost": 2_500_000}
    client.hset(job_key(batch.job_id, "job"), mapping=fields)
    facts = BatchBooks(client).of_job(batch.job_id)
    assert facts.record == batch
    assert facts.state == "running"
    assert facts.waited == {"model.rpm": 1.5, "model.calls": 0.02}
    assert facts.usage == Usage(model_calls=7, cost=2.5)


def test_pauses_are_told_with_their_ends(client: redis.Redis, batch: BatchRecord) -> None:
    pauses = Pauses(client)
    pauses.pause(batch.job_id, "budget", "used up")
    assert pauses.resume(batch.job_id)
    pauses.pause(batch.job_id, "user", "asked for")
    facts = BatchBooks(client).of_job(batch.job_id)
    first, second = facts.pauses
    assert (first.kind, first.why) == ("budget", "used up")
    assert first.until is not None
    assert first.since <= first.until <= second.since
    assert (second.kind, second.until) == ("user", None)
    assert pauses.resume(batch.job_id)
    assert not pauses.resume(batch.job_id)


def test_a_report_is_entered_only_where_the_name_is_still_the_jobs(client, batch):
    books = BatchBooks(client)
    assert not books.enter(batch.name, "another", "ref")
    assert books.enter(batch.name, batch.job_id, "ref")
    assert Batches(client).get(batch.name).report == "ref"


def test_a_job_without_a_name_has_no_figures(client: redis.Redis, play: Play) -> None:
    assert BatchBooks(client).of_job(play.name) is BatchBooks(client).of_job("j-never") is None
