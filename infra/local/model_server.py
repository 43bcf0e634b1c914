"""The offline model (infra.offline_model), where no endpoint of a real one is given."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx

from infra.local.process import LOOPBACK, Program


def model_address(port: int) -> str:
    """Return the base URL that the OpenAI client uses."""
    return f"http://{LOOPBACK}:{port}/v1"


def model_program(_folder: Path, port: int) -> Program:
    """Return how to run the model; it keeps no data."""
    command = (sys.executable, "-m", "infra.offline_model", "--host", LOOPBACK, "--port", str(port))

    def ready(_pid: int) -> bool:
        return httpx.get(f"http://{LOOPBACK}:{port}/health", timeout=2, trust_env=False).is_success

    return Program("model", command, ready)
