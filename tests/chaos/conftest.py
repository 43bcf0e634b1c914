"""Workers that are killed, on a Redis of their own; the session's other servers."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from fleet.asked import Asked, ask_in_peace
from fleet.crew import Crew, private_crew
from fleet.worlds import TREE_FACTS, TREE_VISITS


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the tests of this folder to make test-long."""
    for item in items:
        if item.path.parent == Path(__file__).parent:
            item.add_marker("long")


@pytest.fixture(scope="package")
def crew(stack_env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crew]:
    with private_crew(stack_env, tmp_path_factory.mktemp("crew")) as crew:
        yield crew


@pytest.fixture(scope="package")
def in_peace(crew: Crew, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Asked]:
    """Return what asks a flow's question before anything is killed, once; leaves workers running."""

    @cache
    def ask(flow: str) -> Asked:
        return ask_in_peace(crew, tmp_path_factory.mktemp(flow), flow)

    return ask


@pytest.fixture(scope="package")
def tree(in_peace: Callable[[str], Asked]) -> Asked:
    """The question whose facts are a tree."""
    asked = in_peace("graph")
    assert (len(asked.answer.walk), asked.answer.details["facts"]) == (TREE_VISITS, TREE_FACTS)
    return asked
