"""Workers that are killed, on a Redis of their own; the session's other servers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fleet.crew import Crew, PrivateRedis, make_crew
from fleet.tree import Tree, answered_tree


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests of this folder to make test-long."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker("long")


@pytest.fixture(scope="package")
def own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture(scope="package")
def crew(
    own_redis: PrivateRedis, stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Crew]:
    # A worker that is held up for a second has not lost what it works on: tests count what killed ones lost.
    crew = make_crew(stack_env, own_redis.url, tmp_path_factory.mktemp("crew"), HOPLINE_LEASE_SECONDS="3")
    crew.model.set()
    yield crew
    crew.stop()
    crew.model.set()


@pytest.fixture(scope="package")
def tree(crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """Ingest the tree's documents and ask its question before anything is killed; leaves workers running."""
    return answered_tree(crew, tmp_path_factory.mktemp("tree"))
