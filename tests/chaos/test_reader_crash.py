"""A worker is killed while paths are read: they go on, and one call of the model is all that it costs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from fleet.checks import assert_done_as, assert_nothing_left, assert_recorded_once, events_of
from fleet.crew import Crew, private_crew, wait_until
from fleet.worlds import BRIDGE_QUESTION, write_bridge

from workers.core.answers.answer import Answer

COLLECTION = "chaos-reader"
SLOW, LONG = {"latency": 0.3}, {"latency": 6.0}  # what asks long is killed before it has the answer


@dataclass(frozen=True)
class InPeace:
    """The answer that one path finds when nothing is killed, and the calls that it took, per schema."""

    answer: Answer
    calls: dict[str, int]


@pytest.fixture(scope="module")
def crew(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    """Workers whose leases outlast what holds a process up: what is lost and asked again is counted."""
    with private_crew(stack_env, tmp_path_factory.mktemp("reader")) as crew:
        yield crew


@pytest.fixture(scope="module")
def in_peace(crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> InPeace:
    crew.model.set()
    crew.have(a="interactive", bulk="bulk")
    crew.ingest(write_bridge(tmp_path_factory.mktemp("bridge")), COLLECTION)
    crew.model.set()  # counts anew
    answer = crew.client.ask(BRIDGE_QUESTION, COLLECTION, strategy="reader", max_seeds=1)
    assert answer.status == "done", repr(answer.reason)
    assert "Vestby" in answer.text
    return InPeace(answer, chat_calls(crew))


def chat_calls(crew: Crew) -> dict[str, int]:
    """Return how many calls of each reply schema there were."""
    return {name: n for name, n in crew.model.requests().items() if name not in ("embeddings", "texts")}


def submit(crew: Crew, seeds: int) -> str:
    return crew.client.submit_question(BRIDGE_QUESTION, COLLECTION, strategy="reader", max_seeds=seeds)


def kill_while(crew: Crew, schema: str, count: int) -> None:
    """Kill the worker while the model answers the so-manieth call of a schema; start it again."""
    wait_until(lambda: crew.model.requests().get(schema, 0) >= count, f"call {count} of {schema}")
    crew.workers["a"].kill()
    crew.model.change(schemas={schema: SLOW})
    crew.start("a")


@pytest.mark.parametrize(("schema", "nth"), [("FactNotes", 1), ("FactNotes", 2), ("ChunkNotes", 1)])
def test_a_kill_in_the_middle_of_a_path_costs_one_call(
    crew: Crew, in_peace: InPeace, schema: str, nth: int
) -> None:
    crew.have(a="interactive")
    crew.model.set(chat=SLOW, schemas={schema: LONG})
    job_id = submit(crew, seeds=1)
    kill_while(crew, schema, nth)
    assert_done_as(crew, job_id, in_peace.answer)
    answer = crew.client.wait(job_id, 180)
    assert isinstance(answer, Answer)
    assert answer.details["actions"] == in_peace.answer.details["actions"]
    assert answer.details["notebooks"] == in_peace.answer.details["notebooks"]
    assert chat_calls(crew) == in_peace.calls | {schema: in_peace.calls[schema] + 1}
    assert crew.client.job(job_id).leases_lost == 1
    assert_nothing_left(crew)


def test_a_kill_while_paths_run_side_by_side_loses_no_action(crew: Crew, in_peace: InPeace) -> None:
    crew.have(a="interactive")
    crew.model.set(chat=SLOW, schemas={"FactNotes": {"hold": True}})  # two paths wait for it at the kill
    job_id = submit(crew, seeds=5)
    kill_while(crew, "FactNotes", 2)
    answer = crew.client.wait(job_id, 180)
    assert isinstance(answer, Answer)
    assert answer.status == "done", repr(answer.reason)
    assert answer.text == in_peace.answer.text
    assert crew.client.job(job_id).leases_lost >= 2
    assert_recorded_once(crew, job_id)
    actions: dict[int, list[int]] = defaultdict(list)
    for action in answer.details["actions"]:
        actions[action["path"]].append(action["action"])
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in actions.values())
    ended = Counter(data["path"] for name, data in events_of(crew, job_id) if name == "path.ended")
    assert max(ended.values()) == 1
    assert_nothing_left(crew)
