"""Runs the local vectors endpoint (infra.local.vectors) if no Qdrant server is configured."""

from __future__ import annotations

import sys
from pathlib import Path

import httpx

from infra.gate import write_key
from infra.local.process import LOOPBACK, Program


def vectors_address(port: int) -> str:
    """Return the URL that the Qdrant client uses."""
    return f"http://{LOOPBACK}:{port}"


def vectors_program(folder: Path, port: int, key: str) -> Program:
    """Write the key beside this folder (mode 600) and return how to run the endpoint with its data in it."""
    folder.mkdir(parents=True, exist_ok=True)
    data = ("--data", str(folder.resolve()), "--key-file", str(write_key(folder, key)))
    command = (sys.executable, "-m", "infra.local.vectors", "--host", LOOPBACK, "--port", str(port))

    def ready(_pid: int) -> bool:
        return httpx.get(f"{vectors_address(port)}/readyz", timeout=2, trust_env=False).is_success

    return Program("vectors", (*command, *data), ready)
