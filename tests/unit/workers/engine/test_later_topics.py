"""A batch or sync that changed documents is followed by a build of the collection's topics."""

from types import SimpleNamespace

from doubles.memory_redis import memory_redis, services_over

from hopline.errors import DependencyAway
from hopline.models.jobs import JobState, Json
from workers.core.ids import later_topics_job_id
from workers.core.jobs.work import Item, Job, Phase
from workers.engine.outbox import work_off
from workers.flows.later_topics import changed_documents
from workers.ledger.retry import retry_dead_letters
from workers.services import Services

CHANGED = {"counts": {"done": 1}}


def ended(outcome: Json, when: str, built: object = None) -> Services:
    """Return services of a batch that has ended, over a graph whose topics are of an epoch, or of none."""

    def epoch(_collection: str) -> object:
        if isinstance(built, Exception):
            raise built
        return built

    services = services_over(memory_redis(), history_days=0, topics_after_ingest=when)
    services.__dict__["graph"] = SimpleNamespace(topics=SimpleNamespace(epoch=epoch))
    job = Job(id="j1", kind="batch", collection="notes", caller="k1", limited=True)
    services.ledger.submit(job, Phase(items=(Item(id="i", step="ingest.document"),)))
    services.ledger.end("j1", None, JobState.CANCELLED, outcome)
    work_off(services, "j1")
    return services


def ordered(services: Services, epoch: int = 1) -> Job | None:
    record = services.ledger.job(later_topics_job_id("j1", epoch))
    return record and record.job


def test_what_changed_documents_is_counted() -> None:
    for kind, outcome, changed in [
        ("batch", {"counts": {"done": 2, "unchanged": 5, "failed": 1}}, 2),
        ("batch", {"counts": {"unchanged": 5, "failed": 1}}, 0),
        ("sync", {"documents": {"done": 1, "partial": 1}, "removals": {"removed": 3, "kept": 2}}, 5),
        ("sync", {"counts": {"changed": 4}, "dry_run": True}, 0),
        ("topics", CHANGED, 0),
    ]:
        assert changed_documents(kind, outcome) == changed, kind


def test_topics_are_built_as_the_setting_says() -> None:
    for when, built, builds in [
        ("always", None, True),
        ("if_built", "b1", True),
        ("if_built", None, False),
        ("if_built", DependencyAway("away"), False),
        ("never", "b1", False),
    ]:
        assert (ordered(ended(CHANGED, when, built)) is not None) is builds, when
        assert ordered(ended({"counts": {"unchanged": 9}}, when, built)) is None, when


def test_each_end_orders_one_build_that_waits_behind_all_other_work() -> None:
    services = ended(CHANGED, "always")
    job = ordered(services)
    assert job is not None
    assert (job.kind, job.collection, job.priority, job.caller) == ("topics", "notes", "low", "")
    assert retry_dead_letters(services.ledger, "j1") == 2
    services.ledger.end("j1", 2, JobState.DONE, CHANGED)
    work_off(services, "j1")
    assert ordered(services, 2) is not None
