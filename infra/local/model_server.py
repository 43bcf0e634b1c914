"""The offline model (infra.offline_model), where no endpoint of a real one is given."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx

from infra.local.process import LOOPBACK, Program

# The embedders that the offline model can serve: the name that collections keep, and its switch.
EMBEDDERS = {"wordllama-256": "wordllama", "minilm-384": "minilm"}


def model_address(port: int) -> str:
    """Return the base URL that the OpenAI client uses."""
    return f"http://{LOOPBACK}:{port}/v1"


def model_program(_folder: Path, port: int, embedder: str = "wordllama-256") -> Program:
    """Return how to run the model with one of EMBEDDERS; it keeps no data."""
    serve = (sys.executable, "-m", "infra.offline_model", "--host", LOOPBACK, "--port", str(port))
    command = (*serve, "--embedder", EMBEDDERS[embedder])

    def ready(_pid: int) -> bool:
        return httpx.get(f"http://{LOOPBACK}:{port}/health", timeout=2, trust_env=False).is_success

    return Program("model", command, ready)
