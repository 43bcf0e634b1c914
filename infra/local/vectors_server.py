"""The local vectors endpoint (infra.local.vectors), where no Qdrant server is given."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx

from infra.local.process import LOOPBACK, Program


def vectors_address(port: int) -> str:
    """Return the URL that the Qdrant client uses."""
    return f"http://{LOOPBACK}:{port}"


def vectors_program(folder: Path, port: int) -> Program:
    """Return how to run the endpoint with its data in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    command = (sys.executable, "-m", "infra.local.vectors", "--host", LOOPBACK, "--port", str(port))

    def ready(_pid: int) -> bool:
        return httpx.get(f"{vectors_address(port)}/readyz", timeout=2, trust_env=False).is_success

    return Program("vectors", (*command, "--data", str(folder.resolve())), ready)
