"""Acts on many jobs: which of them are chosen, and what the same act again does."""

from typing import Any, cast

import pytest
from doubles.broker import Broker
from doubles.desk import ANSWER, Desk, SentMessages
from doubles.memory_redis import memory_redis, services_over

from hopline.errors import InvalidInput
from hopline.models.jobs import JobFilter, JobsActed, JobState
from hopline.models.pauses import WorkKind
from producer.service.job_acts.acts import act_on, check_change, narrowed, wanted
from producer.service.job_acts.replays import Change
from producer.service.service import Service
from workers.core.jobs.records import JobRecord
from workers.core.jobs.work import Terms
from workers.core.redis_keys import ACTIVE
from workers.ledger.ledger import Ledger

ALL = JobFilter(collection="c")
CHANGES_NOTHING = Change()


@pytest.fixture
def service(desk: Desk) -> Service:
    return Service(services=cast("Any", desk), publisher=SentMessages())


def replay(service: Service, record: JobRecord, change: Change = CHANGES_NOTHING) -> JobRecord:
    return service.jobs.submit_replay(service.jobs.check_replay(record, change, Terms()))


def replay_all(service: Service, *, dry_run: bool = False) -> JobsActed:
    fitting = service.jobs.fitting(wanted(narrowed(ALL, "replay")), "replay")
    return act_on(fitting, "replay", lambda record: replay(service, record).job.id, dry_run=dry_run)


@pytest.mark.parametrize("most", [2, 4])
def test_the_newest_jobs_that_an_act_fits_are_acted_on_others_take_no_place(desk, service, monkeypatch, most):
    monkeypatch.setattr("producer.service.job_acts.acts.MOST_JOBS", most)
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    questions = [service.submit("query", "c", {"question": f"Who is {name}?"}).job.id for name in "abcde"]
    for key in "123":
        replay(service, service.jobs.get(questions[0]), Change.of({}, key))
    acted = replay_all(service, dry_run=True)
    assert (acted.matched, acted.jobs) == (5, tuple(reversed(questions))[:most])


def test_the_same_replays_again_go_on_where_they_were_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    services = services_over(memory_redis(), history_days=0)
    services.ledger = Ledger(services.redis, recent_kept=4)
    service = Service(services=services, publisher=Broker())
    questions = [service.submit("query", "c", {"question": f"Who is {name}?"}).job.id for name in "abcd"]
    for job_id in questions:
        services.ledger.end(job_id, None, JobState.DONE, ANSWER)
    services.redis.delete(ACTIVE)  # as a worker leaves it that has worked off their ends
    replayed = set[str]()

    def crash_after_two(replay: Any) -> Any:
        if len(replayed) == 2:
            raise KeyboardInterrupt
        replayed.add(replay.of.job.id)
        return submit(replay)

    submit = service.jobs.submit_replay
    monkeypatch.setattr(service.jobs, "submit_replay", crash_after_two)
    with pytest.raises(KeyboardInterrupt):
        replay_all(service)
    monkeypatch.setattr(service.jobs, "submit_replay", submit)
    jobs = [services.ledger.job(job_id) for job_id in replay_all(service).jobs]
    assert replayed | {str(job.job.params["replay_of"]) for job in jobs if job} == set(questions)


@pytest.mark.parametrize(("change", "field", "value"), [
    (Change(key="x"), "key", "x"), (Change(params={"max_depth": 4}), "params", {"max_depth": 4}),
])  # fmt: skip
def test_what_only_a_replay_takes_is_named(change: Change, field: str, value: object) -> None:
    with pytest.raises(InvalidInput, match="only a replay") as refused:
        check_change("cancel", change)
    assert (refused.value.field, refused.value.value) == (field, value)
    check_change("replay", change)


@pytest.mark.parametrize(("submitter", "asker", "readers"), [
    (("user:ann", "group:legal"), None, ("user:ann", "group:legal")),
    (("user:ann", "group:legal"), ("user:bo", "group:legal"), ("group:legal",)),
    (("user:ann", "group:legal"), ("user:bo",), ()),
    (None, ("user:bo",), ("user:bo",)),
])  # fmt: skip
def test_a_replay_reads_no_more_than_its_asker_and_the_job(desk, service, submitter, asker, readers):
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    job = service.submit(
        "query", "c", {"question": "Who?"}, terms=Terms(caller="key1", principals=submitter)
    ).job
    terms = service.jobs.check_replay(
        service.jobs.get(job.id), Change(), Terms(caller="key2", principals=asker)
    ).terms
    assert terms.principals == readers
    assert terms.acted_by == ("key2" if asker is None else "")


@pytest.mark.parametrize(("kind", "name", "known"), [("model", "nope", "offline"), ("queue", "foo", "bulk")])
def test_what_no_setting_names_is_not_paused(kind: WorkKind, name: str, known: str) -> None:
    service = Service(services=services_over(memory_redis()), publisher=SentMessages())
    with pytest.raises(InvalidInput, match=known):
        service.work_pauses.pause(kind, name)
    assert service.work_pauses.all() == ()
