"""Acts on many jobs: which of them are chosen, and what the same act again does."""

from __future__ import annotations

from typing import Any, cast

import pytest
from doubles.broker import Broker
from doubles.desk import ANSWER, Desk, SentMessages
from doubles.memory_redis import memory_redis, services_over

from producer.service.job_acts.acts import JobFilter, JobsActed, check_change
from producer.service.job_acts.replays import Change
from producer.service.service import Service
from workers.core.errors import InvalidInput
from workers.core.jobs.work import JobState, Terms
from workers.ledger.keys import ACTIVE
from workers.ledger.ledger import Ledger

ALL = JobFilter(collection="c")


def replay_all(service: Service) -> JobsActed:
    return service.jobs.act("replay", ALL, dry_run=False, change=Change(), terms=Terms())


@pytest.mark.parametrize("pages", [1, 2])
def test_what_cannot_be_replayed_takes_no_place_of_what_can(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, pages: int
) -> None:
    monkeypatch.setattr("producer.service.job_acts.acts.MOST_JOBS", 4 // pages)
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    service = Service(services=cast("Any", desk), publisher=SentMessages())
    questions = [service.questions.submit(f"Who is {name}?", "c", None, {}).job.id for name in "ab"]
    changes = [Change.of({}, key) for key in "123"]
    for change in changes:
        service.jobs.replay(questions[0], change, Terms())
    acted = service.jobs.act("replay", ALL, dry_run=True, change=Change(), terms=Terms())
    assert acted.jobs == tuple(reversed(questions))


def test_all_jobs_that_an_act_fits_are_counted_and_the_newest_acted_on(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("producer.service.job_acts.acts.MOST_JOBS", 2)
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    service = Service(services=cast("Any", desk), publisher=SentMessages())
    questions = [service.questions.submit(f"Who is {name}?", "c", None, {}).job.id for name in "abcde"]
    acted = service.jobs.act("replay", ALL, dry_run=True, change=Change(), terms=Terms())
    assert (acted.matched, acted.jobs) == (5, (questions[4], questions[3]))


def test_the_same_replays_again_go_on_where_they_were_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    services = services_over(memory_redis(), history_days=0)
    services.ledger = Ledger(services.redis, recent_kept=4)
    service = Service(services=services, publisher=Broker())
    questions = [service.questions.submit(f"Who is {name}?", "c", None, {}).job.id for name in "abcd"]
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


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [(Change(key="x"), "key", "x"), (Change(params={"max_depth": 4}), "params", {"max_depth": 4})],
)
def test_what_only_a_replay_takes_is_named(change: Change, field: str, value: object) -> None:
    with pytest.raises(InvalidInput, match="only a replay") as refused:
        check_change("cancel", change)
    assert (refused.value.field, refused.value.value) == (field, value)
    check_change("replay", change)


@pytest.mark.parametrize(
    ("asker", "readers"),
    [(None, ("user:ann", "group:legal")), (("user:bo", "group:legal"), ("group:legal",)), (("user:bo",), ())],
)
def test_a_replay_reads_no_more_than_its_asker_and_the_job_s_principals_may_see(
    desk: Desk, asker: tuple[str, ...] | None, readers: tuple[str, ...]
) -> None:
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    service = Service(services=cast("Any", desk), publisher=SentMessages())
    terms = Terms(caller="key1", principals=("user:ann", "group:legal"))
    job = service.questions.submit("Who?", "c", None, {}, terms).job
    replay = service.jobs.replay(job.id, Change(), Terms(caller="key2", principals=asker)).job
    assert replay.principals == readers
    assert replay.acted_by == ("key2" if asker is None else "")


def test_a_job_that_read_everything_is_replayed_for_its_asker_s_principals(desk: Desk) -> None:
    desk.ledger.play["query"] = ([], JobState.DONE, ANSWER)
    service = Service(services=cast("Any", desk), publisher=SentMessages())
    job = service.questions.submit("Who?", "c", None, {}).job
    terms = Terms(caller="key2", principals=("user:bo",))
    assert service.jobs.replay(job.id, Change(), terms).job.principals == ("user:bo",)
