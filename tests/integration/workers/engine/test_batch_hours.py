"""Jobs that keep hours, over a real ledger."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
import redis
from doubles.broker import Broker
from doubles.ledger_play import Play
from doubles.memory_redis import services_over

from hopline.errors import Conflict, InvalidInput
from hopline.models.jobs import JobState
from hopline.views.batches.status import status_texts
from producer.service.service import Service
from workers.core.jobs.batches import BatchRecord
from workers.core.jobs.messages import Message
from workers.core.jobs.params import BatchParams
from workers.core.jobs.work import Item, Job, Phase
from workers.engine.hours import keep_hours, keep_hours_of, set_hours
from workers.engine.submit import submit_job
from workers.services import Services

pytestmark = pytest.mark.memory_too


@pytest.fixture
def services(client: redis.Redis) -> Services:
    return services_over(client)


def submit(services: Services, zone: str) -> Job:
    name = Play(services.redis).name
    params = BatchParams(documents=1, hours="22:00-06:00", zone=zone).model_dump(mode="json")
    job = Job(id=name, kind="batch", collection="test", params=params, root=name)
    services.ledger.submit(job, Phase(items=(Item(id="0:a", step="ingest.nothing"),)))
    return job


def kinds(services: Services, job: Job) -> list[str]:
    return [pause.kind for pause in services.pauses.reasons(job.id)]


def test_what_a_batch_waits_for_and_until_when_is_shown_and_changed_by_its_name(services: Services) -> None:
    job, begins = submit(services, "UTC"), datetime.now(UTC) + timedelta(hours=2)
    later = f"{begins:%H:%M}-{begins + timedelta(hours=1):%H:%M}"
    services.batches.save(BatchRecord(name=job.id, job_id=job.id, collection="test", documents=1))
    batches = Service(services=services, publisher=Broker()).batches
    batches.resume(job.id, between="")
    assert batches.get(job.id).state == "running"
    batches.pause(job.id)
    shown = batches.resume(job.id, between=later)
    assert (shown.state, shown.hours, shown.zone) == ("paused", later, "UTC")
    assert shown.waits_until == begins.replace(second=0, microsecond=0)
    shown = batches.pause(job.id)
    assert shown.pause is not None
    assert [pause.kind for pause in shown.pauses] == ["user", "hours"]
    text = "\n".join(line.plain for line in status_texts(shown))
    assert "somebody asked for it" in text
    assert f"it may run from {later} UTC only" in text
    assert "its hours begin in 1 h 5" in text or "its hours begin in 2 h" in text
    assert f"`hopline batches resume {job.id} --now` lets it go on at once" in text
    shown = batches.resume(job.id)
    assert [pause.kind for pause in shown.pauses] == ["hours"], "its hours are not the user's"
    shown = batches.resume(job.id, now=True)
    assert (shown.state, shown.waits_until) == ("running", None)
    assert shown.free_until == begins.replace(second=0, microsecond=0) + timedelta(hours=1)
    keep_hours(services)
    assert batches.cancel(job.id).state == "cancelled"


def test_a_job_that_is_handed_over_outside_its_hours_pauses_before_anything_is_sent(services):
    begins = datetime.now(UTC) + timedelta(hours=2)
    later = f"{begins:%H:%M}-{begins + timedelta(hours=1):%H:%M}"
    seen: list[list[str]] = []

    class Looking(Broker):
        def send(self, messages: Sequence[Message]) -> None:
            seen.extend(
                [pause.kind for pause in services.pauses.reasons(message.job_id)] for message in messages
            )

    params = {"sources": ["/nowhere"], "hours": later}
    submit_job(services, Looking(), "sync", "test", params)
    assert seen == [["hours"]]


def test_a_job_pauses_outside_its_hours_and_goes_on_inside(services: Services) -> None:
    job = submit(services, "UTC")
    night, day = datetime(2026, 1, 1, 23, tzinfo=UTC), datetime(2026, 1, 2, 12, tzinfo=UTC)
    keep_hours(services, night)
    assert kinds(services, job) == []
    keep_hours(services, day)
    assert kinds(services, job) == ["hours"]
    keep_hours(services, night)
    assert kinds(services, job) == []
    keep_hours(services, day)
    services.pauses.pause(job.id, "user", "somebody asked")
    assert kinds(services, job) == ["user", "hours"]
    keep_hours(services, night)
    assert kinds(services, job) == ["user"]
    services.pauses.resume(job.id)
    services.ledger.end(job.id, None, JobState.CANCELLED, {})


def test_the_hours_of_a_job_can_be_changed_and_left_out_once(services: Services) -> None:
    job = submit(services, "Asia/Tokyo")
    noon, hour = datetime(2026, 1, 2, 3, tzinfo=UTC), timedelta(hours=1)  # of Tokyo
    assert keep_hours_of(services, job.id, noon) == (noon + 10 * hour).timestamp()
    set_hours(services, job.id, None, "", at_once=True, now=noon)
    assert kinds(services, job) == []
    for after, kind in ((0, []), (17, []), (18, ["hours"]), (21, ["hours"]), (34, [])):
        keep_hours(services, noon + after * hour)
        assert kinds(services, job) == kind, f"{after} hours after noon"
    keep_hours(services, noon)
    set_hours(services, job.id, "10:00-14:00", "", at_once=False, now=noon)
    assert kinds(services, job) == []
    set_hours(services, job.id, "10:00-14:00", "UTC", at_once=False, now=noon)
    assert "10:00-14:00 UTC" in services.pauses.reasons(job.id)[0].why
    set_hours(services, job.id, "", "", at_once=False, now=noon)
    keep_hours(services, noon)
    assert kinds(services, job) == []
    with pytest.raises(InvalidInput, match="hours"):
        set_hours(services, job.id, "noon", "", at_once=False)
    services.ledger.end(job.id, None, JobState.CANCELLED, {})
    with pytest.raises(Conflict):
        set_hours(services, job.id, "", "", at_once=False)
