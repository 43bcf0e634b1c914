"""Whatever is killed while a question is answered, it ends with the answer that it would have had."""

from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fleet.asked import Asked
from fleet.checks import assert_done_as, assert_nothing_left, assert_recorded_once, events_of
from fleet.crew import Crew, wait_until
from fleet.echo import Tap
from fleet.worlds import TREE_FACTS, write_tree

InPeace = Callable[[str], Asked]
TOLD = ("actions", "notebooks", "chosen", "tools", "coverage")  # details of answers, by strategy


def switches(schema: str, *, hold: bool) -> dict[str, Any]:
    """Return how the model keeps calls of a schema waiting: what asks is killed before it has the reply."""
    return {schema: {"hold": hold}} if schema == "embeddings" else {"schemas": {schema: {"hold": hold}}}


def submit_until(crew: Crew, asked: Asked, schema: str, count: int = 1, **params: Any) -> str:
    """Submit a question; return its id once the model keeps so many of its calls waiting."""
    crew.have(a="interactive")
    crew.model.set(**switches(schema, hold=True))
    job_id = asked.submit(crew, **params)
    wait_until(lambda: crew.model.asked(schema) >= count, f"{count} calls of {schema}")
    return job_id


def replace_worker(crew: Crew, schema: str) -> None:
    crew.kill("a")
    crew.model.change(**switches(schema, hold=False))
    crew.start("a")


CALLS = {
    "graph": {"NodeNotes": 1, "FactScore": 6, "AnswerDraft": 1},
    "reader": {"FactNotes": 1, "ChunkNotes": 1},
    "tools": {"ToolChoice": 1, "AnswerCheck": 1},
    "auto": {"StrategyChoice": 1},
    "survey": dict.fromkeys(("SurveyPlan", "embeddings", "FactScores", "TopicClaims", "SurveyDraft"), 1),
}


@pytest.mark.parametrize(
    ("flow", "schema", "count"), [(flow, *call) for flow, calls in CALLS.items() for call in calls.items()]
)
def test_a_killed_worker_changes_no_answer_and_costs_its_calls_in_flight(crew, in_peace, flow, schema, count):
    asked = in_peace(flow)
    job_id = submit_until(crew, asked, schema, count)
    replace_worker(crew, schema)
    assert_done_as(crew, job_id, asked.answer)
    answer = crew.answer(job_id)
    for name in TOLD:
        assert answer.details.get(name) == asked.answer.details.get(name)
    lost = crew.client.jobs.get(job_id).leases_lost
    assert lost >= count
    more = crew.model.chat_calls() - asked.calls
    assert more.total() <= lost, more  # on a slow machine other calls are in flight, too
    assert_nothing_left(crew)


@pytest.mark.parametrize("schema", ["QuestionPlan", "NodeNotes", "FactScore"])
def test_a_killed_redis_changes_no_answer(crew: Crew, tree: Asked, schema: str) -> None:
    job_id = submit_until(crew, tree, schema)
    crew.restart_redis()
    crew.model.change(**switches(schema, hold=False))
    assert_done_as(crew, job_id, tree.answer)
    assert_nothing_left(crew)


def test_a_kill_while_paths_run_side_by_side_loses_no_action(crew: Crew, in_peace: InPeace) -> None:
    asked = in_peace("reader")
    job_id = submit_until(crew, asked, "FactNotes", count=2, max_seeds=5)
    replace_worker(crew, "FactNotes")
    answer = crew.answer(job_id)
    assert (answer.status, answer.text) == ("done", asked.answer.text)
    assert crew.client.jobs.get(job_id).leases_lost >= 2
    assert_recorded_once(crew, job_id)
    actions: dict[int, list[int]] = defaultdict(list)
    for action in answer.details["actions"]:
        actions[action["path"]].append(action["action"])
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in actions.values())
    ended = Counter(data["path"] for name, data in events_of(crew, job_id) if name == "path.ended")
    assert max(ended.values()) == 1
    assert_nothing_left(crew)


def test_a_killed_bulk_worker_leaves_no_document_half_done_nor_open_to_all(crew, tmp_path):
    collection = "chaos-killed-bulk"
    for file in list(write_tree(tmp_path).iterdir()):
        Path(f"{file}.meta.json").write_text('{"allow": ["user:ann"], "author": "Ann"}', encoding="utf-8")
    open_to_all: set[str] = set()

    def live() -> int:
        """Look at what is live; return how many documents are."""
        documents = [each for each in crew.client.documents.iterate(collection=collection) if each.chunks]
        open_to_all.update(each.id for each in documents if "allow" not in each.metadata)
        return len(documents)

    crew.forget_replies()
    crew.model.set(chat={"latency": 0.4})
    crew.have(bulk="bulk", a="interactive", quarantine="quarantine")
    submitted = crew.client.hand_over([tmp_path], collection)
    wait_until(lambda: live() >= 1, "the first is live")
    crew.restart("bulk")
    wait_until(lambda: live() == submitted.documents, "all documents are live")
    report = crew.report(submitted.job_id)
    assert [document.status for document in report.documents] == ["done"] * submitted.documents
    assert sum(document.facts for document in report.documents) == TREE_FACTS
    assert open_to_all == set()
    documents = crew.client.documents.iterate(collection=collection)
    assert {document.metadata["allow"] for document in documents} == {("user:ann",)}
    assert crew.client.jobs.dead_letters(submitted.job_id).dead_letters == []
    assert_nothing_left(crew)


def test_every_message_delivered_twice_changes_nothing(crew: Crew, tree: Asked) -> None:
    crew.model.set(chat={"latency": 0.05})
    crew.have(a="interactive", b="interactive")
    with Tap(crew.environment["HOPLINE_REDIS_URL"], double=True) as tap:
        job_id = tree.submit(crew)
        assert_done_as(crew, job_id, tree.answer)
        whole = sum(crew.client.jobs.get(job_id).items.values())

        def doubled() -> int:
            return len({item for job, _epoch, item in (sent.args for sent in tap.sent) if job == job_id})

        # Who listens may still read the last when the answer is there.
        wait_until(lambda: doubled() >= whole, "all are doubled")
    assert_nothing_left(crew)
    assert doubled() == whole
