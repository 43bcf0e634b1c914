"""A pytest plugin that notes which test runs which line: `COVERED=FOLDER pytest -p mutants.covered …`.

Each process leaves a file in the folder; `coverage combine` makes one of them. Needs the package coverage.
"""

import os
from collections.abc import Iterator
from typing import Any

import coverage
import pytest

COVERAGE = coverage.Coverage(
    data_file=f"{os.environ['COVERED']}/covered.{os.getpid()}",
    branch=True,
    config_file=False,
    source_pkgs=["hopline", "workers", "producer", "infra"],
    check_preimported=True,
)
COVERAGE.start()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    """Charge the lines to the test's function; the cases of a table are one."""
    COVERAGE.switch_context(item.nodeid.partition("[")[0])
    result = yield
    COVERAGE.switch_context("")
    return result


def pytest_unconfigure() -> None:
    """Write what was noted."""
    COVERAGE.stop()
    COVERAGE.save()
