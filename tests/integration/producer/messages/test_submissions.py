"""Other services submit over Celery and need nothing of hopline: jobs, results, refusals, keys, replies."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from celery.exceptions import NotRegistered
from fleet.crew import wait_until
from fleet.messages import COLLECTION, QUESTION, Post, sign
from fleet.plain import plain_python

from workers.core.redis_keys import ACTIVE, recent_key
from workers.engine.submit import cancel_job
from workers.transport.dead_messages import buried

AFAR = """
import importlib.util, json, sys
from celery import Celery
assert importlib.util.find_spec("producer") is None and importlib.util.find_spec("workers") is None
app = Celery("afar", broker=sys.argv[1], backend=sys.argv[1])
sent = app.send_task("hopline.submit", kwargs=json.loads(sys.argv[2]), queue="submissions")
print(json.dumps(sent.get(timeout=120)))
"""


@pytest.fixture
def keys(post: Post) -> Iterator[None]:
    """There are API keys, so that one is needed."""
    yield
    post.drop_keys()


@pytest.fixture(autouse=True)
def _nothing_in_flight(post: Post) -> None:
    for job in post.services.redis.zrange(ACTIVE, 0, -1):
        cancel_job(post.services, job)


def test_a_plain_application_submits_a_question_and_reads_the_job(post: Post) -> None:
    submission = post.submit()
    assert submission["state"] == "queued"
    shown = post.call("hopline.result", job_id=submission["job_id"])["job"]
    assert (shown["kind"], shown["collection"], shown["params"]["question"]) == (
        "query",
        COLLECTION,
        QUESTION["question"],
    )


def test_the_same_key_gives_the_same_job(post: Post) -> None:
    first, second = (post.submit(key="request-17") for _ in range(2))
    assert first["job_id"] == second["job_id"]
    assert first["job_id"] != post.submit(key="request-18")["job_id"]


def _sent_twice(post: Post, task_id: str, kwargs: dict[str, Any], headers: dict[str, Any]) -> list[str]:
    """Send one message twice; return the job of each.

    Results are polled: Celery publishes them on a channel of the task id, where the first one's publication
    may be read late, as the result of the second. No other result is stored before the first is forgotten.
    """
    jobs = []
    for _ in range(2):
        sent = post.plain.send_task(
            "hopline.submit", kwargs=kwargs, queue="submissions", headers=headers, task_id=task_id
        )
        wait_until(sent.ready, "the message is worked off")
        jobs.append(sent.result["job_id"])
        sent.forget()
    return jobs


def test_a_message_that_comes_twice_makes_one_job(post: Post) -> None:
    message = {"kind": "query", "params": QUESTION, "collection": COLLECTION}
    first, second = _sent_twice(post, "the same id", message, {})
    assert first == second


def test_each_kind_makes_its_job(post: Post) -> None:
    texts = {"texts": [{"name": "a.txt", "text": "The mill was built in 1840."}]}
    for kind, params, made in (
        ("documents", texts, "batch"),
        ("concept", {"concept": "entropy"}, "concept"),
        ("merge", {"dry_run": True}, "merge"),
        ("reindex", {}, "reindex"),
    ):
        submission = post.submit(kind=kind, params=params)
        assert post.call("hopline.result", job_id=submission["job_id"])["job"]["kind"] == made
        cancel_job(post.services, submission["job_id"])


def test_what_is_not_valid_is_refused_with_the_field(post: Post) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"kind": "dance"}, "kind"),
        ({"colour": "red"}, "colour"),
        ({"key": "two words"}, "key"),
        ({"params": {"question": ""}}, "question"),
        ({"params": QUESTION | {"parameters": {"max_depth": 99}}}, "parameters.max_depth"),
        ({"reply_to": {"task": "t", "queue": "bulk"}}, "reply_to.queue"),
        ({"reply_to": {"task": "t", "queue": "unacked"}}, "reply_to.queue"),
        ({"reply_to": {"task": "a b", "queue": "reports"}}, "reply_to.task"),
    ]
    for message, field in wrong:
        refused = post.submit(**message)["refused"]
        assert (refused["status"], refused["type"]) == (422, "urn:hopline:problem:invalid-input"), field
        assert field in [error["field"] for error in refused["errors"]]
    sent = post.plain.send_task("hopline.submit", args=["query"], queue="submissions")
    assert sent.get(timeout=120)["refused"]["status"] == 422, "positional arguments"


def test_what_is_not_there_is_refused(post: Post) -> None:
    assert post.submit(collection="nothing")["refused"]["status"] == 404
    assert post.call("hopline.result", job_id="j0")["refused"]["status"] == 404


@pytest.mark.usefixtures("keys")
def test_a_key_is_needed_where_there_are_any_and_its_scopes_count(post: Post) -> None:
    reader, submitter, other = post.key("read"), post.key("submit"), post.key("submit")
    assert post.submit()["refused"]["status"] == 401
    assert post.submit(reader)["refused"]["status"] == 403
    mine = post.submit(submitter)
    record = post.services.ledger.job(mine["job_id"])
    assert record is not None
    assert record.job.caller == submitter["key"].split("_")[1]
    shown = {"job_id": mine["job_id"]}
    assert post.call("hopline.result", submitter, **shown)["job"]["id"] == mine["job_id"]
    assert post.call("hopline.result", other, **shown)["refused"]["status"] == 404
    assert post.submit(submitter | {"hopline_act_as": "user:ann"})["refused"]["status"] == 403


@pytest.mark.usefixtures("keys")
def test_a_question_of_a_conversation_is_kept_for_the_key_that_signed_it(post: Post) -> None:
    owner, talk = post.key("submit"), "c" * 32
    job = post.submit(owner, params=QUESTION | {"conversation": talk})["job_id"]
    about, questions = post.services.conversations.read(talk) or (None, [])
    assert about is not None
    assert (about.owner, [each.job_id for each in questions]) == (owner["key"].split("_")[1], [job])
    refused = post.submit(post.key("submit"), params=QUESTION | {"conversation": talk})["refused"]
    assert refused["status"] == 404


def test_a_message_in_the_name_of_null_asks_for_itself(post: Post) -> None:
    assert post.submit({"hopline_act_as": None})["job_id"]


@pytest.mark.usefixtures("keys")
def test_a_signature_counts_for_its_own_message_and_a_key_in_clear_text_not_at_all(post: Post) -> None:
    key, day = post.key("submit")["key"], 86_400
    now, fields = int(time.time()), {"kind": "query", "params": QUESTION, "collection": COLLECTION}

    def signed(task_id: str, at: int = now, **headers: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        kwargs, own = sign(key, "hopline.submit", task_id, fields, at=at)
        return kwargs, own | headers

    altered, half = signed("body")[0]["signed"] + " ", {"hopline_key_id": key.split("_")[1]}
    wrong: dict[str, tuple[tuple[dict[str, Any], dict[str, Any]], str]] = {
        "signature": (signed("signature", hopline_signature="0" * 64), "does not match"),
        "task's id": (signed("another"), "does not match"),
        "body": (({"signed": altered}, signed("body")[1]), "does not match"),
        "principals": (signed("principals", hopline_act_as="user:bo"), "does not match"),
        "another key": (signed("another key", hopline_key_id="0" * 12), "does not match"),
        "no key": (signed("no key", hopline_key_id="needed"), "does not match"),
        "time": (signed("time", hopline_time=now - 5), "does not match"),
        "old": (signed("old", now - day + 240), "HOPLINE_RESULT_DAYS"),
        "from the future": (signed("from the future", now + 900), "clocks"),
        "half": ((signed("half")[0], half), "needs the headers"),
        "fields beside": ((fields, signed("fields beside")[1]), "needs the headers"),
        "plain": ((fields, {"hopline_key": key}), "hopline_key is not accepted"),
    }
    for name, ((sent, shown), why) in wrong.items():
        result = post.plain.send_task(
            "hopline.submit", kwargs=sent, queue="submissions", headers=shown, task_id=name
        )
        refused = result.get(timeout=120)["refused"]
        assert (refused["status"], why in refused["detail"]) == (401, True), (name, refused)
    twice = '{"kind": "query", "kind": "delete"}'
    assert post.call("hopline.submit", signed("twice")[1], signed=twice)["refused"]["status"] == 422, (
        "a field twice"
    )
    first, second = _sent_twice(post, "t1", *signed("t1"))
    assert first == second, "what is sent again makes no other job"
    assert post.services.redis.zrange(recent_key(key.split("_")[1]), 0, -1) == [first]
    stored = [post.broker.dump(name) or b"" for name in post.broker.scan_iter()]
    assert not any(key.split("_", 2)[2].encode() in value for value in stored)


@pytest.mark.usefixtures("keys")
def test_a_key_has_as_many_jobs_in_flight_as_over_http(post: Post) -> None:
    key = post.key("submit")
    assert all("job_id" in post.submit(key) for _ in range(3))
    refused = post.submit(key)["refused"]
    assert (refused["status"], refused["retry_after"]) == (429, 2)


def test_who_misspells_the_task_hears_of_it_and_the_message_is_kept(post: Post) -> None:
    key = "hop_0123456789ab_" + "s" * 43
    with pytest.raises(NotRegistered):
        post.call("hopline.submti", {"hopline_key": key}, kind="query")
    dead = buried(post.broker, 1)[0].message
    assert (dead.queue, "hopline.submti" in dead.text) == ("submissions", True)
    assert "sss" not in dead.text


def test_a_message_with_a_field_twice_is_done_by_nobody_and_kept(post: Post) -> None:
    written = b'[[], {"kind": "query", "params": {"question": "Who?"}, "kind": "delete"}, {}]'
    headers = {"lang": "js", "task": "hopline.submit", "id": "twice"}
    with post.plain.connection() as connection, connection.Producer() as producer:
        producer.publish(
            written,
            content_type="application/json",
            content_encoding="utf-8",
            headers=headers,
            routing_key="submissions",
            correlation_id="twice",
        )
    wait_until(lambda: "twice" in str(buried(post.broker, 1)), "the message is kept")
    envelope = b'{"properties": {"delivery_tag": "again"}, "headers": {"id": "a", "id": "b"}}'
    post.broker.lpush("submissions", envelope)
    wait_until(lambda: "again" in str(buried(post.broker, 1)), "the envelope is kept")
    assert ["appears twice" in dead.message.reason for dead in buried(post.broker, 2)] == [True, True]


def test_the_reply_is_a_task_of_the_plain_application(post: Post) -> None:
    submission = post.submit(reply_to={"task": "reports.on_answer", "queue": "reports"})
    cancel_job(post.services, submission["job_id"])
    with post.plain.connection() as connection, connection.SimpleQueue("reports") as queue:
        message = queue.get(timeout=120)
        message.ack()
    args, kwargs, _ = message.payload
    assert (message.headers["task"], args) == ("reports.on_answer", [])
    assert kwargs == {"job_id": submission["job_id"], "state": "cancelled"}


@pytest.mark.long
def test_an_environment_without_hopline_submits(post: Post, tmp_path: Path) -> None:
    message = {"kind": "query", "params": QUESTION, "collection": COLLECTION, "key": "from-afar"}
    words = [plain_python(tmp_path / "venv"), "-I", "-c", AFAR, post.url, json.dumps(message)]
    ran = subprocess.run(words, capture_output=True, text=True, timeout=180, check=True)
    submission = json.loads(ran.stdout)
    assert post.submit(key="from-afar")["job_id"] == submission["job_id"]


@pytest.mark.long
@pytest.mark.usefixtures("keys")
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_another_language_submits_with_a_raw_message(post: Post, script: Path) -> None:
    key = post.key("submit")
    where = urlsplit(post.url)
    message = {"kind": "query", "params": QUESTION, "collection": COLLECTION, "key": "from-node"}
    words = [
        str(where.hostname), str(where.port), str(where.password), where.path[1:], json.dumps(message),
        key["key"],
    ]  # fmt: skip
    ran = subprocess.run(
        ["node", str(script), *words, key["key"]], capture_output=True, text=True, timeout=120, check=True
    )
    submission = json.loads(ran.stdout)
    assert post.submit(key, key="from-node")["job_id"] == submission["job_id"]
