"""What the ledger promises of budgets, events, lists, sessions and schemas; on a real Redis."""

import secrets
import threading
from typing import Any

import pytest
import redis
from doubles.databases import own_redis
from doubles.ledger_moves import begun
from doubles.ledger_play import CONFIG, Play, one
from redis.exceptions import NoPermissionError

from hopline.models.jobs import Budget, JobState, Usage
from workers.core.errors import BudgetExceeded
from workers.core.jobs.records import Claim, Wanted
from workers.core.jobs.work import Item, Job
from workers.core.metadata.schema import NO_SCHEMA, parse_schema
from workers.core.redis_keys import ACTIVE, METADATA_SCHEMAS, job_key, recent_key
from workers.ledger.archive import is_kept
from workers.ledger.budget import JobMeter
from workers.ledger.ledger import Ledger
from workers.ledger.metadata_schemas import MetadataSchemas
from workers.ledger.sessions import Exchange, Remembered, Sessions

pytestmark = pytest.mark.memory_too


def test_no_limit_is_passed_however_large_and_what_is_never_settled_counts(client: redis.Redis) -> None:
    play = Play(client)
    budget = Budget(tokens=3_000_000_000_000)
    play.ledger.submit(Job(id=play.name, kind="tree", collection="test"), one("root"), budget=budget)
    meter = JobMeter(play.ledger.scripts, play.name)
    meter.reserve("a", 1_400_000_000_000)
    meter.reserve("b", 1_400_000_000_000)
    with pytest.raises(BudgetExceeded, match="tokens"):
        meter.reserve("c", 200_000_000_001)
    meter.settle("a", Usage())
    meter.reserve("c", 1_600_000_000_000)


@pytest.mark.parametrize("protocol", [2, 3])
def test_events_are_read_after_an_id_and_waited_for(redis_url: str, protocol: int) -> None:
    play = Play(own_redis(redis_url, protocol))
    play.submit()
    assert [event.name for _, event in play.ledger.events(play.name)] == ["job.submitted"]
    last = play.ledger.events(play.name)[-1][0]
    assert play.ledger.events(play.name, last) == play.ledger.events(play.name, last, block=0.01) == []
    later = threading.Timer(0.05, lambda: begun(play))
    later.start()
    ((_, event),) = play.ledger.events(play.name, last, block=60)
    later.join()
    assert (event.name, event.data) == ("item.begun", {"item": "root", "step": "tree.root"})
    play.play_on()
    every = play.ledger.events(play.name)
    paged, after = [], "0"
    while page := play.ledger.events(play.name, after, limit=3):
        paged += page
        after = page[-1][0]
    assert paged == every
    assert every[-1][1].name == "job.ended"


def test_the_event_that_an_item_begins_names_its_worker(play: Play) -> None:
    claim = Claim(job_id=play.name, epoch=1, item_id="root", token="0a1b@bulk-1@host")
    assert play.ledger.begin(claim).verdict == "go"
    data = {event.name: event.data for _, event in play.ledger.events(play.name)}
    assert data["item.begun"] == {"item": "root", "step": "tree.root", "worker": "bulk-1@host"}


@pytest.mark.parametrize("limit", [1, 7])
def test_pages_of_a_keys_jobs_hold_each_once_newest_first_also_those_of_one_moment(client, limit):
    ledger, caller = Ledger(client, CONFIG), secrets.token_hex(4)
    for number in range(20):
        kind = "tree" if number % 2 else "bush"
        job = Job(id=f"{caller}-{number:02}", kind=kind, collection="test", caller=caller)
        ledger.submit(job, one("root"))
    moment = {f"{caller}-{number:02}": 1000.25 for number in range(5, 15)}
    client.zadd(recent_key(caller), moment)
    client.delete(job_key(f"{caller}-10", "job"))  # it has expired
    job_ids, cursor, pages = list[str](), "", 0
    while pages == 0 or cursor:
        records, cursor = ledger.page(Wanted(caller=caller, kind="tree"), before=cursor, limit=limit)
        assert len(records) <= limit
        job_ids += [record.job.id for record in records]
        pages += 1
    newest_first = [*range(19, 14, -1), *range(4, -1, -1), *range(14, 4, -1)]
    assert job_ids == [f"{caller}-{number:02}" for number in newest_first if number % 2]
    assert ledger.page(Wanted(caller="nobody"), limit=limit) == ([], "")


def test_a_job_that_cannot_be_read_hides_no_other(client: redis.Redis) -> None:
    ledger, caller = Ledger(client, CONFIG), secrets.token_hex(4)
    for name in ("a", "b"):
        ledger.submit(Job(id=f"{caller}-{name}", kind="tree", collection="t", caller=caller), one("root"))
    client.hset(job_key(f"{caller}-a", "job"), "spec", "{}")
    records, _ = ledger.page(Wanted(caller=caller))
    assert [record.job.id for record in records] == [f"{caller}-b"]


@pytest.mark.parametrize("then", ["runs", "failed", "put off", "died", "handed over", "done"])
def test_a_job_is_queued_until_a_worker_takes_an_item_of_it(play: Play, then: str) -> None:
    def told() -> JobState:
        listed = {record.job.id: record for record in play.ledger.page(Wanted(), limit=50)[0]}
        state = listed[play.name].told_state
        assert state is play.record().told_state
        found = play.ledger.page(Wanted(state=state, is_open=True), limit=50)[0]
        assert play.name in {record.job.id for record in found}
        return state

    assert (told(), play.record().state) == (JobState.QUEUED, JobState.RUNNING)
    claim = begun(play)
    if then == "failed":
        play.ledger.fail(claim, "the model is away", seconds=1)
    elif then == "put off":
        play.ledger.defer(claim, 5.0, "no permit is free")
    elif then == "handed over":
        play.ledger.delegate(claim, "child")
    elif then == "died":
        play.wait(11)
        play.ledger.look([play.name])
    elif then == "done":
        play.finish(claim)
    assert told() is JobState.RUNNING


def test_a_list_of_jobs_leaves_their_outcomes_where_they_are(play: Play) -> None:
    listed = {record.job.id: record for record in play.ledger.page(Wanted(), limit=50)[0]}
    assert listed[play.name] == play.ledger.job(play.name)
    play.ledger.end(play.name, None, JobState.DONE, {"documents": ["x" * 1000] * 100})
    whole = play.ledger.job(play.name)
    assert whole.outcome is not None
    listed = {record.job.id: record for record in play.ledger.page(Wanted(), limit=50)[0]}
    assert listed[play.name] == whole.model_copy(update={"outcome": None})


def test_one_broken_job_costs_no_other_its_look_or_its_lease(play: Play, client: redis.Redis) -> None:
    bad, other = Play(client), Play(client)
    for one_more in (bad, other):
        one_more.submit()
    claims = [begun(one_more) for one_more in (play, bad, other)]
    client.delete(job_key(bad.name, "due"))
    client.set(job_key(bad.name, "due"), "no sorted set")
    client.script_flush()
    looks = play.ledger.look([play.name, bad.name, other.name])
    assert [look.verdict for look in looks] == ["running", "broken", "running"]
    assert "WRONGTYPE" in looks[1].error
    assert play.ledger.renew(claims) == [True, None, True]


@pytest.mark.usefixtures("redis_url")  # a user of the server whom it refuses something
def test_what_is_wrong_with_the_server_itself_is_raised(play: Play, client: redis.Redis) -> None:
    client.execute_command("ACL", "SETUSER", play.name, "on", ">pass", "~*", "+@all", "-evalsha")
    address = {name: client.connection_pool.connection_kwargs[name] for name in ("host", "port", "db")}
    limited = redis.Redis(**address, username=play.name, password="pass", decode_responses=True)
    with limited, pytest.raises(NoPermissionError):
        Ledger(limited).look([play.name])
    client.execute_command("ACL", "DELUSER", play.name)


def test_a_session_named_like_a_number_spoils_no_ones_list(client: redis.Redis) -> None:
    for session in ("--5", "²", "1" * 5000):
        play = Play(client)
        job = Job(id=play.name, kind="tree", collection="test")
        play.ledger.submit(job, one("root"), session=session)
        assert play.ledger.job(play.name) is not None


def session(collection: str, name: str, **fields: Any) -> Remembered:
    return Remembered(name=name, collections=(collection,), **fields)


def exchange(job_id: str, question: str, answer: str) -> Exchange:
    return Exchange(job_id=job_id, question=question, answer=answer)


def test_a_session_keeps_each_jobs_exchange_once_and_the_last_ten(client: redis.Redis, play: Play) -> None:
    sessions = Sessions(client)
    threads = [
        threading.Thread(target=sessions.add, args=(session("c", play.name), exchange("j0", "q0", "a0")))
        for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sessions.exchanges("c", play.name) == [exchange("j0", "q0", "a0")]
    for number in range(1, 13):
        sessions.add(session("c", play.name), exchange(f"j{number}", f"q{number}", "ü"))
    assert [kept.question for kept in sessions.exchanges("c", play.name)] == [f"q{n}" for n in range(3, 13)]
    assert sessions.exchanges("c", "another") == []


def test_a_session_is_its_collections_own(client: redis.Redis, play: Play) -> None:
    sessions = Sessions(client)
    sessions.add(session("secret", play.name), exchange("j0", "q0", "a0"))
    assert sessions.exchanges("public", play.name) == []
    assert sessions.follow("secret", play.name, "j0") is None
    assert sessions.follow("public", play.name, "j1") is None
    assert sessions.follow("secret", play.name, "j2") == "j0"


def test_no_sessions_name_stands_in_for_what_is_kept_of_another(client: redis.Redis, play: Play) -> None:
    sessions = Sessions(client)
    assert sessions.follow("c", play.name, "j0") is None
    for other in (f"{play.name}:last", f"{play.name}:newest"):
        sessions.add(session("c", other), exchange("j1", "q1", "a1"))
        assert sessions.exchanges("c", other) == [exchange("j1", "q1", "a1")]
    assert sessions.follow("c", play.name, "j2") == "j0"


def test_what_a_session_keeps_is_bounded_and_expires(client: redis.Redis, play: Play) -> None:
    sessions = Sessions(client)
    sessions.add(session("c", play.name), exchange("j0", "q0", "long " * 10_000))
    sessions.follow("c", play.name, "j0")
    kept = sessions.exchanges("c", play.name)[0].answer
    assert len(kept) == 2000
    assert kept.endswith("…")
    keys = client.keys(f"hop:session*:c:{play.name}*")
    assert len(keys) == 2
    assert all(client.ttl(key) > 0 for key in keys)


def test_a_redis_that_forgot_the_scripts_is_taught_again(play: Play, client: redis.Redis) -> None:
    claim = begun(play)
    for call in (
        lambda: play.ledger.renew([claim, claim]) == [True, True],
        lambda: play.ledger.look([play.name])[0].verdict == "running",
        lambda: play.finish(claim).verdict == "recorded",
    ):
        client.script_flush()
        assert call()


def test_an_items_input_of_many_children_is_admitted_whole(client: redis.Redis) -> None:
    play = Play(client)
    play.submit()
    children = [Item(id=f"bud {n}", step="tree.twig", input={"text": "x" * 500}) for n in range(500)]
    assert len(play.finish(begun(play), *children).added) == 500


def test_a_job_submitted_in_the_moment_it_is_taken_for_an_orphan_is_watched(client: redis.Redis) -> None:
    play = Play(client)
    ledger = Ledger(client, CONFIG)
    client.zadd(ACTIVE, {play.name: 1})
    play.submit()
    assert client.zscore(ACTIVE, play.name) > 1
    ledger.leave(play.name)
    assert play.view().indexed


KIND = parse_schema({"fields": {"kind": {"type": "text", "required": True}}})
ONLY = parse_schema({"only": True})


def test_a_schema_is_its_collections_own_and_stays_until_it_is_removed(client: redis.Redis) -> None:
    schemas = MetadataSchemas(client)
    schemas.write("a", KIND)
    schemas.write("b", ONLY)
    assert (schemas.read("a"), schemas.read("b"), schemas.read("c")) == (KIND, ONLY, NO_SCHEMA)
    schemas.write("a", ONLY)
    assert schemas.read("a") == ONLY
    schemas.remove("a")
    schemas.remove("c")
    assert (schemas.read("a"), schemas.read("b")) == (NO_SCHEMA, ONLY)
    assert is_kept(METADATA_SCHEMAS.encode())


def test_sessions_that_remember_something_are_listed_by_key_until_they_are_forgotten(
    client: redis.Redis, play: Play
) -> None:
    sessions, key = Sessions(client), f"k{play.name}"
    mine, other = session("c", "talk", caller=key), session("c", "talk", caller=key, principals=("user:ann",))
    for number, each in enumerate((mine, other, session("c", "talk"))):
        sessions.add(each, exchange(f"j{number}", "q", "a"))
        sessions.follow(each.home, each.kept_as, f"j{number}")
    assert {each.id for each in sessions.remembered(key)} == {mine.id, other.id}
    assert {mine.id, other.id, session("c", "talk").id} <= {each.id for each in sessions.remembered(None)}
    sessions.forget(mine)
    assert [each.principals for each in sessions.remembered(key)] == [("user:ann",)]
    assert sessions.exchanges(mine.home, mine.kept_as) == []
    assert sessions.follow(mine.home, mine.kept_as, "j9") is None
    assert len(sessions.exchanges(other.home, other.kept_as)) == 1
