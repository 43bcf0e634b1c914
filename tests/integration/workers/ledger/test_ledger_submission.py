"""Jobs that are created together: each for itself, listed in the order in which they came."""

import pytest
import redis

from hopline.errors import InvalidInput, KeyReused
from hopline.models.jobs import JobState, Json, Parent
from workers.core.jobs.work import Item, Job, Phase
from workers.ledger.keys import ACTIVE, RECENT, job_keys, recent_key
from workers.ledger.ledger import Ledger
from workers.ledger.records import Config, NewJob, Wanted

pytestmark = pytest.mark.memory_too


def new(name: str, *, caller: str = "", items: int = 1, params: Json | None = None, **more: object) -> NewJob:
    job = Job(id=name, kind="query", collection="c", params=params or {}, caller=caller)
    phase = Phase(items=tuple(Item(id=f"i{nth}", step="a.step") for nth in range(items)))
    return NewJob.model_validate({"job": job, "phase": phase, **more})


@pytest.fixture
def ledger(client: redis.Redis) -> Ledger:
    return Ledger(client)


def test_what_fails_for_one_job_fails_for_no_other(ledger: Ledger) -> None:
    assert ledger.submit_all([new("known", params={"q": 1})]) == [1]
    outcomes = ledger.submit_all(
        [
            new("first"), new("known", params={"q": 1}), new("known", params={"q": 2}),
            new("large", items=501), new("last"),
        ]
    )  # fmt: skip
    assert outcomes[:2] == [1, 0]
    assert [type(outcome) for outcome in outcomes[2:4]] == [KeyReused, InvalidInput]
    assert outcomes[4] == 1
    assert ledger.job("large") is None
    assert ledger.submit_all([]) == []


def test_a_question_about_less_is_another_though_its_fields_are_left_out_of_the_first(ledger: Ledger) -> None:
    plain: Json = {"question": "How high?", "strategy": "auto"}
    narrowed = plain | {"documents": ["d1"]}
    first, second = new("open", params=plain), new("narrow", params=narrowed)
    assert ledger.submit_all([first, second, first, second]) == [1, 1, 0, 0]
    again = ledger.submit_all([new("open", params=narrowed), new("narrow", params=plain)])
    assert [type(outcome) for outcome in again] == [KeyReused, KeyReused]


def test_a_job_with_other_tags_is_another(ledger: Ledger) -> None:
    first = new("tagged")
    tagged = first.model_copy(update={"job": first.job.model_copy(update={"tags": {"team": "sales"}})})
    assert ledger.submit_all([first]) == [1]
    assert [type(outcome) for outcome in ledger.submit_all([tagged])] == [KeyReused]


def test_a_version_that_knows_further_fields_submits_the_same_job(ledger: Ledger) -> None:
    plain = {"question": "How high?", "strategy": "auto"}
    known = [plain, plain | {"depth": 3}, plain | {"documents": []}]
    assert ledger.submit_all([new("same", params=params) for params in known]) == [1, 0, 0]


def test_scripts_that_redis_has_forgotten_are_taught_again(ledger: Ledger) -> None:
    ledger.client.script_flush()
    assert ledger.submit_all([new("one"), new("two")]) == [1, 1]


def test_the_newest_are_listed_as_they_came_for_all_and_for_their_key(ledger: Ledger) -> None:
    ledger.submit_all([new("a", caller="k1"), new("z", caller="k2"), new("b", caller="k1")])
    ledger.submit_all([new("a", caller="k1")])  # again: it stays where it is
    assert [record.job.id for record in ledger.page(Wanted())[0]] == ["b", "z", "a"]
    assert [record.job.id for record in ledger.page(Wanted(caller="k1"))[0]] == ["b", "a"]
    assert ledger.client.zcard(ACTIVE) == 3


def test_only_so_many_of_the_newest_are_kept(ledger: Ledger) -> None:
    Ledger(ledger.client, recent_kept=3).submit_all([new(name, caller="k") for name in "abcd"])
    for newest in (RECENT, recent_key("k")):
        assert ledger.client.zrange(newest, 0, -1) == ["b", "c", "d"]


def test_what_has_expired_goes_from_the_newest_two_with_each_submission(ledger: Ledger) -> None:
    ledger.submit_all([new(name, caller="k") for name in "abcdef"])
    for name in "abce":
        ledger.client.delete(*job_keys(name))
    for name, left in (("g", "cdefg"), ("h", "defgh"), ("i", "dfghi")):
        ledger.submit_all([new(name, caller="k")])
        for newest in (RECENT, recent_key("k")):
            assert ledger.client.zrange(newest, 0, -1) == list(left)


def test_a_part_of_another_job_and_the_services_own_are_not_among_the_newest(ledger: Ledger) -> None:
    parent = Parent(job_id="p", epoch=1, item_id="i0")
    ledger.submit_all([new("p", config=Config())])
    epochs = ledger.submit_all([new("child", parent=parent), new("own", config=Config())])
    assert all(isinstance(epoch, int) and epoch for epoch in epochs)
    assert not ledger.client.exists(RECENT, recent_key("k"))
    assert ledger.client.zcard(ACTIVE) == 3


@pytest.mark.parametrize("parent", [
    Parent(job_id="nobody", epoch=1, item_id="i0"),
    Parent(job_id="ended", epoch=1, item_id="i0"),
    Parent(job_id="p", epoch=2, item_id="i0"),
    Parent(job_id="p", epoch=1, item_id="i1"),
], ids=["of no job", "of an ended job", "of another epoch", "of an item that does not wait"])  # fmt: skip
def test_a_child_that_nobody_waits_for_is_not_created(ledger: Ledger, parent: Parent) -> None:
    ledger.submit_all([new("p"), new("ended")])
    ledger.end("ended", None, JobState.DONE, {})
    assert ledger.submit_all([new("child", parent=parent)]) == [0]
    assert ledger.job("child") is ledger.client.zscore(ACTIVE, "child") is None
