"""A name stands for one batch, however many are handed over under it at once; on a real ledger."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from doubles.broker import Broker

from hopline import Hopline
from hopline.commands.ids import whole_batch_name
from hopline.errors import InvalidInput, NotFound, Transient
from hopline.models.batches import BatchSubmitted
from hopline.models.jobs import JobState
from producer.service.batches.submission import BatchOrder, submit_named_batch
from workers.core.jobs.batches import BatchRecord
from workers.core.redis_keys import ACTIVE
from workers.ledger.batches import Batches
from workers.services import Services
from workers.settings import Settings

NAME = "archive"


class Uncounted:
    """A graph that is away: a batch begins without its figures."""

    def growth(self, _collection: str) -> None:
        raise Transient("away")


class Crowded(Batches):
    """Records of batches, where something happens before or after a name is claimed for the first time."""

    def __init__(self, services: Services, when: str, happens: Callable[[], object]) -> None:
        super().__init__(services.redis)
        self._first, self._when, self._happens = True, when, happens

    def claim(self, record: BatchRecord, before: BatchRecord | None) -> bool:
        is_first, self._first = self._first, False
        if is_first and self._when == "before":
            self._happens()
        claimed = super().claim(record, before)
        if is_first and self._when == "after":
            self._happens()
        return claimed


@pytest.fixture
def services(empty_redis: str, tmp_path: Path) -> Iterator[Services]:
    made = Services(Settings(_env_file=None, redis_url=empty_redis, blob_url=str(tmp_path / "blobs")))
    made.redis.flushdb()
    made.__dict__["graph"] = Uncounted()
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"Document {name}.", encoding="utf-8")
    yield made
    del made.__dict__["graph"]
    made.close()


@pytest.fixture
def submit(services: Services, tmp_path: Path) -> Callable[[str], BatchSubmitted]:
    def hand_over(name: str) -> BatchSubmitted:
        order = BatchOrder(name=NAME, sources=(str(tmp_path / f"{name}.txt"),), collection="c")
        return submit_named_batch(services, Broker(), order)

    return hand_over


def jobs(services: Services) -> list[str]:
    records = services.ledger.jobs_by_id(services.redis.zrange(ACTIVE, 0, -1))
    return [record.job.id for record in records if record.state is JobState.RUNNING]


@pytest.mark.parametrize("when", ["before", "after"])
def test_of_two_batches_at_once_under_one_name_one_is_refused(services, submit, when):
    refused: list[str] = []

    def try_to_submit(name: str) -> None:
        try:
            submit(name)
        except InvalidInput:
            refused.append(name)

    services.__dict__["batches"] = Crowded(services, when, lambda: try_to_submit("b"))
    try_to_submit("a")
    assert len(refused) == 1
    assert jobs(services) == [services.batches.get(NAME).job_id]


def test_the_same_batch_at_once_is_one(services: Services, submit: Callable[[str], BatchSubmitted]) -> None:
    services.__dict__["batches"] = Crowded(services, "after", lambda: submit("a"))
    job = submit("a").job_id
    assert jobs(services) == [job]


def test_a_name_whose_batch_never_got_a_job_can_be_used_again(services, submit):
    def die() -> None:
        raise Transient("the process died here")

    services.__dict__["batches"] = Crowded(services, "after", die)
    with pytest.raises(Transient):
        submit("a")
    record = services.batches.get(NAME)
    with pytest.raises(InvalidInput, match="batch"):
        submit("b")
    services.batches.save(record.model_copy(update={"created": record.created - 61}))
    job = submit("b").job_id
    assert jobs(services) == [job]


def test_the_beginning_of_a_name_is_enough_where_only_one_batch_begins_so(services: Services) -> None:
    for name in ("may", "may-late", "june"):
        services.batches.save(BatchRecord(name=name, job_id=f"j-{name}", collection="c"))
    with Hopline.local(services.settings) as client:
        assert whole_batch_name(client, "j") == "june"
        assert whole_batch_name(client, "may") == "may"  # whole, though another begins with it
        with pytest.raises(InvalidInput, match="may-late") as refused:
            whole_batch_name(client, "ma")
        with pytest.raises(NotFound, match="no batch april"):
            client.batches.get(whole_batch_name(client, "april"))
    assert "june" not in str(refused.value)
