"""The local stack: `up` starts what is not running and waits until all of it answers; `down` ends it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock
from rich.console import Console

from hopline.machine import var_folder
from infra.local.jars import fetch_jars
from infra.local.parts import Part, servers, work, write_environment
from infra.local.process import StartFailed, is_ready, last_lines
from infra.local.settings import (
    SUPERVISOR_FILE,
    LocalSettings,
    cache_folder,
    code_fingerprint,
    load_local_settings,
    settings_fingerprint,
)
from infra.local.state import State, prepare_state
from infra.local.supervise import configuration, connect, end_orphans, start_supervisor, stop_supervisor
from workers.services import Services
from workers.settings import load_settings

# For a program that neither ends nor answers; on a busy machine a worker has taken two minutes to start.
_READY_SECONDS = 240.0
_GIVEN_UP = ("FATAL", "UNKNOWN")  # supervisord's words; EXITED is on its way to a restart


def up(console: Console, *, tools_port: int | None = None, servers_only: bool = False) -> None:
    """Start the stack; what runs already stays, unless the settings changed since.

    Args:
        console: where to tell of it.
        tools_port: of a second Neo4j for the tools, where settings name neither one nor its port. The next
            start without it ends that server; its data stays.
        servers_only: start no workers, API, Flower or beat, and end those that run: servers are there, and
            nothing works on them.

    Raises:
        StartFailed: a part does not start; says which, with the end of its log.
        HoplineError: what it needs cannot be had.
        ValidationError: a setting is wrong.
    """
    began = time.monotonic()
    local, var = load_local_settings(), var_folder().resolve()
    settings = local.with_tools(tools_port)
    load_settings()  # what workers and the API would refuse is refused before anything starts
    with _alone(var):
        if settings.runs_neo4j or settings.runs_tools:
            fetch_jars(console, cache_folder(settings.cache))
        calls = connect(var)
        if calls is None:
            end_orphans(var)
        state = prepare_state(var, settings, running=calls is not None)
        _bring_up(
            console,
            var,
            settings,
            state,
            f"{settings_fingerprint(local)} {code_fingerprint()}",
            servers_only=servers_only,
        )
    console.print(f"Up after {time.monotonic() - began:.0f} s. Logs: {var / 'log'}")


def down(console: Console) -> None:
    """End all parts; their data stays."""
    ran = end_stack(var_folder().resolve())
    console.print("The stack is down; its data stays." if ran else "Nothing was running.")


def end_stack(var: Path) -> bool:
    """End all parts of the stack of this folder; return whether any ran."""
    if not var.is_dir():
        return False
    with _alone(var):
        ran = stop_supervisor(var)
        return bool(end_orphans(var)) or ran


@contextmanager
def _alone(var: Path) -> Iterator[None]:
    """Let one `up` or `down` at a time work on this folder."""
    var.mkdir(parents=True, exist_ok=True)
    with FileLock(var / ".lock"):
        yield


def _supervisor(var: Path, config: str, console: Console) -> Any:
    """Return the calls of a supervisord that runs with this configuration; end one that runs with another."""
    calls = connect(var)
    if calls is not None:
        if config == (var / SUPERVISOR_FILE).read_text(encoding="utf-8"):
            return calls
        console.print("Settings or code have changed: starting anew.")
        stop_supervisor(var)
    return start_supervisor(var, config)


def _bring_up(
    console: Console,
    var: Path,
    settings: LocalSettings,
    state: State,
    fingerprint: str,
    *,
    servers_only: bool,
) -> None:
    serving = servers(settings, var, state)
    write_environment(settings, var, state)
    load_settings.cache_clear()
    from workers.app import app  # noqa: PLC0415 - it reads stack.env when it is imported

    working = work(var, state, app)
    programs = ([part.program for part in parts] for parts in (serving, working))
    calls = _supervisor(var, configuration(var, fingerprint, *programs), console)
    _start(console, calls, "servers", serving, var)
    if servers_only:
        calls.stopProcessGroup("work")
        return
    _migrate()
    _start(console, calls, "work", working, var)


def _migrate() -> None:
    """Bring the graph's constraints and indexes up to date before a worker looks at them."""
    services = Services(load_settings())
    try:
        services.graph.migrate()
    finally:
        services.close()


def _start(console: Console, calls: Any, group: str, parts: Sequence[Part], var: Path) -> None:
    """Start what is not running and wait for all of it, telling of each when it is ready."""
    for part in parts:
        name = f"{group}:{part.program.name}"
        if calls.getProcessInfo(name)["statename"] in ("STOPPED", "FATAL"):
            calls.startProcess(name, False)
    waiting, deadline = list(parts), time.monotonic() + _READY_SECONDS
    with console.status("") as status:
        while waiting:
            status.update(f"Waiting for {', '.join(part.program.name for part in waiting)}")
            for part in list(waiting):
                if _came_up(calls, group, part, var, deadline):
                    waiting.remove(part)
                    console.print(f"  [green]up[/green]  {part.program.name:<12} {part.address}")
            time.sleep(0.1)


def _came_up(calls: Any, group: str, part: Part, var: Path, deadline: float) -> bool:
    info = calls.getProcessInfo(f"{group}:{part.program.name}")
    given_up = info["statename"] in _GIVEN_UP
    if given_up or time.monotonic() > deadline:
        log = var / "log" / f"{part.program.name}.log"
        reason = "does not start" if given_up else f"was not ready after {_READY_SECONDS:.0f} s"
        raise StartFailed(f"{part.program.name} {reason}; the end of {log}:\n{last_lines(log)}")
    return info["pid"] != 0 and is_ready(part.program, info["pid"])
