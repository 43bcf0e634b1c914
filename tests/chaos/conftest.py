"""Workers that are killed, on a Redis of their own; the session's other servers."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fleet.crew import Crew, PrivateRedis, make_crew
from fleet.worlds import TREE_FACTS, TREE_QUESTION, TREE_VISITS, write_tree

from workers.core.answers.answer import Answer


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests of this folder to make test-long."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker("long")


@dataclass(frozen=True)
class Tree:
    """The tree's collection, and its question's answer in peace."""

    collection: str
    answer: Answer

    def submit(self, crew: Crew, **params: Any) -> str:
        return crew.client.submit_question(
            TREE_QUESTION, self.collection, strategy="graph", max_seeds=1, facts_per_critic=1, **params
        )


@pytest.fixture(scope="package")
def own_redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrivateRedis]:
    server = PrivateRedis(tmp_path_factory.mktemp("redis"))
    yield server
    server.kill()


@pytest.fixture(scope="package")
def crew(
    own_redis: PrivateRedis, stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Crew]:
    crew = make_crew(stack_env, own_redis.url, tmp_path_factory.mktemp("crew"))
    crew.model.set()
    yield crew
    crew.stop()
    crew.model.set()


@pytest.fixture(scope="package")
def tree(crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    """Ingest the tree's documents and ask its question before anything is killed; leaves workers running."""
    crew.have(a="interactive", bulk="bulk")
    collection = f"tree-{secrets.token_hex(4)}"
    crew.ingest(write_tree(tmp_path_factory.mktemp("tree")), collection)
    answer = crew.client.ask(TREE_QUESTION, collection, strategy="graph", max_seeds=1, facts_per_critic=1)
    assert answer.status == "done", answer
    assert len(answer.walk) == TREE_VISITS
    assert answer.details["facts"] == TREE_FACTS
    return Tree(collection, answer)
