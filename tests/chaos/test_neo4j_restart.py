"""A Neo4j that is killed and comes back while a question is answered costs it nothing but the time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet.checks import assert_done_as, assert_nothing_left, begun, events_of
from fleet.crew import Crew, private_crew, wait_until
from fleet.servers import START_SECONDS, Servers
from fleet.tree import answered_tree

SLOW = {"latency": 0.4}


@pytest.fixture
def crew(own_stack_env: dict[str, str], tmp_path: Path) -> Iterator[Crew]:
    """Workers that no other test's items reach."""
    with private_crew(own_stack_env, tmp_path) as crew:
        yield crew


def test_a_restarted_neo4j_pauses_work_and_uses_up_no_attempts(
    crew: Crew, servers: Servers, tmp_path: Path
) -> None:
    tree = answered_tree(crew, tmp_path / "tree")
    crew.model.set(chat=SLOW, schemas={"NodeNotes": {"hold": True}})
    job_id = tree.submit(crew)
    wait_until(lambda: begun(crew, job_id, "traverse.visit"), "visits are under way")
    servers.kill("own_neo4j")
    crew.model.set(chat=SLOW)
    wait_until(
        lambda: any(name == "item.deferred" for name, _ in events_of(crew, job_id)), "work was laid aside"
    )
    servers.start_again("own_neo4j")
    servers.running["own_neo4j"].wait_ready(START_SECONDS)
    assert_done_as(crew, job_id, tree.answer)
    assert not any(name == "item.failed" for name, _ in events_of(crew, job_id))
    assert_nothing_left(crew)
