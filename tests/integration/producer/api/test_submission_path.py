"""The way of a question from its route to the broker."""

import traceback
from pathlib import Path
from typing import Any

import pytest
from fleet.api import served_api
from redis.commands.core import ListCommands

import hopline
import producer
import workers
from workers.core.jobs.params import QueryParams
from workers.ledger.ledger import Ledger
from workers.services import Services

LIVE = "way"
OWN = tuple(str(Path(str(package.__file__)).parent) for package in (hopline, producer, workers))
MOST_FRAMES, MOST_FILES = 8, 6


@pytest.fixture
def way(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Return what is noted while a question is submitted: the stack at LPUSH, validations, look-ups."""
    noted: list[Any] = []
    push, validate, exists = ListCommands.lpush, QueryParams.model_validate, Ledger.exists

    def pushed(commands: Any, name: str, *values: Any) -> Any:
        noted.append(traceback.extract_stack())
        return push(commands, name, *values)

    def validated(params: Any, **more: Any) -> QueryParams:
        noted.append("validated")
        return validate(params, **more)

    def looked_up(ledger: Ledger, job_id: str) -> bool:
        noted.append("looked up")
        return exists(ledger, job_id)

    monkeypatch.setattr(ListCommands, "lpush", pushed)
    monkeypatch.setattr(QueryParams, "model_validate", validated)
    monkeypatch.setattr(Ledger, "exists", looked_up)
    return noted


def test_a_question_goes_a_short_way_to_the_broker(services: Services, way: list[Any]) -> None:
    asked = {"question": "Who built it?", "collection": LIVE}
    with served_api(services, loopback=False) as api, api.client(api.key("submit")) as client:
        reply = client.post("/v1/queries", json=asked, headers={"Idempotency-Key": "one"})
    assert reply.status_code == 202
    *before, stack = way
    assert sorted(before) == ["looked up", "validated"]
    own = [frame.filename for frame in stack if frame.filename.startswith(OWN)]
    assert own[0].endswith("producer/api/routes/queries.py"), stack
    assert 1 + len(own) <= MOST_FRAMES, stack  # the route awaits the thread whose frames these are
    assert len(set(own)) <= MOST_FILES, stack
