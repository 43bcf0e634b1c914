"""Whatever is killed while a question is answered, it ends with the answer that it would have had."""

from __future__ import annotations

from pathlib import Path

import pytest
from fleet.checks import assert_done_as, assert_nothing_left, begun
from fleet.crew import Crew, PrivateRedis, wait_until
from fleet.echo import Echo
from fleet.worlds import TREE_FACTS, write_tree

SLOW = {"latency": 0.4}
HELD = {"hold": True}  # what asks is killed before it has the answer


@pytest.mark.parametrize(
    ("step", "schema", "count"),
    [
        ("traverse.visit", "NodeNotes", 1),
        ("critic.score_fact", "FactScore", 6),
        ("critic.synthesize", "AnswerDraft", 1),
    ],
)
def test_a_killed_worker_loses_nothing(crew: Crew, tree, step: str, schema: str, count: int) -> None:
    crew.model.set(chat=SLOW, schemas={schema: HELD})
    crew.have(a="interactive")
    job_id = tree.submit(crew)
    wait_until(lambda: begun(crew, job_id, step, count), f"{step} is under way")
    crew.workers["a"].kill()
    crew.model.set(chat=SLOW)
    crew.start("a")
    assert_done_as(crew, job_id, tree.answer)
    assert crew.client.job(job_id).leases_lost >= count
    assert_nothing_left(crew)


@pytest.mark.parametrize(
    ("step", "schema"),
    [
        ("traverse.plan", "QuestionPlan"),
        ("traverse.visit", "NodeNotes"),
        ("critic.score_fact", "FactScore"),
    ],
)
def test_a_killed_redis_loses_nothing(
    crew: Crew, tree, own_redis: PrivateRedis, step: str, schema: str
) -> None:
    crew.model.set(chat=SLOW, schemas={schema: HELD})
    crew.have(a="interactive")
    job_id = tree.submit(crew)
    wait_until(lambda: begun(crew, job_id, step), f"{step} is under way")
    own_redis.kill()
    own_redis.start()
    crew.model.set(chat=SLOW)
    assert_done_as(crew, job_id, tree.answer)
    assert_nothing_left(crew)


def test_a_killed_bulk_worker_leaves_no_document_half_done(crew: Crew, tmp_path: Path) -> None:
    crew.forget_replies()
    crew.model.set(chat=SLOW)
    crew.have(bulk="bulk", a="interactive", quarantine="quarantine")
    submitted = crew.client.submit_documents([write_tree(tmp_path)], "chaos-killed-bulk")
    wait_until(lambda: crew.model.requests().get("ExtractedFacts", 0) >= 3, "extractions are under way")
    crew.workers["bulk"].kill()
    crew.start("bulk", "bulk")
    report = crew.client.wait(submitted.job_id, 180)
    assert [document.status for document in report.documents] == ["done"] * submitted.documents
    assert sum(document.facts for document in report.documents) == TREE_FACTS
    assert crew.client.dead_letters(submitted.job_id) == []
    assert_nothing_left(crew)


@pytest.mark.parametrize("live", [0, 1])  # documents when the worker is killed
def test_a_killed_worker_shows_no_document_without_who_may_see_it(
    crew: Crew, tmp_path: Path, live: int
) -> None:
    collection = f"chaos-allow-{live}"
    for file in list(write_tree(tmp_path).iterdir()):
        Path(f"{file}.meta.json").write_text('{"allow": ["user:ann"], "author": "Ann"}', encoding="utf-8")
    seen: dict[str, dict[str, object]] = {}

    def shown() -> int:
        """Look at what is live; return how many documents are."""
        metadata = {
            document.id: dict(document.metadata)
            for document in crew.client.documents(collection)
            if document.chunks
        }
        seen.update({name: fields for name, fields in metadata.items() if "allow" not in fields})
        return len(metadata)

    crew.forget_replies()
    crew.model.set(chat=SLOW)
    crew.have(bulk="bulk", a="interactive", quarantine="quarantine")
    submitted = crew.client.submit_documents([tmp_path], collection)
    wait_until(lambda: crew.model.requests().get("ExtractedFacts", 0) >= 1, "extractions are under way")
    wait_until(lambda: shown() >= live, f"{live} documents are live")
    crew.workers["bulk"].kill()
    crew.start("bulk", "bulk")
    wait_until(lambda: shown() == submitted.documents, "all documents are live")
    report = crew.client.wait(submitted.job_id, 180)
    assert [document.status for document in report.documents] == ["done"] * submitted.documents
    assert seen == {}
    assert {document.metadata["allow"] for document in crew.client.documents(collection)} == {("user:ann",)}
    assert_nothing_left(crew)


def test_every_message_delivered_twice_changes_nothing(crew: Crew, tree, own_redis: PrivateRedis) -> None:
    crew.model.set(chat={"latency": 0.05})
    crew.have(a="interactive", b="interactive")
    with Echo(own_redis.url) as echo:
        job_id = tree.submit(crew)
        assert_done_as(crew, job_id, tree.answer)
        whole = sum(crew.client.job(job_id).items.values())
        # Who listens may still read the last when the answer is there.
        wait_until(
            lambda: len({item for (job, item) in echo.doubled if job == job_id}) >= whole, "all doubled"
        )
    assert_nothing_left(crew)
    assert len({item for (job, item) in echo.doubled if job == job_id}) == whole
