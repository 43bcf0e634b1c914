"""The command line starts quickly: nothing is imported that only some commands need."""

from __future__ import annotations

import subprocess
import sys

import pytest

_HEAVY = ("neo4j", "qdrant_client", "openai", "celery", "redis", "httpx", "pydantic_settings")


@pytest.mark.parametrize("args", [["--help"], ["ask", "--help"], ["version"]])
def test_help_needs_no_driver(args: list[str]) -> None:
    code = (
        "import sys, contextlib, os\n"
        "from producer.cli import app\n"
        "with contextlib.redirect_stdout(open(os.devnull, 'w')), contextlib.suppress(SystemExit):\n"
        f"    app({args!r})\n"
        f"print(*[name for name in {_HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True
    )
    assert done.stdout.split() == []


def test_to_hand_over_a_question_needs_no_numpy_and_no_driver() -> None:
    code = (
        "import sys, producer.service.service, producer.client.hopline\n"
        "import workers.app, workers.engine.submit\n"
        "print(*[name for name in ('numpy', 'neo4j', 'qdrant_client', 'openai') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True
    )
    assert done.stdout.split() == []


@pytest.mark.parametrize("module", ["infra.local.status", "infra.local.doctor"])
def test_a_look_at_the_servers_needs_no_client_that_takes_long_to_load(module: str) -> None:
    slow = ("celery", "qdrant_client", "openai", "neo4j", "jgo", "requests")
    code = f"import sys, {module}; print(*[name for name in {slow!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=180, check=True
    )
    assert done.stdout.split() == []
