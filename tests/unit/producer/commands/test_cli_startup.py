"""The command line starts quickly: nothing is imported that only some commands need."""

from __future__ import annotations

import subprocess
import sys

import pytest

_RUN = """import os, contextlib
from producer.cli import app
for args in (['--help'], ['ask', '--help'], ['version']):
    with contextlib.redirect_stdout(open(os.devnull, 'w')), contextlib.suppress(SystemExit):
        app(args)
"""
_DRIVERS = ("neo4j", "qdrant_client", "openai")


@pytest.mark.parametrize(
    ("code", "heavy"),
    [
        (_RUN, (*_DRIVERS, "celery", "redis", "httpx", "pydantic_settings")),
        (
            "import producer.service.service, producer.client.hopline, workers.app, workers.engine.submit",
            (*_DRIVERS, "numpy"),
        ),
        ("import infra.local.status, infra.local.doctor", (*_DRIVERS, "celery", "jgo", "requests")),
    ],
    ids=["help", "handing over a question", "a look at the servers"],
)
def test_what_is_run_often_loads_nothing_that_takes_long(code: str, heavy: tuple[str, ...]) -> None:
    code += f"\nimport sys; print(*[name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=600, check=True
    )
    assert done.stdout.split() == []
