"""Runs the offline model (infra.offline_model) if no endpoint of a real one is configured."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx

from infra.gate import write_key
from infra.local.process import LOOPBACK, Program

# The embedders that the offline model can serve: the name that collections keep, and its switch.
EMBEDDERS = {"wordllama-256": "wordllama", "minilm-384": "minilm"}


def model_address(port: int) -> str:
    """Return the base URL that the OpenAI client uses."""
    return f"http://{LOOPBACK}:{port}/v1"


def model_program(folder: Path, port: int, key: str, embedder: str = "wordllama-256") -> Program:
    """Write the key of its switches beside this folder (mode 600) and return how to run the model.

    Args:
        folder: where its data would lie; it keeps none.
        port: on the loopback.
        key: lets change its switches and read its log.
        embedder: one of EMBEDDERS.
    """
    serve = (sys.executable, "-m", "infra.offline_model", "--host", LOOPBACK, "--port", str(port))
    command = (*serve, "--embedder", EMBEDDERS[embedder], "--key-file", str(write_key(folder, key)))

    def ready(_pid: int) -> bool:
        return httpx.get(f"http://{LOOPBACK}:{port}/health", timeout=2, trust_env=False).is_success

    return Program("model", command, ready)
