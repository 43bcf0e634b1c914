"""A worker is killed while tools are chosen, run and checked: the rounds go on to the same answer."""

from __future__ import annotations

import pytest
from fleet.checks import assert_done_as, assert_nothing_left
from fleet.crew import Crew, wait_until
from fleet.worlds import BRIDGE_QUESTION, write_bridge

from workers.core.answers.answer import Answer

COLLECTION = "chaos-tools"
SLOW = {"latency": 0.3}
HELD = {"hold": True}  # what asks is killed before it has the answer


@pytest.fixture(scope="module")
def in_peace(crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> Answer:
    """The answer when nothing is killed."""
    crew.model.set()
    crew.have(a="interactive", bulk="bulk")
    crew.ingest(write_bridge(tmp_path_factory.mktemp("bridge")), COLLECTION)
    answer = crew.client.ask(BRIDGE_QUESTION, COLLECTION, strategy="tools")
    assert answer.status == "done", repr(answer.reason)
    assert "Vestby" in answer.text
    return answer


@pytest.mark.parametrize("schema", ["ToolChoice", "AnswerCheck"])
def test_a_kill_in_the_middle_of_a_round_changes_no_answer(crew: Crew, in_peace: Answer, schema: str) -> None:
    crew.have(a="interactive")
    crew.model.set(chat=SLOW, schemas={schema: HELD})
    job_id = crew.client.submit_question(BRIDGE_QUESTION, COLLECTION, strategy="tools")
    wait_until(lambda: crew.model.requests().get(schema, 0) >= 1, f"a call of {schema}")
    crew.workers["a"].kill()
    crew.model.set(chat=SLOW)
    crew.start("a")
    assert_done_as(crew, job_id, in_peace)
    answer = crew.client.wait(job_id, 180)
    assert isinstance(answer, Answer)
    assert answer.details["tools"] == in_peace.details["tools"]
    assert crew.client.job(job_id).leases_lost >= 1
    assert_nothing_left(crew)


@pytest.mark.usefixtures("in_peace")
def test_a_kill_while_the_strategy_is_chosen_leaves_one_choice(crew: Crew) -> None:
    crew.have(a="interactive")
    crew.model.set(chat=SLOW, schemas={"StrategyChoice": HELD})
    job_id = crew.client.submit_question(BRIDGE_QUESTION, COLLECTION)
    wait_until(lambda: crew.model.requests().get("StrategyChoice", 0) >= 1, "a choice")
    crew.workers["a"].kill()
    crew.model.set(chat=SLOW)
    crew.start("a")
    answer = crew.client.wait(job_id, 180)
    assert isinstance(answer, Answer)
    assert answer.status == "done", repr(answer.reason)
    assert answer.details["chosen"]["strategy"] in ("graph", "reader", "tools")
    assert "Vestby" in answer.text
    assert_nothing_left(crew)
