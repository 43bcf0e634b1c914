"""A worker is killed in each phase of a survey: it goes on, and the answer is the same."""

from __future__ import annotations

import pytest
from fleet.checks import assert_done_as, assert_nothing_left
from fleet.crew import Crew, wait_until
from themes import QUESTION, reviews

from workers.core.answers.answer import Answer

COLLECTION = "chaos-survey"
HELD = {"hold": True}


@pytest.fixture(scope="module")
def in_peace(crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> Answer:
    crew.model.set()
    crew.have(a="interactive", bulk="bulk")
    corpus = reviews(12, themes=3, seed=5)
    crew.ingest(corpus.write(tmp_path_factory.mktemp("reviews")), COLLECTION)
    answer = crew.client.ask(QUESTION, COLLECTION, strategy="survey")
    assert answer.status == "done", repr(answer.reason)
    return answer


@pytest.mark.parametrize("schema", ["SurveyPlan", "embeddings", "FactScores", "TopicClaims", "SurveyDraft"])
def test_a_kill_in_any_phase_leaves_the_same_answer(crew: Crew, in_peace: Answer, schema: str) -> None:
    crew.have(a="interactive")
    # It is killed before it has the answer.
    crew.model.set(**({schema: HELD} if schema == "embeddings" else {"schemas": {schema: HELD}}))
    job_id = crew.client.submit_question(QUESTION, COLLECTION, strategy="survey")
    wait_until(lambda: crew.model.requests().get(schema, 0), f"a call of {schema}")
    crew.workers["a"].kill()
    crew.model.set()
    crew.start("a")
    assert_done_as(crew, job_id, in_peace)
    answer = crew.client.wait(job_id, 180)
    assert isinstance(answer, Answer)
    assert answer.details["coverage"] == in_peace.details["coverage"]
    assert crew.client.job(job_id).leases_lost >= 1
    assert_nothing_left(crew)
