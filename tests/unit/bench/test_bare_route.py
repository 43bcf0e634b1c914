"""The route that does nothing takes and answers what the real one does."""

from bare_route import app
from fastapi.testclient import TestClient


def test_it_answers_a_submitted_question_with_a_job() -> None:
    with TestClient(app) as client:
        answer = client.post("/v1/queries", json={"question": "Who built it?", "collection": "notes"})
    assert (answer.status_code, answer.json()["collection"]) == (202, "notes")
