"""A Neo4j that is killed and comes back while a question is answered costs it nothing but the time."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet.asked import ask_in_peace
from fleet.checks import assert_done_as, assert_nothing_left, events_of
from fleet.crew import Crew, private_crew, wait_until
from fleet.servers import START_SECONDS


@pytest.fixture
def crew(own_stack_env: dict[str, str], tmp_path: Path) -> Iterator[Crew]:
    """Workers that no other test's items reach."""
    with private_crew(own_stack_env, tmp_path) as crew:
        yield crew


def test_a_restarted_neo4j_pauses_work_and_uses_up_no_attempts(crew, servers, tmp_path):
    asked = ask_in_peace(crew, tmp_path / "tree", "graph")
    crew.model.set(schemas={"NodeNotes": {"hold": True}})
    job_id = asked.submit(crew)
    wait_until(lambda: crew.model.asked("NodeNotes"), "visits are under way")
    servers.kill("own_neo4j")
    crew.model.set()
    wait_until(
        lambda: any(name == "item.deferred" for name, _ in events_of(crew, job_id)), "work was laid aside"
    )
    servers.start_again("own_neo4j")
    servers.running["own_neo4j"].wait_ready(START_SECONDS)
    assert_done_as(crew, job_id, asked.answer)
    errors = [data["error"] for name, data in events_of(crew, job_id) if name == "item.failed"]
    # One that has just started on a busy machine may need longer than a query has.
    assert [error for error in errors if "TransactionTimedOut" not in error] == []
    assert_nothing_left(crew)
