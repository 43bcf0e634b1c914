"""The stack's state between starts: its ports, and passwords and keys made at the first start."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

from pydantic import Field

from hopline.models.base import Frozen
from infra.gate import new_key
from infra.local.files import write_file
from infra.local.process import free_port, port_open
from infra.local.settings import LocalSettings

STATE_FILE = "stack.json"  # in var/, mode 600


class Port(Frozen):
    """A requested port, and the one in use, which differs if the first was taken."""

    wanted: int
    used: int


class State(Frozen):
    """The state in var/stack.json."""

    ports: Mapping[str, Port] = {}
    redis_password: str
    neo4j_password: str
    flower_password: str
    # Made by the next `up` where a version before these two wrote the file.
    vectors_key: str = Field(default_factory=new_key)
    control_key: str = Field(default_factory=new_key)  # of the offline model's switches and log
    tools_password: str = Field(default_factory=new_key)  # of the second Neo4j


def load_state(var: Path) -> State | None:
    """Return the stored state, or None before the first start."""
    try:
        return State.model_validate_json((var / STATE_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None


def prepare_state(var: Path, settings: LocalSettings, *, running: bool) -> State:
    """Return the state to start with, after storing it.

    Args:
        var: the stack's folder.
        settings: the requested ports.
        running: whether the stack already runs and so occupies its ports itself.
    """
    var.mkdir(parents=True, exist_ok=True)
    var.chmod(0o700)
    before = load_state(var) or _first_state()
    state = before.model_copy(update={"ports": _ports(before, settings, running=running)})
    write_file(var / STATE_FILE, state.model_dump_json(indent=1), secret=True)
    return state


def _first_state() -> State:
    made = {f"{name}_password": secrets.token_urlsafe(24) for name in ("redis", "neo4j", "flower")}
    return State.model_validate(made)


def _ports(before: State, settings: LocalSettings, *, running: bool) -> dict[str, Port]:
    wanted = {
        "redis": settings.redis_port,
        "neo4j": settings.neo4j_port,
        "vectors": settings.vectors_port,
        "model": settings.model_port,
        "flower": settings.flower_port,
        "api": settings.api_port,
    }
    if settings.tools_neo4j_port is not None:
        wanted["tools"] = settings.tools_neo4j_port
    return {name: _port(before.ports.get(name), port, running=running) for name, port in wanted.items()}


def _port(known: Port | None, wanted: int, *, running: bool) -> Port:
    if known is None or known.wanted != wanted:
        known = Port(wanted=wanted, used=wanted)
    elif running:
        return known
    return Port(wanted=wanted, used=free_port()) if port_open(known.used) else known
