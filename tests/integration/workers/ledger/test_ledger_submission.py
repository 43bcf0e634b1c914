"""Jobs that are created: once each, and listed in the order in which they came."""

from typing import Any

import pytest
import redis

from hopline.errors import InvalidInput, KeyReused
from hopline.models.jobs import JobState, Json, Parent
from workers.core.jobs.records import Config, Wanted
from workers.core.jobs.work import Item, Job, Phase
from workers.core.redis_keys import ACTIVE, RECENT, job_keys, recent_key
from workers.ledger.ledger import Ledger

pytestmark = pytest.mark.memory_too


def submit(ledger: Ledger, name: str, *, items: int = 1, **more: Any) -> int:
    """Submit a job; return its epoch."""
    of_job = {field: more.pop(field) for field in ("caller", "params", "tags") if field in more}
    phase = Phase(items=tuple(Item(id=f"i{nth}", step="a.step") for nth in range(items)))
    return ledger.submit(Job(id=name, kind="query", collection="c", **of_job), phase, **more)


@pytest.fixture
def ledger(client: redis.Redis) -> Ledger:
    return Ledger(client)


def test_the_same_job_again_is_no_other_and_another_under_its_id_is_refused(ledger: Ledger) -> None:
    assert submit(ledger, "known", params={"q": 1}) == 1
    assert submit(ledger, "known", params={"q": 1}) == 0
    with pytest.raises(KeyReused):
        submit(ledger, "known", params={"q": 2})
    with pytest.raises(InvalidInput):
        submit(ledger, "large", items=501)
    assert ledger.job("large") is None


def test_a_question_about_less_is_another_though_its_fields_are_left_out_of_the_first(ledger: Ledger) -> None:
    plain: Json = {"question": "How high?", "strategy": "auto"}
    narrowed = plain | {"documents": ["d1"]}
    for name, first, other in (("open", plain, narrowed), ("narrow", narrowed, plain)):
        assert [submit(ledger, name, params=first) for _ in range(2)] == [1, 0]
        with pytest.raises(KeyReused):
            submit(ledger, name, params=other)


def test_a_job_with_other_tags_is_another(ledger: Ledger) -> None:
    assert submit(ledger, "tagged") == 1
    with pytest.raises(KeyReused):
        submit(ledger, "tagged", tags={"team": "sales"})


def test_a_version_that_knows_further_fields_submits_the_same_job(ledger: Ledger) -> None:
    plain = {"question": "How high?", "strategy": "auto"}
    known = [plain, plain | {"depth": 3}, plain | {"documents": []}]
    assert [submit(ledger, "same", params=params) for params in known] == [1, 0, 0]


def test_scripts_that_redis_has_forgotten_are_taught_again(ledger: Ledger) -> None:
    ledger.client.script_flush()
    assert submit(ledger, "one") == 1


def test_the_newest_are_listed_as_they_came_for_all_and_for_their_key(ledger: Ledger) -> None:
    for name, caller in (("a", "k1"), ("z", "k2"), ("b", "k1"), ("a", "k1")):  # again: it stays where it is
        submit(ledger, name, caller=caller)
    assert [record.job.id for record in ledger.page(Wanted())[0]] == ["b", "z", "a"]
    assert [record.job.id for record in ledger.page(Wanted(caller="k1"))[0]] == ["b", "a"]
    assert ledger.client.zcard(ACTIVE) == 3


def test_only_so_many_of_the_newest_are_kept(ledger: Ledger) -> None:
    bounded = Ledger(ledger.client, recent_kept=3)
    for name in "abcd":
        submit(bounded, name, caller="k")
    for newest in (RECENT, recent_key("k")):
        assert ledger.client.zrange(newest, 0, -1) == ["b", "c", "d"]


def test_what_has_expired_goes_from_the_newest_two_with_each_submission(ledger: Ledger) -> None:
    for name in "abcdef":
        submit(ledger, name, caller="k")
    for name in "abce":
        ledger.client.delete(*job_keys(name))
    for name, left in (("g", "cdefg"), ("h", "defgh"), ("i", "dfghi")):
        submit(ledger, name, caller="k")
        for newest in (RECENT, recent_key("k")):
            assert ledger.client.zrange(newest, 0, -1) == list(left)


def test_a_part_of_another_job_and_the_services_own_are_not_among_the_newest(ledger: Ledger) -> None:
    assert submit(ledger, "p", config=Config())
    assert submit(ledger, "child", parent=Parent(job_id="p", epoch=1, item_id="i0"))
    assert submit(ledger, "own", config=Config())
    assert not ledger.client.exists(RECENT, recent_key("k"))
    assert ledger.client.zcard(ACTIVE) == 3


@pytest.mark.parametrize("parent", [
    Parent(job_id="nobody", epoch=1, item_id="i0"),
    Parent(job_id="ended", epoch=1, item_id="i0"),
    Parent(job_id="p", epoch=2, item_id="i0"),
    Parent(job_id="p", epoch=1, item_id="i1"),
], ids=["of no job", "of an ended job", "of another epoch", "of an item that does not wait"])  # fmt: skip
def test_a_child_that_nobody_waits_for_is_not_created(ledger: Ledger, parent: Parent) -> None:
    for name in ("p", "ended"):
        submit(ledger, name)
    ledger.end("ended", None, JobState.DONE, {})
    assert submit(ledger, "child", parent=parent) == 0
    assert ledger.job("child") is ledger.client.zscore(ACTIVE, "child") is None
